//go:build unix

package process

import (
	"io"
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// readNow reads what lies in a pipe of bench without waiting for more. It returns io.EOF if nothing does, and ignores the
// pipe's deadline.
func readNow(pipe *os.File, b []byte) (n int, err error) {
	conn, err := pipe.SyscallConn()
	if err == nil {
		closed := conn.Control(func(fd uintptr) { n, err = read(fd, b) })
		if closed != nil {
			err = closed
		}
	}
	if n <= 0 || err != nil {
		return 0, io.EOF
	}
	return n, nil
}

// read does not wait: os.Pipe sets bench's end of a pipe so.
func read(fd uintptr, b []byte) (n int, err error) {
	for {
		if n, err = unix.Read(int(fd), b); err != unix.EINTR {
			return n, err
		}
	}
}

// readNext hands over what comes next, and reports whether more may come. It reads with the lock, so that nobody can add
// later bytes before earlier ones.
func readNext(pipe *os.File, lock sync.Locker, b []byte, add func([]byte)) bool {
	conn, err := pipe.SyscallConn()
	if err != nil {
		return false
	}
	more := false
	err = conn.Read(func(fd uintptr) bool {
		lock.Lock()
		defer lock.Unlock()
		n, err := read(fd, b)
		if err == unix.EAGAIN {
			return false // conn.Read waits and calls again
		}
		if n > 0 {
			add(b[:n])
			more = true
		}
		return true
	})
	return more && err == nil
}

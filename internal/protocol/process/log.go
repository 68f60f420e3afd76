package process

import (
	"bytes"
	"fmt"
	"os"
	"sync"
)

// half is how many bytes a log keeps of its beginning, and how many of its end.
const half = 8 << 20

// Log is what a program wrote to its standard error: all of it up to 16 MiB, and of more the first and the last 8 MiB.
// Cut divides it into parts, each with as much space. A Log may be used from any goroutine.
type Log struct {
	pipe *os.File // its reading end

	mu         sync.Mutex
	buf        [32 << 10]byte
	total      int64  // bytes of the part
	head, tail []byte // its first bytes, and the last of the others, at least as many as are kept
}

// receive reads until nobody holds the other end of the pipe, or the program has ended.
func (l *Log) receive() {
	defer l.pipe.Close()
	for readNext(l.pipe, &l.mu, l.buf[:], l.add) {
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.catchUp()
}

// catchUp reads what lies in the pipe, without waiting. The caller has locked l.mu.
func (l *Log) catchUp() {
	const most = 1 << 20 // what a pipe of Linux can hold; a program could write for ever
	for n := 0; n < most; {
		k, err := readNow(l.pipe, l.buf[:])
		if err != nil {
			return
		}
		l.add(l.buf[:k])
		n += k
	}
}

func (l *Log) add(b []byte) {
	l.total += int64(len(b))
	k := min(len(b), half-len(l.head))
	l.head, b = append(l.head, b[:k]...), b[k:]
	if l.tail = append(l.tail, b...); len(l.tail) > 2*half {
		l.tail = append(l.tail[:0], l.tail[len(l.tail)-half:]...)
	}
}

// text is the part as far as it is kept, and how many bytes are left out.
func (l *Log) text() (head, tail []byte, left int64) {
	tail = bytes.Clone(l.tail[max(0, len(l.tail)-half):])
	return l.head, tail, l.total - int64(len(l.head)+len(tail))
}

// Cut returns what the program wrote since the last Cut, and begins the next part. It has all that the program wrote before
// whatever the caller has read from its standard output (Windows: nearly all). A line in the middle says how many bytes are
// left out, if any are.
func (l *Log) Cut() []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.catchUp()
	head, tail, left := l.text()
	l.head, l.tail, l.total = nil, nil, 0
	if left > 0 {
		head = fmt.Appendf(head, "\n[%d bytes are left out here]\n", left)
	}
	return append(head, tail...)
}

// Tail returns the last n bytes of the present part, or all of it if it is shorter. A part that is cut begins with a whole
// line if it has one.
func (l *Log) Tail(n int) []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.catchUp()
	head, tail, left := l.text()
	if left == 0 {
		tail = append(bytes.Clone(head), tail...)
	}
	if len(tail) <= n {
		return tail
	}
	cut := tail[len(tail)-n:]
	if _, whole, ok := bytes.Cut(cut, []byte("\n")); ok && len(whole) > 0 && tail[len(tail)-n-1] != '\n' {
		return whole
	}
	return cut
}

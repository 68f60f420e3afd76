//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package record

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// flock is a variable so that tests can simulate a file system without locks.
var flock = syscall.Flock

// lockFolder locks a folder until the file is closed, also by the end of the process. It does not wait: the error is
// errLocked if another process has the lock. none says why the file system has no locks, as on some clusters: NFS, or Lustre
// without flock.
func lockFolder(dir string) (file *os.File, none, err error) {
	file, err = os.Open(dir)
	if err != nil {
		return nil, nil, err
	}
	for {
		err = flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case err == nil:
			return file, nil, nil
		case errors.Is(err, syscall.EINTR):
			continue
		case errors.Is(err, syscall.ENOLCK), errors.Is(err, errors.ErrUnsupported): // ENOSYS, ENOTSUP, EOPNOTSUPP
			return file, err, nil
		case errors.Is(err, syscall.EWOULDBLOCK):
			err = errLocked
		default:
			err = fmt.Errorf("it cannot be locked: %w", err)
		}
		file.Close()
		return nil, nil, err
	}
}

//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package record

import (
	"errors"
	"os"
	"syscall"
)

// flock is a variable so that tests can simulate a file system without locks.
var flock = syscall.Flock

// lockFile locks f until it is closed, also by the end of the process. It does not wait: the error is errLocked if another
// process has the lock. none says why the file system has no locks, as on some clusters: NFS, or Lustre without flock.
func lockFile(f *os.File) (none, err error) {
	for {
		err := flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case errors.Is(err, syscall.EWOULDBLOCK):
			return nil, errLocked
		case errors.Is(err, syscall.ENOLCK), errors.Is(err, errors.ErrUnsupported): // ENOSYS, ENOTSUP, EOPNOTSUPP
			return err, nil
		}
		return nil, err
	}
}

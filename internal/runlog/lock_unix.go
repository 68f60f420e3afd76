//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package runlog

import (
	"os"
	"syscall"
)

// lockFile locks f until it is closed, which the system does for a process that
// is killed. It fails at once if another process has the lock.
func lockFile(f *os.File) error {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
}

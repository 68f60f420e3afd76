//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly || windows)

package record

import (
	"errors"
	"os"
)

// lockFolder opens the folder. It is not locked, because the syscall package has no lock here.
func lockFolder(dir string) (file *os.File, none, err error) {
	file, err = os.Open(dir)
	return file, errors.ErrUnsupported, err
}

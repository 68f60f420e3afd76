package record

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// lockFolder opens a file in the folder that no other process can open. It ends when it is closed, or with this process.
func lockFolder(dir string) (file *os.File, none, err error) {
	const deleteOnClose, sharingViolation = 0x04000000, syscall.Errno(32)
	path := filepath.Join(dir, ".lock")
	name, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return nil, nil, err
	}
	h, err := syscall.CreateFile(name, syscall.GENERIC_WRITE, 0, nil, syscall.OPEN_ALWAYS, syscall.FILE_ATTRIBUTE_HIDDEN|deleteOnClose, 0)
	if errors.Is(err, sharingViolation) {
		return nil, nil, errLocked
	}
	if err != nil {
		return nil, nil, fmt.Errorf("it cannot be locked: %w", err)
	}
	return os.NewFile(uintptr(h), path), nil, nil
}

package record

import (
	"errors"
	"fmt"
)

// errLocked is lockFile's error for a file that another process has locked.
var errLocked = errors.New("it is locked")

// errNoLocks is lockFile's error on a file system without locks. Some clusters use such file
// systems: NFS without its lock service, Lustre mounted without flock.
type errNoLocks struct{ reason error }

func (e *errNoLocks) Error() string { return e.reason.Error() }

// lock locks the folder, or notes that its file system has no locks. Records are written
// atomically, so a run without a lock is safe; a second run into the same folder would merely
// repeat work.
func (f *Folder) lock() error {
	err := lockFile(f.file)
	var none *errNoLocks
	switch {
	case errors.Is(err, errLocked):
		return fmt.Errorf("%s: another bench run is writing to this results folder; wait for it, or give another --out", f.dir)
	case errors.As(err, &none):
		f.note = fmt.Sprintf("the file system of %s has no locks (%v), so a second bench run into it is not detected; start only one, or give an --out on another file system", f.dir, none)
	case err != nil:
		return folderError(f.dir, fmt.Errorf("it cannot be locked: %w", err))
	}
	return nil
}

// Note returns a note on the folder for the user, or "".
func (f *Folder) Note() string { return f.note }

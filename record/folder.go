package record

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Folder is a results folder that only this process writes to.
type Folder struct {
	dir  string
	file *os.File // the folder itself, locked
	note string
}

// Create creates the folder if necessary, locks it and removes temporary files left by a killed run.
// On a file system without locks it continues without a lock, keeps temporary files, and
// [Folder.Note] says so.
func Create(dir string) (*Folder, error) {
	if err := CheckFolder(dir); err != nil {
		return nil, err
	}
	if compact, err := IsCompact(dir); err != nil {
		return nil, err
	} else if compact {
		return nil, folderError(dir, errors.New("its records are compact, and no run can continue them"))
	}
	for _, d := range []string{filepath.Join(dir, recordsDir), filepath.Join(dir, timingDir)} {
		if err := os.MkdirAll(d, 0o777); err != nil {
			return nil, folderError(dir, err)
		}
	}
	file, err := os.Open(dir)
	if err != nil {
		return nil, folderError(dir, err)
	}
	f := &Folder{dir: dir, file: file}
	if err := f.lock(); err != nil {
		file.Close()
		return nil, err
	}
	if f.note != "" {
		return f, nil // temporary files may belong to an active run
	}
	if err := removeTemps(dir); err != nil {
		file.Close()
		return nil, folderError(dir, err)
	}
	return f, nil
}

// CheckFolder returns an error if dir exists and is neither empty nor a results folder.
func CheckFolder(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return folderError(dir, err)
	}
	for _, e := range entries {
		if e.Name() == recordsDir && e.IsDir() {
			return nil
		}
	}
	if len(entries) > 0 {
		return folderError(dir, fmt.Errorf("it contains other files, such as %s", entries[0].Name()))
	}
	return nil
}

// Close lets other processes write to the folder.
func (f *Folder) Close() error { return f.file.Close() }

// Put writes the record and the timing of a cell. It writes the record last, because a cell with a
// record is done. The timing is nil if nothing was measured. Put may be called concurrently for
// different cells.
func (f *Folder) Put(r *Record, t *Timing) error {
	if r == nil {
		return errNone
	}
	if t != nil {
		if err := writeJSON(TimingPath(f.dir, r.Header.Cell), t); err != nil {
			return err
		}
		if err := f.putStderr(r.Header.Cell, t.Stderr); err != nil {
			return err
		}
	}
	return WriteFile(RecordPath(f.dir, r.Header.Cell), r)
}

// putStderr writes what a cell's programs wrote to standard error. Without any text it removes the file of an earlier run.
func (f *Folder) putStderr(cell string, text []byte) error {
	path := StderrPath(f.dir, cell)
	if len(text) > 0 {
		return replace(path, text, createFile)
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Remove deletes the files of a cell, if they exist: record, timing and standard error.
func (f *Folder) Remove(cell string) error {
	for _, p := range []string{RecordPath(f.dir, cell), TimingPath(f.dir, cell), StderrPath(f.dir, cell)} {
		if err := os.Remove(p); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// PutList writes the list of cells and a copy of the suite file, unless the folder already has them. Call
// it before the first record is written, so that the missing cells of an interrupted run are known. If
// suite is nil, the folder's suite file stays as it is.
func (f *Folder) PutList(list List, suite []byte) error {
	data, err := list.encode()
	if err == nil {
		err = f.update(cellsFile, data)
	}
	if err == nil && suite != nil {
		err = f.update(suiteFile, suite)
	}
	return err
}

// PutRun writes the provenance of the run. It fills in Host, CPU and a missing Build.
func (f *Folder) PutRun(run Run) error {
	run.Host, run.CPU = Host(), CPU()
	run.Build = cmp.Or(run.Build, Built())
	return writeJSON(filepath.Join(f.dir, runFile), run)
}

// update makes data the contents of a file of the folder.
func (f *Folder) update(name string, data []byte) error {
	if f.has(name, data) {
		return nil
	}
	return replace(filepath.Join(f.dir, name), data, createFile)
}

func (f *Folder) has(name string, data []byte) bool {
	have, err := readFile(f.dir, name)
	return err == nil && bytes.Equal(have, data)
}

// WriteFile writes the record to path atomically.
func WriteFile(path string, r *Record) error {
	data, err := Encode(r)
	if r == nil {
		return err
	}
	if err != nil {
		return fmt.Errorf("record of %s: %w", r.Header.Cell, err)
	}
	return replace(path, data, createFile)
}

func removeTemps(dir string) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && isTemp(path) {
			err = os.Remove(path)
		}
		return err
	})
}

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
		f.note = fmt.Sprintf("the file system of %s has no locks (%v), so a second bench run into it is not detected; start only one, or give an --out on another file system",
			f.dir, none)
	case err != nil:
		return folderError(f.dir, fmt.Errorf("it cannot be locked: %w", err))
	}
	return nil
}

// Note returns a note on the folder for the user, or "".
func (f *Folder) Note() string { return f.note }

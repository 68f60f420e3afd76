package record

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// Folder is a results folder that only this process writes to.
type Folder struct {
	dir  string
	file *os.File // the folder itself, locked
	note string
}

// Create creates the folder if necessary, locks it and removes temporary files left by a killed run. On a file system
// without locks it keeps temporary files, and [Folder.Note] says so.
func Create(dir string) (*Folder, error) {
	if err := CheckFolder(dir); err != nil {
		return nil, err
	}
	if compact, err := IsCompact(dir); err != nil {
		return nil, err
	} else if compact {
		return nil, folderError(dir, errors.New("its records are compact, and no run can continue them"))
	}
	err := cmp.Or(os.MkdirAll(filepath.Join(dir, recordsDir), 0o777), os.MkdirAll(filepath.Join(dir, timingDir), 0o777))
	if err != nil {
		return nil, folderError(dir, err)
	}
	f, err := Lock(dir)
	if err != nil || f.note != "" { // temporary files may belong to an active run
		return f, err
	}
	if err := removeTemps(dir); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// Lock locks a folder that exists, so that no other process may, until it is closed.
func Lock(dir string) (*Folder, error) {
	file, none, err := lockFolder(dir)
	f := &Folder{dir: dir, file: file}
	switch {
	case err == errLocked:
		return nil, fmt.Errorf("%s: another bench run is writing to this results folder; wait for it, or give another --out", dir)
	case err != nil:
		return nil, folderError(dir, err)
	case none != nil:
		f.note = fmt.Sprintf("the file system of %s has no locks (%v), so a second bench run into it is not detected; start only one, or give an --out on another file system",
			dir, none)
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
	is := slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == recordsDir && e.IsDir() })
	if !is { // of one that has lost its records, the list says what it was
		_, err = ReadList(dir)
		is = err == nil
	}
	if len(entries) > 0 && !is {
		return folderError(dir, fmt.Errorf("it contains other files, such as %s", entries[0].Name()))
	}
	return nil
}

// Close lets other processes write to the folder.
func (f *Folder) Close() error { return f.file.Close() }

// Put writes the timing of a cell, unless it is nil, and then the record: a cell with a record is done. It may be called
// concurrently for different cells.
func (f *Folder) Put(r *Record, t *Timing) error {
	if r == nil {
		return errNone
	}
	cell := r.Header.Cell
	if t != nil {
		err := writeJSON(TimingPath(f.dir, cell), t)
		switch stderr := StderrPath(f.dir, cell); {
		case err != nil:
		case len(t.Stderr) > 0:
			err = replace(stderr, t.Stderr)
		default:
			err = remove(stderr) // of an earlier run
		}
		if err != nil {
			return err
		}
	}
	return WriteFile(RecordPath(f.dir, cell), r)
}

// Remove deletes the files of a cell, if they exist: record, timing and standard error.
func (f *Folder) Remove(cell string) error {
	return remove(RecordPath(f.dir, cell), TimingPath(f.dir, cell), StderrPath(f.dir, cell))
}

func remove(paths ...string) error {
	for _, path := range paths {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// PutList writes the list of cells and, unless it is nil, a copy of the suite file. Call it before the first record is
// written, so that the missing cells of an interrupted run are known.
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

func (f *Folder) update(name string, data []byte) error {
	if f.has(name, data) {
		return nil
	}
	return replace(filepath.Join(f.dir, name), data)
}

func (f *Folder) has(name string, data []byte) bool {
	have, err := readFile(f.dir, name)
	return err == nil && bytes.Equal(have, data)
}

// WriteFile writes the record to path atomically.
func WriteFile(path string, r *Record) error {
	if r == nil {
		return errNone
	}
	data, err := Encode(r)
	if err != nil {
		return fmt.Errorf("record of %s: %w", r.Header.Cell, err)
	}
	return replace(path, data)
}

func removeTemps(dir string) error {
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && isTemp(path) {
			err = os.Remove(path)
		}
		return err
	})
	if err != nil {
		return folderError(dir, err)
	}
	return nil
}

// Note returns a note on the folder for the user, or "".
func (f *Folder) Note() string { return f.note }

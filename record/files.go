package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"

	"popbench/internal/archive"
	"popbench/internal/words"
)

func folderError(dir string, err error) error {
	return fmt.Errorf("%s cannot be used as a results folder (%w); give another --out", dir, err)
}

func writeJSON(path string, v any) error {
	data, err := encodeFile(v)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return replace(path, data)
}

// encodeFile returns the bytes of a file that holds one JSON value.
func encodeFile(v any) ([]byte, error) {
	var b bytes.Buffer
	err := words.WriteJSON(&b, v, "  ")
	return b.Bytes(), err
}

// tempFile is the part of *os.File that Replace uses.
type tempFile interface {
	io.WriteCloser
	Sync() error
}

// createFile is a variable so that tests can simulate a disk that fails.
var createFile = func(name string) (tempFile, error) {
	return os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
}

// replace is Replace for a file of a results folder, whose parent folders it creates.
func replace(path string, data []byte) error {
	err := os.MkdirAll(filepath.Dir(path), 0o777)
	if err == nil {
		err = Replace(path, data)
	}
	if err != nil {
		return writeError(path, err)
	}
	return nil
}

// temps counts temporary files, so that concurrent calls with the same path use different names.
var temps atomic.Int64

// Replace atomically makes data the contents of path: it writes a temporary file beside it, forces it to disk and renames
// it. After an error path is unchanged, and the temporary file is removed.
func Replace(path string, data []byte) error {
	// Machines may share the folder, and containers may share process numbers.
	temp := fmt.Sprintf("%s.%s-%d-%d%s", path, words.FileName(Host()), os.Getpid(), temps.Add(1), tempExt)
	f, err := createFile(temp)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(temp, path)
	}
	if err != nil {
		os.Remove(temp)
	}
	return err
}

func writeError(path string, err error) error {
	var p *fs.PathError
	var l *os.LinkError
	switch {
	case errors.As(err, &p) && strings.HasPrefix(p.Path, path):
		err = p.Err
	case errors.As(err, &l):
		err = l.Err
	}
	mend := "give another --out, or mend this"
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG) {
		mend = "free some space or give another --out"
	}
	return fmt.Errorf("%s cannot be written: %w; %s, then repeat the command to continue", path, err, mend)
}

func isTemp(path string) bool { return strings.HasSuffix(path, tempExt) }

// readFile reads a file that every results folder of a command has.
func readFile(dir, name string) ([]byte, error) {
	data, err := ReadIn(dir, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: no %s; is it a results folder? (%w)", dir, name, fs.ErrNotExist)
	}
	return data, err
}

// ReadIn reads a further file of a results folder or an archive. The error is fs.ErrNotExist if there is none.
func ReadIn(dir, name string) ([]byte, error) {
	t, err := archive.Of(dir)
	if err != nil {
		return nil, err
	}
	defer t.Close()
	path := filepath.Join(dir, name)
	if err := t.CheckRegular(path); err != nil {
		return nil, fmt.Errorf("%s: %w; move it out of the results", path, err)
	}
	return t.ReadFile(path)
}

// ReadRun reads the provenance of a results folder. The error is fs.ErrNotExist if there is none.
func ReadRun(dir string) (*Run, error) {
	data, err := readFile(dir, runFile)
	if err != nil {
		return nil, err
	}
	return decodeRun(dir, data)
}

// decodeRun reads the text of the provenance of dir.
func decodeRun(dir string, data []byte) (*Run, error) {
	run := new(Run)
	if err := json.Unmarshal(data, run); err != nil {
		return nil, fmt.Errorf("%s: not the provenance of a run: %w; restore it, or delete it: no result depends on it", filepath.Join(dir, runFile), err)
	}
	return run, nil
}

// checkRegular is [archive.Tree.CheckRegular] for files outside an archive.
func checkRegular(path string) error { return archive.Tree{}.CheckRegular(path) }

// errLocked is lockFolder's error for a folder that another process has locked.
var errLocked = errors.New("it is locked")

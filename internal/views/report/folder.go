package report

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"popbench/internal/words"
)

// File is a file of a report.
type File struct {
	Path string // from the report's folder, with slashes
	Data []byte
}

// Write writes the file below a folder.
func (f *File) Write(dir string) error {
	path := filepath.Join(dir, filepath.FromSlash(f.Path))
	err := os.MkdirAll(filepath.Dir(path), 0o777)
	if err == nil {
		err = os.WriteFile(path, f.Data, 0o666)
	}
	if err != nil {
		return fmt.Errorf("report: %w; make room or give another --out", err)
	}
	return nil
}

// Written is a file with what is written to it.
func Written(path string, write func(io.Writer) error) (File, error) {
	var b bytes.Buffer
	err := write(&b)
	return File{path, b.Bytes()}, err
}

// Files are files in the making, in order.
type Files struct {
	All []File
	Err error // the first of those of writing
}

// Add adds a file with what is written to it.
func (f *Files) Add(path string, write func(io.Writer) error) {
	file, err := Written(path, write)
	f.All, f.Err = append(f.All, file), cmp.Or(f.Err, err)
}

// Manifest names the list of a report's files, in the format of sha256sum.
const Manifest = "files.sha256"

const (
	indexFile = "index.html"  // the page
	making    = ".report.tmp" // a folder in the report's, which has its files until all of them are whole
)

// Replace puts the files of a report in the place of an earlier report and removes files that only the earlier one had. It
// keeps files that were changed since, and returns their paths. Everything else in the folder stays; it refuses to replace a
// file that is of no report. After an error there is the earlier report or, if the new one could not be moved into its
// place, none that looks whole: its page is missing.
func Replace(dir string, files []File) (kept []string, err error) {
	old, err := readManifest(dir)
	if err != nil {
		return nil, err
	}
	in := func(path string) string { return filepath.Join(dir, filepath.FromSlash(path)) }
	var list strings.Builder
	gone := maps.Clone(old)
	for i := range files {
		path := files[i].Path
		if _, err := os.Lstat(in(path)); err == nil && old[path] == "" {
			return nil, fmt.Errorf("report: %s is there, and is of no report; move it or give another --out", words.Quote(in(path)))
		}
		delete(gone, path)
		fmt.Fprintf(&list, "%x  %s\n", sha256.Sum256(files[i].Data), path)
	}
	// The list goes first, so that the next report knows which files are of this one however far it gets, and the page last.
	files = slices.Concat([]File{{Manifest, []byte(list.String())}},
		words.Only(files, func(f File) bool { return f.Path != indexFile }), words.Only(files, func(f File) bool { return f.Path == indexFile }))
	temp := in(making)
	defer os.RemoveAll(temp)
	if err := os.RemoveAll(temp); err != nil { // a report that was killed has left it
		return nil, fmt.Errorf("report: %w; give another --out", err)
	}
	for i := range files {
		if err := files[i].Write(temp); err != nil {
			return nil, err
		}
	}
	if files[len(files)-1].Path == indexFile {
		if err := os.Remove(in(indexFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("report: %w; give another --out", err)
		}
	}
	for _, path := range slices.Sorted(maps.Keys(gone)) {
		data, err := os.ReadFile(in(path))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err == nil && fmt.Sprintf("%x", sha256.Sum256(data)) == gone[path]:
			err = os.Remove(in(path))
		case err == nil:
			kept = append(kept, in(path))
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("report: a file of an earlier report cannot be removed: %w; remove it or give another --out", err)
		}
	}
	for _, f := range files {
		err := os.MkdirAll(filepath.Dir(in(f.Path)), 0o777)
		if err == nil {
			err = os.Rename(filepath.Join(temp, filepath.FromSlash(f.Path)), in(f.Path))
		}
		if err != nil {
			return nil, fmt.Errorf("report: %w; remove what is in the way or give another --out", err)
		}
	}
	return kept, nil
}

// readManifest returns the checksums of the files of the report in a folder, by path; none without a report.
func readManifest(dir string) (map[string]string, error) {
	data, err := os.ReadFile(filepath.Join(dir, Manifest))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("report: %w; delete it or give another --out", err)
	}
	sums := map[string]string{}
	for line := range strings.Lines(string(data)) {
		if sum, path, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "  "); ok && filepath.IsLocal(filepath.FromSlash(path)) {
			sums[path] = sum
		}
	}
	return sums, nil
}

// Package archive reads the files of a folder, or of an archive: a ZIP file that is a folder in one file. It writes and
// checks archives: their bytes depend on their contents only, and one file in each has the checksums of all others. It reads
// them with limits: an archive of somebody else may lead elsewhere, or be far larger than it looks.
package archive

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const (
	// Ext ends the name of an archive.
	Ext = ".zip"
	// Manifest has a line for each other file of an archive: SHA-256, two spaces, path.
	Manifest = "manifest-sha256.txt"

	maxFiles = 100_000
	maxFile  = 1 << 30 // bytes, before compression
	maxAll   = 4 << 30
)

// modified is the time of all files of an archive, the first that a ZIP file can have.
var modified = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

// Tree reads the files of a results folder or of an archive, given by paths that begin with the path of the folder or the
// archive. The zero value reads folders.
type Tree struct {
	dir string // of the archive
	zip *zip.ReadCloser
}

// Close closes an archive, which no system but Unix replaces or removes while it is open. Otherwise the garbage collector
// closes it.
func (t Tree) Close() {
	if t.zip != nil {
		t.zip.Close()
	}
}

// Of returns the tree of a folder or of an archive. An error says why an archive must not be read.
func Of(dir string) (Tree, error) {
	if !Is(dir) {
		return Tree{}, nil // reading reports what is wrong
	}
	z, err := zip.OpenReader(dir)
	if unread := (*fs.PathError)(nil); errors.As(err, &unread) {
		return Tree{}, err
	}
	if errors.Is(err, zip.ErrFormat) && filepath.Ext(dir) != ".zip" { // a suite, for example
		return Tree{}, fmt.Errorf("%s is not an archive of results; give a results folder, or its archive NAME.zip", dir)
	}
	if err == nil {
		if err = checkEntries(&z.Reader); err != nil {
			z.Close()
		}
	}
	if err != nil {
		return Tree{}, fmt.Errorf("%s is not an archive of results: %w; get it anew, or make one with bench export --format archive", dir, err)
	}
	return Tree{dir, z}, nil
}

// checkEntries refuses an archive that could write or read elsewhere, or that is far larger than it looks.
func checkEntries(z *zip.Reader) error {
	if n := len(z.File); n > maxFiles {
		return fmt.Errorf("it has %d files, at most %d are read", n, maxFiles)
	}
	seen := map[string]bool{}
	total := uint64(0)
	for _, f := range z.File {
		name := f.Name
		fold := strings.ToLower(name) // one file on some systems
		switch {
		case !f.Mode().IsRegular():
			return fmt.Errorf("%q is not a regular file", name)
		case !fs.ValidPath(name) || name == "." || strings.ContainsAny(name, "\\:\x00"):
			return fmt.Errorf("the path %q of a file leads elsewhere", name)
		case seen[fold]:
			return fmt.Errorf("it has %q twice", name)
		case f.Method != zip.Store && f.Method != zip.Deflate:
			return fmt.Errorf("%q is compressed by a method that is not read", name)
		case f.UncompressedSize64 > maxFile:
			return fmt.Errorf("%q has more than %d bytes", name, maxFile)
		}
		seen[fold] = true
		if total += f.UncompressedSize64; total > maxAll {
			return fmt.Errorf("its files have more than %d bytes", int64(maxAll))
		}
	}
	return nil
}

// inside returns the path of a file in the archive.
func (t Tree) inside(name string) string {
	rel, err := filepath.Rel(t.dir, name)
	if err != nil {
		return name
	}
	return filepath.ToSlash(rel)
}

// ReadFile reads a file. The error is fs.ErrNotExist if the file does not exist.
func (t Tree) ReadFile(name string) ([]byte, error) {
	if t.zip == nil {
		return os.ReadFile(name)
	}
	f, err := t.zip.Open(t.inside(name))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	// A file that is longer than its entry says is not read to its end.
	data, err := io.ReadAll(io.LimitReader(f, info.Size()+1))
	if err == nil && int64(len(data)) != info.Size() {
		err = fmt.Errorf("%s is longer than the archive says", name)
	}
	return data, err
}

func (t Tree) ReadDir(name string) ([]fs.DirEntry, error) {
	if t.zip == nil {
		return os.ReadDir(name)
	}
	return fs.ReadDir(t.zip, t.inside(name))
}

// CheckRegular refuses existing files that are not regular: opening a pipe would wait for a writer forever.
func (t Tree) CheckRegular(name string) error {
	if t.zip != nil {
		return nil // Of has refused such files
	}
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		return errors.New("this is not a regular file")
	}
	return nil
}

// Is reports whether a path leads to a regular file. An archive is one, a results folder is not.
func Is(dir string) bool {
	info, err := os.Stat(dir)
	return err == nil && info.Mode().IsRegular()
}

// Zipped reports whether the tree is an archive.
func (t Tree) Zipped() bool { return t.zip != nil }

// Bytes returns an archive of files by name, slashes between folders, and of their checksums. It does not compress files
// again that are compressed already.
func Bytes(files map[string][]byte) ([]byte, error) {
	all := maps.Clone(files)
	var manifest bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(&manifest, "%x  %s\n", sha256.Sum256(files[name]), name)
	}
	all[Manifest] = manifest.Bytes()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, flate.BestCompression) })
	for _, name := range slices.Sorted(maps.Keys(all)) {
		h := &zip.FileHeader{Name: name, Method: zip.Deflate, Modified: modified}
		if path.Ext(name) == ".gz" {
			h.Method = zip.Store
		}
		h.SetMode(0o644)
		w, err := z.CreateHeader(h)
		if err == nil {
			_, err = w.Write(all[name])
		}
		if err != nil {
			return nil, err
		}
	}
	err := z.Close()
	return b.Bytes(), err
}

// Check compares the files of an archive with its checksums and returns their number. An error names the first that
// differs, that is missing, or that is not listed.
func Check(file string) (int, error) {
	t, err := Of(file)
	if err != nil {
		return 0, err
	}
	defer t.Close()
	if t.zip == nil {
		return 0, fmt.Errorf("%s is not an archive; make one with bench export --format archive", file)
	}
	text, err := t.ReadFile(filepath.Join(file, Manifest))
	if err != nil {
		return 0, fmt.Errorf("%s has no %s: %w", file, Manifest, err)
	}
	want := map[string]string{}
	for line := range strings.Lines(string(text)) {
		sum, name, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "  ")
		if _, twice := want[name]; !ok || twice || len(sum) != 2*sha256.Size {
			return 0, fmt.Errorf("%s: line %d of %s is not a checksum of a file", file, len(want)+1, Manifest)
		}
		want[name] = sum
	}
	for _, f := range t.zip.File {
		if f.Name == Manifest {
			continue
		}
		data, err := t.ReadFile(filepath.Join(file, filepath.FromSlash(f.Name)))
		sum := fmt.Sprintf("%x", sha256.Sum256(data))
		switch {
		case err != nil:
			return 0, fmt.Errorf("%s: %s cannot be read: %w", file, f.Name, err)
		case want[f.Name] == "":
			return 0, fmt.Errorf("%s: %s is not in %s", file, f.Name, Manifest)
		case want[f.Name] != sum:
			return 0, fmt.Errorf("%s: %s is not the file whose checksum is in %s", file, f.Name, Manifest)
		}
		delete(want, f.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		return 0, fmt.Errorf("%s: %s lists %s, which is not there", file, Manifest, name)
	}
	return len(t.zip.File) - 1, nil
}

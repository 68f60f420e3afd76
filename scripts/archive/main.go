// Archive writes a folder into a .tar.gz, .zip or .whl file whose bytes depend on the
// contents of the folder and the given time only:
//
//	go run ./scripts/archive FILE FOLDER UNIX-TIME
//
// Entries are sorted, belong to nobody, and are readable by all; what somebody may
// execute, everybody may. A wheel (PyPA's binary distribution format 1.0) has the contents
// of the folder at its top, and a RECORD of their hashes. scripts/release calls it.
package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "archive:", err)
		os.Exit(1)
	}
}

// adder is a format; add adds a file.
type adder interface {
	add(name string, mode fs.FileMode, contents []byte, modified time.Time) error
	io.Closer
}

func run(args []string) (err error) {
	if len(args) != 3 {
		return errors.New("give FILE, FOLDER and UNIX-TIME")
	}
	file, folder := args[0], filepath.Clean(args[1])
	seconds, err := strconv.ParseInt(args[2], 10, 64)
	if err != nil {
		return err
	}
	out, err := os.Create(file)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	modified, base := time.Unix(seconds, 0).UTC(), filepath.Base(folder)
	var to adder
	switch {
	case strings.HasSuffix(file, ".tar.gz"):
		compressed := gzip.NewWriter(out)
		to = tarball{tar.NewWriter(compressed), compressed}
	case strings.HasSuffix(file, ".zip"):
		to = zipped{zip.NewWriter(out)}
	case strings.HasSuffix(file, ".whl"):
		info, err := filepath.Glob(filepath.Join(folder, "*.dist-info"))
		if err != nil || len(info) != 1 {
			return fmt.Errorf("%s has %d folders .dist-info, not one", folder, len(info))
		}
		to, base = &wheel{zipped{zip.NewWriter(out)}, filepath.Base(info[0]) + "/RECORD", modified, nil}, ""
	default:
		return fmt.Errorf("%s is none of .tar.gz, .zip and .whl", file)
	}
	if err := pack(to, folder, base, modified); err != nil {
		return err
	}
	return to.Close()
}

// pack adds all files of the folder, in lexical order and in the folder base of the archive.
func pack(to adder, folder, base string, modified time.Time) error {
	root := os.DirFS(folder)
	return fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		mode := fs.FileMode(0o644)
		if info.Mode()&0o111 != 0 {
			mode = 0o755
		}
		contents, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		return to.add(path.Join(base, name), mode, contents, modified)
	})
}

type tarball struct {
	*tar.Writer
	compressed io.Closer
}

func (t tarball) add(name string, mode fs.FileMode, contents []byte, modified time.Time) error {
	size := int64(len(contents))
	if err := t.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: int64(mode), Size: size, ModTime: modified}); err != nil {
		return err
	}
	_, err := t.Write(contents)
	return err
}

func (t tarball) Close() error { return errors.Join(t.Writer.Close(), t.compressed.Close()) }

type zipped struct{ *zip.Writer }

func (z zipped) add(name string, mode fs.FileMode, contents []byte, modified time.Time) error {
	header := &zip.FileHeader{Name: name, Method: zip.Deflate, Modified: modified}
	header.SetMode(mode)
	w, err := z.CreateHeader(header)
	if err != nil {
		return err
	}
	_, err = w.Write(contents)
	return err
}

// wheel is a zip file that ends with a record: a line for each file with its name, hash and size.
type wheel struct {
	zipped
	record   string // the name of the record, whose own line has nothing else
	modified time.Time
	lines    []byte
}

func (w *wheel) add(name string, mode fs.FileMode, contents []byte, modified time.Time) error {
	sum := sha256.Sum256(contents)
	w.lines = fmt.Appendf(w.lines, "%s,sha256=%s,%d\n", name, base64.RawURLEncoding.EncodeToString(sum[:]), len(contents))
	return w.zipped.add(name, mode, contents, modified)
}

func (w *wheel) Close() error {
	w.lines = fmt.Appendf(w.lines, "%s,,\n", w.record)
	return errors.Join(w.zipped.add(w.record, 0o644, w.lines, w.modified), w.zipped.Close())
}

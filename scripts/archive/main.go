// Archive writes a folder into a .tar.gz or .zip file whose bytes depend on the
// contents of the folder and the given time only:
//
//	go run ./scripts/archive FILE FOLDER UNIX-TIME
//
// Entries are sorted, belong to nobody, and are readable by all; what somebody may
// execute, everybody may. scripts/release calls it.
package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
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

// adder is a format: add begins a file and returns where its contents go.
type adder interface {
	add(name string, mode fs.FileMode, size int64, modified time.Time) (io.Writer, error)
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
	var to adder
	switch {
	case strings.HasSuffix(file, ".tar.gz"):
		compressed := gzip.NewWriter(out)
		to = tarball{tar.NewWriter(compressed), compressed}
	case strings.HasSuffix(file, ".zip"):
		to = zipped{zip.NewWriter(out)}
	default:
		return fmt.Errorf("%s is neither .tar.gz nor .zip", file)
	}
	if err := pack(to, folder, time.Unix(seconds, 0).UTC()); err != nil {
		return err
	}
	return to.Close()
}

// pack adds all files of the folder, in lexical order and under its own name.
func pack(to adder, folder string, modified time.Time) error {
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
		w, err := to.add(path.Join(filepath.Base(folder), name), mode, int64(len(contents)), modified)
		if err != nil {
			return err
		}
		_, err = w.Write(contents)
		return err
	})
}

type tarball struct {
	*tar.Writer
	compressed io.Closer
}

func (t tarball) add(name string, mode fs.FileMode, size int64, modified time.Time) (io.Writer, error) {
	return t, t.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: int64(mode), Size: size, ModTime: modified})
}

func (t tarball) Close() error { return errors.Join(t.Writer.Close(), t.compressed.Close()) }

type zipped struct{ *zip.Writer }

func (z zipped) add(name string, mode fs.FileMode, _ int64, modified time.Time) (io.Writer, error) {
	header := &zip.FileHeader{Name: name, Method: zip.Deflate, Modified: modified}
	header.SetMode(mode)
	return z.CreateHeader(header)
}

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
	"bytes"
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

// file is an entry of an archive.
type file struct {
	name     string
	mode     fs.FileMode
	contents []byte
}

func run(args []string) error {
	if len(args) != 3 {
		return errors.New("give FILE, FOLDER and UNIX-TIME")
	}
	name, folder := args[0], filepath.Clean(args[1])
	seconds, err := strconv.ParseInt(args[2], 10, 64)
	if err != nil {
		return err
	}
	modified, base, write := time.Unix(seconds, 0).UTC(), filepath.Base(folder), zipped
	wheel := strings.HasSuffix(name, ".whl")
	switch {
	case wheel:
		base = ""
	case strings.HasSuffix(name, ".tar.gz"):
		write = tarball
	case !strings.HasSuffix(name, ".zip"):
		return fmt.Errorf("%s is none of .tar.gz, .zip and .whl", name)
	}
	files, err := filesOf(folder, base)
	if err == nil && wheel {
		files, err = recorded(files, folder)
	}
	var out bytes.Buffer
	if err == nil {
		err = write(&out, files, modified)
	}
	if err != nil {
		return err
	}
	return os.WriteFile(name, out.Bytes(), 0o666)
}

// filesOf returns all files of the folder, in lexical order and in the folder base of the archive.
func filesOf(folder, base string) (files []file, err error) {
	root := os.DirFS(folder)
	err = fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
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
		files = append(files, file{path.Join(base, name), mode, contents})
		return err
	})
	return files, err
}

// recorded adds the record of a wheel: a line for each file with its name, hash and size, and for the record its name alone.
func recorded(files []file, folder string) ([]file, error) {
	info, err := filepath.Glob(filepath.Join(folder, "*.dist-info"))
	if err != nil || len(info) != 1 {
		return nil, fmt.Errorf("%s has %d folders .dist-info, not one", folder, len(info))
	}
	var lines []byte
	for _, f := range files {
		sum := sha256.Sum256(f.contents)
		lines = fmt.Appendf(lines, "%s,sha256=%s,%d\n", f.name, base64.RawURLEncoding.EncodeToString(sum[:]), len(f.contents))
	}
	record := filepath.Base(info[0]) + "/RECORD"
	return append(files, file{record, 0o644, fmt.Appendf(lines, "%s,,\n", record)}), nil
}

func tarball(w io.Writer, files []file, modified time.Time) error {
	compressed := gzip.NewWriter(w)
	t := tar.NewWriter(compressed)
	for _, f := range files {
		size := int64(len(f.contents))
		if err := t.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: f.name, Mode: int64(f.mode), Size: size, ModTime: modified}); err != nil {
			return err
		}
		if _, err := t.Write(f.contents); err != nil {
			return err
		}
	}
	return errors.Join(t.Close(), compressed.Close())
}

func zipped(w io.Writer, files []file, modified time.Time) error {
	z := zip.NewWriter(w)
	for _, f := range files {
		header := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: modified}
		header.SetMode(f.mode)
		entry, err := z.CreateHeader(header)
		if err == nil {
			_, err = entry.Write(f.contents)
		}
		if err != nil {
			return err
		}
	}
	return z.Close()
}

//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package record

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"popbench/internal/check"
)

// Only one error of the file system means another run.
func TestLock(t *testing.T) {
	for _, c := range []struct {
		answers []error
		err     string // "" for none
		note    string
	}{
		{answers: []error{nil}},
		{answers: []error{syscall.EINTR, syscall.EINTR, nil}},
		{answers: []error{syscall.EWOULDBLOCK}, err: "another bench run is writing to this results folder"},
		{answers: []error{syscall.EINTR, syscall.EWOULDBLOCK}, err: "another bench run is writing to this results folder"},
		{answers: []error{syscall.ENOLCK}, note: syscall.ENOLCK.Error()},
		{answers: []error{syscall.ENOSYS}, note: syscall.ENOSYS.Error()},
		{answers: []error{syscall.EOPNOTSUPP}, note: syscall.EOPNOTSUPP.Error()},
		{answers: []error{syscall.EIO}, err: "cannot be used as a results folder (it cannot be locked: " + syscall.EIO.Error()},
	} {
		t.Run(fmt.Sprint(c.answers), func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "x")
			temp := filepath.Join(dir, recordsDir, "000.jsonl.host-1"+tempExt)
			check.OK(t, os.MkdirAll(filepath.Dir(temp), 0o777))
			check.OK(t, os.WriteFile(temp, nil, 0o666))
			calls := 0
			flock = func(fd, how int) error {
				check.That(t, how == syscall.LOCK_EX|syscall.LOCK_NB, "locks with %d", how)
				calls++
				return c.answers[calls-1]
			}
			f, err := Create(dir)
			flock = syscall.Flock
			check.That(t, calls == len(c.answers), "%v: %d calls", c.answers, calls)
			_, gone := os.Stat(temp)
			switch {
			case c.err != "":
				check.That(t, err != nil && strings.Contains(err.Error(), c.err) && gone == nil,
					"%v: error %v; temporary file: %v", c.answers, err, gone)
				return
			case err != nil:
				t.Errorf("%v: %v", c.answers, err)
				return
			}
			if !strings.Contains(f.Note(), c.note) || (f.Note() == "") != (c.note == "") || (gone != nil) != (c.note == "") {
				t.Errorf("%v: note %q; temporary file: %v", c.answers, f.Note(), gone)
			}
			put(t, f, repetition(0))
			if err := f.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// A pipe or a dead link in place of a record is reported like any other damage, and a new record
// replaces it.
func TestRecordThatIsNoFile(t *testing.T) {
	for name, in := range map[string]func(path string) error{
		"pipe":      func(path string) error { return syscall.Mkfifo(path, 0o666) },
		"dead link": func(path string) error { return os.Symlink("nowhere", path) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			f := open(t, dir)
			put(t, f, repetition(0))
			path := RecordPath(dir, CellID("beale", "popbo", 1))
			check.OK(t, in(path))
			res, err := readDir(dir)
			if err != nil || len(res.Records) != 1 {
				t.Fatalf("%+v, %v", res, err)
			}
			if len(res.Issues) != 1 || res.Issues[0].Path != path {
				t.Fatalf("issues %+v, want one with %s", res.Issues, path)
			}
			put(t, f, repetition(1))
			if res, err := readDir(dir); err != nil || len(res.Records) != 2 || len(res.Issues) != 0 {
				t.Errorf("%+v, %v", res, err)
			}
		})
	}
}

// A pipe in place of another file does not make a reader wait either.
func TestPipes(t *testing.T) {
	dir := t.TempDir()
	f := open(t, dir)
	r := example(t)
	check.OK(t, f.Put(r, &Timing{Cell: r.Header.Cell}))
	timing := TimingPath(dir, r.Header.Cell)
	check.OK(t, os.Remove(timing))
	check.OK(t, syscall.Mkfifo(timing, 0o666))
	res, err := readAll(&Reader{Dir: dir, Timed: true})
	if err != nil || len(res.Records) != 1 {
		t.Fatalf("%v, %+v", err, res)
	}
	check.That(t, len(res.Issues) == 1 && res.Issues[0].Path == timing, "issues %+v, want one with %s", res.Issues, timing)
	check.OK(t, syscall.Mkfifo(filepath.Join(dir, cellsFile), 0o666))
	check.Error(t, "cells.json", check.Err(Open(dir)), "cells.json: this is not a regular file")
	if err := f.PutList(List{}, nil); err != nil {
		t.Error(err)
	}
	if _, err := Open(dir); err != nil {
		t.Errorf("after it was replaced: %v", err)
	}
}

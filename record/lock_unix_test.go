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

// Only one error of the file system means another run. Where a file system cannot lock, a note says so, and temporary
// files, which may be another run's, stay.
func TestLock(t *testing.T) {
	const another = "another bench run is writing to this results folder"
	for _, c := range []struct {
		answers   []error
		err, note string // "" for none
	}{
		{answers: []error{nil}},
		{answers: []error{syscall.EINTR, syscall.EINTR, nil}},
		{answers: []error{syscall.EWOULDBLOCK}, err: another},
		{answers: []error{syscall.EINTR, syscall.EWOULDBLOCK}, err: another},
		{answers: []error{syscall.ENOLCK}, note: syscall.ENOLCK.Error()},
		{answers: []error{syscall.ENOSYS}, note: syscall.ENOSYS.Error()},
		{answers: []error{syscall.EOPNOTSUPP}, note: syscall.EOPNOTSUPP.Error()},
		{answers: []error{syscall.EIO}, err: "cannot be used as a results folder (it cannot be locked: " + syscall.EIO.Error()},
	} {
		dir := filepath.Join(t.TempDir(), "x")
		temp := filepath.Join(dir, recordsDir, "000.jsonl.host-1"+tempExt)
		check.OK(t, os.MkdirAll(filepath.Dir(temp), 0o777))
		check.OK(t, os.WriteFile(temp, nil, 0o666))
		calls := 0
		flock = func(fd, how int) error {
			check.Equal(t, "lock", how, syscall.LOCK_EX|syscall.LOCK_NB)
			calls++
			return c.answers[calls-1]
		}
		f, err := Create(dir)
		flock = syscall.Flock
		check.Equal(t, fmt.Sprint(c.answers, ": calls"), calls, len(c.answers))
		check.Equal(t, fmt.Sprint(c.answers, ": the temporary file is there"), check.Err(os.Stat(temp)) == nil, c.err+c.note != "")
		if c.err != "" {
			check.Error(t, fmt.Sprint(c.answers), err, c.err)
			continue
		}
		check.OK(t, err)
		check.That(t, strings.Contains(f.Note(), c.note) && (f.Note() == "") == (c.note == ""), "%v: note %q", c.answers, f.Note())
		put(t, f, repetition(0))
		check.OK(t, f.Close())
	}
}

// A pipe or a dead link in place of a file is reported like any other damage, and does not make a reader wait. A new file
// replaces it.
func TestPipes(t *testing.T) {
	dir := t.TempDir()
	f := open(t, dir)
	put(t, f, repetition(0))
	damaged := func(want ...string) {
		t.Helper()
		res := check.Must(readAll(&Reader{Dir: dir, Timed: true}))(t)
		var paths []string
		for _, i := range res.Issues {
			paths = append(paths, i.Path)
		}
		check.Same(t, "damaged files", paths, want)
	}
	path, timing := RecordPath(dir, "beale/popbo/001"), TimingPath(dir, "beale/popbo/000")
	check.OK(t, syscall.Mkfifo(path, 0o666))
	damaged(path)
	check.OK(t, os.Remove(path))
	check.OK(t, os.Symlink("nowhere", path))
	damaged(path)
	put(t, f, repetition(1))
	damaged()
	check.OK(t, os.Remove(timing))
	check.OK(t, syscall.Mkfifo(timing, 0o666))
	damaged(timing)
	check.OK(t, syscall.Mkfifo(filepath.Join(dir, cellsFile), 0o666))
	check.Error(t, "cells.json", check.Err(Open(dir)), "cells.json: this is not a regular file")
	check.OK(t, f.PutList(List{}, nil))
	check.Must(Open(dir))(t)
}

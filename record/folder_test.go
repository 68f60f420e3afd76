package record

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"

	"popbench/internal/check"
)

// put writes the example with changes into dir, and returns its path.
func put(t *testing.T, f *Folder, change func(*Header)) string {
	t.Helper()
	r := example(t)
	change(&r.Header)
	r.Header.Seal()
	check.OK(t, f.Put(r, &Timing{Cell: r.Header.Cell, Workers: 2}))
	return RecordPath(f.dir, r.Header.Cell)
}

func repetition(i int) func(*Header) {
	return func(h *Header) { h.Repetition = i; h.Algorithm.Label = "popbo" }
}

func open(t *testing.T, dir string) *Folder {
	t.Helper()
	f := check.Must(Create(dir))(t)
	t.Cleanup(func() { f.Close() })
	return f
}

// files lists the files in dir.
func files(t *testing.T, dir string) []string {
	t.Helper()
	var names []string
	check.OK(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(dir, path)
			names = append(names, filepath.ToSlash(rel))
		}
		return err
	}))
	return names
}

func TestFolderLayout(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "results", "demo")
	f := open(t, dir)
	check.OK(t, errors.Join(f.PutList(List{}, []byte("name: demo\n")), f.PutRun(Run{Command: []string{"bench", "run"}, Workers: 2})))
	put(t, f, repetition(3))
	want := []string{"cells.json", "records/beale/popbo/003.jsonl", "run.json", "suite.yaml", "timing/beale/popbo/003.json"}
	check.Same(t, "files", files(t, dir), want)
	run, _ := os.ReadFile(filepath.Join(dir, "run.json"))
	for _, key := range []string{`"host": "`, `"cpu": "`, `"version": "0.`, `"go": "go1.`, `"workers": 2`} {
		check.That(t, bytes.Contains(run, []byte(key)), "run.json lacks %s:\n%s", key, run)
	}
	check.OK(t, f.Remove("beale/popbo/003"))
	err := f.Remove("beale/popbo/003")
	check.That(t, err == nil, "removing it again: %v", err)
	got := files(t, dir)
	check.That(t, len(got) == 3, "after Remove: %v", got)
}

func TestOpenRemovesTemporaryFilesOnly(t *testing.T) {
	dir := t.TempDir()
	f := open(t, dir)
	record := put(t, f, repetition(0))
	f.Close()
	for _, stale := range []string{record + ".4711.tmp", filepath.Join(dir, "run.json.1.tmp")} {
		check.OK(t, os.WriteFile(stale, []byte("half"), 0o666))
	}
	if res, err := readDir(dir); err != nil || len(res.Issues) > 0 || len(res.Records) != 1 {
		t.Errorf("with temporary files: %v, %+v", err, res)
	}
	open(t, dir)
	got := files(t, dir)
	check.That(t, len(got) == 2, "files %v, want the record and its timing", got)
}

func TestOneWriterAtATime(t *testing.T) {
	dir := t.TempDir()
	f := open(t, dir)
	check.Error(t, "second writer", check.Err(Create(dir)), "another bench run")
	f.Close()
	open(t, dir)
}

// A folder with other files was probably given by mistake.
func TestOpenWhereSomethingElseIs(t *testing.T) {
	dir := t.TempDir()
	check.OK(t, os.WriteFile(filepath.Join(dir, "thesis.tex"), nil, 0o666))
	check.Error(t, "error", check.Err(Create(dir)), "thesis.tex")
	got := files(t, dir)
	check.That(t, len(got) == 1, "files %v", got)
}

func TestOpenWhereAFileIs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	check.OK(t, os.WriteFile(path, []byte("mine"), 0o666))
	_, err := Create(path)
	check.Error(t, "error", err, path, "another --out")
	if data, _ := os.ReadFile(path); string(data) != "mine" {
		t.Error("the file was changed")
	}
}

// failingFile fails at one of its methods; Write fails halfway, as on a full disk.
type failingFile struct {
	*os.File
	at string
}

func (f failingFile) Write(p []byte) (int, error) {
	if f.at == "write" {
		n, _ := f.File.Write(p[:len(p)/2])
		return n, &os.PathError{Op: "write", Path: f.Name(), Err: syscall.ENOSPC}
	}
	return f.File.Write(p)
}

func (f failingFile) Sync() error {
	if f.at == "sync" {
		return &os.PathError{Op: "sync", Path: f.Name(), Err: syscall.EIO}
	}
	return f.File.Sync()
}

func (f failingFile) Close() error {
	if err := f.File.Close(); err != nil || f.at != "close" {
		return err
	}
	return &os.PathError{Op: "close", Path: f.Name(), Err: syscall.EDQUOT}
}

// Whichever step of writing fails, the old contents stay, no temporary file is left, and the error
// names the file.
func TestReplaceFails(t *testing.T) {
	for _, at := range []string{"create", "write", "sync", "close"} {
		t.Run(at, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "x.jsonl")
			check.OK(t, replace(path, []byte("old\n"), createFile))
			err := replace(path, []byte("new contents\n"), func(name string) (tempFile, error) {
				if at == "create" {
					return nil, &os.PathError{Op: "open", Path: name, Err: syscall.EROFS}
				}
				f, err := os.Create(name)
				return failingFile{f, at}, err
			})
			check.Error(t, "error", err, path, "free some space")
			if data, _ := os.ReadFile(path); string(data) != "old\n" {
				t.Errorf("contents are now %q", data)
			}
			got := files(t, filepath.Dir(path))
			check.That(t, len(got) == 1, "files %v", got)
		})
	}
}

// found is what a reader of a results folder yields.
type found struct {
	*Contents
	Records []*Record
	Timings map[string]*Timing // by cell
}

func readAll(r *Reader) (*found, error) {
	all := &found{Timings: map[string]*Timing{}}
	var err error
	all.Contents, err = r.Each(func(rec *Record, t *Timing) error {
		all.Records = append(all.Records, rec)
		if t != nil {
			all.Timings[rec.Header.Cell] = t
		}
		return nil
	})
	return all, err
}

func readDir(dir string) (*found, error) {
	r, err := Open(dir)
	if err != nil {
		return nil, err
	}
	return readAll(r)
}

// A loop over records gets all that can be read, then what is wrong with the others; it may end early.
func TestRecords(t *testing.T) {
	dir := t.TempDir()
	f := open(t, dir)
	var paths []string
	for i := range 4 {
		paths = append(paths, put(t, f, repetition(i)))
	}
	check.OK(t, os.WriteFile(paths[1], nil, 0o666))
	r := check.Must(Open(dir))(t)
	var seen []string
	for rec, err := range r.Records() {
		if _, ok := errors.AsType[*Issue](err); ok {
			seen = append(seen, err.Error())
			continue
		}
		check.OK(t, err)
		seen = append(seen, rec.Header.Cell)
	}
	check.Same(t, "what the loop gets", seen, []string{"beale/popbo/000", "beale/popbo/002", "beale/popbo/003", paths[1] + ": the file is empty; run the suite again: bench run repeats this cell"})
	n := 0
	for range r.Records() {
		if n++; n == 2 {
			break
		}
	}
	check.Equal(t, "records before the end of the loop", n, 2)
	for rec, err := range (&Reader{Dir: t.TempDir()}).Records() {
		check.Equal(t, "record of no folder", rec, nil)
		check.Equal(t, "error", errors.Is(err, ErrNoRecords), true)
	}
}

// The regret of a step is the mean over its new points.
func TestRegret(t *testing.T) {
	s := Step{New: 2, Utility: []float64{9, 1, 2}}
	check.Equal(t, "regret", s.Regret(4), 2.5)
	s.New = 0
	check.Equal(t, "regret without a new point", s.Regret(4), 0)
}

func TestReader(t *testing.T) {
	dir := t.TempDir()
	f := open(t, dir)
	var paths []string
	for i := range 12 {
		paths = append(paths, put(t, f, repetition(i)))
	}
	damage := func(path string, change func([]byte) []byte) {
		data, err := os.ReadFile(path)
		if err == nil {
			err = os.WriteFile(path, change(data), 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if res, err := readDir(dir); err != nil || len(res.Issues) > 0 || len(res.Records) != 12 {
		t.Fatalf("%v, %+v", err, res.Issues)
	}
	damage(paths[2], func(b []byte) []byte { return b[:len(b)/2] })
	damage(paths[5], func(b []byte) []byte { return nil })
	damage(paths[7], func(b []byte) []byte { return bytes.Replace(b, []byte("0.1"), []byte("0.2"), 1) })
	copied, _ := os.ReadFile(paths[0])
	misplaced := filepath.Join(filepath.Dir(paths[0]), "100.jsonl")
	stray := filepath.Join(dir, "records", "notes.txt")
	for _, p := range []string{misplaced, stray} {
		check.OK(t, os.WriteFile(p, copied, 0o666))
	}
	res := check.Must(readDir(dir))(t)
	var reps []int
	for _, r := range res.Records {
		reps = append(reps, r.Header.Repetition)
	}
	if want := []int{0, 1, 3, 4, 6, 8, 9, 10, 11}; !slices.Equal(reps, want) {
		t.Errorf("repetitions %v, want %v", reps, want)
	}
	for _, want := range []string{paths[2] + ":", paths[5] + ": the file is empty", paths[7] + ":4: the checksum", misplaced + ":1: this is the record of beale/popbo/000", stray + ": this is not a record"} {
		check.That(t, slices.ContainsFunc(res.Issues, func(i Issue) bool { return strings.HasPrefix(i.Error(), want) }),
			"no issue %q in %v", want, res.Issues)
	}
	check.That(t, len(res.Issues) == 5, "%d issues, want 5: %v", len(res.Issues), res.Issues)
	check.Equal(t, "mixtures among them", len(res.Mixtures()), 0)
}

func TestReaderOfMixtures(t *testing.T) {
	for want, change := range map[string]func(*Header){
		"not of one suite: demo, seed 18446744073709551615, 2 steps (1, first beale/popbo/000); other, seed 18446744073709551615, 2 steps (1, first branin/popbo/000)": func(h *Header) {
			repetition(0)(h)
			h.Suite, h.Problem.Name = "other", "branin"
		},
		"not of one suite": func(h *Header) { repetition(0)(h); h.Seed = 1; h.Problem.Name = "branin" },
		"not of one problem": func(h *Header) {
			h.Algorithm.Label = "random"
			h.Problem.Scale = "raw"
		},
		"not of one configuration": func(h *Header) { repetition(1)(h); h.ConfigHash = "beef" },
	} {
		t.Run(want, func(t *testing.T) {
			dir := t.TempDir()
			f := open(t, dir)
			put(t, f, repetition(0))
			put(t, f, change)
			res := check.Must(readDir(dir))(t)
			check.That(t, len(res.Records) == 2, "%d records", len(res.Records))
			check.That(t, slices.ContainsFunc(res.Issues, func(i Issue) bool { return strings.Contains(i.What, want) }),
				"issues %v", res.Issues)
			check.Contains(t, "what a report warns of", strings.Join(res.Mixtures(), " "), "A mixture: the records are ", want)
		})
	}
}

func TestReaderOfSeveralVersions(t *testing.T) {
	dir := t.TempDir()
	f := open(t, dir)
	put(t, f, repetition(0))
	r := example(t)
	repetition(1)(&r.Header)
	r.Header.Seal()
	r.Header.Version = "0.0.1"
	check.OK(t, WriteFile(RecordPath(dir, r.Header.Cell), r))
	res, err := readDir(dir)
	check.That(t, err == nil && len(res.Issues) == 1 && strings.Contains(res.Issues[0].Error(), "popbench 0.0.1, go"),
		"%v, %v", err, res.Issues)
}

func TestReaderWithoutRecords(t *testing.T) {
	dir := t.TempDir()
	for _, d := range []string{dir, filepath.Join(dir, "none"), open(t, filepath.Join(dir, "new")).dir} {
		if _, err := readDir(d); !errors.Is(err, ErrNoRecords) || !strings.Contains(err.Error(), d) || !strings.Contains(err.Error(), "bench run") {
			t.Errorf("%s: %v", d, err)
		}
	}
	file := filepath.Join(dir, "x.jsonl")
	check.OK(t, os.Mkdir(file, 0o777))
	var pathError *os.PathError
	if _, err := ReadFile(file); !errors.As(err, &pathError) {
		t.Errorf("reading a folder: %v", err)
	}
}

// A list enters reports and decides which results are complete.
func TestReadListRefuses(t *testing.T) {
	dir := t.TempDir()
	f := open(t, dir)
	list := List{LeftOut: []Part{{"beale/popbo", Repetitions{{1, 1}}, "too slow"}}}
	list.Add("beale/popbo", 0)
	list.Add("beale/random", 0)
	check.OK(t, f.PutList(list, nil))
	path := filepath.Join(dir, "cells.json")
	good := check.Must(os.ReadFile(path))(t)
	if got, err := ReadList(dir); err != nil || !reflect.DeepEqual(got, &list) {
		t.Fatalf("%+v, %v", got, err)
	}
	const form = "not in the form in which bench writes it"
	for _, c := range [][3]string{
		{`"too slow"`, `"\u001b[31m\nAll runs are there."`, "line break"},
		{`"left_out"`, `"chosen": [], "left_out"`, form},
		{`beale/random`, `an/popbo`, form}, // before beale
		{`"repetitions": "000"`, `"repetitions": "2-1"`, "not ascending"},
		{`"chosen"`, `"cells": 2, "chosen"`, form},
		{`    "random"`, `    "popbo"`, "listed twice"},
		{`    "random"`, `    "a/b"`, "not one as in the names"},
		{string(good), "", "unexpected end"},
		{string(good), "null\n", form},
	} {
		t.Run(c[1], func(t *testing.T) {
			bad := bytes.Replace(good, []byte(c[0]), []byte(c[1]), 1)
			if bytes.Equal(bad, good) {
				t.Fatalf("no %s in %s", c[0], good)
			}
			check.OK(t, os.WriteFile(path, bad, 0o666))
			_, err := Open(dir)
			if err == nil || !strings.Contains(err.Error(), c[2]) || !strings.HasPrefix(err.Error(), path+": ") || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s: %v", c[1], err)
			}
		})
	}
}

// A copy of a folder without suite.yaml and run.json still knows its missing cells.
func TestMissingCellsOfACopy(t *testing.T) {
	dir := t.TempDir()
	f := open(t, dir)
	var list List
	for i := range 3 {
		list.Add("beale/popbo", i)
	}
	check.OK(t, errors.Join(f.PutList(list, []byte("name: demo\n")), f.PutRun(Run{})))
	put(t, f, repetition(1))
	for _, name := range []string{runFile, suiteFile} {
		check.OK(t, os.Remove(filepath.Join(dir, name)))
	}
	got := check.Must(readDir(dir))(t)
	missing := fmt.Sprint(got.Missing())
	check.That(t, missing == "[beale/popbo 000, 002]" && got.Notes() == nil, "missing %s, notes %q", missing, got.Notes())
	// A command that chooses no other cells leaves the file alone.
	before, err := os.Stat(filepath.Join(dir, cellsFile))
	if err != nil {
		t.Fatal(err)
	}
	check.OK(t, f.PutList(list, nil))
	if after, err := os.Stat(filepath.Join(dir, cellsFile)); err != nil || !os.SameFile(before, after) {
		t.Errorf("%v; the file was replaced", err)
	}
	check.OK(t, os.Remove(filepath.Join(dir, cellsFile)))
	if got, err = readDir(dir); err != nil || got.Missing() != nil || len(got.Notes()) != 1 || !strings.Contains(got.Notes()[0], "it is unknown whether runs are missing") {
		t.Errorf("without a list: %v, %q", err, got.Notes())
	}
}

// A record that another process removes during a merge is not ignored.
func TestMergeLosesNoRecord(t *testing.T) {
	from := t.TempDir()
	put(t, open(t, from), repetition(0))
	check.OK(t, os.Remove(TimingPath(from, "beale/popbo/000")))
	s := &shardFolder{dir: from, there: []Part{{Group: "beale/popbo", Repetitions: Repetitions{{0, 0}}}}}
	err := s.copyTo(t.Context(), t.TempDir())
	check.That(t, err == nil, "without a timing: %v", err)
	s.there[0].Repetitions = Repetitions{{0, 1}}
	check.Error(t, "without a record", s.copyTo(t.Context(), t.TempDir()))
}

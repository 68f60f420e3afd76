package record

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
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
	check.OK(t, f.Put(r, &Timing{Cell: r.Header.Cell, Workers: 2, AskSeconds: []float64{1, 1}, TellSeconds: []float64{1, 1}}))
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

func TestFolderLayout(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "results", "demo")
	f := open(t, dir)
	check.OK(t, errors.Join(f.PutList(List{}, []byte("name: demo\n")), f.PutRun(Run{Command: []string{"bench", "run"}, Workers: 2})))
	put(t, f, repetition(3))
	hasFiles(t, dir, "cells.json", "records/beale/popbo/003.jsonl", "run.json", "suite.yaml", "timing/beale/popbo/003.json")
	check.Equal(t, "what a program says", StderrPath("r", "beale/a%20b/007"), filepath.FromSlash("r/timing/beale/a%20b/007.stderr.txt"))
	run := check.Files(t, dir)["run.json"]
	check.Contains(t, "run.json", run, `"host": "`, `"cpu": "`, `"version": "0.`, `"go": "go1.`, `"workers": 2`)
	for _, said := range []string{"warning", ""} {
		r := example(t)
		repetition(3)(&r.Header)
		r.Header.Seal()
		check.OK(t, f.Put(r, &Timing{Stderr: []byte(said)}))
		check.Equal(t, "a program has said something", check.Err(os.Stat(StderrPath(dir, "beale/popbo/003"))) == nil, said != "")
	}
	for range 2 { // the second time there is nothing to remove
		check.OK(t, f.Remove("beale/popbo/003"))
		hasFiles(t, dir, "cells.json", "run.json", "suite.yaml")
	}
}

// hasFiles checks which files a folder has.
func hasFiles(t *testing.T, dir string, want ...string) {
	t.Helper()
	check.Same(t, "files", slices.Sorted(maps.Keys(check.Files(t, dir))), want)
}

func TestOpenRemovesTemporaryFilesOnly(t *testing.T) {
	dir := t.TempDir()
	f := open(t, dir)
	record := put(t, f, repetition(0))
	f.Close()
	for _, stale := range []string{record + ".4711.tmp", filepath.Join(dir, "run.json.1.tmp")} {
		check.OK(t, os.WriteFile(stale, []byte("half"), 0o666))
	}
	res := check.Must(readDir(dir))(t)
	check.Equal(t, "issues and records with temporary files", [2]int{len(res.Issues), len(res.Records)}, [2]int{0, 1})
	open(t, dir)
	hasFiles(t, dir, "records/beale/popbo/000.jsonl", "timing/beale/popbo/000.json")
}

// A folder that another run writes to, one with other files and a file were probably given by mistake. They stay as they
// are.
func TestCreateRefuses(t *testing.T) {
	dir := t.TempDir()
	f := open(t, dir)
	check.Error(t, "second writer", check.Err(Create(dir)), "another bench run")
	f.Close()
	open(t, dir)
	dir = t.TempDir()
	file := filepath.Join(dir, "thesis.tex")
	check.OK(t, os.WriteFile(file, []byte("mine"), 0o666))
	check.Error(t, "another folder", check.Err(Create(dir)), "thesis.tex")
	check.Error(t, "a file", check.Err(Create(file)), file, "another --out")
	check.Same(t, "files", check.Files(t, dir), map[string]string{"thesis.tex": "mine"})
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
		dir := t.TempDir()
		path := filepath.Join(dir, "x.jsonl")
		check.OK(t, replace(path, []byte("old\n")))
		works := createFile
		createFile = func(name string) (tempFile, error) {
			if at == "create" {
				return nil, &os.PathError{Op: "open", Path: name, Err: syscall.EROFS}
			}
			f, err := os.Create(name)
			return failingFile{f, at}, err
		}
		err := replace(path, []byte("new contents\n"))
		createFile = works
		mend := map[string]string{"write": "; free some space or give another --out, then", "close": "; free some space"}[at]
		check.Error(t, at, err, path, cmp.Or(mend, "; give another --out, or mend this, then"))
		check.Same(t, at+": files", check.Files(t, dir), map[string]string{"x.jsonl": "old\n"})
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
	for i := range 8 {
		paths = append(paths, put(t, f, repetition(i)))
	}
	check.Equal(t, "issues of whole files", len(check.Must(readDir(dir))(t).Issues), 0)
	good := check.Must(os.ReadFile(paths[0]))(t)
	misplaced, stray := filepath.Join(filepath.Dir(paths[0]), "100.jsonl"), filepath.Join(dir, "records", "notes.txt")
	for path, text := range map[string][]byte{
		paths[2]: good[:len(good)/2], paths[5]: nil, paths[7]: bytes.Replace(check.Must(os.ReadFile(paths[7]))(t), []byte("0.1"), []byte("0.2"), 1),
		misplaced: good, stray: good,
		filepath.Join(filepath.Dir(paths[0]), ".DS_Store"): {}, // which is no defect
	} {
		check.OK(t, os.WriteFile(path, text, 0o666))
	}
	res := check.Must(readDir(dir))(t)
	var reps []int
	for _, r := range res.Records {
		reps = append(reps, r.Header.Repetition)
	}
	check.Same(t, "repetitions", reps, []int{0, 1, 3, 4, 6})
	for _, want := range []string{paths[2] + ":", paths[5] + ": the file is empty", paths[7] + ":4: the checksum", misplaced + ":1: this is the record of beale/popbo/000", stray + ": this is not a record"} {
		check.That(t, slices.ContainsFunc(res.Issues, func(i Issue) bool { return strings.HasPrefix(i.Error(), want) }), "no issue %q in %v", want, res.Issues)
	}
	check.Equal(t, "issues, and mixtures among them", [2]int{len(res.Issues), len(res.Mixtures())}, [2]int{5, 0})
	// A loop gets the records, then what is wrong with the others; it may end early.
	var seen []int
	var issues []Issue
	for rec, err := range check.Must(Open(dir))(t).Records() {
		if issue, ok := errors.AsType[*Issue](err); ok {
			issues = append(issues, *issue)
		} else {
			seen = append(seen, rec.Header.Repetition)
		}
	}
	check.Same(t, "repetitions of the loop", seen, reps)
	check.Same(t, "issues of the loop", issues, res.Issues)
	for range check.Must(Open(dir))(t).Records() {
		break
	}
	for rec, err := range (&Reader{Dir: t.TempDir()}).Records() {
		check.That(t, rec == nil && errors.Is(err, ErrNoRecords), "records of no folder: %v, %v", rec, err)
	}
}

func TestReaderOfMixtures(t *testing.T) {
	const suites = "not of one suite: demo, seed 18446744073709551615, 2 steps (1, first beale/popbo/000); other, seed 18446744073709551615, 2 steps (1, first branin/popbo/000)"
	for want, change := range map[string]func(*Header){
		suites:                     func(h *Header) { repetition(0)(h); h.Suite, h.Problem.Name = "other", "branin" },
		"not of one suite":         func(h *Header) { repetition(0)(h); h.Seed, h.Problem.Name = 1, "branin" },
		"not of one problem":       func(h *Header) { h.Algorithm.Label, h.Problem.Scale = "random", "raw" },
		"not of one configuration": func(h *Header) { repetition(1)(h); h.ConfigHash = "beef" },
	} {
		dir := t.TempDir()
		f := open(t, dir)
		put(t, f, repetition(0))
		put(t, f, change)
		res := check.Must(readDir(dir))(t)
		check.Equal(t, "records", len(res.Records), 2)
		check.That(t, slices.ContainsFunc(res.Issues, func(i Issue) bool { return strings.Contains(i.What, want) }), "issues %v", res.Issues)
		check.Contains(t, "what to do", fmt.Sprint(res.Issues), "run the suite into another --out")
		check.Contains(t, "what a report warns of", strings.Join(res.Mixtures(), " "), "A mixture: the records are ", want)
	}
	// Another version is none of those.
	dir := t.TempDir()
	put(t, open(t, dir), repetition(0))
	r := example(t)
	repetition(1)(&r.Header)
	r.Header.Seal()
	r.Header.Version = "0.0.1"
	check.OK(t, WriteFile(RecordPath(dir, r.Header.Cell), r))
	issues := check.Must(readDir(dir))(t).Issues
	check.That(t, len(issues) == 1 && strings.Contains(issues[0].Error(), "popbench 0.0.1, go"), "%v", issues)
}

func TestReaderWithoutRecords(t *testing.T) {
	dir := t.TempDir()
	for _, d := range []string{dir, filepath.Join(dir, "none"), open(t, t.TempDir()).dir} {
		_, err := readDir(d)
		check.That(t, errors.Is(err, ErrNoRecords), "%s: %v", d, err)
		check.Error(t, d, err, d, "bench run")
	}
	put(t, open(t, filepath.Join(dir, "one")), repetition(0))
	check.Error(t, "a folder of results folders", check.Err(readDir(dir)), dir+": no records of its own, but 1 results folder; name one, such as "+filepath.Join(dir, "one"))
	check.That(t, errors.As(check.Err(ReadFile(dir)), new(*os.PathError)), "a folder is read")
	left := t.TempDir()
	check.OK(t, open(t, left).PutList(List{LeftOut: []Part{{"beale/popbo", Repetitions{{0, 0}}, "too dear"}}}, nil))
	check.OK(t, os.WriteFile(filepath.Join(left, runFile), []byte("x"), 0o666))
	check.Error(t, "no provenance", check.Err(ReadRun(left)), filepath.Join(left, runFile)+": not the provenance of a run", "delete it")
	check.That(t, errors.As(check.Err(readDir(left)), new(*LeftOutError)), "a folder whose cells were all left out lacks records")
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
	good := string(check.Must(os.ReadFile(path))(t))
	check.Same(t, "list", check.Must(ReadList(dir))(t), &list)
	const form = "not in the form in which bench writes it"
	for _, c := range [][3]string{
		{`"too slow"`, `"\u001b[31m\nAll runs are there."`, "line break"},
		{`"left_out"`, `"chosen": [], "left_out"`, form},
		{`beale/random`, `an/popbo`, form}, // before beale
		{`"repetitions": "000"`, `"repetitions": "2-1"`, "not ascending"},
		{`"chosen"`, `"cells": 2, "chosen"`, form},
		{`    "random"`, `    "popbo"`, "listed twice"},
		{`    "random"`, `    "a/b"`, "not one as in the names"},
		{good, "", "unexpected end"},
		{good, "null\n", form},
	} {
		check.Contains(t, "cells.json", good, c[0])
		check.OK(t, os.WriteFile(path, []byte(strings.Replace(good, c[0], c[1], 1)), 0o666))
		err := check.Err(Open(dir))
		check.Error(t, c[1], err, c[2], path+": ")
		check.Lacks(t, c[1], fmt.Sprint(err), "\n")
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
	cells := filepath.Join(dir, cellsFile)
	check.OK(t, errors.Join(os.Remove(filepath.Join(dir, runFile)), os.Remove(filepath.Join(dir, suiteFile))))
	got := check.Must(readDir(dir))(t)
	check.Equal(t, "missing and noted", fmt.Sprint(got.Missing(), len(got.Notes())), "[beale/popbo 000, 002] 0")
	// A command that chooses no other cells leaves the file alone.
	before := check.Must(os.Stat(cells))(t)
	check.OK(t, f.PutList(list, nil))
	check.That(t, os.SameFile(before, check.Must(os.Stat(cells))(t)), "the file was replaced")
	check.OK(t, os.Remove(cells))
	got = check.Must(readDir(dir))(t)
	check.Equal(t, "missing without a list", len(got.Missing()), 0)
	check.Contains(t, "notes", strings.Join(got.Notes(), "\n"), "it is unknown whether runs are missing")
}

// Measurements are read with their records, and unusable ones are reported.
func TestReadTimings(t *testing.T) {
	dir := t.TempDir()
	f := open(t, dir)
	change := func(i int, old, new string) {
		r := example(t)
		repetition(i)(&r.Header)
		r.Header.Seal()
		check.OK(t, f.Put(r, &Timing{Cell: r.Header.Cell, AskSeconds: []float64{0.5, float64(i)}, TellSeconds: []float64{0.25, 2}}))
		path := TimingPath(dir, r.Header.Cell)
		text := string(check.Must(os.ReadFile(path))(t))
		check.Contains(t, path, text, old)
		check.OK(t, os.WriteFile(path, []byte(strings.Replace(text, old, new, 1)), 0o666))
	}
	change(0, "", "")
	change(1, "", "")
	change(2, "0.5,", "0.5")
	change(3, "0.5,", "0.5, 0.5,")
	change(4, "beale", "branin")
	change(5, "0.25", "-0.25")
	check.OK(t, os.Remove(TimingPath(dir, "beale/popbo/001")))
	res := check.Must(readAll(&Reader{Dir: dir, Timed: true}))(t)
	got := res.Timings["beale/popbo/000"]
	check.That(t, len(res.Timings) == 1 && got != nil && got.AskSeconds[0] == 0.5 && got.TellSeconds[1] == 2, "timings %v", res.Timings)
	var issues []string
	for _, i := range res.Issues {
		issues = append(issues, i.Error())
	}
	check.Equal(t, "issues", len(issues), 4)
	check.Contains(t, "issues", strings.Join(issues, "\n"), "002.json: the measurement does not decode", "003.json: 3 steps are measured, the record has 2",
		`004.json: this measurement belongs to "branin/popbo/004"`, "005.json: a step took -0.25 seconds")
}

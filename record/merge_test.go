package record

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"popbench/internal/check"
)

// shardOf returns the folder of a shard that has one repetition, with a grid of its own and one for all.
func shardOf(t *testing.T, repetition int, change func(*Header)) string {
	t.Helper()
	dir := t.TempDir()
	f := open(t, dir)
	r := example(t)
	r.Header.Algorithm.Label, r.Header.Repetition = "popbo", repetition
	change(&r.Header)
	program := r.Header.Build
	r.Header.Seal()
	if program.Version != "" { // not the program that runs now
		r.Header.Build = program
	}
	check.OK(t, WriteFile(RecordPath(dir, r.Header.Cell), r))
	g := exampleGrid(t)
	g.Header.Seed, g.Header.Repetition = new(uint64), &repetition
	list := List{Chosen: []Part{{Group: "beale/popbo", Repetitions: Repetitions{{repetition, repetition}}}}}
	check.OK(t, errors.Join(f.PutGrid(g), f.PutGrid(exampleGrid(t)), f.PutList(list, []byte("s"))))
	return dir
}

func same(*Header) {}

// Merged shards are a folder with all their records and grids. Merging again continues, and what is not of one run and one
// program is refused before anything is written.
func TestMerge(t *testing.T) {
	a, b := shardOf(t, 0, same), shardOf(t, 1, same)
	out := filepath.Join(t.TempDir(), "out")
	for _, shards := range [][]string{{a}, {b}, {a, b}} {
		check.Equal(t, "cells", check.Must(Merge(t.Context(), out, shards, nil, false))(t).Cells, len(shards))
	}
	check.Equal(t, "records", len(check.Must(readDir(out))(t).Records), 2)
	for _, repetition := range []*int{nil, new(0), new(1)} {
		check.Must(DecodeGrid("merged", check.Must(os.ReadFile(GridPath(out, "beale", repetition)))(t)))(t)
	}
	another := shardOf(t, 2, func(h *Header) { h.Build = Build{Version: "0.0.1", Go: "go1", Platform: "linux/amd64"} })
	file, compact := archived(t)
	for want, shards := range map[string][]string{
		compact + " has compact records":         {compact},
		file + " has compact records":            {file},
		"there are no shards to merge":           nil,
		"cell beale/popbo/000 is in ":            {a, shardOf(t, 0, same)},
		"two programs may make different steps":  {a, another},
		"not of one suite":                       {a, shardOf(t, 2, func(h *Header) { h.Seed = 1 })},
		"no cells.json; is it a results folder?": {t.TempDir()},
	} {
		to := filepath.Join(t.TempDir(), "to")
		check.Error(t, want, check.Err(Merge(t.Context(), to, shards, nil, false)), want)
		check.That(t, errors.Is(check.Err(os.Stat(to)), os.ErrNotExist), "%s: something is written", want)
	}
	check.Must(Merge(t.Context(), filepath.Join(t.TempDir(), "mixed"), []string{a, another}, nil, true))(t)
	// A folder that has records of another program is not a place for these.
	check.Error(t, "into another program's", check.Err(Merge(t.Context(), another, []string{a, b}, nil, false)), another+" has a record that is not of these shards, beale/popbo/002")
}

// A record that another process removes during a merge is not ignored.
func TestMergeLosesNoRecord(t *testing.T) {
	from := t.TempDir()
	put(t, open(t, from), repetition(0))
	check.OK(t, os.Remove(TimingPath(from, "beale/popbo/000")))
	s := &shardFolder{dir: from, there: []Part{{Group: "beale/popbo", Repetitions: Repetitions{{0, 0}}}}}
	check.OK(t, s.copyTo(t.Context(), t.TempDir())) // without a timing
	s.there[0].Repetitions = Repetitions{{0, 1}}
	check.Error(t, "without a record", s.copyTo(t.Context(), t.TempDir()))
}

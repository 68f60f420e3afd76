package bench

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"popbench/internal/check"
)

// A run leaves the same grids at any number of workers, after an interruption and from shards: one for a test function, and
// one a repetition for drawn functions. There is none above two dimensions.
func TestGrids(t *testing.T) {
	check.Sequential(t)
	t.Parallel()
	file := writeFile(t, "demo.yaml", `
name: demo
seed: 3
steps: 3
repetitions: 3
problems: [{name: beale}, {name: gp1, scale: raw}, {name: hartmann3}, {name: branin, label: nine, arms: {grid: [3]}}]
algorithms: [{name: random, label: a}, {name: random, label: b}]
`)
	dir := t.TempDir()
	grids := func(name string) map[string]string { return check.Files(t, filepath.Join(dir, name, "grids")) }
	done(t, "run", file, "--out", filepath.Join(dir, "one"), "--workers", "1")
	want := grids("one")
	names := []string{"beale.jsonl", "gp1/000.jsonl", "gp1/001.jsonl", "gp1/002.jsonl", "nine.jsonl"}
	if got := slices.Sorted(maps.Keys(want)); !slices.Equal(got, names) {
		t.Fatalf("grids %v, want %v", got, names)
	}
	if want["gp1/000.jsonl"] == want["gp1/001.jsonl"] {
		t.Error("two drawn functions have the same grid")
	}
	done(t, "run", file, "--out", filepath.Join(dir, "four"), "--workers", "4")
	for _, i := range []string{"1", "2"} {
		done(t, "run", file, "--out", filepath.Join(dir, "merged"), "--shard", i+"/2")
	}
	done(t, "merge", filepath.Join(dir, "merged"))
	// A run that was killed between a grid and the first record about it.
	done(t, "run", file, "--out", filepath.Join(dir, "begun"), "--seeds", "2")
	check.OK(t, os.RemoveAll(filepath.Join(dir, "begun", "records", "beale")))
	done(t, "run", file, "--out", filepath.Join(dir, "begun"))
	for _, name := range []string{"four", "merged", "begun"} {
		if got := grids(name); !maps.Equal(got, want) {
			t.Errorf("%s has other grids: %v", name, slices.Sorted(maps.Keys(got)))
		}
	}
	if out := done(t, "compare", "--exact", filepath.Join(dir, "one"), filepath.Join(dir, "merged")); !strings.Contains(out, "24") {
		t.Errorf("compare --exact: %s", out)
	}
}

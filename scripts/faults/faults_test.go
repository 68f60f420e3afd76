package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// toy is a copy of the module in testdata, with one file edited.
func toy(t *testing.T, edit func(string) string) *tree {
	t.Helper()
	dir := t.TempDir()
	ok(t, os.CopyFS(dir, os.DirFS("testdata/toy")))
	file := filepath.Join(dir, "low", "low.go")
	text, err := os.ReadFile(file)
	ok(t, err)
	ok(t, os.WriteFile(file, []byte(edit(string(text))), 0o666))
	tree, err := open(t.Context(), dir)
	ok(t, err)
	return tree
}

func same(text string) string { return text }

func TestDrawsEveryKindAndTheSameAgain(t *testing.T) {
	tree := toy(t, same)
	name := filepath.Join(t.TempDir(), "faults.tsv")
	ok(t, os.WriteFile(name, []byte(heading+fault{pkg: "low", file: "low.go", kind: plant, nth: 1, from: "rate = 0.5", to: "rate = 5"}.write()), 0o666))
	ok(t, tree.drawTo(name, 1, 1000))
	faults, err := readFaults(name)
	ok(t, err)
	for _, kind := range append(kinds, plant) {
		if !slices.ContainsFunc(faults, func(f fault) bool { return f.kind == kind }) {
			t.Errorf("no fault of the kind %s", kind)
		}
	}
	if slices.ContainsFunc(faults, func(f fault) bool {
		return f.from == "keep(copied)" || f.function == "" && f.kind != plant && f.kind != "constant"
	}) {
		t.Errorf("a place that is wrong, or does not compile: %+v", faults)
	}
	var lists []string
	for _, seed := range []uint64{1, 1, 2} {
		ok(t, tree.drawTo(name, seed, 12))
		text, err := os.ReadFile(name)
		ok(t, err)
		lists = append(lists, string(text))
	}
	if lists[0] != lists[1] || lists[0] == lists[2] {
		t.Error("the same seed draws other faults, or another seed the same")
	}

	// Lines before the places and in their functions move nothing; a place that is gone is not found.
	moved := toy(t, func(text string) string {
		return strings.Replace(strings.Replace(text, "const rate", "var _ = 3 < 4\n\nconst rate", 1), "\ttotal := 0.0\n", "\t_ = len(x) + 7\n\ttotal := 0.0\n", 1)
	})
	found := moved.locate(faults)
	for _, f := range faults {
		x, there := found[f.id()]
		if !there || f.kind != plant && lineOf(moved.source(f.pkg).text[0], x.start) != f.line {
			t.Errorf("%+v is not found after an insertion", f)
		}
	}
	changed := toy(t, func(text string) string { return strings.Replace(text, "total += x[i]", "total = total + x[i]", 1) })
	found = changed.locate(faults)
	for _, f := range faults {
		if _, there := found[f.id()]; there == (f.line == "total += x[i]") {
			t.Errorf("%+v: found is %t", f, there)
		}
	}
}

func TestPlants(t *testing.T) {
	tree := toy(t, same)
	want := []struct{ function, kind, line, result, stage, by, tests string }{
		{"Sum", "arithmetic", "total += x[i]", caught, own, "low", "TestSum"},
		{"Sum", "off by one", "total += x[i]", caught, own, "low", "TestSum"}, // panics
		{"Count", "dropped", "n--", caught, own, "low", "TestCount"},          // never ends
		{"Size", "compare", "case x < 5:", caught, own, "low", "TestSize"},
		{"Clamp", "compare", "if x < low {", survived, others, "", ""}, // changes nothing
		{"Clamp", "negated", "if x < low {", caught, others, "high", "TestPercent"},
		{"Mix", "swapped", "return sub(x, y) * rate", survived, others, "", ""},
		{"Unused", "off by one", "func Unused(x int) int { return x + 1 }", survived, others, "", ""},
	}
	r := runner{tree: tree, out: filepath.Join(t.TempDir(), "out.tsv"), jobs: 2, budget: 20, slack: 0.5}
	for _, x := range want {
		for _, s := range tree.source("low").sites() {
			if s.function == x.function && s.kind == x.kind && s.line == x.line {
				r.faults = append(r.faults, s.fault)
			}
		}
	}
	if len(r.faults) != len(want) {
		t.Fatalf("%d places, not %d: %+v", len(r.faults), len(want), r.faults)
	}
	missing := fault{pkg: "low", file: "low.go", kind: "compare", line: "if x > x {", nth: 1, from: ">", to: ">="}
	r.faults = append(r.faults, missing)
	source := snapshot(t, tree.root)
	ok(t, r.run(t.Context()))
	if snapshot(t, tree.root) != source {
		t.Error("a file of the module has changed")
	}
	rows, err := readRows(r.out)
	ok(t, err)
	last := latest(rows)
	for i, x := range want {
		got := last[r.faults[i].id()]
		if got.result != x.result || got.stage != x.stage || got.by != x.by || strings.Join(got.tests, ",") != x.tests {
			t.Errorf("%s: got %+v, want %+v", x.line, got, x)
		}
	}
	if got := last[missing.id()]; got.result != gone {
		t.Errorf("a place that is not there: got %+v", got)
	}

	// Called again, it has nothing to do; interrupted, it does the rest.
	whole, err := os.ReadFile(r.out)
	ok(t, err)
	ok(t, r.run(t.Context()))
	if again, err := os.ReadFile(r.out); err != nil || !bytes.Equal(again, whole) {
		t.Errorf("a second call adds to the table (%v)", err)
	}
	var b bytes.Buffer
	ok(t, summary(&b, rows, r.out))
	if !strings.Contains(b.String(), "| `low` | 8 | 4 | 1 | 62 % |") || !strings.Contains(b.String(), "low/low.go:32, swapped: `x, y → y, x`\n") ||
		!strings.Contains(b.String(), "low/low.go:47, off by one: `1 → (1 + 1)`: nothing that was run executes it\n") {
		t.Errorf("the summary is\n%s", b.String())
	}
	b.Reset()
	ok(t, testTable(&b, rows, r.out))
	if !strings.Contains(b.String(), "\t2\t2\n") || !strings.Contains(b.String(), "low\tTestMix\t") || !strings.Contains(b.String(), "\t0\t1\n") {
		t.Errorf("the table of tests is\n%s", b.String())
	}

	fewer := r.out + ".fewer"
	ok(t, os.WriteFile(fewer, bytes.ReplaceAll(whole, []byte("caught\thigh"), []byte("survived\t")), 0o666))
	b.Reset()
	if err := compare(&b, r.out, fewer); err != errLost || !strings.Contains(b.String(), "9 faults: 1 lost, 0 caught that were not") {
		t.Errorf("compare: %v, %s", err, b.String())
	}
	if err := compare(&b, fewer, r.out); err != nil {
		t.Errorf("compare the other way: %v", err)
	}
}

// snapshot is all text of a folder.
func snapshot(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	ok(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			var text []byte
			text, err = os.ReadFile(path)
			all.WriteString(path + "\n" + string(text))
		}
		return err
	}))
	return all.String()
}

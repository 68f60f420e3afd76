package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"popbench/internal/check"
)

// toy is a copy of the module in testdata, with one file edited.
func toy(t *testing.T, edit func(string) string) *tree {
	t.Helper()
	dir := t.TempDir()
	check.OK(t, os.CopyFS(dir, os.DirFS("testdata/toy")))
	file := filepath.Join(dir, "low", "low.go")
	check.OK(t, os.WriteFile(file, []byte(edit(check.Text(t, file))), 0o666))
	return check.Must(open(t.Context(), dir))(t)
}

func same(text string) string { return text }

func TestDrawsEveryKindAndTheSameAgain(t *testing.T) {
	tree := toy(t, same)
	name := filepath.Join(t.TempDir(), "faults.tsv")
	check.OK(t, os.WriteFile(name, []byte(heading+fault{pkg: "low", file: "low.go", kind: plant, nth: 1, from: "rate = 0.5", to: "rate = 5"}.write()), 0o666))
	check.OK(t, tree.drawTo(name, 1, 1000))
	faults := check.Must(readFaults(name))(t)
	for _, kind := range append(kinds, plant) {
		check.Equal(t, "a fault of the kind "+kind, slices.ContainsFunc(faults, func(f fault) bool { return f.kind == kind }), true)
	}
	lines := map[string]bool{}
	for _, f := range faults {
		here := f.function != "" || f.kind == plant || f.kind == "constant" || f.line == "var bound = 10 / 2"
		check.That(t, here && f.from != "keep(copied)" && !lines[f.line], "a place that is wrong, does not compile, or is on the line of another: %+v", f)
		lines[f.line] = true
	}
	var lists []string
	for _, seed := range []uint64{1, 1, 2} {
		check.OK(t, tree.drawTo(name, seed, 12))
		lists = append(lists, check.Text(t, name))
	}
	check.Equal(t, "the same seed draws other faults, another seed the same", [2]bool{lists[0] != lists[1], lists[0] == lists[2]}, [2]bool{})

	// Lines before the places and in their functions move nothing; a place that is gone is not found.
	moved := toy(t, func(text string) string {
		return strings.Replace(strings.Replace(text, "const rate", "var _ = 3 < 4\n\nconst rate", 1), "\ttotal := 0.0\n", "\t_ = len(x) + 7\n\ttotal := 0.0\n", 1)
	})
	found := moved.locate(faults)
	for _, f := range faults {
		x, there := found[f.id()]
		check.That(t, there && (f.kind == plant || lineOf(moved.source(f.pkg).text[0], x.start) == f.line), "%+v is not found after an insertion", f)
	}
	changed := toy(t, func(text string) string { return strings.Replace(text, "total += x[i]", "total = total + x[i]", 1) })
	found = changed.locate(faults)
	for _, f := range faults {
		_, there := found[f.id()]
		check.Equal(t, f.write()+"is found", there, f.line != "total += x[i]")
	}
}

func TestPlants(t *testing.T) {
	tree := toy(t, same)
	want := []struct{ function, kind, line, result, stage, by, tests string }{
		{"Sum", "arithmetic", "total += x[i]", caught, own, "low", "TestSum"},
		{"Sum", "off by one", "total += x[i]", caught, own, "low", "TestSum"}, // panics
		{"Count", "dropped", "n--", caught, own, "low", "TestCount"},          // never ends
		{"Clamp", "compare", "if x < low {", survived, others, "", ""},        // changes nothing
		{"Clamp", "negated", "if x < low {", caught, others, "high", "TestPercent"},
		{"Mix", "swapped", "return sub(x, y) * rate", survived, others, "", ""},
		{"", "arithmetic", "var bound = 10 / 2", caught, own, "low", "TestSize"}, // in no function
		{"Half", "arithmetic", "return func() int { return x }() / 2", caught, others, "high", "TestHalf"},
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
	check.Equal(t, "places", len(r.faults), len(want))
	missing := fault{pkg: "low", file: "low.go", kind: "compare", line: "if x > x {", nth: 1, from: ">", to: ">="}
	r.faults = append(r.faults, missing)
	source := fmt.Sprint(check.Files(t, tree.root))
	check.OK(t, r.run(t.Context()))
	check.Equal(t, "the module", fmt.Sprint(check.Files(t, tree.root)), source)
	rows := check.Must(readRows(r.out))(t)
	last := latest(rows)
	for i, x := range want {
		got := last[r.faults[i].id()]
		check.Equal(t, x.line, [4]string{got.result, got.stage, got.by, strings.Join(got.tests, ",")}, [4]string{x.result, x.stage, x.by, x.tests})
	}
	check.Equal(t, "a place that is not there", last[missing.id()].result, gone)

	// Called again, it has nothing to do; interrupted, it does the rest.
	whole := check.Must(os.ReadFile(r.out))(t)
	check.OK(t, r.run(t.Context()))
	check.Equal(t, "the table after a second call", check.Text(t, r.out), string(whole))
	var b bytes.Buffer
	check.OK(t, summary(&b, rows, r.out))
	check.Contains(t, "the summary", b.String(), "| `low` | 9 | 4 | 2 | 67 % |", "low/low.go:32, swapped: `x, y → y, x`\n",
		"low/low.go:47, off by one: `1 → (1 + 1)`: nothing that was run executes it\n")
	b.Reset()
	check.OK(t, testTable(&b, rows, r.out))
	check.Contains(t, "the table of tests", b.String(), "\t2\t3\n", "low\tTestMix\t", "\t0\t2\n")

	fewer := r.out + ".fewer"
	check.OK(t, os.WriteFile(fewer, bytes.Replace(whole, []byte("caught\thigh"), []byte("survived\t"), 1), 0o666))
	b.Reset()
	check.Equal(t, "compare", compare(&b, r.out, fewer), errLost)
	check.Contains(t, "compare", b.String(), "10 faults: 1 lost, 0 cannot be planted any more, 0 caught that were not")
	check.OK(t, os.WriteFile(fewer, bytes.ReplaceAll(whole, []byte("caught\thigh"), []byte("gone\t")), 0o666))
	b.Reset()
	check.OK(t, compare(&b, r.out, fewer))
	check.Contains(t, "compare", b.String(), "10 faults: 0 lost, 2 cannot be planted any more, 0 caught that were not")
	check.OK(t, compare(&b, fewer, r.out))
}

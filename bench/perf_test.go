package bench

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/internal/console"
	"popbench/internal/perflog"
	"popbench/internal/views/compare"
	"popbench/internal/views/cost"
)

// perfSuite writes a suite that runs quickly.
func perfSuite(t *testing.T) string {
	t.Helper()
	return writeFile(t, "small.yaml", `
name: small
steps: 6
repetitions: 3
problems: [{name: branin}]
algorithms:
  - {name: popbo, settings: {kernel: {lengthscale: [5]}}}
  - {name: random}
`)
}

// A measurement compared with itself passes. Compared with one with less work or much shorter
// times, it fails. A measurement of another suite is refused.
func TestPerf(t *testing.T) {
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	save := func(name, text string) string {
		check.OK(t, os.WriteFile(file(name), []byte(text), 0o666))
		return file(name)
	}
	first, _, err := bench(t, "perf", perfSuite(t), "--count", "2", "--json", file("a.json"), "--history", file("h.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	base := save("base.txt", first)
	m := check.Must(perflog.Read(base, []byte(first)))(t)
	check.Equal(t, "cells", len(m.Cells), 6)
	if len(m.Passes) != 2 || len(m.Passes[0]) != 2 {
		t.Fatalf("measured %+v, want two passes of two", m.Passes)
	}
	check.Equal(t, "steps", m.Passes[0][0].Steps, 2*6)

	// Another run has the same counts, with any number of workers. A test must not depend
	// on times.
	if _, stderr, err := bench(t, "perf", perfSuite(t), "--count", "1", "--against", base, "--tolerance", "1e9"); err != nil || !strings.Contains(stderr, "work: 0 worse, 0 undecided, 0 better, 4 same, of 4 counts\ntotal time of all") {
		t.Errorf("the same again: %v\n%s", err, stderr)
	}
	counts, stderr, err := bench(t, "perf", perfSuite(t), "--count", "0", "--against", base)
	if err != nil || !strings.Contains(stderr, "4 same, of 4 counts\ntimes are not compared") {
		t.Errorf("counts only: %v\n%s", err, stderr)
	}
	if strings.Contains(counts, "Benchmark") || !strings.HasPrefix(first[strings.Index(first, "Cell/"):], counts[strings.Index(counts, "Cell/"):]) {
		t.Errorf("counts only:\n%s", counts)
	}

	again, _, err := bench(t, "perf", base, "--against", base, "--tolerance", "0", "--history", file("h.jsonl"))
	if err != nil || again != first {
		t.Errorf("against itself: %v\n%s", err, again)
	}
	history, err := os.ReadFile(file("h.jsonl"))
	if err != nil || strings.Count(string(history), "\n") != 2 {
		t.Errorf("history after two measurements (%v):\n%s", err, history)
	}
	for name, want := range map[string]string{"h.html": "2 measurements", "a.json": `"unit": "calibrations/step"`} {
		if data, err := os.ReadFile(file(name)); err != nil || !strings.Contains(string(data), want) {
			t.Errorf("%s (%v) lacks %q:\n%s", name, err, want, data)
		}
	}

	// write is the file of a measurement that was changed.
	write := func(name string, change func(*perflog.Measurement)) string {
		m := check.Must(perflog.Read(base, []byte(first)))(t)
		for _, p := range m.Passes {
			p[0].Calibrations = 100 // so that it is not too short
		}
		change(m)
		var b strings.Builder
		check.OK(t, m.Write(&b))
		return save(name, b.String())
	}
	now := write("now.txt", func(*perflog.Measurement) {})
	for _, c := range []struct {
		change func(*perflog.Measurement)
		want   string
	}{
		{func(m *perflog.Measurement) {
			m.Cells[2].Work[1].Value--
			for _, p := range m.Passes {
				p[0].Work[1].Value -= 1. / (3 * 6)
			}
		}, "1 of 4 work counts grew"},
		{func(m *perflog.Measurement) {
			for _, p := range m.Passes {
				p[0].Calibrations /= 4
			}
		}, "1 of 2 algorithms on a problem take more than 1.5 times as long"},
	} {
		_, stderr, err := bench(t, "perf", now, "--against", write("less.txt", c.change))
		if console.ExitCode(err) != console.ExitFailed || !strings.Contains(err.Error(), c.want) || !strings.Contains(stderr, "  worse\n") {
			t.Errorf("exit %d, %v, want %q\n%s", console.ExitCode(err), err, c.want, stderr)
		}
	}

	old := save("old.txt", regexp.MustCompile(`(?m)^Cell/.*\n`).ReplaceAllString(first, ""))
	other := save("other.txt", strings.Replace(first, "config-hash: ", "config-hash: 0", 1))
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{base, "--against", other}, "measure the earlier version again"},
		{[]string{base, "--against", old}, "old.txt: an earlier version wrote this file, without counts of cells; measure again"},
		{[]string{save("counts.txt", counts), "--history", file("h.jsonl")}, "has no times"},
		{[]string{perfSuite(t), "--count", "0", "--history", file("q.jsonl")}, "--count 0"},
		{[]string{base, "--against", file("none.txt")}, "no such file"},
		{[]string{file("none.txt")}, "no such file"},
		{[]string{save("bad.txt", first+"BenchmarkStep/x 1\n"), "--against", base}, "bad.txt:"},
		{[]string{base, "--history", save("bad.jsonl", "{\n")}, "bad.jsonl:1: "},
		{[]string{base, "small.yaml"}, "too many arguments"},
		{nil, "too few arguments"},
		{[]string{base, "--count", "-1"}, "give a whole number from 0 to 1000"},
		{[]string{base, "--tolerance", "-1"}, "give a number from 0 to 1e+09"},
		{[]string{perfSuite(t), "--only", "nothing"}, "--only"},
	} {
		t.Run(c.want, func(t *testing.T) {
			_, _, err := bench(t, append([]string{"perf"}, c.args...)...)
			if console.ExitCode(err) != console.ExitRefused || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v: exit %d, %v, want %q", c.args, console.ExitCode(err), err, c.want)
			}
		})
	}
}

// With another seed the queries differ at the same cost: the gate passes, although counts grew.
// With 1.5 times the work it fails.
func TestPerfOfOtherQueries(t *testing.T) {
	measure := func(seed string) string {
		t.Helper()
		text, _, err := bench(t, "perf", "--count", "0", writeFile(t, seed+".yaml", `
name: small
seed: `+seed+`
steps: 8
repetitions: 12
problems: [{name: branin}, {name: beale}]
algorithms:
  - {name: popbo, settings: {kernel: {lengthscale: [5]}}}
`))
		if err != nil {
			t.Fatal(err)
		}
		return regexp.MustCompile(`(?m)^config-hash: .*$`).ReplaceAllString(text, "config-hash: the same")
	}
	base := writeFile(t, "base.txt", measure("2"))
	head := measure("1")
	_, stderr, err := bench(t, "perf", writeFile(t, "head.txt", head), "--against", base)
	check.Equal(t, "error", err, nil)
	if !strings.HasPrefix(stderr, "work: 0 worse, ") {
		t.Errorf("other queries are worse:\n%s", stderr)
	}
	check.Lacks(t, "the comparison", stderr, "same queries")
	if !regexp.MustCompile(`newton: .*×1\.`).MatchString(stderr) {
		t.Errorf("other queries have no ratio of newton:\n%s", stderr)
	}

	m := check.Must(perflog.Read("head.txt", []byte(head)))(t)
	for _, c := range m.Cells {
		for i := range c.Work {
			c.Work[i].Value *= 1.5
		}
	}
	var more strings.Builder
	check.OK(t, m.Write(&more))
	if _, stderr, err := bench(t, "perf", writeFile(t, "more.txt", more.String()), "--against", base); console.ExitCode(err) != console.ExitFailed || !strings.Contains(err.Error(), "worse than") {
		t.Errorf("more work: %v\n%s", err, stderr)
	}
}

// Both gates have the same minimum effect and the same level.
func TestGatesAgree(t *testing.T) {
	if o := compare.Default(); cost.WorkTolerance != o.MinCost || cost.WorkAlpha != o.Alpha {
		t.Errorf("bench perf has %g and %g, bench compare %g and %g", cost.WorkTolerance, cost.WorkAlpha, o.MinCost, o.Alpha)
	}
}

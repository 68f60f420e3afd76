package bench

import (
	"os"
	"path/filepath"
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
	return check.Temporary(t, "small.yaml", `
name: small
steps: 6
repetitions: 3
problems: [{name: branin}]
algorithms:
  - {name: popbo, settings: {kernel: {lengthscale: [5]}}}
  - {name: random}
`)
}

// A measurement compared with itself passes. Compared with one with less work or much shorter times, it fails. A measurement
// of another suite is refused.
func TestPerf(t *testing.T) {
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	save := func(name, text string) string {
		check.OK(t, os.WriteFile(file(name), []byte(text), 0o666))
		return file(name)
	}
	first := done(t, "perf", perfSuite(t), "--count", "2", "--json", file("a.json"), "--history", file("h.jsonl"))
	base := save("base.txt", first)
	m := check.Must(perflog.Read(base, []byte(first)))(t)
	check.Equal(t, "cells, passes, groups of a pass, and its steps", [4]int{len(m.Cells), len(m.Passes), len(m.Passes[0]), m.Passes[0][0].Steps}, [4]int{6, 2, 2, 2 * 6})

	// Another run has the same counts, with any number of workers. A test must not depend on times.
	counts, stderr, err := bench(t, "perf", perfSuite(t), "--count", "0", "--against", base)
	check.OK(t, err)
	check.Contains(t, "counts only", stderr, "work: 0 worse, 0 undecided, 0 better, 4 same, of 4 counts\ntimes are not compared")
	check.Lacks(t, "counts only", counts, "Benchmark")
	check.Equal(t, "the counts", strings.HasPrefix(first[strings.Index(first, "Cell/"):], counts[strings.Index(counts, "Cell/"):]), true)

	again, stderr, err := bench(t, "perf", base, "--against", base, "--tolerance", "0", "--history", file("h.jsonl"))
	check.OK(t, err)
	check.Equal(t, "against itself", again, first)
	check.Contains(t, "against itself", stderr, "4 same, of 4 counts\ntotal time of all")
	check.Equal(t, "history after two measurements", strings.Count(check.Text(t, file("h.jsonl")), "\n"), 2)
	check.Contains(t, "the page", check.Text(t, file("h.html")), "2 measurements")
	check.Contains(t, "for actions", check.Text(t, file("a.json")), `"unit": "calibrations/step"`)

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
	for want, change := range map[string]func(*perflog.Measurement){
		"1 of 4 work counts grew": func(m *perflog.Measurement) {
			m.Cells[2].Work[1].Value--
			for _, p := range m.Passes {
				p[0].Work[1].Value -= 1. / (3 * 6)
			}
		},
		"1 of 2 algorithms on a problem take more than 1.5 times as long": func(m *perflog.Measurement) {
			for _, p := range m.Passes {
				p[0].Calibrations /= 4
			}
		},
	} {
		_, stderr, err := bench(t, "perf", now, "--against", write("less.txt", change))
		check.Equal(t, "exit code", console.ExitCode(err), console.ExitFailed)
		check.Error(t, "less before", err, want)
		check.Contains(t, "less before", stderr, "  worse\n")
	}

	other := save("other.txt", strings.Replace(first, "config-hash: ", "config-hash: 0", 1))
	for want, args := range map[string][]string{
		"measure the earlier version again": {"perf", base, "--against", other},
		"has no times":                      {"perf", save("counts.txt", counts), "--history", file("h.jsonl")},
		"bad.jsonl:1: ":                     {"perf", base, "--history", save("bad.jsonl", "{\n")},
	} {
		_, _, err := bench(t, args...)
		refused(t, "", err, want)
	}
	_, stderr, err = bench(t, "perf", check.Temporary(t, "left.yaml", "{name: left, steps: 2, repetitions: 3, problems: [beale], algorithms: [random, sgp], oracle: {jnd: 1}}"), "--count", "1")
	check.OK(t, err)
	check.Equal(t, "runs announced", stderr, "left: 6 cells to count\nnote: 3 cells left out; bench run says why\nleft: 2 runs to time\n")
}

// Both gates have the same minimum effect and the same level.
func TestGatesAgree(t *testing.T) {
	o := compare.Default()
	check.Same(t, "tolerance and level of bench perf", []float64{cost.WorkTolerance, cost.WorkAlpha}, []float64{o.MinCost, o.Alpha})
}

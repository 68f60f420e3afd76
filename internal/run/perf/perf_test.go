package perf

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"popbench/algorithms"
	"popbench/internal/check"
	"popbench/internal/perflog"
	"popbench/internal/run/runner"
	"popbench/record"
	"popbench/suite"
)

const small = `
name: small
steps: 12
repetitions: 3
problems: [{name: branin, label: a branin}]
algorithms:
  - {name: gpucb, label: "GP-UCB, a", settings: {fit: none}}
  - {name: random}
`

func cells(t *testing.T, text string) []suite.Cell {
	t.Helper()
	return check.Must(check.Must(suite.Parse("small.yaml", []byte(text), suite.Catalogue{}))(t).Expand(nil, nil))(t)
}

// keep keeps records.
type keep []*record.Record

func (k *keep) Put(r *record.Record, _ *record.Timing) error { *k = append(*k, r); return nil }

// The counts equal those in records of the same cells that were made without measuring.
func TestMeasure(t *testing.T) {
	all := cells(t, small)
	done := 0
	var announced [2]int
	o := Options{Passes: 2, Workers: 3, Done: func() { done++ }, Counted: func(cells, runs int) { announced = [2]int{cells, runs} }}
	m := check.Must(Measure(t.Context(), "small", all, o))(t)
	// All once, and the timed ones twice.
	check.Equal(t, "runs done, and passes", [2]int{done, len(m.Passes)}, [2]int{6 + 2*4, 2})
	check.Equal(t, "cells counted, and runs announced", announced, [2]int{6, 2 * 4})
	var records keep
	check.OK(t, runner.Run(t.Context(), all, records.Put, runner.Options{Workers: 1}))
	var keys []perflog.Key
	for _, r := range m.Rows() {
		keys = append(keys, r.Key)
		first, steps := 1, 10
		if r.T == 12 {
			first, steps = 11, 2
		}
		want := 0.0 // evaluations
		for _, measured := range records {
			for _, s := range measured.Steps[first-1 : r.T] {
				v, _ := s.Metrics.Get("evaluations")
				want += v
			}
		}
		name := fmt.Sprint(r.Key)
		if r.Algorithm == "random" {
			check.Equal(t, name+": counts", len(r.Work), 0)
		} else {
			check.Equal(t, name+": counts", fmt.Sprint(len(r.Work), r.Work[0], r.Work[1].Name, r.Work[2].Name), fmt.Sprint(3, perflog.Count{Name: "evaluations", Value: want / float64(3*steps)}, "failures", "fit_evaluations"))
			check.That(t, want > 0, "%s: no evaluations, which proves nothing", name)
		}
		check.Equal(t, name+": steps", r.Steps, Timed*steps)
		check.That(t, r.Nanos > 0 && r.Calibrations >= 0 && r.Allocs >= 3 && r.Bytes >= 100,
			"%s: %v ns, %v calibrations, %v allocations of %v bytes", name, r.Nanos, r.Calibrations, r.Allocs, r.Bytes)
	}
	branin := func(a string, t int) perflog.Key {
		return perflog.Key{Problem: "a%20branin", Algorithm: a, Dim: 2, T: t}
	}
	check.Same(t, "rows", keys, []perflog.Key{branin("GP-UCB,%20a", 10), branin("GP-UCB,%20a", 12), branin("random", 10), branin("random", 12)})
	check.Equal(t, "config hash", m.ConfigHash, configHash(all))
	check.That(t, configHash(cells(t, strings.Replace(small, "12", "11", 1))) != m.ConfigHash, "another suite has this config hash")
}

// The first duels of a suite are steps as well, although the algorithm is not asked for them.
func TestMeasureFirstDuels(t *testing.T) {
	all := cells(t, strings.Replace(strings.Replace(small, "steps: 12", "steps: 12\nfirst_duels: 11", 1), "  - {name: gpucb, label: \"GP-UCB, a\", settings: {fit: none}}\n", "", 1))
	rows := check.Must(Measure(t.Context(), "small", all, Options{Passes: 1}))(t).Rows()
	check.Equal(t, "steps", [2]int{rows[0].Steps, rows[1].Steps}, [2]int{Timed * 10, Timed * 2})
}

// Cells that a method does not do, such as one of values with an oracle whose answers are another model's, have no record.
func TestMeasureLeavesOut(t *testing.T) {
	all := cells(t, small+"oracle: noiseless\n")
	done := 0
	var announced [2]int
	m := check.Must(Measure(t.Context(), "small", all, Options{Passes: 1, Done: func() { done++ }, Counted: func(cells, runs int) { announced = [2]int{cells, runs} }}))(t)
	check.Equal(t, "cells measured, done, and rows", [3]int{len(m.Cells), done, len(m.Rows())}, [3]int{3, 6 + 2, 2})
	check.Equal(t, "cells counted, and runs announced", announced, [2]int{3, 2})
	values := slices.DeleteFunc(all, func(c suite.Cell) bool { return c.Template.Algorithm.Label == "random" })
	check.Error(t, "measuring none", check.Err(Measure(t.Context(), "small", values, Options{})), "all cells are left out")
}

// A measurement ends with a cell that fails, and with one whose queries differ from run to run.
func TestMeasureRefuses(t *testing.T) {
	all := cells(t, small)
	begin, runs := all[1].Begin, 0
	all[1].Begin = func(ctx context.Context, h record.Header) (*suite.Trial, error) {
		if h.Repetition == 0 { // one cell only, since others may end before it
			return nil, fmt.Errorf("no luck")
		}
		return begin(ctx, h)
	}
	check.Error(t, "measuring", check.Err(Measure(t.Context(), "small", all, Options{})), "cell a%20branin/random/000 failed: no luck")
	all[1].Begin = func(ctx context.Context, h record.Header) (*suite.Trial, error) {
		trial, err := begin(ctx, h)
		runs++
		trial.Algorithm = drawing{trial.Algorithm, &runs}
		return trial, err
	}
	check.Must(Measure(t.Context(), "small", all[1:2], Options{}))(t)
	check.Error(t, "measuring", check.Err(Measure(t.Context(), "small", all[1:2], Options{Passes: 1})), "cell a%20branin/random/000: a repeated run has queries")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	check.Equal(t, "cancelled", check.Err(Measure(ctx, "small", cells(t, small), Options{})), runner.ErrInterrupted)
}

// The calculations by which machines are compared have the same results everywhere.
func TestCalibrationIsFixed(t *testing.T) {
	check.Equal(t, "log-determinant", logDeterminant(), calibrationResult)
	check.Equal(t, "the fingerprint with portable arithmetic", rounding(), "f168467419ef1c13")
}

// drawing is an algorithm whose queries differ from run to run.
type drawing struct {
	algorithms.Algorithm
	runs *int
}

func (d drawing) Ask() (algorithms.Query, error) {
	q, err := d.Algorithm.Ask()
	q.Points[len(q.Points)-1][0] = q.Points[len(q.Points)-1][0]/2 + 1e-3*float64(*d.runs)
	return q, err
}

// The fingerprint depends on every coordinate of every query.
func TestFingerprint(t *testing.T) {
	var records keep
	check.OK(t, runner.Run(t.Context(), cells(t, small)[:1], records.Put, runner.Options{}))
	want := cellOf(records[0])
	check.Equal(t, "digits of the fingerprint, steps", [2]int{len(want.Queries), len(records[0].Steps)}, [2]int{16, 12})
	for _, step := range records[0].Steps {
		for _, x := range step.Points {
			for k, v := range x {
				x[k] = math.Nextafter(v, math.Inf(1))
				check.That(t, cellOf(records[0]).Queries != want.Queries, "step %d: a last digit is not seen", step.T)
				x[k] = v
			}
		}
	}
}

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
	"popbench/internal/harness/config"
	"popbench/internal/harness/runner"
	"popbench/internal/harness/suite"
	"popbench/internal/perflog"
	"popbench/internal/runlog"
)

const small = `
name: small
steps: 12
repetitions: 3
problems: [{name: branin}]
algorithms:
  - {name: gpucb, label: "GP-UCB, a", settings: {fit: none}}
  - {name: random}
`

func cells(t *testing.T, text string) []suite.Cell {
	t.Helper()
	s, err := config.Parse("small.yaml", []byte(text), suite.Catalogue{})
	if err != nil {
		t.Fatal(err)
	}
	all, err := suite.Catalogue{}.Expand(s, new(suite.Fits), nil)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// keep is a sink that keeps records.
type keep []*runlog.Record

func (k *keep) Put(r *runlog.Record, _ *runlog.Timing) error { *k = append(*k, r); return nil }

// The counts equal those in records of the same cells that were made without measuring.
func TestMeasure(t *testing.T) {
	all := cells(t, small)
	done := 0
	o := Options{Passes: 2, Workers: 3, Done: func() { done++ }}
	m, err := Measure(context.Background(), "small", all, o)
	if err != nil {
		t.Fatal(err)
	}
	if done != 6+2*4 || o.Runs(all) != done || len(m.Passes) != 2 { // all once, and the timed ones twice
		t.Errorf("%d cells done in %d passes, %d announced", done, len(m.Passes), o.Runs(all))
	}
	var records keep
	if err := runner.Run(context.Background(), all, &records, runner.Options{Workers: 1}); err != nil {
		t.Fatal(err)
	}
	var keys []perflog.Key
	for _, r := range m.Rows() {
		keys = append(keys, r.Key)
		first, steps := 1, 10
		if r.T == 12 {
			first, steps = 11, 2
		}
		want := 0.0
		for _, record := range records {
			for _, s := range record.Steps {
				if v, ok := s.Metrics.Get("evaluations"); ok && s.T >= first && s.T <= r.T {
					want += v
				}
			}
		}
		var counted []string
		for _, c := range r.Work {
			counted = append(counted, c.Name)
		}
		if r.Algorithm == "random" {
			if r.Work != nil {
				t.Errorf("%v counts %v", r.Key, r.Work)
			}
		} else if names := []string{"evaluations", "failures", "fit_evaluations"}; !slices.Equal(counted, names) {
			t.Errorf("%v counts %v, want %v", r.Key, counted, names)
		} else {
			check.Equal(t, fmt.Sprintf("%v: evaluations a step", r.Key), r.Work[0].Value, want/float64(3*steps))
			if want == 0 {
				t.Errorf("%v: no evaluations, so this proves nothing", r.Key)
			}
		}
		check.Equal(t, fmt.Sprintf("%v: steps", r.Key), r.Steps, Timed*steps)
		if !(r.Nanos > 0) {
			t.Errorf("%v: %v ns", r.Key, r.Nanos)
		}
		if !(r.Calibrations >= 0) {
			t.Errorf("%v: %v calibrations", r.Key, r.Calibrations)
		}
		if r.Allocs < 3 {
			t.Errorf("%v: %v allocations, want 3 at least", r.Key, r.Allocs)
		}
		if r.Bytes < 100 {
			t.Errorf("%v: %v bytes, want 100 at least", r.Key, r.Bytes)
		}
	}
	branin := func(a string, t int) perflog.Key { return perflog.Key{Problem: "branin", Algorithm: a, Dim: 2, T: t} }
	if want := []perflog.Key{branin("GP-UCB,%20a", 10), branin("GP-UCB,%20a", 12), branin("random", 10), branin("random", 12)}; !slices.Equal(keys, want) {
		t.Errorf("rows %v", keys)
	}
	if other, err := Measure(context.Background(), "small", cells(t, strings.Replace(small, "12", "11", 1))[:1], Options{}); err != nil || other.ConfigHash == m.ConfigHash {
		t.Errorf("another suite has config hash %s, this one %s (%v)", other.ConfigHash, m.ConfigHash, err)
	}
}

func TestMeasureRefusesAFailedCell(t *testing.T) {
	all := cells(t, small)
	all[1].Begin = func(context.Context, runlog.Header) (*suite.Trial, error) { return nil, fmt.Errorf("no luck") }
	if _, err := Measure(context.Background(), "small", all, Options{}); err == nil || !strings.Contains(err.Error(), "cell branin/random/000 failed: no luck") {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Measure(ctx, "small", cells(t, small), Options{}); err != runner.ErrInterrupted {
		t.Errorf("cancelled: %v", err)
	}
}

func TestCalibrationIsFixed(t *testing.T) {
	if got := logDeterminant(); got != calibrationResult {
		t.Errorf("log-determinant %g, should be %d", got, calibrationResult)
	}
}

func TestRounding(t *testing.T) {
	const want = "f168467419ef1c13"
	if got := rounding(); got != want {
		t.Errorf("the fingerprint is %s, with portable arithmetic %s", got, want)
	}
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

func TestMeasureRefusesWhatVaries(t *testing.T) {
	all := cells(t, small)[1:2]
	begin, runs := all[0].Begin, 0
	all[0].Begin = func(ctx context.Context, h runlog.Header) (*suite.Trial, error) {
		trial, err := begin(ctx, h)
		runs++
		trial.Algorithm = drawing{trial.Algorithm, &runs}
		return trial, err
	}
	if _, err := Measure(context.Background(), "small", all, Options{}); err != nil {
		t.Fatal(err)
	}
	if _, err := Measure(context.Background(), "small", all, Options{Passes: 1}); err == nil || !strings.Contains(err.Error(), "cell branin/random/000: a repeated run has queries") {
		t.Errorf("got %v", err)
	}
}

// The fingerprint depends on every coordinate of every query.
func TestFingerprint(t *testing.T) {
	var records keep
	if err := runner.Run(context.Background(), cells(t, small)[:1], &records, runner.Options{}); err != nil {
		t.Fatal(err)
	}
	want := cellOf(records[0])
	if len(want.Queries) != 16 || len(records[0].Steps) != 12 {
		t.Errorf("%d steps give %+v", len(records[0].Steps), want)
	}
	for i := range records[0].Steps {
		for j := range records[0].Steps[i].Points {
			x := records[0].Steps[i].Points[j]
			for k, v := range x {
				x[k] = math.Nextafter(v, math.Inf(1))
				if got := cellOf(records[0]); got.Queries == want.Queries {
					t.Errorf("step %d, point %d, coordinate %d: a last digit is not seen", i+1, j, k)
				}
				x[k] = v
			}
		}
	}
}

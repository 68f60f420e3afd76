package perf

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"path"
	"runtime"
	"slices"
	"strings"
	"time"

	"popbench/algorithms"
	"popbench/internal/runlog"
	"popbench/internal/runner"
	"popbench/internal/suite"
)

// Measure runs the cells one after another, so many times all of them. A cell
// that fails, or counts that differ from one pass to another, are an error. After
// each cell it calls done, unless that is nil.
func Measure(ctx context.Context, name string, cells []suite.Cell, passes int, done func()) (*Measurement, error) {
	m := &Measurement{
		Suite: name, ConfigHash: configHash(cells),
		Version: runlog.Version(), Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH, CPU: runlog.CPU(), Rounding: rounding(),
	}
	for range passes {
		p, err := pass(ctx, cells, done)
		if err != nil {
			return nil, err
		}
		m.Passes = append(m.Passes, p)
	}
	return m, m.Check()
}

// pass runs all cells once.
func pass(ctx context.Context, cells []suite.Cell, done func()) (Pass, error) {
	var t tally
	for _, c := range cells {
		var m meter
		metered := *c.Series
		metered.Begin = func(h runlog.Header) (*suite.Trial, error) {
			trial, err := c.Begin(h)
			if err == nil {
				trial.Algorithm = m.watch(trial.Algorithm)
			}
			return trial, err
		}
		if err := runner.Run(ctx, []suite.Cell{{Series: &metered, Repetition: c.Repetition}}, &m, runner.Options{Workers: 1}); err != nil {
			return nil, err
		}
		if !m.record.OK() {
			return nil, fmt.Errorf("cell %s failed: %s", c.ID(), m.record.Footer.Error)
		}
		t.add(m.record, m.steps)
		if done != nil {
			done()
		}
	}
	var p Pass
	for _, s := range t {
		p = append(p, s.row())
	}
	return p, nil
}

// tally is the rows of a pass in the making.
type tally []*sum

// sum is what the steps of a row have come to so far.
type sum struct {
	Key
	steps int
	cost
	work map[string]float64
}

func (t *tally) add(r *runlog.Record, steps []cost) {
	h := &r.Header
	_, label := path.Split(path.Dir(h.Cell))
	for i, c := range steps {
		k := Key{Problem: h.Problem.Name, Algorithm: label, Dim: len(h.Problem.Lo), T: min((i/Block+1)*Block, h.Steps)}
		at := slices.IndexFunc(*t, func(s *sum) bool { return s.Key == k })
		if at < 0 {
			at = len(*t)
			*t = append(*t, &sum{Key: k, work: map[string]float64{}})
		}
		s := (*t)[at]
		s.steps++
		s.cost.add(c)
		for _, m := range r.Steps[i].Metrics {
			if runlog.IsWork(m.Name) {
				s.work[m.Name] += m.Value
			}
		}
	}
}

func (s *sum) row() Row {
	n := float64(s.steps)
	r := Row{
		Key: s.Key, Steps: s.steps,
		Nanos: float64(s.took) / n, Calibrations: float64(s.cpu) / float64(s.calibration),
		Bytes: float64(s.bytes) / n, Allocs: float64(s.allocs) / n,
	}
	for _, name := range slices.Sorted(maps.Keys(s.work)) {
		r.Work = append(r.Work, Count{Name: name, Value: s.work[name] / n})
	}
	return r
}

// configHash is that of the cells, in their order.
func configHash(cells []suite.Cell) string {
	var all []string
	for _, c := range cells {
		all = append(all, c.ID()+" "+c.Template.ConfigHash)
	}
	sum := sha256.Sum256([]byte(strings.Join(all, "\n")))
	return hex.EncodeToString(sum[:8])
}

// meter measures the calls of one algorithm. It is the runner's sink too, and
// keeps the record for its metrics.
type meter struct {
	inner  algorithms.Algorithm
	record *runlog.Record
	steps  []cost
}

// cost is that of a step.
type cost struct {
	took          time.Duration // by the clock
	cpu           time.Duration // of processors
	calibration   time.Duration // the same, of the calibration next to it
	bytes, allocs uint64
}

func (c *cost) add(d cost) {
	c.took += d.took
	c.cpu += d.cpu
	c.calibration += d.calibration
	c.bytes += d.bytes
	c.allocs += d.allocs
}

func (m *meter) Put(r *runlog.Record, _ *runlog.Timing) error {
	m.record = r
	return nil
}

// watch returns an algorithm that does what a does and is measured.
func (m *meter) watch(a algorithms.Algorithm) algorithms.Algorithm {
	m.inner = a
	if _, ok := a.(algorithms.ValueLearner); ok {
		return valueMeter{m}
	}
	return m
}

// measure adds the cost of a call to that of the present step.
func (m *meter) measure(call func()) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start, startCPU := time.Now(), cpuTime()
	call()
	took, cpu := time.Since(start), cpuTime()-startCPU
	runtime.ReadMemStats(&after)
	m.steps[len(m.steps)-1].add(cost{
		took: took, cpu: cpu,
		bytes: after.TotalAlloc - before.TotalAlloc, allocs: after.Mallocs - before.Mallocs,
	})
}

func (m *meter) Ask() (q algorithms.Query, err error) {
	m.steps = append(m.steps, cost{calibration: calibration()})
	m.measure(func() { q, err = m.inner.Ask() })
	return q, err
}

func (m *meter) Tell(q algorithms.Query, winner int) (err error) {
	m.measure(func() { err = m.inner.Tell(q, winner) })
	return err
}

func (m *meter) Recommend() (list []algorithms.Recommendation, err error) {
	m.measure(func() { list, err = m.inner.Recommend() })
	return list, err
}

func (m *meter) Metrics() []algorithms.Metric {
	if i, ok := m.inner.(algorithms.Instrumented); ok {
		return i.Metrics()
	}
	return nil
}

// valueMeter is a meter of an algorithm that learns from values.
type valueMeter struct{ *meter }

func (m valueMeter) TellValues(q algorithms.Query, values []float64) (err error) {
	m.measure(func() { err = m.inner.(algorithms.ValueLearner).TellValues(q, values) })
	return err
}

var (
	_ runner.Sink             = (*meter)(nil)
	_ algorithms.Algorithm    = (*meter)(nil)
	_ algorithms.Instrumented = (*meter)(nil)
	_ algorithms.ValueLearner = valueMeter{}
)

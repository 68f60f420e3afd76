// Package perf measures the cost of a step of each algorithm. It runs every cell of a suite once for the work counts that
// the algorithm reports, and the first repetitions several times, one after another, for their times. internal/perflog
// describes the result.
package perf

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash/fnv"
	"maps"
	"path"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"time"

	"popbench/internal/perflog"
	"popbench/internal/run/runner"
	"popbench/internal/words"
	"popbench/record"
	"popbench/suite"
)

// Options of a measurement.
type Options struct {
	Passes  int    // over the timed repetitions; 0 measures counts only
	Workers int    // cells to count in parallel; 0 means GOMAXPROCS
	Done    func() // unless nil, called after each run of a cell, never concurrently
	// Counted, unless nil, is called before the runs that are timed: with the number of cells that are not left out, which
	// is not known before, and of those runs.
	Counted func(cells, runs int)
}

// Timed is the number of first repetitions of an algorithm on a problem that are timed. All repetitions are counted.
const Timed = 2

// Measure runs all cells in parallel for their counts, then the timed ones one after another, once for each pass. It returns
// an error if a cell fails, or if two runs of a cell differ in their counts or queries. It leaves out cells that a run
// of the suite leaves out, and returns an error if there are no others.
func Measure(ctx context.Context, name string, cells []suite.Cell, o Options) (*perflog.Measurement, error) {
	made := cells[0].Header().Build
	m := &perflog.Measurement{
		Suite: name, ConfigHash: configHash(cells),
		Version: made.Revision(), Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH, CPU: record.CPU(), Rounding: rounding(),
	}
	why := ""
	leaveOut := func(c suite.Cell, reason string) {
		if why = c.ID() + ": " + reason; o.Done != nil {
			o.Done()
		}
	}
	records, err := run(ctx, cells, runner.Options{Workers: o.Workers, Undefined: leaveOut}, o.Done)
	if err != nil {
		return nil, err
	}
	cells = slices.DeleteFunc(slices.Clone(cells), func(c suite.Cell) bool { return records[c.ID()] == nil })
	if len(cells) == 0 {
		return nil, fmt.Errorf("all cells are left out, so that there is nothing to measure: %s", why)
	}
	m.Cells = words.Each(cells, func(c suite.Cell) perflog.Cell { return cellOf(records[c.ID()]) })
	if o.Counted != nil {
		o.Counted(len(cells), o.Passes*len(timed(cells)))
	}
	for range o.Passes {
		p, err := pass(ctx, cells, records, o.Done)
		if err != nil {
			return nil, err
		}
		m.Passes = append(m.Passes, p)
	}
	return m, m.Check()
}

// run runs cells and returns their records by cell. Unless it is nil, it calls done after each.
func run(ctx context.Context, cells []suite.Cell, o runner.Options, done func()) (map[string]*record.Record, error) {
	records := map[string]*record.Record{}
	o.Done = func(c suite.Cell, r *record.Record, _ *record.Timing) {
		records[c.ID()] = r
		if done != nil {
			done()
		}
	}
	return records, runner.Run(ctx, cells, func(r *record.Record, _ *record.Timing) error {
		if !r.OK() {
			return fmt.Errorf("cell %s failed: %s", r.Header.Cell, r.Footer.Error)
		}
		return nil
	}, o)
}

func timed(cells []suite.Cell) (list []suite.Cell) {
	have := map[string]int{}
	for _, c := range cells {
		if series := path.Dir(c.ID()); have[series] < Timed {
			have[series]++
			list = append(list, c)
		}
	}
	return list
}

// pass times the timed cells once. records has the records of all cells.
func pass(ctx context.Context, cells []suite.Cell, records map[string]*record.Record, done func()) (perflog.Pass, error) {
	var t tally
	for _, c := range timed(cells) {
		var m meter
		again, err := run(ctx, []suite.Cell{c}, runner.Options{Workers: 1, Measure: m.measure}, done)
		if err != nil {
			return nil, err
		}
		r := again[c.ID()]
		if now, before := cellOf(r), cellOf(records[c.ID()]); !reflect.DeepEqual(now, before) {
			return nil, fmt.Errorf("cell %s: a repeated run has queries %s and counts %v, the first had %s and %v; the algorithm depends on something other than its seed",
				c.ID(), now.Queries, now.Work, before.Queries, before.Work)
		}
		for i, step := range m {
			s := t.at(r, i)
			s.timed++
			s.cost.add(step)
		}
	}
	for _, c := range cells {
		r := records[c.ID()]
		for i := range r.Steps {
			s := t.at(r, i)
			s.counted++
			addWork(s.work, &r.Header, &r.Steps[i])
		}
	}
	return words.Each(t, (*sum).row), nil
}

// cellOf returns the counts of a record and the fingerprint of its queries.
func cellOf(r *record.Record) perflog.Cell {
	c := perflog.Cell{Key: keyOf(r, len(r.Steps)-1), Repetition: r.Header.Repetition}
	queries := fnv.New64a()
	work := map[string]float64{}
	for i := range r.Steps {
		for _, x := range r.Steps[i].Points {
			// Write of a hash never returns an error.
			_ = binary.Write(queries, binary.LittleEndian, x)
		}
		addWork(work, &r.Header, &r.Steps[i])
	}
	c.Queries = fmt.Sprintf("%016x", queries.Sum64())
	c.Work = counts(work, 1)
	return c
}

// keyOf returns the key of the row that contains step i of the record, from 0.
func keyOf(r *record.Record, i int) perflog.Key {
	h := &r.Header
	problem, label := path.Split(path.Dir(h.Cell))
	return perflog.Key{Problem: path.Clean(problem), Algorithm: label, Dim: len(h.Problem.Lo), T: min((i/perflog.Block+1)*perflog.Block, h.Budget)}
}

func addWork(work map[string]float64, h *record.Header, s *record.Step) {
	for i, m := range h.Algorithm.Metrics {
		if m.Kind == record.Work {
			work[m.Name] += s.Metrics[i].Value
		}
	}
}

func counts(work map[string]float64, n float64) (list []perflog.Count) {
	for _, name := range slices.Sorted(maps.Keys(work)) {
		list = append(list, perflog.Count{Name: name, Value: work[name] / n})
	}
	return list
}

// tally accumulates the rows of a pass.
type tally []*sum

// sum accumulates the steps of a row.
type sum struct {
	perflog.Key
	timed   int // steps
	cost        // of the timed steps
	counted int // steps
	work    map[string]float64
}

// at returns the sum of the row that contains step i of the record.
func (t *tally) at(r *record.Record, i int) *sum {
	k := keyOf(r, i)
	at := slices.IndexFunc(*t, func(s *sum) bool { return s.Key == k })
	if at < 0 {
		at = len(*t)
		*t = append(*t, &sum{Key: k, work: map[string]float64{}})
	}
	return (*t)[at]
}

func (s *sum) row() perflog.Row {
	n := float64(s.timed)
	return perflog.Row{
		Key: s.Key, Steps: s.timed,
		Nanos: float64(s.took) / n, Calibrations: float64(s.cpu) / float64(s.calibration),
		Bytes: float64(s.bytes) / n, Allocs: float64(s.allocs) / n,
		Work: counts(s.work, float64(s.counted)),
	}
}

func configHash(cells []suite.Cell) string {
	all := words.Each(cells, func(c suite.Cell) string { return c.ID() + " " + c.Template.ConfigHash })
	sum := sha256.Sum256([]byte(strings.Join(all, "\n")))
	return hex.EncodeToString(sum[:8])
}

// meter has the costs of the steps of a run.
type meter []cost

type cost struct {
	took          time.Duration // elapsed
	cpu           time.Duration // processor time
	calibration   time.Duration // processor time of the calibration before the step
	bytes, allocs uint64
}

func (c *cost) add(d cost) {
	c.took += d.took
	c.cpu += d.cpu
	c.calibration += d.calibration
	c.bytes += d.bytes
	c.allocs += d.allocs
}

// measure adds the cost of a call to that of its step.
func (m *meter) measure(step int, call func()) {
	if step > len(*m) {
		*m = append(*m, cost{calibration: calibration()})
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start, startCPU := time.Now(), cpuTime()
	call()
	took, cpu := time.Since(start), cpuTime()-startCPU
	runtime.ReadMemStats(&after)
	(*m)[step-1].add(cost{took: took, cpu: cpu, bytes: after.TotalAlloc - before.TotalAlloc, allocs: after.Mallocs - before.Mallocs})
}

// Package perflog reads, writes and checks measurements of the cost of algorithms' steps, in Go's benchmark format.
// internal/run/perf makes measurements, internal/views/cost compares them.
//
// A cell (an algorithm on a problem, one repetition) has the work counts that the algorithm reports and a fingerprint of its
// queries. A row has the cost of ten successive steps of one algorithm on one problem: times, allocations and counts. Times
// vary with the machine, so they are also multiples of a fixed calculation that is timed in every step, the calibration.
package perflog

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
)

// Measurement is the content of a measurement's file.
type Measurement struct {
	Suite      string
	ConfigHash string // of everything that determines the counts; only equal ones can be compared
	Version    string // of popbench
	Go         string
	OS, Arch   string
	CPU        string
	Rounding   string // fingerprint of the arithmetic; where it differs, counts may differ
	Cells      []Cell // in the order of the suite
	Passes     []Pass // empty if only counts were measured
}

// Cell has the counts of one run.
type Cell struct {
	Key                // T is the number of steps
	Repetition int     // from 0
	Queries    string  // fingerprint of the points of all steps
	Work       []Count // sums over all steps, sorted by name
}

func (c Cell) String() string { return fmt.Sprintf("%v/repetition=%d", c.Key, c.Repetition) }

// Pass is one run of all timed cells. All passes have the same rows in the same order.
type Pass []Row

// Key identifies a row.
type Key struct {
	Problem   string `json:"problem"`   // this and the next as in file names, without spaces
	Algorithm string `json:"algorithm"` // label
	Dim       int    `json:"d"`
	T         int    `json:"t"` // last step
}

func (k Key) String() string {
	return fmt.Sprintf("problem=%s/algorithm=%s/d=%d/t=%d", k.Problem, k.Algorithm, k.Dim, k.T)
}

// Row is the mean cost of a step (Ask, Tell, Recommend) in a block: counts over all repetitions, the rest over timed ones.
type Row struct {
	Key
	Steps        int // number of timed steps
	Nanos        float64
	Calibrations float64 // processor time, in multiples of the calibration in the same steps
	Bytes        float64
	Allocs       float64
	Work         []Count // sorted by name
}

// Count is a work count.
type Count struct {
	Name  string
	Value float64
}

// Block is the number of steps of a row. The block that ends with step t is named t.
const Block = 10

// Least returns a row with the times of the fastest pass: every disturbance makes a measurement longer (Chen and Revels,
// "Robust benchmarking in noisy environments", 2016).
func (m *Measurement) Least(row int) Row {
	r := m.Passes[0][row]
	for _, p := range m.Passes[1:] {
		r.Nanos = min(r.Nanos, p[row].Nanos)
		r.Calibrations = min(r.Calibrations, p[row].Calibrations)
	}
	return r
}

// Rows returns the rows of the first pass; nil if there is none. All passes have the same counts.
func (m *Measurement) Rows() []Row {
	if len(m.Passes) == 0 {
		return nil
	}
	return m.Passes[0]
}

// Check checks that no cell appears twice, and that all passes have the same rows with the means of the cells' counts.
func (m *Measurement) Check() error {
	if len(m.Cells) == 0 {
		return fmt.Errorf("an earlier version wrote this file, without counts of cells; measure again")
	}
	seen := map[string]bool{}
	for _, c := range m.Cells {
		if seen[c.String()] {
			return fmt.Errorf("the cell %v appears twice", c)
		}
		seen[c.String()] = true
	}
	first := m.Rows()
	for i, p := range m.Passes {
		if len(p) != len(first) {
			return fmt.Errorf("pass %d has %d rows, pass 1 has %d", i+1, len(p), len(first))
		}
		for j, r := range p {
			if r.Key != first[j].Key || r.Steps != first[j].Steps {
				return fmt.Errorf("pass %d: row %d is %v with %d steps; in pass 1 it is %v with %d", i+1, j+1, r.Key, r.Steps, first[j].Key, first[j].Steps)
			}
			if !(r.Calibrations >= 0) || math.IsInf(r.Calibrations, 1) {
				return fmt.Errorf("pass %d: %v takes %g calibrations; the clock is too coarse to time one", i+1, r.Key, r.Calibrations)
			}
			if !slices.Equal(r.Work, first[j].Work) {
				return fmt.Errorf("pass %d: %v has the counts %v, in pass 1 %v; work counts must not vary", i+1, r.Key, r.Work, first[j].Work)
			}
		}
	}
	if len(m.Passes) == 0 {
		return nil
	}
	return m.checkMeans()
}

// checkMeans checks that rows and cells have the same algorithms, problems and counts: a cell has sums over all steps, a row
// has means over its own.
func (m *Measurement) checkMeans() error {
	type total struct {
		steps float64
		work  map[string]float64
	}
	add := func(to map[Key]*total, k Key, steps float64, work []Count, weight float64) {
		k.T = 0
		if to[k] == nil {
			to[k] = &total{work: map[string]float64{}}
		}
		to[k].steps += steps
		for _, c := range work {
			to[k].work[c.Name] += weight * c.Value
		}
	}
	cells, rows := map[Key]*total{}, map[Key]*total{}
	for _, c := range m.Cells {
		add(cells, c.Key, float64(c.T), c.Work, 1)
	}
	for _, r := range m.Rows() {
		add(rows, r.Key, float64(r.Steps), r.Work, float64(r.Steps))
		k := r.Key
		k.T = 0
		if cells[k] == nil {
			return fmt.Errorf("%v was timed, but has no counts of cells", r.Key)
		}
	}
	for _, k := range slices.SortedFunc(maps.Keys(cells), CompareKeys) {
		c, r := cells[k], rows[k]
		if r == nil {
			return fmt.Errorf("%s on %s has counts of cells, but was not timed", k.Algorithm, k.Problem)
		}
		for _, name := range slices.Sorted(maps.Keys(c.work)) {
			if a, b := c.work[name]/c.steps, r.work[name]/r.steps; math.Abs(a-b) > 1e-9*max(a, b) {
				return fmt.Errorf("%s on %s has %g %s per step in its cells and %g in its rows", k.Algorithm, k.Problem, a, name, b)
			}
		}
	}
	return nil
}

// CompareKeys orders keys by problem, algorithm, dimension and step.
func CompareKeys(a, b Key) int {
	return cmp.Or(cmp.Compare(a.Problem, b.Problem), cmp.Compare(a.Algorithm, b.Algorithm), cmp.Compare(a.Dim, b.Dim), cmp.Compare(a.T, b.T))
}

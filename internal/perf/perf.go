// Package perf measures what a step of each algorithm costs and holds one
// measurement against another.
//
// Cells of a suite are run one after another. A row is what the runs of one
// algorithm on one problem did in ten steps of the same age: seconds, allocations
// and the counts of work that the algorithm reports. Counts do not vary, so they
// are compared exactly. Seconds vary with the machine, so they are compared as
// multiples of a fixed calculation, the calibration, that is timed in every step.
//
// A measurement is a file in Go's benchmark format, which benchstat reads.
package perf

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Measurement is one call of Measure, and all of its file.
type Measurement struct {
	Suite      string
	ConfigHash string // of all that decides the counts; measurements of different ones have nothing in common
	Version    string // of popbench
	Go         string
	OS, Arch   string
	CPU        string
	Rounding   string // fingerprint of the arithmetic; counts are comparable only where it is the same
	Passes     []Pass
}

// Pass is all cells once: the same rows in the same order as in all passes.
type Pass []Row

// Key names a row.
type Key struct {
	Problem   string `json:"problem"`
	Algorithm string `json:"algorithm"` // label, as file names have it
	Dim       int    `json:"d"`
	T         int    `json:"t"` // last of the steps
}

func (k Key) String() string {
	return fmt.Sprintf("problem=%s/algorithm=%s/d=%d/t=%d", k.Problem, k.Algorithm, k.Dim, k.T)
}

// Row is the cost of a step: means over the steps of a block, in all repetitions.
// A step is Ask, Tell and Recommend.
type Row struct {
	Key
	Steps        int // that the means are of
	Nanos        float64
	Calibrations float64 // time in multiples of the calibration in the same steps
	Bytes        float64
	Allocs       float64
	Work         []Count // sorted by name
}

// Count is a count of work.
type Count struct {
	Name  string
	Value float64 // mean a step
}

// Block is how many steps a row has: the block that ends with step t is named t.
const Block = 10

// least is a row of which the times are those of the fastest pass: whatever
// disturbs a measurement makes it longer (Chen and Revels, "Robust benchmarking in
// noisy environments", 2016).
func (m *Measurement) least(row int) Row {
	r := m.Passes[0][row]
	for _, p := range m.Passes[1:] {
		r.Nanos = min(r.Nanos, p[row].Nanos)
		r.Calibrations = min(r.Calibrations, p[row].Calibrations)
	}
	return r
}

// rows are those of the first pass; counts are the same in all.
func (m *Measurement) rows() []Row { return m.Passes[0] }

// Check says what is wrong with a measurement that was read, if anything is: the
// passes have the same rows, and the same counts in them.
func (m *Measurement) Check() error {
	if len(m.Passes) == 0 || len(m.rows()) == 0 {
		return fmt.Errorf("there are no steps in it")
	}
	first := m.rows()
	for i, p := range m.Passes {
		if len(p) != len(first) {
			return fmt.Errorf("pass %d has %d rows, pass 1 has %d", i+1, len(p), len(first))
		}
		for j, r := range p {
			if r.Key != first[j].Key || r.Steps != first[j].Steps {
				return fmt.Errorf("pass %d: row %d is %v of %d steps, in pass 1 %v of %d", i+1, j+1, r.Key, r.Steps, first[j].Key, first[j].Steps)
			}
			if !(r.Calibrations >= 0) || math.IsInf(r.Calibrations, 1) {
				return fmt.Errorf("pass %d: %v takes %g calibrations; the clock is too coarse to time one", i+1, r.Key, r.Calibrations)
			}
			if !slices.Equal(r.Work, first[j].Work) {
				return fmt.Errorf("pass %d: %v counts %v, in pass 1 %v; counts of work must not vary", i+1, r.Key, r.Work, first[j].Work)
			}
		}
	}
	return nil
}

func compareKeys(a, b Key) int {
	return cmp.Or(cmp.Compare(a.Problem, b.Problem), cmp.Compare(a.Algorithm, b.Algorithm), cmp.Compare(a.Dim, b.Dim), cmp.Compare(a.T, b.T))
}

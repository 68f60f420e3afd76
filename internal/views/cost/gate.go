// Package cost compares the cost of a step of each algorithm with an earlier measurement, and shows its history. It reads
// only measurements (internal/perflog).
//
// Work counts depend on the queries alone: after one different query the rest of a run differs. So they are compared exactly
// if all queries of a cell are the same in both measurements, and otherwise by a paired test over the repetitions. Times
// vary with the machine, and are compared as multiples of the calibration.
package cost

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"popbench/internal/judge"
	"popbench/internal/perflog"
)

// Comparison compares a measurement, head, with an earlier one, base.
type Comparison struct {
	Base, Head *perflog.Measurement
	Tolerance  float64 // of times
	Work       []Work  // all counts
	Times      []Time  // of all series; empty unless both measurements have times
	// OtherRounding: floating point rounds differently in the two measurements, so counts
	// may differ even if queries do not. No count is then compared exactly.
	OtherRounding bool
}

// Time compares the total time of all steps of an algorithm on a problem, in calibrations.
type Time struct {
	perflog.Key // T is the last row's
	Base, Head  float64
	Worse       bool
	Short       bool // too short to compare
	steps       int
}

// shortest is the mean time of a step, in calibrations, below which times depend mainly on the clock and the caches.
const shortest = 0.2

// Compare compares head with base. A count of an algorithm on a problem is worse if it grew at all in a run with the same
// queries, or over all runs significantly and by at least WorkTolerance. A time in calibrations is worse if it grew by more
// than the factor 1 + tolerance. It is an error if the cells or settings differ, or if head lacks a cell or a row.
func Compare(base, head *perflog.Measurement, tolerance float64) (*Comparison, error) {
	if base.ConfigHash != head.ConfigHash {
		return nil, fmt.Errorf("suite %s has other cells or settings than %s in the earlier measurement (config-hash %s, was %s); measure the earlier version again",
			head.Suite, base.Suite, head.ConfigHash, base.ConfigHash)
	}
	c := &Comparison{Base: base, Head: head, Tolerance: tolerance, OtherRounding: base.Rounding != head.Rounding}
	var err error
	if c.Work, err = compareWork(base.Cells, head.Cells, !c.OtherRounding); err != nil {
		return nil, err
	}
	if len(base.Passes) > 0 && len(head.Passes) > 0 {
		c.Times, err = compareTimes(base, head, tolerance)
	}
	return c, err
}

func compareTimes(base, head *perflog.Measurement, tolerance float64) ([]Time, error) {
	at := map[perflog.Key]int{}
	for i, r := range head.Rows() {
		at[r.Key] = i
	}
	sums := map[perflog.Key]*Time{}
	for i, b := range base.Rows() {
		j, ok := at[b.Key]
		if !ok {
			return nil, fmt.Errorf("%v is in the earlier measurement only", b.Key)
		}
		series := b.Key
		series.T = 0
		if sums[series] == nil {
			sums[series] = &Time{Key: series}
		}
		s := sums[series]
		s.T = max(s.T, b.T)
		s.Base += base.Least(i).Calibrations * float64(b.Steps)
		s.Head += head.Least(j).Calibrations * float64(b.Steps)
		s.steps += b.Steps
	}
	var list []Time
	for _, key := range slices.SortedFunc(maps.Keys(sums), perflog.CompareKeys) {
		s := sums[key]
		s.Short = s.Base < shortest*float64(s.steps)
		s.Worse = !s.Short && s.Head > (1+tolerance)*s.Base
		list = append(list, *s)
	}
	return list, nil
}

// Err returns an error that summarises what got worse, or nil if nothing did.
func (c *Comparison) Err() error {
	var what []string
	if n := c.verdicts()[judge.Worse]; n > 0 {
		what = append(what, fmt.Sprintf("%d of %d work counts grew", n, len(c.Work)))
	}
	n := 0
	for _, t := range c.Times {
		if t.Worse {
			n++
		}
	}
	if n > 0 {
		what = append(what, fmt.Sprintf("%d of %d algorithms on a problem take more than %g times as long", n, len(c.Times), 1+c.Tolerance))
	}
	if what == nil {
		return nil
	}
	return errors.New(strings.Join(what, "; "))
}

// verdicts counts the verdicts on work counts.
func (c *Comparison) verdicts() map[judge.Verdict]int {
	n := map[judge.Verdict]int{}
	for _, w := range c.Work {
		n[w.Verdict]++
	}
	return n
}

// Write writes the comparison as text: all counts that differ in any run, worse ones first, and all times.
func (c *Comparison) Write(w io.Writer) error {
	var b strings.Builder
	n := c.verdicts()
	order := []judge.Verdict{judge.Worse, judge.Undecided, judge.Better, judge.Same}
	fmt.Fprint(&b, "work: ")
	for i, v := range order {
		fmt.Fprintf(&b, "%s%d %s", map[bool]string{true: ", "}[i > 0], n[v], v)
	}
	fmt.Fprintf(&b, ", of %d counts\n", len(c.Work))
	if c.OtherRounding {
		fmt.Fprintf(&b, "  counts are not compared exactly: %s and %s round differently, or the two builds do\n", c.Base.CPU, c.Head.CPU)
	}
	for _, v := range order {
		for _, x := range c.Work {
			if !x.Equal() && x.Verdict == v {
				fmt.Fprintf(&b, "  %v\n", x)
			}
		}
	}
	if tested := family(c.Work).Size(); tested > 0 {
		fmt.Fprintf(&b, "  where queries differ: signed-rank tests over the runs, P adjusted by Holm for %d tests; worse means P at most %g and at least ×%g\n",
			tested, WorkAlpha, 1+WorkTolerance)
	}
	if note := c.tooFew(); note != "" {
		fmt.Fprintf(&b, "  %s\n", note)
	}
	if len(c.Times) == 0 {
		fmt.Fprintln(&b, "times are not compared: one of the two has only counts")
	} else {
		fmt.Fprintf(&b, "total time of all steps, in calibrations; up to ×%g is tolerated\n", 1+c.Tolerance)
	}
	for _, t := range c.Times {
		mark := ""
		switch {
		case t.Worse:
			mark = "  " + judge.Worse.String()
		case t.Short:
			mark = "  too short to compare"
		}
		fmt.Fprintf(&b, "  problem=%s/algorithm=%s/d=%d: %.4g, was %.4g, ×%.2f%s\n", t.Problem, t.Algorithm, t.Dim, t.Head, t.Base, t.Head/t.Base, mark)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// String describes a count that differs, in one line.
func (w Work) String() string {
	text := fmt.Sprintf("algorithm=%s, all problems, %s: ", w.Algorithm, w.Name)
	if w.Problem != "" {
		text = fmt.Sprintf("problem=%s/algorithm=%s/d=%d %s: %.6g per step, was %.6g, ", w.Problem, w.Algorithm, w.Dim, w.Name, w.Head, w.Base)
	}
	if math.IsInf(w.Value, 1) {
		text += "none before"
	} else {
		text += fmt.Sprintf("×%.3f", w.Value)
	}
	if !math.IsNaN(w.CI.Lo) {
		text += fmt.Sprintf(" [%.3f, %.3f]", w.CI.Lo, w.CI.Hi)
	}
	if w.Tested() {
		text += fmt.Sprintf(", P %.2g", w.Adjusted)
	}
	if w.Exact > 0 {
		text += fmt.Sprintf(", same queries in %d of %d runs", w.Exact, w.Runs[0])
	}
	if w.Grew+w.Fell > 0 {
		text += fmt.Sprintf(", of which %d grew and %d fell", w.Grew, w.Fell)
	}
	return text + "  " + w.Verdict.String()
}

// tooFew returns a warning if a test has too few repetitions to be significant.
func (c *Comparison) tooFew() string {
	all := family(c.Work)
	few := all.Blind(WorkAlpha)
	if few == nil {
		return ""
	}
	return fmt.Sprintf("%d of %d tests have too few runs to be significant for any data; with this many tests at least %d runs are needed",
		len(few), all.Size(), all.Needed(WorkAlpha))
}

package perf

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// Comparison is a measurement, head, held against an earlier one, base.
type Comparison struct {
	Base, Head *Measurement
	Tolerance  float64
	Counts     int      // that are equal
	Work       []Change // counts that are not
	Times      []Change // of all series, in calibrations a step
	// OtherRounding says that the two were measured where floating point rounds
	// differently, so that counts differ too: they are not compared.
	OtherRounding bool
}

// Change is a number of both measurements: of a row, or of all rows of an
// algorithm on a problem, which then have the T of the last.
type Change struct {
	Key
	What       string // name of the count; "" for time
	Base, Head float64
	Worse      bool
	Short      bool // a time that is too short to tell anything
}

// shortest is the mean time of a step, in calibrations, below which the clock
// and the caches decide.
const shortest = 0.2

// Compare holds head against base. More work in any row is worse, however little;
// so is an algorithm that on a problem takes more than 1 + tolerance
// times as long, both times in calibrations. They cannot be compared if they ran
// other cells or settings, or if head lacks a row.
func Compare(base, head *Measurement, tolerance float64) (*Comparison, error) {
	if base.ConfigHash != head.ConfigHash {
		return nil, fmt.Errorf("suite %s ran with other cells or settings than %s before (config-hash %s, was %s); measure anew what to compare with", head.Suite, base.Suite, head.ConfigHash, base.ConfigHash)
	}
	c := &Comparison{Base: base, Head: head, Tolerance: tolerance, OtherRounding: base.Rounding != head.Rounding}
	at := map[Key]int{}
	for i, r := range head.rows() {
		at[r.Key] = i
	}
	sums, steps := map[Key]*Change{}, map[Key]int{}
	for i, b := range base.rows() {
		j, ok := at[b.Key]
		if !ok {
			return nil, fmt.Errorf("%v was measured before and is not now", b.Key)
		}
		h := head.rows()[j]
		if !c.OtherRounding {
			if err := c.work(b, h); err != nil {
				return nil, err
			}
		}
		series := b.Key
		series.T = 0
		if sums[series] == nil {
			sums[series] = &Change{Key: series}
		}
		s := sums[series]
		s.T = max(s.T, b.T)
		s.Base += base.least(i).Calibrations * float64(b.Steps)
		s.Head += head.least(j).Calibrations * float64(h.Steps)
		steps[series] += b.Steps
	}
	for _, key := range slices.SortedFunc(maps.Keys(sums), compareKeys) {
		s := sums[key]
		s.Short = s.Base < shortest*float64(steps[key])
		s.Worse = !s.Short && s.Head > (1+tolerance)*s.Base
		c.Times = append(c.Times, *s)
	}
	return c, nil
}

// work compares the counts of a row.
func (c *Comparison) work(base, head Row) error {
	if len(base.Work) != len(head.Work) {
		return fmt.Errorf("%v counts %v, before %v; measure anew what to compare with", base.Key, names(head.Work), names(base.Work))
	}
	for i, b := range base.Work {
		h := head.Work[i]
		if b.Name != h.Name {
			return fmt.Errorf("%v counts %v, before %v; measure anew what to compare with", base.Key, names(head.Work), names(base.Work))
		}
		if b.Value == h.Value {
			c.Counts++
			continue
		}
		c.Work = append(c.Work, Change{Key: base.Key, What: b.Name, Base: b.Value, Head: h.Value, Worse: h.Value > b.Value})
	}
	return nil
}

func names(work []Count) string {
	list := make([]string, len(work))
	for i, w := range work {
		list[i] = w.Name
	}
	return strings.Join(list, ", ")
}

// Err is nil if nothing got worse, and otherwise says how much did.
func (c *Comparison) Err() error {
	worse := func(list []Change) (n int) {
		for _, x := range list {
			if x.Worse {
				n++
			}
		}
		return n
	}
	var what []string
	if n := worse(c.Work); n > 0 {
		what = append(what, fmt.Sprintf("%d of %d counts of work grew", n, c.Counts+len(c.Work)))
	}
	if n := worse(c.Times); n > 0 {
		what = append(what, fmt.Sprintf("%d of %d algorithms on a problem take more than %g times as long", n, len(c.Times), 1+c.Tolerance))
	}
	if what == nil {
		return nil
	}
	return errors.New(strings.Join(what, "; "))
}

// Write writes the comparison as text.
func (c *Comparison) Write(w io.Writer) error {
	var b strings.Builder
	mark := func(x Change) string {
		switch {
		case x.Worse:
			return "  WORSE"
		case x.Short:
			return "  too short to tell"
		}
		return ""
	}
	fmt.Fprintf(&b, "work: %d counts are equal, %d are not\n", c.Counts, len(c.Work))
	if c.OtherRounding {
		fmt.Fprintf(&b, "  not compared: %s and %s round differently, or were compiled to\n", c.Base.CPU, c.Head.CPU)
	}
	for _, x := range c.Work {
		fmt.Fprintf(&b, "  %v %s: %.6g a step, was %.6g%s\n", x.Key, x.What, x.Head, x.Base, mark(x))
	}
	fmt.Fprintf(&b, "time of all steps, in calibrations; up to ×%g is let pass\n", 1+c.Tolerance)
	for _, x := range c.Times {
		fmt.Fprintf(&b, "  problem=%s/algorithm=%s/d=%d: %.4g, was %.4g, ×%.2f%s\n", x.Problem, x.Algorithm, x.Dim, x.Head, x.Base, x.Head/x.Base, mark(x))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

package outcome

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"popbench/internal/words"
	"popbench/record"
)

// Prior is what the runs of a group have in force at their first step.
type Prior struct {
	Known       bool     // of a run at least; not every algorithm has a prior
	Families    []string // the families of kernels that runs have
	Variance    span
	lengthscale []span // by coordinate, or one for all
	Norm        span
	Refitted    bool
	Fits        []Fit // to pilot comparisons, by coordinate, or one for all
}

func (p *Prior) add(f *record.InForce) {
	if f == nil {
		return
	}
	p.Known = true
	p.Refitted = p.Refitted || f.Refitted
	if f.NormBound > 0 {
		p.Norm.add(f.NormBound)
	}
	k := f.Kernel
	if k == nil {
		return
	}
	family := k.Family
	if k.Nu > 0 {
		family += fmt.Sprintf(" (ν = %g)", k.Nu)
	}
	p.Families = words.Include(p.Families, family)
	p.Variance.add(k.Variance)
	for len(p.lengthscale) < len(k.Lengthscale) {
		p.lengthscale = append(p.lengthscale, span{})
	}
	for i, l := range k.Lengthscale {
		p.lengthscale[i].add(l)
	}
	if r := f.Range; r != nil {
		for len(p.Fits) < len(r.Lo) {
			p.Fits = append(p.Fits, Fit{Lo: r.Lo[len(p.Fits)], Hi: r.Hi[len(p.Fits)]})
		}
		for i, l := range k.Lengthscale {
			p.Fits[i].Values = append(p.Fits[i].Values, l)
		}
	}
}

// Lengthscales is one text if all coordinates have the same.
func (p *Prior) Lengthscales() string {
	texts := words.Each(p.lengthscale, span.String)
	if different := slices.Compact(slices.Clone(texts)); len(different) == 1 {
		return texts[0]
	}
	return strings.Join(texts, ", ")
}

// span is the range of some positive numbers; the zero value is of none.
type span struct{ lo, hi float64 }

func (s *span) add(v float64) {
	if *s == (span{}) {
		s.lo = v
	}
	s.lo, s.hi = math.Min(s.lo, v), math.Max(s.hi, v)
}

// String is "0.3", or "0.3 to 0.45" of numbers that differ; "" of none.
func (s span) String() string {
	lo, hi := fmt.Sprintf("%.4g", s.lo), fmt.Sprintf("%.4g", s.hi)
	switch {
	case s == span{}:
		return ""
	case lo == hi:
		return lo
	}
	return lo + " to " + hi
}

// Fit is what the runs of a group fitted to their pilot comparisons: the lengthscale of a coordinate, or the common one.
type Fit struct {
	Lo, Hi float64   // ends of the range in which it was sought
	Values []float64 // one a run
}

// AtEnd is how close to an end of its range, relative to it, a lengthscale counts as being there.
const AtEnd = 0.01

// Ends counts the values at the lower and at the upper end.
func (f *Fit) Ends() (lower, upper int) {
	for _, v := range f.Values {
		if v <= f.Lo*(1+AtEnd) {
			lower++
		} else if v >= f.Hi*(1-AtEnd) {
			upper++
		}
	}
	return lower, upper
}

package judge

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"popbench/internal/math/stats"
	"popbench/internal/outcome"
	"popbench/internal/words"
	"popbench/record"
)

// Pairwise compares every algorithm with one of them, the reference, by the headline metric: on each problem, and over all
// problems that have a unit.
type Pairwise struct {
	Reference string
	Measure   *outcome.Measure
	Margin    float64 // the largest difference that counts as none, in U if Relative, otherwise in the unit of the metric
	// Relative reports whether differences are divided by U, the suboptimality of a random point on the instance;
	// differences of a sum also by the number of steps.
	Relative bool
	Problems []*Versus // by problem, then by label
	// Overall is by label, over the problems on which the difference has a unit, and stats.MinRuns pairs unless none has: a
	// few missing runs should not take the interval away.
	Overall []*Versus
}

// Versus compares an algorithm with the reference.
type Versus struct {
	Problem, Title string // of the problem; "" of an overall comparison
	Label          string
	Values         bool // it observes values of the objective
	Over           int  // problems, of an overall comparison
	Test                // of algorithm − reference in each repetition: they share instance, starting points and oracle noise
	Unitless       bool // U is not known: the difference is in the unit of the objective, and no margin applies
}

// NewPairwise compares the algorithms with the reference, given by its label. A nil margin stands for outcome.Slight, or for
// 0 if differences are not relative. Imported runs are left out, since their repetitions share nothing with others. It
// returns nil if there is nothing to compare.
func NewPairwise(r *outcome.Results, reference string, margin *float64) *Pairwise {
	p := &Pairwise{Reference: reference, Measure: r.Headline, Relative: r.Headline.Unit == outcome.Utility}
	switch {
	case margin != nil:
		p.Margin = *margin
	case p.Relative:
		p.Margin = outcome.Slight
	}
	each := map[string][][]float64{} // differences by label, then by problem
	for _, g := range r.Groups {
		with := r.Group(g.Problem.Name, reference)
		if with == nil || with == g || with.Imported != nil || g.Imported != nil {
			continue
		}
		d, unit := p.differences(g, with)
		if d == nil {
			continue
		}
		v := newVersus(d)
		v.Label, v.Values = g.Algorithm.Label, g.Algorithm.Feedback == record.Values
		v.Problem, v.Title, v.Unitless = g.Problem.Name, g.Name(), !unit
		p.Problems = append(p.Problems, v)
		if unit {
			each[v.Label] = append(each[v.Label], d)
		}
	}
	if p.Problems == nil {
		return nil
	}
	for _, label := range slices.SortedFunc(maps.Keys(each), outcome.Natural) {
		k := slices.IndexFunc(p.Problems, func(v *Versus) bool { return v.Label == label })
		enough := words.Only(each[label], func(d []float64) bool { return len(d) >= stats.MinRuns })
		if len(enough) == 0 {
			enough = each[label]
		}
		v := newVersus(enough...)
		v.Label, v.Values, v.Over = label, p.Problems[k].Values, len(enough)
		p.Overall = append(p.Overall, v)
	}
	p.judge(p.Problems)
	p.judge(p.Overall)
	return p
}

// BestFirst is Overall in the order of the differences.
func (p *Pairwise) BestFirst() []*Versus {
	return slices.SortedStableFunc(slices.Values(p.Overall), func(a, b *Versus) int {
		if p.Measure.Higher {
			a, b = b, a
		}
		return cmp.Compare(a.Value, b.Value)
	})
}

// differences returns the differences between runs of the same repetition, nil if none has the metric. unit is false if the
// unit of some run is not known: then they are in the unit of the objective.
func (p *Pairwise) differences(g, reference *outcome.Group) (d []float64, unit bool) {
	unit = true
	var units []float64
	for run, its := range g.Pairs(reference) {
		v := p.Measure.Final(run) - p.Measure.Final(its)
		if math.IsNaN(v) {
			continue
		}
		u := 1.0
		if p.Relative {
			u = run.Unit()
			if p.Measure.Over == outcome.Sum {
				u *= float64(run.Steps())
			}
		}
		d, units, unit = append(d, v), append(units, u), unit && u > 0
	}
	if unit {
		for i := range d {
			d[i] /= units[i]
		}
	}
	return d, unit
}

// newVersus compares by the differences of the runs on each problem. The difference is the mean over the problems, which are
// resampled separately; the test is of all runs together.
func newVersus(problems ...[]float64) *Versus {
	strata := make([]stats.Stratum, len(problems))
	for i, d := range problems {
		strata[i] = stats.Stratum{d}
	}
	v := &Versus{Test: Paired(slices.Concat(problems...))}
	v.Estimate(strata, func(means [][]float64) (m float64) {
		for _, of := range means {
			m += of[0] / float64(len(means))
		}
		return m
	})
	return v
}

// judge adjusts the tests of a family and decides each comparison.
func (p *Pairwise) judge(family []*Versus) {
	TestsOf(family).Adjust()
	for _, v := range family {
		margin := p.Margin
		if v.Unitless {
			margin = 0
		}
		v.Verdict = v.Clear(outcome.Alpha, margin, p.Measure.Higher)
	}
}

// Unit returns the unit of the differences, for a column's head; "" if there is none.
func (p *Pairwise) Unit() string {
	if p.Relative {
		return "U"
	}
	return map[outcome.Unit]string{outcome.Nat: "nats", outcome.Comparison: "comparisons"}[p.Measure.Unit]
}

// TestsOf is the family of some comparisons.
func TestsOf(some []*Versus) Family {
	return words.Each(some, func(v *Versus) *Test { return &v.Test })
}

// Tally says how many comparisons have each verdict: "better on 2, undecided on 1".
func Tally(some []*Versus) string {
	var parts []string
	for _, f := range All() {
		if n := stats.Count(some, func(v *Versus) bool { return v.Verdict == f }); n > 0 {
			parts = append(parts, fmt.Sprintf("%s on %d", f, n))
		}
	}
	return strings.Join(parts, ", ")
}

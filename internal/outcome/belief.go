package outcome

import (
	"math"
	"slices"

	"popbench/internal/math/stats"
	"popbench/record"
)

// Belief is what an algorithm held true of a 1-D objective after a step.
type Belief struct {
	Step int
	*record.Belief
	Visited []float64 // points compared so far, in the order in which they came, each once
}

func beliefs(rec *record.Record) (all []*Belief) {
	var visited []float64
	for i := range rec.Steps {
		s := &rec.Steps[i]
		if len(rec.Header.Problem.Lo) == 1 {
			for _, x := range s.Points {
				if !slices.Contains(visited, x[0]) {
					visited = append(visited, x[0])
				}
			}
		}
		if s.Belief != nil {
			all = append(all, &Belief{s.T, s.Belief, slices.Clone(visited)})
		}
	}
	return all
}

// Width is the mean over the grid of the confidence range's width.
func (b *Belief) Width() float64 { return stats.Mean(minus(b.Upper, b.Lower)) }

// Error is the root mean square over the grid of estimate minus truth, up to the constant that preferences cannot see.
func (b *Belief) Error() float64 {
	n := float64(len(b.X))
	return stats.Std(minus(b.Estimate, b.Utility)) * math.Sqrt((n-1)/n)
}

func minus(a, b []float64) []float64 {
	d := make([]float64, len(a))
	for i := range d {
		d[i] = a[i] - b[i]
	}
	return d
}

// covered is the share of the grid where the truth is in the range.
func (b *Belief) covered() float64 {
	n := 0
	for i := range b.X {
		if b.Lower[i] <= b.Utility[i] && b.Utility[i] <= b.Upper[i] {
			n++
		}
	}
	return float64(n) / float64(len(b.X))
}

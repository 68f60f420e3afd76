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

func beliefs(rec *record.Record) (all []Belief) {
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
			all = append(all, Belief{s.T, s.Belief, slices.Clone(visited)})
		}
	}
	return all
}

// Width is the mean over the grid of the confidence range's width.
func (b *Belief) Width() float64 {
	w := make([]float64, len(b.X))
	for i := range w {
		w[i] = b.Upper[i] - b.Lower[i]
	}
	return stats.Mean(w)
}

// Error is the root mean square over the grid of estimate minus truth, up to the
// constant that preferences cannot see.
func (b *Belief) Error() float64 {
	d := make([]float64, len(b.X))
	for i := range d {
		d[i] = b.Estimate[i] - b.Utility[i]
	}
	n := float64(len(d))
	return stats.Std(d) * math.Sqrt((n-1)/n)
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

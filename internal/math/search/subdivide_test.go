package search

import (
	"math"
	"math/rand/v2"
	"testing"

	"popbench/internal/check"
	"popbench/space"
)

// ripples is a sum of waves Σ_i a_i cos(w_i·x + p_i). It is bounded over a cell by its largest value at the
// corners and the second derivatives, at most bend_j in coordinate j.
type ripples struct {
	a, p []float64
	w    [][]float64
	bend []float64
}

func newRipples(d int, r *rand.Rand) *ripples {
	f := &ripples{bend: make([]float64, d)}
	for range 5 {
		w := make([]float64, d)
		a := r.NormFloat64()
		for j := range w {
			w[j] = 4 * r.NormFloat64()
			f.bend[j] += math.Abs(a) * w[j] * w[j]
		}
		f.a, f.p, f.w = append(f.a, a), append(f.p, 6*r.Float64()), append(f.w, w)
	}
	return f
}

func (f *ripples) value(x []float64) (sum float64) {
	for i, a := range f.a {
		t := f.p[i]
		for j, v := range x {
			t += f.w[i][j] * v
		}
		sum += a * math.Cos(t)
	}
	return sum
}

// bound returns the largest value at the corners, and how far f may be above it.
func (f *ripples) bound(c *Cell) (top, above float64) {
	lo, hi := c.Lo(), c.Hi()
	top = math.Inf(-1)
	x := make([]float64, len(lo))
	for which := range 1 << len(lo) {
		for j := range x {
			x[j] = lo[j]
			if which>>j&1 == 1 {
				x[j] = hi[j]
			}
		}
		top = max(top, f.value(x))
	}
	for j, b := range f.bend {
		above += b * (hi[j] - lo[j]) * (hi[j] - lo[j]) / 8
	}
	return top, above
}

// The result is never below the function, even if Spent ends the run; else it is within the aim of the largest
// value met. The first bound of a cell is worse than the second, so that cells return to the queue.
func TestSubdivision(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 3))
	for d := 1; d <= 4; d++ {
		for trial := range 12 {
			f := newRipples(d, r)
			box := space.Cube(d, -0.5, 0.5)
			aim := []float64{0.02, 0.02, 0.2, 2}[d-1]
			best, again := math.Inf(-1), 0
			limit := 1 << 20
			if trial%4 == 3 {
				limit = 25
			}
			var s Subdivision
			s = Subdivision{
				Scale: box.Widths(),
				Goal:  func() float64 { return best + aim },
				Spent: func() bool { return s.Cells >= limit },
				Bound: func(c *Cell, more bool) float64 {
					top, above := f.bound(c)
					best = max(best, top)
					if more {
						again++
						return top + above
					}
					return top + 2*above
				},
			}
			upper := s.Run(box)
			if limit == 25 {
				check.That(t, s.Cells <= limit+1 && (upper > best+aim || trial != 3 || d == 1), "d = %d: %d cells, limit %d, bound %g, aim %g", d, s.Cells, limit, upper, best+aim)
			} else {
				check.That(t, upper <= best+aim && again > 0, "d = %d: bound %g, aim %g, %d second bounds", d, upper, best+aim, again)
			}
			for range 3000 {
				v := f.value(box.Sample(make([]float64, d), r))
				check.That(t, v <= upper, "d = %d: a value of %g above the bound, %g", d, v, upper)
			}
		}
	}
}

package popbo

import (
	"cmp"
	"math"
	"slices"
)

// attained is the most that the maximisers at some points of a line give at each
// candidate. It shows maxima that the relaxations, with their quadratic likelihood,
// do not have.
type attained struct {
	cand     *candidates
	value    []float64
	sum, row []float64 // workspaces
}

func newAttained(c *candidates) *attained {
	n := c.Len()
	return &attained{c, slices.Repeat([]float64{math.Inf(-1)}, n), make([]float64, n), make([]float64, n)}
}

// add raises the values to those of f, the maximiser at p.
func (t *attained) add(f Function, p point) {
	t.cand.values(t.sum, f.w)
	t.cand.k.Row(t.row, f.z, t.cand.X)
	base := p.value - f.Value(p.x)
	for i, k := range t.row {
		t.value[i] = max(t.value[i], t.sum[i]+f.v*k+base)
	}
}

// brackets keeps of the starts of a 1-D search those next to a local maximum:
// the slopes of two neighbours point to each other, or one at the end of the
// box points out of it. The tangents bound what a maximum between may reach, if
// it is the only one.
func brackets(list []point) []point {
	slices.SortFunc(list, func(a, b point) int { return cmp.Compare(a.x[0], b.x[0]) })
	var kept []point
	for i, s := range list {
		left := i == 0 || list[i-1].slope >= 0
		right := i == len(list)-1 || list[i+1].slope <= 0
		switch {
		case s.slope > 0 && i == len(list)-1, s.slope < 0 && i == 0, s.slope == 0:
			s.limit = s.value
		case s.slope > 0 && right:
			n := list[i+1]
			if n.value > s.value {
				continue // it is kept
			}
			gap := n.x[0] - s.x[0]
			s.limit = min(s.value+s.slope*gap, n.value-n.slope*gap)
		case s.slope < 0 && left:
			n := list[i-1]
			if n.value >= s.value {
				continue
			}
			gap := s.x[0] - n.x[0]
			s.limit = min(s.value-s.slope*gap, n.value+n.slope*gap)
		default:
			continue
		}
		kept = append(kept, s)
	}
	return kept
}

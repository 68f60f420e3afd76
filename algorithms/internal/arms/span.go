package arms

import (
	"math"

	"popbench/internal/math/wide"
)

// span is the space of functions that the answers see: the span of k(x_a, ·) - k(x_b, ·) over the compared pairs. It has
// an orthonormal basis, which grows with the pairs and never changes otherwise, so that coordinates stay valid. In it f is
// w with ‖f‖ = |w|, and Bw are the utilities.
type span struct {
	arms  *Arms
	pairs int // number of pairs of the duels that it has
	rank  int
	b     wide.Matrix // B, K×rank: the basis functions at the arms
	rest  wide.Matrix // G - BBᵀ, K×K: the covariance that no difference of the pairs explains
	u     []float64   // workspace

	weights wide.Matrix // rank×K: row r has the w with Gw = column r of B, except for rounding
}

func newSpan(a *Arms) span {
	s := span{arms: a, b: newMatrix(a.k, a.k), rest: newMatrix(a.k, a.k), weights: newMatrix(a.k, a.k), u: make([]float64, a.k)}
	for i := range a.k {
		copy(row(s.rest, i, a.k), a.Gram(i))
	}
	return s
}

// extend adds the pairs that the duels have and s has not.
func (s *span) extend(d *Duels) {
	k := s.arms.k
	for _, p := range d.pairs[s.pairs:] {
		s.pairs++
		copy(s.u, row(s.rest, int(p.a), k))
		wide.AddScaled(s.u, -1, row(s.rest, int(p.b), k))
		pivot := s.u[p.a] - s.u[p.b]
		if !(pivot > float64(k)*ulp*s.arms.top) || s.rank == k {
			continue
		}
		w := row(s.weights, s.rank, k)
		w[p.a], w[p.b] = 1, -1
		for r := range s.rank {
			wide.AddScaled(w, row(s.b, int(p.b), k)[r]-row(s.b, int(p.a), k)[r], row(s.weights, r, k))
		}
		wide.Scale(w, 1/math.Sqrt(pivot))
		wide.Scale(s.u, 1/math.Sqrt(pivot))
		for i, v := range s.u {
			s.b.Data[i*s.b.Stride+s.rank] = v
			wide.AddScaled(row(s.rest, i, k), -v, s.u)
		}
		s.rank++
	}
}

// direction sets along, of length rank, to the coordinates of k(x_i, ·) - k(x_j, ·), and returns the norm of the part
// outside of the span.
func (s *span) direction(along []float64, i, j int) (outside float64) {
	k := s.arms.k
	copy(along, row(s.b, i, s.rank))
	wide.AddScaled(along, -1, row(s.b, j, s.rank))
	a, b := row(s.rest, i, k), row(s.rest, j, k)
	v := (a[i] - a[j]) + (b[j] - a[j])
	if !(v > float64(k)*ulp*s.arms.top) {
		return 0
	}
	return math.Sqrt(v)
}

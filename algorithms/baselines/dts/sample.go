package dts

import (
	"math"
	"math/rand/v2"

	"popbench/internal/linalg"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
)

// sample is a draw of f from the posterior, as a function of its features:
//
//	f([x; x']) = φ(x)ᵀ H φ(x')          mirrored, antisymmetric
//	f([x; x']) = h·φ(x) - h·φ(x')       preference, h in the first row of H
//
// The features hold the points of the duels too, hence the correction that makes a
// draw of the prior one of the posterior is of that form as well.
type sample struct {
	features   *linalg.Pivoted
	preference bool
	h          []float64 // r×r, or r
}

// draw returns a draw from the posterior. The last 2n points of the features are
// those of the duels.
func (m *model) draw(f *linalg.Pivoted, r *rand.Rand) *sample {
	s := &sample{features: f, preference: m.kernel.Prior == preference}
	n, rank := m.duels.len(), len(f.Pivot)
	s.h = make([]float64, rank)
	if !s.preference {
		s.h = make([]float64, rank*rank)
	}
	for i := range s.h {
		s.h[i] = math.Sqrt(m.kernel.v) * r.NormFloat64()
	}
	if m.kernel.Prior == antisymmetric {
		for i := range rank {
			s.h[i*rank+i] = 0
			for j := range i {
				v := (s.h[i*rank+j] - s.h[j*rank+i]) / math.Sqrt2
				s.h[i*rank+j], s.h[j*rank+i] = v, -v
			}
		}
	}

	points := make([]float64, 2*n*rank) // features of the duels' points
	for i := range 2 * n {
		for j := range rank {
			points[i*rank+j] = f.C[j*f.N+f.N-2*n+i]
		}
	}
	prior, noise := make([]float64, n), make([]float64, n)
	hx := make([]float64, rank)
	for i, sign := range m.duels.sign {
		noise[i] = r.NormFloat64()
		a, b := points[2*i*rank:][:rank], points[(2*i+1)*rank:][:rank]
		if s.preference {
			prior[i] = sign * (linalg.Dot(s.h, a) - linalg.Dot(s.h, b))
			continue
		}
		bl.Dgemv(blas.NoTrans, rank, rank, 1, s.h, rank, b, 1, 0, hx, 1)
		prior[i] = sign * linalg.Dot(a, hx)
	}
	m.fit.Pathwise(noise, prior, noise)
	for i, sign := range m.duels.sign {
		c := m.kernel.v * sign * noise[i]
		a, b := points[2*i*rank:][:rank], points[(2*i+1)*rank:][:rank]
		switch m.kernel.Prior {
		case preference:
			for j := range s.h {
				s.h[j] += c * (a[j] - b[j])
			}
		case antisymmetric:
			bl.Dger(rank, rank, -c, b, 1, a, 1, s.h, rank)
			fallthrough
		default:
			bl.Dger(rank, rank, c, a, 1, b, 1, s.h, rank)
		}
	}
	return s
}

// latent sets dst to f([x; x']) for the rows points x of the features from the
// first, in rows, and the cols points x' from the given one.
func (s *sample) latent(dst []float64, rows, first, cols int) {
	n, r, values := s.features.N, len(s.features.Pivot), s.features.C
	if s.preference {
		g := make([]float64, n)
		bl.Dgemv(blas.Trans, r, n, 1, values, n, s.h, 1, 0, g, 1)
		for i := range rows {
			for j := range cols {
				dst[i*cols+j] = g[i] - g[first+j]
			}
		}
		return
	}
	half := make([]float64, r*cols)
	bl.Dgemm(blas.NoTrans, blas.NoTrans, r, cols, r, 1, s.h, r, values[first:], n, 0, half, cols)
	bl.Dgemm(blas.Trans, blas.NoTrans, rows, cols, r, 1, values, n, half, cols, 0, dst, cols)
}

// bl is called as a value of its own type, without blas64's interface in between.
var bl gonum.Implementation

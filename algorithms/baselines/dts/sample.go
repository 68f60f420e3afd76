package dts

import (
	"math"
	"math/rand/v2"

	"popbench/internal/math/rng"
	"popbench/internal/math/wide"
)

// sample is a draw of f from the posterior, as a function of its features:
//
//	f([x; x']) = φ(x)ᵀ H φ(x')          mirrored, antisymmetric
//	f([x; x']) = h·φ(x) - h·φ(x')       preference, h in the first row of H
//
// The features include the points of the duels. So the correction that turns a draw of the prior into one of
// the posterior has that form too.
type sample struct {
	features                  *features
	h                         []float64 // r×r, or r
	preference, antisymmetric bool
}

// draw returns a draw from the posterior. The last 2n points of the features are the points of the duels.
func (m *model) draw(f *features, r *rand.Rand) *sample {
	s := &sample{features: f, preference: m.kernel.Prior == preference, antisymmetric: m.kernel.Prior == antisymmetric}
	n, rank := m.duels.len(), f.rank
	s.h = make([]float64, rank)
	if !s.preference {
		s.h = make([]float64, rank*rank)
	}
	deviation := math.Sqrt(m.kernel.v)
	if s.antisymmetric {
		for i := range rank {
			for j := range i {
				v := deviation * rng.Normal(r)
				s.h[i*rank+j], s.h[j*rank+i] = v, -v
			}
		}
	} else {
		for i := range s.h {
			s.h[i] = deviation * rng.Normal(r)
		}
	}

	// Features of the first and of the second points of the duels, in columns.
	a, b := make([]float64, rank*n), make([]float64, rank*n)
	for j := range rank {
		row := f.phi[(j+1)*f.n-2*n:]
		for i := range n {
			a[j*n+i], b[j*n+i] = row[2*i], row[2*i+1]
		}
	}
	prior, noise := make([]float64, n), make([]float64, n)
	if s.preference {
		for j, h := range s.h {
			for i := range n {
				prior[i] += float64(h * (a[j*n+i] - b[j*n+i]))
			}
		}
	} else {
		hb := make([]float64, rank*n) // H φ(x')
		wide.Gemm(wide.Matrix{Data: hb, Stride: n}, false, wide.Matrix{Data: s.h, Stride: rank}, wide.Matrix{Data: b, Stride: n}, rank, n, rank)
		for j := range rank {
			for i := range n {
				prior[i] += float64(a[j*n+i] * hb[j*n+i])
			}
		}
	}
	for i, sign := range m.duels.sign {
		prior[i] *= sign
		noise[i] = rng.Normal(r)
	}
	m.post.Pathwise(noise, prior, noise)
	for i, sign := range m.duels.sign {
		noise[i] *= m.kernel.v * sign
	}
	s.correct(noise, a, b)
	return s
}

// correct adds to the draw the covariances with the latent values of the duels, times c: H += Σ c_i a_i b_iᵀ,
// made antisymmetric if the prior is. a and b are the features of their points, in columns.
func (s *sample) correct(c, a, b []float64) {
	n, rank := len(c), s.features.rank
	if s.preference {
		for j := range s.h {
			for i, c := range c {
				s.h[j] += float64(c * (a[j*n+i] - b[j*n+i]))
			}
		}
		return
	}
	terms := n
	if s.antisymmetric {
		terms = 2 * n // - c_i b_i a_iᵀ
	}
	left, right := make([]float64, rank*terms), make([]float64, terms*rank)
	for j := range rank {
		for i, c := range c {
			left[j*terms+i], right[i*rank+j] = c*a[j*n+i], b[j*n+i]
			if s.antisymmetric {
				left[j*terms+n+i], right[(n+i)*rank+j] = -c*b[j*n+i], a[j*n+i]
			}
		}
	}
	wide.Gemm(wide.Matrix{Data: s.h, Stride: rank}, false, wide.Matrix{Data: left, Stride: terms}, wide.Matrix{Data: right, Stride: rank}, rank, rank, terms)
}

// latent sets dst to f([x; x']), in rows, for the points x whose features are the first rows columns of phi,
// and the cols points x' of the features from index first on.
func (s *sample) latent(dst, phi []float64, stride, rows, first, cols int) {
	f := s.features
	if s.preference {
		values, others := make([]float64, rows), make([]float64, cols)
		wide.GemvT(values, 1, phi, stride, s.h)
		wide.GemvT(others, 1, f.phi[first:], f.n, s.h)
		for i, value := range values {
			for j, v := range others {
				dst[i*cols+j] = value - v
			}
		}
		return
	}
	out, h := wide.Matrix{Data: dst, Stride: cols}, wide.Matrix{Data: s.h, Stride: f.rank}
	x, others := wide.Matrix{Data: phi, Stride: stride}, wide.Matrix{Data: f.phi[first:], Stride: f.n}
	clear(dst)
	if rows < cols {
		half := wide.Matrix{Data: make([]float64, rows*f.rank), Stride: f.rank}
		wide.GemmT(half, false, x, h, rows, f.rank, f.rank)
		wide.Gemm(out, false, half, others, rows, cols, f.rank)
		return
	}
	half := wide.Matrix{Data: make([]float64, f.rank*cols), Stride: cols}
	wide.Gemm(half, false, h, others, f.rank, cols, f.rank)
	wide.GemmT(out, false, x, half, rows, cols, f.rank)
}

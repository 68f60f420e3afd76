package dts

import (
	"math"
	"math/rand/v2"

	"popbench/internal/math/linalg"
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
	memory                    *sampleMemory
}

// draw returns a draw from the posterior. The last 2n points of the features are the points of the duels.
func (m *model) draw(f *features, r *rand.Rand) *sample {
	s := &sample{features: f, preference: m.kernel.Prior == preference, antisymmetric: m.kernel.Prior == antisymmetric, memory: &m.memory}
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

// latentPoints is the number of points x whose latent values are computed at once: few enough that they stay in the cache.
const latentPoints = 48

// latent calls do for parts of the n points x whose features are the first columns of phi: with the number of the first of a
// part, and f([x; x']) in rows for the count points x' of the features from index first on, which do may overwrite.
func (s *sample) latent(phi []float64, stride, n, first, count int, do func(from int, values []float64)) {
	f := s.features
	points, others := wide.Matrix{Data: phi, Stride: stride}, wide.Matrix{Data: f.phi[first:], Stride: f.n}
	h := wide.Matrix{Data: s.h, Stride: f.rank}
	var u, v []float64
	switch {
	case s.preference:
		u, v = make([]float64, n), make([]float64, count)
		wide.GemvT(u, 1, phi, stride, s.h)
		wide.GemvT(v, 1, others.Data, others.Stride, s.h)
	case n < count: // the product of H with fewer columns
		half := s.half(n)
		wide.GemmT(half, false, h, points, f.rank, n, f.rank)
		points = half
	default:
		half := s.half(count)
		wide.Gemm(half, false, h, others, f.rank, count, f.rank)
		others = half
	}
	s.memory.values = linalg.Resize(s.memory.values, min(n, latentPoints)*count)
	for from := 0; from < n; from += latentPoints {
		cols := min(latentPoints, n-from)
		values := s.memory.values[:count*cols]
		if s.preference {
			for j, v := range v {
				for i, u := range u[from : from+cols] {
					values[j*cols+i] = u - v
				}
			}
		} else {
			clear(values)
			part := wide.Matrix{Data: points.Data[from:], Stride: points.Stride}
			wide.GemmT(wide.Matrix{Data: values, Stride: cols}, false, others, part, count, cols, f.rank)
		}
		do(from, values)
	}
}

// half returns a matrix of zeros for the product of H with the features of some points.
func (s *sample) half(cols int) wide.Matrix {
	s.memory.half = linalg.Resize(s.memory.half, s.features.rank*cols)
	clear(s.memory.half)
	return wide.Matrix{Data: s.memory.half, Stride: cols}
}

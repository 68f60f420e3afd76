package convex

import (
	"math"
	"slices"

	"popbench/internal/linalg"
)

// span has coordinates of span{g_1..g_n, h} in an orthonormal basis: f is w,
// u = Cw, ⟨f, h⟩ = a·w and ‖f‖ = |w|.
type span struct {
	n, r  int
	c     []float64 // n×r
	a     []float64 // length r
	pivot []int     // the basis spans these elements, n for h
}

// newSpan returns the coordinates of a factorisation of the Gram matrix of n
// differences and, if withH, of h after them.
func newSpan(n int, p *linalg.Pivoted, withH bool) *span {
	r := len(p.Pivot)
	s := &span{n: n, r: r, c: make([]float64, n*r), a: make([]float64, r), pivot: p.Pivot}
	for k := range r {
		row := p.C[k*p.N : (k+1)*p.N]
		for i, v := range row[:n] {
			s.c[i*r+k] = v
		}
		if withH {
			s.a[k] = row[n]
		}
	}
	return s
}

// span returns the coordinates of the basis, and one more for the part of h
// across it.
func (g *lowRank) span(c []float64, rho float64) *span {
	p := &linalg.Pivoted{N: g.n, C: g.c, Pivot: g.pivot}
	if c == nil {
		return newSpan(g.n, p, false)
	}
	a := slices.Clone(g.coordinates(c))
	if across := rho - dot(a, a); across > rankNoise*rho {
		a = append(a, math.Sqrt(across))
		p.C = append(slices.Clone(p.C), make([]float64, g.n)...)
		p.Pivot = append(slices.Clone(p.Pivot), g.n)
	}
	s := newSpan(g.n, p, false)
	s.a = a
	return s
}

// row is the coordinates of g_i, or for i = n those of h.
func (s *span) row(i int) []float64 {
	if i == s.n {
		return s.a
	}
	return s.c[i*s.r : (i+1)*s.r]
}

// expand sets coef and nu so that w is Σ coef_i g_i + nu h; it overwrites w.
func (s *span) expand(coef, w []float64) (nu float64) {
	clear(coef)
	for j := s.r - 1; j >= 0; j-- {
		row := s.row(s.pivot[j])
		v := w[j] / row[j]
		for k := range j {
			w[k] -= v * row[k]
		}
		if s.pivot[j] == s.n {
			nu = v
		} else {
			coef[s.pivot[j]] = v
		}
	}
	return nu
}

package convex

import "popbench/internal/math/linalg"

// span has coordinates of span{g_1..g_n, h} in an orthonormal basis: f is w, u = Cw, ⟨f, h⟩ = a·w and
// ‖f‖ = |w|.
type span struct {
	n, r  int
	c     []float64 // n×r
	a     []float64 // length r
	pivot []int     // indices of the elements that the basis spans; n is h
}

// newSpan returns the coordinates given by a factorisation of the Gram matrix of n differences,
// followed by h if it has one row more.
func newSpan(n int, p *linalg.Pivoted) *span {
	r := len(p.Pivot)
	s := &span{n: n, r: r, c: make([]float64, n*r), a: make([]float64, r), pivot: p.Pivot}
	for k := range r {
		row := p.C[k*p.N : (k+1)*p.N]
		for i, v := range row[:n] {
			s.c[i*r+k] = v
		}
		if p.N > n {
			s.a[k] = row[n]
		}
	}
	return s
}

package confset

import (
	"slices"

	"popbench/internal/math/linalg"
)

// dense is the Gram matrix G of the g_i themselves. A comparison of more than two points makes a block in the Hessian of
// ℓ, not in G; see root.
type dense struct {
	n, stride int
	a         []float64 // n×n, row-major with the given stride, symmetric
}

// append adds rows, each of the new length n.
func (d *dense) append(rows [][]float64) {
	n := d.n + len(rows)
	if n > d.stride {
		stride := max(16, 2*d.stride, n)
		a := make([]float64, stride*stride)
		for i := range d.n {
			copy(a[i*stride:], d.row(i))
		}
		d.a, d.stride = a, stride
	}
	for i, row := range rows {
		for j, g := range row {
			d.a[(d.n+i)*d.stride+j] = g
			d.a[j*d.stride+d.n+i] = g
		}
	}
	d.n = n
}

func (d *dense) row(i int) []float64 { return d.a[i*d.stride : i*d.stride+d.n] }

func (d *dense) mul(dst, x []float64) {
	dst, x = dst[:d.n], x[:d.n]
	if d.n < 32 {
		linalg.MulT(dst, 1, d.a, d.stride, x)
		return
	}
	// If terms cancel, rounding limits the accuracy of a solve, and partial sums round less than one
	// running sum.
	linalg.Mul(dst, 1, d.a, d.stride, x)
}

func (d *dense) norm2(i int) float64 { return d.a[i*d.stride+i] }

func (d *dense) diagonal() []float64 {
	v := make([]float64, d.n)
	for i := range v {
		v[i] = d.norm2(i)
	}
	return v
}

// span factors the Gram matrix of the g and h until only rounding is left.
func (d *dense) span(c []float64, rho float64) *span {
	n := d.n
	diagonal := d.diagonal()
	if c != nil {
		diagonal = append(diagonal, rho)
	}
	top := slices.Max(diagonal)
	p := linalg.NewPivoted(diagonal)
	row := make([]float64, p.N)
	p.Fill(float64(p.N)*ulp*top, func(i int) []float64 {
		if i == n {
			copy(row, c)
			row[n] = rho
			return row
		}
		copy(row, d.row(i))
		if c != nil {
			row[n] = c[i]
		}
		return row
	})
	return newSpan(n, p)
}

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

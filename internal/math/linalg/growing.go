package linalg

import (
	"fmt"
	"math"
	"slices"

	"popbench/internal/math/fmath"
	"popbench/internal/math/wide"
)

// Growing is the Cholesky factor L of a symmetric positive definite matrix that grows row by row, at n² operations
// a row. The zero value is the factor of the 0×0 matrix. It is not safe for concurrent use.
type Growing struct {
	n        int
	l        []float64 // lower triangle by rows, n(n+1)/2
	cos, sin []float64 // workspaces of Remove
}

// Len returns n.
func (g *Growing) Len() int { return g.n }

// Row returns row i of L, of length i+1. The caller must not change it.
func (g *Growing) Row(i int) []float64 {
	at := i * (i + 1) / 2
	return g.l[at : at+i+1]
}

// Diagonal returns L_ii.
func (g *Growing) Diagonal(i int) float64 { return g.l[i*(i+3)/2] }

// Append adds a row to the matrix. row has its n elements left of the diagonal, and is overwritten with the new row
// of L. A squared pivot below floor is raised to floor. With floor = 0 Append returns false if the pivot is not
// positive, and L does not change.
func (g *Growing) Append(row []float64, diagonal, floor float64) bool {
	if len(row) != g.n {
		panic(fmt.Sprintf("linalg: a row of %d elements for a factor of %d", len(row), g.n))
	}
	g.Solve(row)
	pivot := max(diagonal-wide.Dot(row, row), floor)
	if !(pivot > 0) {
		return false
	}
	at := len(g.l)
	g.l = slices.Grow(g.l, len(row)+1)[:at+len(row)+1]
	to := g.l[at:]
	copy(to, row)
	to[len(row)] = math.Sqrt(pivot)
	g.n++
	return true
}

// Truncate keeps the first n rows.
func (g *Growing) Truncate(n int) { g.n, g.l = n, g.l[:n*(n+1)/2] }

// Remove removes row and column i of the matrix. The rows of L below i move up, and rotations of pairs of columns
// make them triangular again (Golub and Van Loan, "Matrix Computations", 4th ed. 2013, Sec. 6.5.4).
func (g *Growing) Remove(i int) {
	g.cos, g.sin = Resize(g.cos, g.n), Resize(g.sin, g.n)
	for k := i; k < g.n-1; k++ {
		below := g.Row(k + 1)
		for a := i; a < k; a++ {
			c, s := g.cos[a], g.sin[a]
			below[a], below[a+1] = float64(c*below[a])+float64(s*below[a+1]), float64(c*below[a+1])-float64(s*below[a])
		}
		r := fmath.Hypot(below[k], below[k+1])
		g.cos[k], g.sin[k] = below[k]/r, below[k+1]/r
		copy(g.Row(k), below[:k])
		g.l[k*(k+3)/2] = r
	}
	g.Truncate(g.n - 1)
}

// Solve overwrites v, of length n at most, with L⁻¹v, using the leading rows of L.
func (g *Growing) Solve(v []float64) { wide.SolveLower(g.l, 0, v) }

// SolveTransposed overwrites v, of length n at most, with L⁻ᵀv, using the leading rows of L.
func (g *Growing) SolveTransposed(v []float64) { wide.SolveLowerT(g.l, 0, v) }

// Factor makes L the factor of the n×n matrix a, whose rows are stride apart. It overwrites the lower triangle of a
// with L. It returns false if a pivot is not positive; L is then the factor of the 0×0 matrix.
func (g *Growing) Factor(a []float64, stride, n int) bool {
	g.Truncate(0)
	if !Cholesky(a, stride, n, 0) {
		return false
	}
	for i := range n {
		g.l = append(g.l, a[i*stride:i*stride+i+1]...)
	}
	g.n = n
	return true
}

// Unpack sets dst, n×n with rows stride apart, to L, with zeros above the diagonal.
func (g *Growing) Unpack(dst []float64, stride int) {
	for i := range g.n {
		row := dst[i*stride : i*stride+g.n]
		clear(row[copy(row, g.Row(i)):])
	}
}

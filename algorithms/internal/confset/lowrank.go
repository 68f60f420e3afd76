package confset

import (
	"slices"

	"popbench/internal/math/linalg"
	"popbench/internal/math/wide"
)

// lowRank is the Gram matrix CᵀC of projections Pg_i on the span of r of the g_i, the pivots, in an
// orthonormal basis of that span. With many comparisons and a smooth kernel, a few pivots bring every Pg_i
// close to g_i.
type lowRank struct {
	n, r     int
	c        []float64 // r×n, ⟨q_k, g_i⟩
	rows     []float64 // Cᵀ, n×r: row i has the coordinates of Pg_i …
	stride   int       // … and zeros up to this length
	pivot    []int
	coord    []float64 // r×r, lower triangle: row k has the coordinates of pivot k
	diagonal []float64 // ‖Pg_i‖²
	h, t     []float64 // length r, workspaces
}

// newLowRank returns the matrix of the first r pivots.
func newLowRank(p *linalg.Pivoted, r int) *lowRank {
	n, stride := p.N, linalg.RowLength(r)
	g := &lowRank{
		n: n, r: r, c: p.C[:r*n], rows: make([]float64, n*stride), stride: stride, pivot: p.Pivot[:r],
		coord: make([]float64, r*r), diagonal: make([]float64, n),
		h: make([]float64, r), t: make([]float64, r),
	}
	for k, i := range g.pivot {
		for j := range k + 1 {
			g.coord[k*r+j] = g.c[j*n+i]
		}
	}
	for k := range r {
		row := g.c[k*n : (k+1)*n]
		wide.AddProduct(g.diagonal, 1, row, row)
		for i, v := range row {
			g.rows[i*stride+k] = v
		}
	}
	return g
}

// coefficients returns C x, valid until the next call.
func (g *lowRank) coefficients(x []float64) []float64 {
	linalg.MulT(g.t, 1, g.rows, g.stride, x[:g.n])
	return g.t
}

// coordinates returns the coordinates of Ph for c_i = ⟨g_i, h⟩, valid until the next call.
func (g *lowRank) coordinates(c []float64) []float64 {
	for k, i := range g.pivot {
		g.h[k] = c[i]
	}
	wide.SolveL(g.coord, g.r, g.r, wide.Matrix{Data: g.h, Stride: 1}, 1)
	return g.h
}

// expand sets coef so that Σ coef_i g_i has the coordinates y. Only the coefficients of pivots are nonzero.
func (g *lowRank) expand(coef, y []float64) {
	t := g.t
	copy(t, y)
	wide.SolveLT(g.coord, g.r, g.r, wide.Matrix{Data: t, Stride: 1}, 1)
	clear(coef)
	for k, i := range g.pivot {
		coef[i] = t[k]
	}
}

// lowRankFactor is a factor of M = I + RᵀCᵀCR by the r×r matrix I + AAᵀ, A = CR, and Woodbury's identity:
//
//	M⁻¹ = I - Aᵀ(I + AAᵀ)⁻¹A
type lowRankFactor struct {
	factorState
	valid bool // there is a factor for the present g
	g     *lowRank
	a     []float64 // Aᵀ, as g.rows; U, r×r, is the factor of I + AAᵀ
	t     []float64 // length g.stride

	phi []float64 // workspace of relax
}

func (f *lowRankFactor) factor(w *root, x *vectors) bool {
	n, r := f.g.n, f.g.r
	f.copyFrom(w)
	st := f.g.stride
	f.a, f.u, f.t = linalg.Resize(f.a, n*st), linalg.Resize(f.u, r*st), linalg.Resize(f.t, st)
	f.rank, f.stride = r, st
	f.applyRtRows(f.a, f.g.rows, st, f.t)
	clear(f.u)
	const rows = 64 // of which the nearest cache has room for most
	for i := 0; i < n; i += rows {
		a := wide.Matrix{Data: f.a[i*st:], Stride: st}
		linalg.AddUpper(wide.Matrix{Data: f.u, Stride: st}, false, a, a, r, min(rows, n-i))
	}
	for j := range r {
		f.u[j*st+j]++
	}
	f.valid = wide.Cholesky(f.u, st, r, 0, 0)
	return f.reuse(x)
}

// reuse solves for x with the existing factor: a new one costs many times the rest of a Newton step.
func (f *lowRankFactor) reuse(x *vectors) bool {
	if !f.valid || x == nil {
		return f.valid
	}
	for k := range x {
		f.y[k], f.m[k] = linalg.Resize(f.y[k], f.g.n), linalg.Resize(f.m[k], f.g.n)
		f.applyRt(f.y[k], x[k])
		copy(f.m[k], f.y[k])
		if slices.ContainsFunc(x[k], func(v float64) bool { return v != 0 }) { // z is zero for the MLE
			f.solve(f.m[k])
		}
	}
	return true
}

func (f *lowRankFactor) inner(j, k int) float64 { return wide.Dot(f.y[j], f.m[k]) }

func (f *lowRankFactor) solve(x []float64) {
	t := f.t[:f.rank]
	linalg.MulT(t, 1, f.a, f.stride, x[:f.g.n])
	solveTriangular(f.u, f.stride, t)
	wide.Gemv(x[:f.g.n], -1, f.a, f.stride, t)
}

// relax works in coordinates φ of the h_j, in which ρ - cᵀKc = ρ - |φ|² + |U⁻ᵀφ|².
func (f *lowRankFactor) relax(dst, rest, c, alpha []float64) {
	g, n := f.g, len(dst)
	f.phi = linalg.Resize(f.phi, g.r*n)
	phi := f.phi
	for k, i := range g.pivot {
		copy(phi[k*n:(k+1)*n], c[i*n:(i+1)*n])
	}
	columns := wide.Matrix{Data: phi, Stride: n}
	wide.SolveL(g.coord, g.r, g.r, columns, n)
	if len(alpha) == g.n {
		alpha = g.coefficients(alpha)
	}
	linalg.MulT(dst, 1, phi, n, alpha)
	for k := range g.r {
		row := phi[k*n : (k+1)*n]
		wide.AddProduct(rest, -1, row, row)
	}
	for j, q := range rest {
		rest[j] = max(0, q)
	}
	wide.SolveUT(f.u, f.stride, g.r, columns, n)
	for k := range g.r {
		row := phi[k*n : (k+1)*n]
		wide.AddProduct(rest, 1, row, row)
	}
}

// lowRank returns two low-rank approximations, at a cost of n r² operations. The first has pivots until every
// ‖g_i - Pg_i‖² is at most tol times the largest ‖g_i‖². After enoughPivots pivots, loose replaces tol; there are
// never more than most pivots. The second starts with the same pivots and has half as many again. Both are nil if
// the first leaves more than loose allows.
func (d *dense) lowRank(tol, loose float64, most int) (coarse, fine *lowRank) {
	p := linalg.NewPivoted(d.diagonal())
	_, top := p.Largest()
	if !(top > 0) || most == 0 {
		return nil, nil
	}
	p.Rounded = true // solves use only the lower triangle of the pivots
	for first := 0; ; {
		i, rest := p.Largest()
		r := len(p.Pivot)
		if first == 0 && (rest <= tol*top || rest <= loose*top && r >= enoughPivots || r == most) {
			if first = r; rest > loose*top {
				return nil, nil
			}
		}
		if first > 0 && (r >= first+first/2 || rest <= rankNoise*top) {
			return newLowRank(p, first), newLowRank(p, r)
		}
		p.Append(i, d.row(i))
	}
}

package convex

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"

	"popbench/internal/linalg"
)

// lowRank is the Gram matrix CᵀC of projections Pg_i on the span of r of the g_i,
// the pivots, in an orthonormal basis of that span. Where comparisons are many
// and the kernel is smooth, few pivots bring every Pg_i close to g_i.
type lowRank struct {
	n, r     int
	c        []float64 // r×n, ⟨q_k, g_i⟩
	pivot    []int
	coord    []float64 // r×r, lower triangle: row k has the coordinates of pivot k
	diagonal []float64 // ‖Pg_i‖²
	h, t     []float64 // length r, workspaces
	ph       []float64 // length n, ⟨Pg_i, h⟩ of the last h
}

// newLowRank returns the matrix of the first r pivots.
func newLowRank(p *linalg.Pivoted, r int) *lowRank {
	n := p.N
	g := &lowRank{
		n: n, r: r, c: p.C[:r*n], pivot: p.Pivot[:r],
		coord: make([]float64, r*r), diagonal: make([]float64, n),
		h: make([]float64, r), t: make([]float64, r), ph: make([]float64, n),
	}
	for k, i := range g.pivot {
		for j := range k + 1 {
			g.coord[k*r+j] = g.c[j*n+i]
		}
	}
	for j, v := range g.c {
		g.diagonal[j%n] += v * v
	}
	return g
}

// mul sets dst = CᵀC x.
func (g *lowRank) mul(dst, x []float64) {
	bl.Dgemv(blas.NoTrans, g.r, g.n, 1, g.c, g.n, x, 1, 0, g.t, 1)
	bl.Dgemv(blas.Trans, g.r, g.n, 1, g.c, g.n, g.t, 1, 0, dst, 1)
}

func (g *lowRank) norm2(i int) float64 { return g.diagonal[i] }

// coordinates returns those of Ph, for c_i = ⟨g_i, h⟩; valid until the next call.
func (g *lowRank) coordinates(c []float64) []float64 {
	for k, i := range g.pivot {
		g.h[k] = c[i]
	}
	bl.Dtrsv(blas.Lower, blas.NoTrans, blas.NonUnit, g.r, g.coord, g.r, g.h, 1)
	return g.h
}

// project returns ⟨Pg_i, h⟩, and rho, which rounding must not leave below ‖Ph‖².
func (g *lowRank) project(c []float64, rho float64) ([]float64, float64) {
	h := g.coordinates(c)
	bl.Dgemv(blas.Trans, g.r, g.n, 1, g.c, g.n, h, 1, 0, g.ph, 1)
	return g.ph, max(rho, dot(h, h))
}

// expand sets coef so that Σ coef_i g_i = Σ α_i Pg_i; only those of pivots are
// not zero.
func (g *lowRank) expand(coef, alpha []float64) {
	bl.Dgemv(blas.NoTrans, g.r, g.n, 1, g.c, g.n, alpha, 1, 0, g.t, 1)
	bl.Dtrsv(blas.Lower, blas.Trans, blas.NonUnit, g.r, g.coord, g.r, g.t, 1)
	clear(coef)
	for k, i := range g.pivot {
		coef[i] = g.t[k]
	}
}

// span returns the coordinates of the basis, and one more for the part of h
// across it.
func (g *lowRank) span(c []float64, rho float64) *span {
	p := &linalg.Pivoted{N: g.n, C: g.c, Pivot: g.pivot}
	if c == nil {
		return newSpan(g.n, p)
	}
	a := slices.Clone(g.coordinates(c))
	if across := rho - dot(a, a); across > rankNoise*rho {
		a = append(a, math.Sqrt(across))
		p.C = slices.Concat(p.C, make([]float64, g.n))
		p.Pivot = slices.Concat(p.Pivot, []int{g.n})
	}
	s := newSpan(g.n, p)
	s.a = a
	return s
}

// lowRankFactor is a factor of M = I + RᵀCᵀCR by the r×r matrix I + AAᵀ, A = CR,
// and Woodbury's identity:
//
//	M⁻¹ = I - Aᵀ(I + AAᵀ)⁻¹A
type lowRankFactor struct {
	solved
	g *lowRank
	a []float64 // r×n; L, r×r, is the factor of I + AAᵀ
	t []float64 // length r

	phi, centre []float64 // of relax
}

func (f *lowRankFactor) factor(w *root, x *vectors) bool {
	n, r := f.g.n, f.g.r
	f.take(w)
	f.a, f.l, f.t = linalg.Resize(f.a, r*n), linalg.Resize(f.l, r*r), linalg.Resize(f.t, r)
	f.rank, f.stride = r, r
	for k := range r {
		f.applyRt(f.a[k*n:(k+1)*n], f.g.c[k*n:(k+1)*n])
	}
	// Column by column, as linalg.Cholesky is, and for the same reason.
	for j := range r {
		bl.Dgemv(blas.NoTrans, r-j, n, 1, f.a[j*n:], n, f.a[j*n:(j+1)*n], 1, 0, f.l[j*r+j:], r)
		f.l[j*r+j]++
	}
	if !linalg.Cholesky(f.l, r, r, 0, 0) {
		return false
	}
	f.reuse(x)
	return true
}

// reuse solves for x with the factor there is: it costs many times the rest of a
// Newton step.
func (f *lowRankFactor) reuse(x *vectors) bool {
	if x == nil {
		return true
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

func (f *lowRankFactor) inner(j, k int) float64 { return dot(f.y[j], f.m[k]) }

func (f *lowRankFactor) solve(x []float64) {
	n, r := f.g.n, f.g.r
	bl.Dgemv(blas.NoTrans, r, n, 1, f.a, n, x, 1, 0, f.t, 1)
	solveTriangular(f.l, r, f.t)
	bl.Dgemv(blas.Trans, r, n, -1, f.a, n, f.t, 1, 1, x, 1)
}

// relax works in coordinates φ of the h_j, where ρ - cᵀKc = ρ - |φ|² + |L⁻¹φ|².
func (f *lowRankFactor) relax(dst, rest, c, alpha []float64) {
	g, n := f.g, len(dst)
	f.phi, f.centre = linalg.Resize(f.phi, g.r*n), linalg.Resize(f.centre, g.r)
	phi := f.phi
	for k, i := range g.pivot {
		copy(phi[k*n:(k+1)*n], c[i*n:(i+1)*n])
	}
	bl.Dtrsm(blas.Left, blas.Lower, blas.NoTrans, blas.NonUnit, g.r, n, 1, g.coord, g.r, phi, n)
	bl.Dgemv(blas.NoTrans, g.r, g.n, 1, g.c, g.n, alpha, 1, 0, f.centre, 1)
	bl.Dgemv(blas.Trans, g.r, n, 1, phi, n, f.centre, 1, 0, dst, 1)
	for i, v := range phi {
		rest[i%n] -= v * v
	}
	for j, q := range rest {
		rest[j] = max(0, q)
	}
	bl.Dtrsm(blas.Left, blas.Lower, blas.NoTrans, blas.NonUnit, g.r, n, 1, f.l, g.r, phi, n)
	for i, v := range phi {
		rest[i%n] += v * v
	}
}

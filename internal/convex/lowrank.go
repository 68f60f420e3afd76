package convex

import (
	"math"

	"gonum.org/v1/gonum/blas"
)

// basis is an orthonormal basis q_1..q_r of the span of r of the g_i, the
// pivots, and P the projection on that span. Where comparisons are many and the
// kernel is smooth, few pivots bring every Pg_i close to g_i.
type basis struct {
	n, r  int
	c     []float64 // r×n, ⟨q_k, g_i⟩
	pivot []int
	coord []float64 // r×r, lower triangle: row k has the coordinates of pivot k
	h, t  []float64 // length r, workspaces
}

// newBasis returns two bases by a Cholesky factorisation of the Gram matrix with
// complete pivoting (Harbrecht, Peters and Schneider, "On the low-rank
// approximation by the pivoted Cholesky decomposition", 2012): the first has as
// many pivots as it takes until no ‖g_i - Pg_i‖² is above tol times the largest
// ‖g_i‖², or above loose times it where basisEnough pivots are passed, but no
// more than most; the second begins with these and has half as many again. They
// are nil if the first leaves more than loose allows. This costs n r² operations.
func (s *Solver) newBasis(tol, loose float64, most int) (coarse, fine *basis) {
	n := s.n
	rest := make([]float64, n)
	var top float64
	for i := range rest {
		rest[i] = s.norm2(i)
		top = max(top, rest[i])
	}
	if top == 0 || most == 0 {
		return nil, nil
	}
	b := &basis{n: n}
	l := make([]float64, 2*most)
	first := 0
	for {
		best := 0
		for i, d := range rest {
			if d > rest[best] {
				best = i
			}
		}
		d := rest[best]
		if first == 0 && (d <= tol*top || d <= loose*top && b.r >= basisEnough || b.r == most) {
			first = b.r
		}
		switch {
		case first > 0 && b.r == first && d > loose*top:
			return nil, nil
		case first > 0 && b.r >= first+first/2, d <= 0x1p-40*top:
			return b.head(first), b.head(b.r)
		}
		for k := range b.r {
			l[k] = b.c[k*n+best]
		}
		b.c = append(b.c, s.gram[best*s.stride:best*s.stride+n]...)
		row := b.c[b.r*n:]
		if b.r > 0 {
			bl.Dgemv(blas.Trans, b.r, n, -1, b.c, n, l, 1, 1, row, 1)
		}
		bl.Dscal(n, 1/math.Sqrt(d), row, 1)
		for i, v := range row {
			rest[i] -= v * v
		}
		rest[best] = 0
		b.pivot = append(b.pivot, best)
		b.r++
	}
}

// head returns the basis of the first r pivots.
func (b *basis) head(r int) *basis {
	h := &basis{n: b.n, r: r, c: b.c[:r*b.n], pivot: b.pivot[:r], coord: make([]float64, r*r), h: make([]float64, r), t: make([]float64, r)}
	for k, i := range h.pivot {
		for j := range k + 1 {
			h.coord[k*r+j] = h.c[j*h.n+i]
		}
	}
	return h
}

// mul sets dst = CᵀC x, the Gram matrix of the Pg_i times x.
func (b *basis) mul(dst, x []float64) {
	bl.Dgemv(blas.NoTrans, b.r, b.n, 1, b.c, b.n, x, 1, 0, b.t, 1)
	b.values(dst, b.t)
}

// values sets dst_i = ⟨g_i, f⟩ for the f with coordinates w.
func (b *basis) values(dst, w []float64) {
	bl.Dgemv(blas.Trans, b.r, b.n, 1, b.c, b.n, w, 1, 0, dst, 1)
}

// coordinates returns those of Ph, for c_i = ⟨g_i, h⟩; valid until the next call.
func (b *basis) coordinates(c []float64) []float64 {
	for k, i := range b.pivot {
		b.h[k] = c[i]
	}
	bl.Dtrsv(blas.Lower, blas.NoTrans, blas.NonUnit, b.r, b.coord, b.r, b.h, 1)
	return b.h
}

// expand sets coef so that Σ coef_i g_i = Σ α_i Pg_i; only those of pivots are
// not zero. coef may be alpha.
func (b *basis) expand(coef, alpha []float64) {
	bl.Dgemv(blas.NoTrans, b.r, b.n, 1, b.c, b.n, alpha, 1, 0, b.t, 1)
	bl.Dtrsv(blas.Lower, blas.Trans, blas.NonUnit, b.r, b.coord, b.r, b.t, 1)
	clear(coef)
	for k, i := range b.pivot {
		coef[i] = b.t[k]
	}
}

// woodbury is a factor of M = I + RᵀCᵀCR, the matrix of a Newton system for the
// Pg_i, by the r×r matrix I + AAᵀ, A = CR:
//
//	M⁻¹ = I - Aᵀ(I + AAᵀ)⁻¹A
type woodbury struct {
	n, r   int
	a      []float64 // r×n
	chol   []float64 // r×r, the factor L of I + AAᵀ
	t      []float64 // length r
	r0, w0 []float64 // length n, the weights R that it is for
	x      []float64 // 3×n, of the solver: Rᵀ of v, f and z
}

// factor factors M for the weights that weigh left in s; false if a pivot fails.
func (w *woodbury) factor(s *Solver) bool {
	b := s.basis
	n, r := b.n, b.r
	w.n, w.r = n, r
	w.a, w.chol, w.t = sized(w.a, r*n, r*n), sized(w.chol, r*r, r*r), sized(w.t, r, r)
	w.r0, w.w0 = append(w.r0[:0], s.r...), append(w.w0[:0], s.w...)
	for k := range r {
		s.applyRt(w.a[k*n:(k+1)*n], b.c[k*n:(k+1)*n])
	}
	// Column by column, as cholesky is, and for the same reason.
	for j := range r {
		bl.Dgemv(blas.NoTrans, r-j, n, 1, w.a[j*n:], n, w.a[j*n:(j+1)*n], 1, 0, w.chol[j*r+j:], r)
		w.chol[j*r+j]++
	}
	return cholesky(w.chol, r, r, 0)
}

// solve overwrites x, of length n, with M⁻¹x.
func (w *woodbury) solve(x []float64) {
	bl.Dgemv(blas.NoTrans, w.r, w.n, 1, w.a, w.n, x, 1, 0, w.t, 1)
	bl.Dtrsv(blas.Lower, blas.NoTrans, blas.NonUnit, w.r, w.chol, w.r, w.t, 1)
	bl.Dtrsv(blas.Lower, blas.Trans, blas.NonUnit, w.r, w.chol, w.r, w.t, 1)
	bl.Dgemv(blas.Trans, w.r, w.n, -1, w.a, w.n, w.t, 1, 1, x, 1)
}

// copyTo copies the factor.
func (w *woodbury) copyTo(dst *woodbury) {
	dst.n, dst.r = w.n, w.r
	dst.a, dst.chol, dst.t = sized(dst.a, len(w.a), len(w.a)), sized(dst.chol, len(w.chol), len(w.chol)), sized(dst.t, w.r, w.r)
	copy(dst.a, w.a)
	copy(dst.chol, w.chol)
}

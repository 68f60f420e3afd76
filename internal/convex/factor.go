package convex

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"

	"popbench/internal/linalg"
)

// bl is called as a value of its own type: through blas64's interface its calls
// cost more than their work at these sizes.
var bl gonum.Implementation

// root is R, a root of the Hessian: R Rᵀ = κW, W = -∇²ℓ. It is diag(r) for duels.
// A comparison of m+1 points is a block of m: there W = D - ppᵀ, D = diag p, and
// with v = √p
//
//	W = D^½ (I - vvᵀ) D^½,   (I - vvᵀ)^½ = I - γ vvᵀ,   R = √κ D^½ (I - γ vvᵀ)
//
// where |v|² is one less the winner's probability.
type root struct {
	blocks []int     // sizes; nil while all comparisons are duels
	r      []float64 // √κ D^½
	w      []float64 // √γ v
}

// take copies another root.
func (h *root) take(o *root) {
	h.blocks, h.r = o.blocks, append(h.r[:0], o.r...)
	if h.blocks != nil {
		h.w = append(h.w[:0], o.w...)
	}
}

// applyRt sets dst = Rᵀ x.
func (h *root) applyRt(dst, x []float64) {
	for i, r := range h.r {
		dst[i] = r * x[i]
	}
	h.reflect(dst)
}

// applyR sets dst = R x; dst may be x.
func (h *root) applyR(dst, x []float64) {
	copy(dst, x)
	h.reflect(dst)
	for i, r := range h.r {
		dst[i] *= r
	}
}

// reflect multiplies x by the block diagonal of I - γ vvᵀ, in place.
func (h *root) reflect(x []float64) {
	o := 0
	for _, m := range h.blocks {
		d := dot(h.w[o:o+m], x[o:o+m])
		for j := o; j < o+m; j++ {
			x[j] -= d * h.w[j]
		}
		o += m
	}
}

// applyRtRows multiplies x, of columns columns, by Rᵀ from the left; mean is a
// workspace of that length.
func (h *root) applyRtRows(x []float64, columns int, mean []float64) {
	row := func(i int) []float64 { return x[i*columns : (i+1)*columns] }
	for i, r := range h.r {
		bl.Dscal(columns, r, row(i), 1)
	}
	o := 0
	for _, m := range h.blocks {
		clear(mean)
		for i := o; i < o+m; i++ {
			bl.Daxpy(columns, h.w[i], row(i), 1, mean, 1)
		}
		for i := o; i < o+m; i++ {
			bl.Daxpy(columns, -h.w[i], mean, 1, row(i), 1)
		}
		o += m
	}
}

// vectors are the three right-hand sides of a Newton system, each of length n.
type vectors [3][]float64

// The vectors by their index: v = κGp, the residual f = Gα - v, and z = νc.
const (
	ofV = iota
	ofF
	ofZ
)

// factor is a factor of M = I + RᵀGR, the matrix of a Newton system.
type factor interface {
	// factor factors M for R, of which it keeps a copy, and solves for the x_k
	// unless x is nil; false if a pivot fails.
	factor(r *root, x *vectors) bool
	// reuse solves for the x_k with the factor, and the R, of before, if that costs
	// much less than to factor; otherwise it returns false.
	reuse(x *vectors) bool
	// last returns R and the solutions of the last system.
	last() *solved
	// inner is x_jᵀ K x_k, K = R M⁻¹ Rᵀ = κW (I + GκW)⁻¹.
	inner(j, k int) float64
	// solve overwrites x with M⁻¹ x.
	solve(x []float64)
	// relax sets dst_j = ⟨Σ alpha_i g_i, h_j⟩ for N functions h_j with
	// ⟨g_i, h_j⟩ = c[i*N+j], and lowers rest, of ρ_j, to ρ_j - c_jᵀ K c_j, which
	// rounding can leave below zero. It overwrites c.
	relax(dst, rest, c, alpha []float64)
}

// solved is what every factor keeps: R, and the solutions of the last system.
type solved struct {
	root
	l            []float64 // lower triangle of a matrix L with det M = (det L)² …
	rank, stride int       // … of this size and stride
	y            vectors   // Rᵀx_k, of a dense factor L⁻¹Rᵀx_k
	m            vectors   // M⁻¹Rᵀx_k
}

func (s *solved) last() *solved { return s }

// denseFactor is the Cholesky factor L of M for a dense G; below it are L⁻¹Rᵀx_k.
type denseFactor struct {
	solved
	g   *dense
	tmp []float64
}

func (f *denseFactor) factor(w *root, x *vectors) bool {
	f.take(w)
	n, st := f.g.n, f.g.stride
	f.rank, f.stride = n, st
	if room := (st + 3) * st; len(f.l) < room {
		f.l = make([]float64, room)
	}
	f.assemble()
	if x == nil {
		return linalg.Cholesky(f.l, st, n, 0, 0)
	}
	for k := range x { // as additional rows
		f.y[k] = f.l[(n+k)*st:][:n]
		f.applyRt(f.y[k], x[k])
	}
	if !linalg.Cholesky(f.l, st, n, 3, 0) {
		return false
	}
	for k := range x {
		f.m[k] = linalg.Resize(f.m[k], n)
		copy(f.m[k], f.y[k])
	}
	backSubstitute(f.l, st, f.m[0], f.m[1], f.m[2])
	return true
}

// assemble leaves M in l; of the square, at least the lower triangle.
func (f *denseFactor) assemble() {
	n, st := f.g.n, f.g.stride
	for i, ri := range f.r {
		scales := f.r[:i+1]
		if f.blocks != nil { // which mix all entries of a row
			scales = f.r
		}
		row, g := f.l[i*st:][:len(scales)], f.g.a[i*st:][:len(scales)]
		for j, rj := range scales {
			row[j] = ri * g[j] * rj
		}
	}
	for pass := 0; pass < 2 && f.blocks != nil; pass++ { // rows, then columns
		for i := range n {
			f.reflect(f.l[i*st:][:n])
			for j := range i {
				f.l[i*st+j], f.l[j*st+i] = f.l[j*st+i], f.l[i*st+j]
			}
		}
	}
	for i := range n {
		f.l[i*st+i]++
	}
}

// reuse is false: a factor of moderate size costs little more than its solves.
func (f *denseFactor) reuse(*vectors) bool { return false }

func (f *denseFactor) inner(j, k int) float64 { return dot(f.y[j], f.y[k]) }

func (f *denseFactor) solve(x []float64) { solveTriangular(f.l, f.g.stride, x) }

// relax substitutes forward, all right-hand sides at once: Z = L⁻¹ Rᵀ C.
func (f *denseFactor) relax(dst, rest, c, alpha []float64) {
	n, st := len(dst), f.g.stride
	row := func(i int) []float64 { return c[i*n : (i+1)*n] }
	clear(dst)
	for i, a := range alpha {
		bl.Daxpy(n, a, row(i), 1, dst, 1)
	}
	f.tmp = linalg.Resize(f.tmp, n)
	f.applyRtRows(c, n, f.tmp)
	for i := range f.g.n {
		z := row(i)
		for j, l := range f.l[i*st : i*st+i] {
			bl.Daxpy(n, -l, row(j), 1, z, 1)
		}
		inv := 1 / f.l[i*st+i]
		for j, v := range z {
			v *= inv
			z[j] = v
			rest[j] -= v * v
		}
	}
}

// solveK sets dst = K x = R M⁻¹ Rᵀ x; tmp is a workspace of length n.
func solveK(f factor, dst, x, tmp []float64) {
	r := &f.last().root
	r.applyRt(tmp, x)
	f.solve(tmp)
	r.applyR(dst, tmp)
}

// solveTriangular overwrites x, of length n, with (LLᵀ)⁻¹x, L being lower triangular.
func solveTriangular(l []float64, stride int, x []float64) {
	bl.Dtrsv(blas.Lower, blas.NoTrans, blas.NonUnit, len(x), l, stride, x, 1)
	bl.Dtrsv(blas.Lower, blas.Trans, blas.NonUnit, len(x), l, stride, x, 1)
}

// backSubstitute overwrites x, y and z with L⁻ᵀx, L⁻ᵀy and L⁻ᵀz, reading L once.
func backSubstitute(l []float64, stride int, x, y, z []float64) {
	for i := len(x) - 1; i >= 0; i-- {
		row := l[i*stride : i*stride+i]
		d := 1 / l[i*stride+i]
		xi, yi, zi := x[i]*d, y[i]*d, z[i]*d
		x[i], y[i], z[i] = xi, yi, zi
		px, py, pz := x[:len(row)], y[:len(row)], z[:len(row)]
		for k, v := range row {
			px[k] -= v * xi
			py[k] -= v * yi
			pz[k] -= v * zi
		}
	}
}

// dot is BLAS's, which sums in another order than linalg.Dot and is faster.
func dot(a, b []float64) float64 {
	if len(a) == 0 {
		return 0
	}
	return bl.Ddot(len(a), a, 1, b, 1)
}

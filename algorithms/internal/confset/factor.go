package confset

import (
	"popbench/internal/math/linalg"
	"popbench/internal/math/wide"
)

// root is R, a root of the Hessian: R Rᵀ = κW, W = -∇²ℓ. For duels it is diag(r). A comparison of m+1
// points is a block of size m: there W = D - ppᵀ, D = diag p, and with v = √p
//
//	W = D^½ (I - vvᵀ) D^½,   (I - vvᵀ)^½ = I - γ vvᵀ,   R = √κ D^½ (I - γ vvᵀ)
//
// where |v|² is 1 minus the winner's probability.
type root struct {
	blocks []int     // sizes; nil while all comparisons are duels
	r      []float64 // √κ D^½
	w      []float64 // √γ v
}

func (h *root) copyFrom(o *root) {
	h.blocks, h.r = o.blocks, append(h.r[:0], o.r...)
	if h.blocks != nil {
		h.w = append(h.w[:0], o.w...)
	}
}

// applyRt sets dst = Rᵀ x.
func (h *root) applyRt(dst, x []float64) {
	wide.Product(dst[:len(h.r)], 1, h.r, x)
	h.reflect(dst)
}

// applyR sets dst = R x; dst may be x.
func (h *root) applyR(dst, x []float64) {
	copy(dst, x)
	h.reflect(dst)
	wide.Product(dst[:len(h.r)], 1, dst, h.r)
}

// reflect multiplies x by the block diagonal of I - γ vvᵀ, in place.
func (h *root) reflect(x []float64) {
	o := 0
	for _, m := range h.blocks {
		wide.AddScaled(x[o:o+m], -wide.Dot(h.w[o:o+m], x[o:]), h.w[o:])
		o += m
	}
}

// applyRtRows sets dst = Rᵀ x, both with the given number of columns; dst may be x. mean is a workspace of that
// number.
func (h *root) applyRtRows(dst, x []float64, columns int, mean []float64) {
	row := func(i int) []float64 { return dst[i*columns : (i+1)*columns] }
	for i, r := range h.r {
		wide.Scaled(row(i), r, x[i*columns:])
	}
	o := 0
	for _, m := range h.blocks {
		clear(mean)
		for i := o; i < o+m; i++ {
			wide.AddScaled(mean[:columns], h.w[i], row(i))
		}
		for i := o; i < o+m; i++ {
			wide.AddScaled(row(i), -h.w[i], mean)
		}
		o += m
	}
}

// vectors are the three right-hand sides of a Newton system, each of length n.
type vectors [3][]float64

// Indices of the vectors: v = κGp, the residual f = Gα - v, and z = νc.
const (
	ofV = iota
	ofF
	ofZ
)

// factor is a factor of M = I + RᵀGR, the matrix of a Newton system.
type factor interface {
	// factor factors M for R, and keeps a copy of R. It solves for the x_k unless x is nil. It
	// returns false if a pivot fails.
	factor(r *root, x *vectors) bool
	// reuse solves for the x_k with the existing factor and its R, if that costs much less than a new
	// factor. Otherwise it returns false.
	reuse(x *vectors) bool
	// last returns R and the solutions of the last system.
	last() *factorState
	// inner returns x_jᵀ K x_k, K = R M⁻¹ Rᵀ = κW (I + GκW)⁻¹.
	inner(j, k int) float64
	// solve overwrites x with M⁻¹ x.
	solve(x []float64)
	// relax sets dst_j = ⟨Σ alpha_i g_i, h_j⟩ for N functions h_j with ⟨g_i, h_j⟩ = c[i*N+j]. It lowers
	// rest from ρ_j to ρ_j - c_jᵀ K c_j, which rounding can make negative. It overwrites c.
	relax(dst, rest, c, alpha []float64)
}

// factorState is what every factor keeps: R, and the solutions of the last system.
type factorState struct {
	root
	u            []float64 // upper triangle of a matrix U with det M = (det U)² …
	rank, stride int       // … of this size and stride
	y            vectors   // Rᵀx_k; in a dense factor U⁻ᵀRᵀx_k
	m            vectors   // M⁻¹Rᵀx_k
}

func (s *factorState) last() *factorState { return s }

// denseFactor is the Cholesky factor U of M = UᵀU for a dense G. The columns to the right of U are U⁻ᵀRᵀx_k.
type denseFactor struct {
	factorState
	g   *dense
	tmp []float64
}

func (f *denseFactor) factor(w *root, x *vectors) bool {
	f.copyFrom(w)
	n, riding := f.g.n, 0
	f.rank, f.stride = n, linalg.RowLength(n+len(f.y))
	st := f.stride
	f.u, f.tmp = linalg.Resize(f.u, n*st), linalg.Resize(f.tmp, n)
	f.assemble()
	if x != nil { // as additional columns
		riding = len(x)
		for k := range x {
			f.y[k] = linalg.Resize(f.y[k], n)
			f.applyRt(f.y[k], x[k])
		}
		for i, v := range f.y[0] {
			to := f.u[i*st+n:][:3]
			to[0], to[1], to[2] = v, f.y[1][i], f.y[2][i]
		}
	}
	if !wide.Cholesky(f.u, st, n, riding, 0) {
		return false
	}
	if x != nil {
		f.gather(&f.y)
		wide.SolveU(f.u, st, n, wide.Matrix{Data: f.u[n:], Stride: st}, riding)
		f.gather(&f.m)
	}
	return true
}

func (f *denseFactor) gather(dst *vectors) {
	n, st := f.rank, f.stride
	for k := range dst {
		dst[k] = linalg.Resize(dst[k], n)
	}
	a, b, c := dst[0], dst[1][:n], dst[2][:n]
	for i := range a {
		from := f.u[i*st+n:][:3]
		a[i], b[i], c[i] = from[0], from[1], from[2]
	}
}

// assemble sets u to M: at least the upper triangle, and finite numbers where wide.Cholesky has its scratch.
func (f *denseFactor) assemble() {
	n, st := f.g.n, f.stride
	if f.blocks == nil {
		wide.ScaleBoth(wide.Matrix{Data: f.u, Stride: st}, wide.Matrix{Data: f.g.a, Stride: f.g.stride}, f.r)
	} else { // a block mixes entries of a row
		for i, ri := range f.r {
			wide.Product(f.u[i*st:i*st+n], ri, f.g.row(i), f.r)
		}
		bothSides(f.u, n, st, f.reflect)
	}
	for i := range n {
		f.u[i*st+i]++
	}
}

// bothSides applies a linear map to each row of a symmetric n×n matrix, and then to each column. The rows are stride apart.
func bothSides(a []float64, n, stride int, apply func(row []float64)) {
	for range 2 { // each time the matrix is transposed, too
		for i := range n {
			apply(a[i*stride:][:n])
			for j := range i {
				a[i*stride+j], a[j*stride+i] = a[j*stride+i], a[i*stride+j]
			}
		}
	}
}

// reuse returns false: a factor of moderate size costs little more than its solves.
func (f *denseFactor) reuse(*vectors) bool { return false }

func (f *denseFactor) inner(j, k int) float64 { return wide.Dot(f.y[j], f.y[k]) }

func (f *denseFactor) solve(x []float64) { solveTriangular(f.u, f.stride, x) }

// relax substitutes forward for all right-hand sides at once: Z = U⁻ᵀ Rᵀ C.
func (f *denseFactor) relax(dst, rest, c, alpha []float64) {
	n := len(dst)
	linalg.MulT(dst, 1, c, n, alpha)
	f.tmp = linalg.Resize(f.tmp, n)
	f.applyRtRows(c, c, n, f.tmp)
	wide.SolveUT(f.u, f.stride, f.rank, wide.Matrix{Data: c, Stride: n}, n)
	for i := range f.rank {
		z := c[i*n : (i+1)*n]
		wide.AddProduct(rest, -1, z, z)
	}
}

// solveTriangular overwrites x, of length n, with (UᵀU)⁻¹x, where U is upper triangular.
func solveTriangular(u []float64, stride int, x []float64) {
	for i := range x { // both loops run along rows: for one vector that is several times as fast as tiles
		row := u[i*stride+i : i*stride+len(x)]
		x[i] /= row[0]
		wide.AddScaled(x[i+1:], -x[i], row[1:])
	}
	for i := len(x) - 1; i >= 0; i-- {
		row := u[i*stride+i : i*stride+len(x)]
		x[i] = (x[i] - wide.Dot(row[1:], x[i+1:])) / row[0]
	}
}

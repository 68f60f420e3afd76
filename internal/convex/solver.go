package convex

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	lapack "gonum.org/v1/gonum/lapack/gonum"
)

// Solver holds one data set and the workspaces of its solves. After the data
// set stops growing, solves do not allocate. It is not safe for concurrent use.
type Solver struct {
	n      int
	stride int
	gram   []float64 // n×n, row-major with the given stride, symmetric
	blocks []int     // sizes; nil while all are 1

	b     float64 // B
	beta  float64
	mle   mle
	lbar  float64 // ℓ_MLE - β
	logNL float64 // log(-ℓ̄)
	cold  point   // where a solve without a warm start begins

	tol float64

	Work Work

	// Workspaces of length n but for chol.
	chol                 []float64 // n×n
	logP, p, kp, w, r    []float64
	v, f, zc, sc, sv, sf []float64
	t1, t2               []float64
	cur, best            point
	ipm                  interior
	lp                   lapack.Implementation
}

// mle is the maximum likelihood estimate f = Σ coef_i g_i.
type mle struct {
	Result
	u, coef []float64
}

// point is an iterate.
type point struct {
	u          []float64
	lnNu, lnKa float64
}

// NewSolver returns a solver for an empty data set.
func NewSolver() *Solver { return &Solver{tol: Tol} }

// SetTol sets the relative tolerance on the duality gap; Tol by default.
func (s *Solver) SetTol(tol float64) { s.tol = tol }

// Len is n, the number of differences.
func (s *Solver) Len() int { return s.n }

// Append adds one comparison: m differences (one for a duel, one less than the
// points otherwise) whose Gram rows with all differences, the m new ones
// included, are rows[i], each of length Len()+m. The MLE and the level are to
// be computed anew.
func (s *Solver) Append(rows ...[]float64) {
	m := len(rows)
	n := s.n + m
	if n > s.stride {
		s.grow(n)
	}
	for i, row := range rows {
		if len(row) != n {
			panic("convex: Gram row of the wrong length")
		}
		for j, g := range row {
			s.gram[(s.n+i)*s.stride+j] = g
			s.gram[j*s.stride+s.n+i] = g
		}
	}
	if s.blocks == nil && m > 1 {
		s.blocks = make([]int, s.n, s.stride)
		for i := range s.blocks {
			s.blocks[i] = 1
		}
	}
	if s.blocks != nil {
		s.blocks = append(s.blocks, m)
	}
	s.n = n
	s.resize()
}

// grow makes room for n differences and a few more.
func (s *Solver) grow(n int) {
	stride := max(16, 2*s.stride, n)
	gram := make([]float64, stride*stride)
	for i := range s.n {
		copy(gram[i*stride:], s.gram[i*s.stride:i*s.stride+s.n])
	}
	s.gram, s.stride = gram, stride
	s.chol = make([]float64, stride*stride)
	for _, v := range s.vectors() {
		old := *v
		*v = make([]float64, stride)
		copy(*v, old) // the MLE's u is the next one's start
	}
}

func (s *Solver) vectors() []*[]float64 {
	return []*[]float64{&s.logP, &s.p, &s.kp, &s.w, &s.r, &s.v, &s.f, &s.zc, &s.sc, &s.sv, &s.sf,
		&s.t1, &s.t2, &s.cur.u, &s.best.u, &s.cold.u, &s.mle.u, &s.mle.coef}
}

func (s *Solver) resize() {
	for _, v := range s.vectors() {
		*v = (*v)[:s.n]
	}
}

// mulGram sets dst = G x.
func (s *Solver) mulGram(dst, x []float64) {
	blas64.Implementation().Dgemv(blas.NoTrans, s.n, s.n, 1, s.gram, s.stride, x, 1, 0, dst, 1)
}

// quadGram returns xᵀ G x; it overwrites t1.
func (s *Solver) quadGram(x []float64) float64 {
	s.mulGram(s.t1, x)
	return dot(x, s.t1)
}

func dot(a, b []float64) float64 {
	if len(a) == 0 {
		return 0
	}
	return blas64.Implementation().Ddot(len(a), a, 1, b, 1)
}

// weigh evaluates the likelihood at u and leaves in the workspaces logP, and
// for the given log κ: kp = κ p, and the factor of κW (see factorW).
func (s *Solver) weigh(u []float64, lnKa float64) (ll, logNeg float64) {
	ll, logNeg = likelihood(u, s.blocks, s.logP)
	for i, lp := range s.logP {
		s.kp[i] = math.Exp(lnKa + lp)
	}
	if s.blocks == nil {
		for i, k := range s.kp {
			// κπ(1-π), 1-π without cancellation.
			s.r[i] = math.Sqrt(k * -math.Expm1(s.logP[i]))
		}
		return ll, logNeg
	}
	// W = D - ππᵀ a block, D = diag π. With v = √π: W = D^½ (I - vvᵀ) D^½ and
	// (I - vvᵀ)^½ = I - γ vvᵀ, so R = D^½ (I - γ vvᵀ) has R Rᵀ = W. Here
	// |v|² = 1 - π_0, π_0 the winner's probability.
	o := 0
	for _, m := range s.blocks {
		var q float64
		for j := o; j < o+m; j++ {
			q += math.Exp(s.logP[j])
		}
		q = min(q, 1)
		gamma := 0.5 + q/8 // limit of the next line at q -> 0
		if q > 1e-6 {
			gamma = (1 - math.Sqrt(1-q)) / q
		}
		for j := o; j < o+m; j++ {
			s.r[j] = math.Sqrt(s.kp[j])
			s.w[j] = math.Exp(0.5*s.logP[j]) * math.Sqrt(gamma) // √γ v
		}
		o += m
	}
	return ll, logNeg
}

// applyR sets dst = Rᵀ x (R Rᵀ = κW), for the weights that weigh left.
func (s *Solver) applyRt(dst, x []float64) {
	for i, r := range s.r {
		dst[i] = r * x[i]
	}
	s.reflect(dst)
}

// applyR sets dst = R x.
func (s *Solver) applyR(dst, x []float64) {
	copy(dst, x)
	s.reflect(dst)
	for i, r := range s.r {
		dst[i] *= r
	}
}

// reflect multiplies x by the block diagonal of I - γ vvᵀ, in place.
func (s *Solver) reflect(x []float64) {
	if s.blocks == nil {
		return
	}
	o := 0
	for _, m := range s.blocks {
		d := dot(s.w[o:o+m], x[o:o+m])
		for j := o; j < o+m; j++ {
			x[j] -= d * s.w[j]
		}
		o += m
	}
}

// factor computes the Cholesky factor of M = I + RᵀGR; false if a pivot fails.
func (s *Solver) factor() bool {
	n, st := s.n, s.stride
	for i := range n {
		ri := s.r[i]
		row, g := s.chol[i*st:i*st+i+1], s.gram[i*st:i*st+i+1]
		if s.blocks == nil {
			for j := range row {
				row[j] = ri * g[j] * s.r[j]
			}
			row[i]++
		}
	}
	if s.blocks != nil {
		// Both sides by block rows and columns, through a full square.
		for i := range n {
			for j := range n {
				s.chol[i*st+j] = s.r[i] * s.gram[i*st+j] * s.r[j]
			}
			s.reflect(s.chol[i*st : i*st+n])
		}
		for j := range n {
			for i := range n {
				s.t2[i] = s.chol[i*st+j]
			}
			s.reflect(s.t2)
			for i := range n {
				s.chol[i*st+j] = s.t2[i]
			}
		}
		for i := range n {
			s.chol[i*st+i]++
		}
	}
	s.Work.Newton++
	return s.lp.Dpotrf(blas.Lower, n, s.chol, st)
}

// weigh's W-weighted solve: dst = R M⁻¹ Rᵀ z, which is κW (I + G κW)⁻¹ z.
func (s *Solver) solveW(dst, z []float64) {
	s.applyRt(s.t2, z)
	bl := blas64.Implementation()
	bl.Dtrsv(blas.Lower, blas.NoTrans, blas.NonUnit, s.n, s.chol, s.stride, s.t2, 1)
	bl.Dtrsv(blas.Lower, blas.Trans, blas.NonUnit, s.n, s.chol, s.stride, s.t2, 1)
	s.applyR(dst, s.t2)
}

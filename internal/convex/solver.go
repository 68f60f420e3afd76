package convex

import (
	"math"

	"gonum.org/v1/gonum/blas"
)

// Solver holds one data set and the workspaces of its solves. After the data
// set stops growing, solves by Newton's method do not allocate. It is not safe
// for concurrent use.
type Solver struct {
	n       int
	stride  int
	gram    []float64 // n×n, row-major with the given stride, symmetric
	size    []float64 // ‖g_i‖, 0 for a point against itself
	largest float64
	blocks  []int // sizes; nil while all are 1

	basisFrom int     // basisFrom, but in tests
	basis     *basis  // for Newton systems of this data; nil if it was not looked for, or there is none
	full      bool    // there is none
	dense     bool    // Newton systems are dense although there is one
	guide     *Solver // see Guide
	projected bool    // this is a guide: its g_i are those of the basis, and gram is nil

	b     float64 // B
	beta  float64
	ll0   float64 // ℓ(0)
	lbar  float64 // ℓ_MLE - β
	logNL float64 // log(-ℓ̄)
	tol   float64

	mle      estimate
	noise    float64 // what rounding may do to ℓ
	reach    float64 // how far from the estimate the set goes
	point    bool    // the set is the estimate alone, to within spread
	spread   float64
	mleValue float64 // ⟨f_MLE, h⟩ of the present h
	own      float64 // weights of the iterate and of the estimate in the feasible function
	theirs   float64
	cold     iterate // where a solve without a warm start begins
	best     solution

	Work Work

	// The present iterate and what evaluate, weigh and direction leave.
	cur              iterate
	u, logP, kp      []float64
	r, w             []float64 // of R, see weigh
	z, v, f          []float64
	chol             []float64 // L, n×n, and below it L⁻¹Rᵀ of v, f and z
	mz, mv, mf       []float64 // L⁻ᵀL⁻¹Rᵀ of z, v and f
	nextAlpha, nextG []float64
	tmp              []float64
	low              woodbury  // with a basis, in place of chol
	c                []float64 // of a guide, ⟨Pg_i, h⟩ of the present h
}

// iterate is f = νh + Σ α_i g_i with the multiplier κ that it is to fit.
type iterate struct {
	alpha, g   []float64 // α and Gα
	lnNu, lnKa float64
}

// solution is f = νh + Σ α_i g_i, the outcome of a Maximize, and its κ.
type solution struct {
	alpha      []float64
	nu         float64
	lnNu, lnKa float64
	warm       bool // of use as a start
}

// NewSolver returns a solver for an empty data set.
func NewSolver() *Solver { return &Solver{tol: Tol, basisFrom: basisFrom} }

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
		s.size = append(s.size, math.Sqrt(max(0, row[s.n+i])))
		s.largest = max(s.largest, s.size[s.n+i])
	}
	for i, row := range rows {
		for j, g := range row {
			s.gram[(s.n+i)*s.stride+j] = g
			s.gram[j*s.stride+s.n+i] = g
			if g != 0 {
				// Norms below this are lost in the rounding of their squares.
				s.size[j] = max(s.size[j], 1e-8*s.largest)
				s.size[s.n+i] = max(s.size[s.n+i], 1e-8*s.largest)
			}
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
	s.best.warm = false
	s.basis, s.full, s.dense = nil, false, false
	for _, v := range s.vectors() {
		*v = (*v)[:n]
	}
}

// grow makes room for n differences and as many more.
func (s *Solver) grow(n int) {
	stride := max(16, 2*s.stride, n)
	gram := make([]float64, stride*stride)
	for i := range s.n {
		copy(gram[i*stride:], s.gram[i*s.stride:i*s.stride+s.n])
	}
	s.gram, s.stride = gram, stride
	s.chol = make([]float64, (stride+3)*stride)
	for _, v := range s.vectors() {
		*v = make([]float64, stride)
	}
}

// vectors lists the workspaces of length n.
func (s *Solver) vectors() []*[]float64 {
	return []*[]float64{
		&s.mle.u, &s.mle.coef, &s.cold.alpha, &s.cold.g, &s.best.alpha, &s.cur.alpha, &s.cur.g,
		&s.u, &s.logP, &s.kp, &s.r, &s.w, &s.z, &s.v, &s.f,
		&s.mz, &s.mv, &s.mf, &s.nextAlpha, &s.nextG, &s.tmp,
	}
}

// mulGram sets dst = G x.
func (s *Solver) mulGram(dst, x []float64) {
	if s.projected {
		s.basis.mul(dst, x)
		return
	}
	bl.Dgemv(blas.NoTrans, s.n, s.n, 1, s.gram, s.stride, x, 1, 0, dst, 1)
}

// norm2 is ‖g_i‖².
func (s *Solver) norm2(i int) float64 {
	if s.projected {
		return s.size[i] * s.size[i]
	}
	return s.gram[i*s.stride+i]
}

func dot(a, b []float64) float64 {
	if len(a) == 0 {
		return 0
	}
	return bl.Ddot(len(a), a, 1, b, 1)
}

// factor computes the Cholesky factor L of M = I + RᵀGR, and L⁻¹Rᵀ of v, f and
// z if rhs; false if a pivot fails. With a basis it is M of the Pg_i, and Rᵀ of
// the three.
func (s *Solver) factor(rhs, again bool) bool {
	n, st := s.n, s.stride
	if s.inBasis() {
		if again {
			copy(s.r, s.low.r0)
			copy(s.w, s.low.w0)
		}
		if rhs {
			s.low.x = sized(s.low.x, 3*n, 3*st)
			s.applyRt(s.row(0), s.v)
			s.applyRt(s.row(1), s.f)
			s.applyRt(s.row(2), s.z)
		}
		if again {
			return true
		}
		s.Work.Newton++
		return s.low.factor(s)
	}
	s.Work.Newton++
	s.Work.Dense++
	if s.blocks == nil {
		for i, ri := range s.r {
			row, g := s.chol[i*st:i*st+i+1], s.gram[i*st:i*st+i+1]
			for j, rj := range s.r[:i+1] {
				row[j] = ri * g[j] * rj
			}
			row[i]++
		}
	} else {
		// Both sides by block rows and columns, through a full square.
		for i := range n {
			for j := range n {
				s.chol[i*st+j] = s.r[i] * s.gram[i*st+j] * s.r[j]
			}
			s.reflect(s.chol[i*st : i*st+n])
		}
		for j := range n {
			for i := range n {
				s.tmp[i] = s.chol[i*st+j]
			}
			s.reflect(s.tmp)
			for i := range n {
				s.chol[i*st+j] = s.tmp[i]
			}
		}
		for i := range n {
			s.chol[i*st+i]++
		}
	}
	if !rhs {
		return cholesky(s.chol, st, n, 0)
	}
	s.applyRt(s.row(0), s.v)
	s.applyRt(s.row(1), s.f)
	s.applyRt(s.row(2), s.z)
	return cholesky(s.chol, st, n, 3)
}

// row returns what factor leaves of v, f and z, for k = 0, 1 and 2.
func (s *Solver) row(k int) []float64 {
	if s.inBasis() {
		return s.low.x[k*s.n:][:s.n]
	}
	return s.chol[(s.n+k)*s.stride:][:s.n]
}

// applyRt sets dst = Rᵀ x, for the weights that weigh left.
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

// solveW sets dst = R M⁻¹ Rᵀ x, which is κW (I + GκW)⁻¹ x.
func (s *Solver) solveW(dst, x []float64) {
	s.applyRt(s.tmp, x)
	if s.inBasis() {
		s.low.solve(s.tmp)
	} else {
		bl.Dtrsv(blas.Lower, blas.NoTrans, blas.NonUnit, s.n, s.chol, s.stride, s.tmp, 1)
		bl.Dtrsv(blas.Lower, blas.Trans, blas.NonUnit, s.n, s.chol, s.stride, s.tmp, 1)
	}
	s.applyR(dst, s.tmp)
}

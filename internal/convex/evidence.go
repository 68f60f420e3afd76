package convex

import (
	"math"

	"gonum.org/v1/gonum/blas"

	"popbench/internal/linalg"
)

// Evidence evaluates the Laplace approximation of log p(data) for one data set under
// one kernel after another, f being a Gaussian process whose differences have the
// Gram matrix G as their covariance:
//
//	ℓ(û) - ½‖f̂‖² - ½ log det(I + W^½ G W^½)
//
// at the mode, the maximum of ℓ(f) - ½‖f‖² (Rasmussen and Williams, Gaussian
// Processes for Machine Learning, 2006, Eq. 3.32): the equations of the estimate at
// κ = 1. It starts from the last mode. It does not allocate after the first gradient,
// and is not for concurrent use.
type Evidence struct {
	s    *Solver
	f    *denseFactor
	mode []float64 // α of the last mode, f̂ = Σ α_i g_i; or zeros
	have bool      // the factor is that of the last mode

	inverse, sens   []float64 // of Sensitivity: L⁻¹, and the result; n×n
	motion, scratch []float64 // of Sensitivity, length n
}

// NewEvidence returns the evidence of comparisons with blocks[i] differences each: one
// for a duel.
func NewEvidence(blocks []int) *Evidence {
	n := 0
	for _, m := range blocks {
		n += m
	}
	e := &Evidence{s: NewSolver()}
	e.s.data.n, e.s.data.stride, e.s.data.a = n, n, make([]float64, n*n)
	e.s.setSize(n, blocks)
	e.f = e.s.exact.(*denseFactor)
	for _, v := range []*[]float64{&e.mode, &e.motion, &e.scratch, &e.f.m[ofV], &e.f.m[ofF], &e.f.m[ofZ]} {
		*v = make([]float64, n)
	}
	return e
}

// Gram returns G, n×n and row-major, for the caller to set, both triangles. Call Value
// next.
func (e *Evidence) Gram() []float64 { return e.s.data.a }

// Value returns the evidence for G as it is now. ok is false where Newton's method did
// not reach the mode.
//
// Where the evidence is certain to be below least, the value may be an upper bound of
// it, which is below least too and costs half; least = -Inf asks for the evidence.
//
// A factor of the Newton matrix serves as long as its steps lower the squared
// residual to a tenth.
func (e *Evidence) Value(least float64) (value float64, ok bool) {
	s, f := e.s, e.f
	e.have = false
	s.Work.Solves++
	if s.n == 0 {
		return 0, true
	}
	cur := &s.cur
	copy(cur.alpha, e.mode)
	s.gram.mul(cur.g, cur.alpha)
	cur.lnKa = 0
	s.factor = f
	before, factors := 0.0, 0
	for range s.limits.newton {
		at := s.evaluate(nil, 0)
		if at.rest2 <= modeGoal*max(1, at.norm2) {
			copy(e.mode, cur.alpha)
			value = at.ll - 0.5*at.norm2
			if factors > 0 {
				if bound := value - e.leastHalfLogDet(); bound < least {
					return bound, true
				}
			}
			if !s.factorize(f, nil) {
				break
			}
			e.have = true
			return value - 0.5*linalg.LogDet(f.l, f.stride, s.n), true
		}
		if !(at.rest2 <= modeFall*before) {
			if !s.factorize(f, nil) {
				break
			}
			factors++
		}
		before = at.rest2
		m := f.m[ofF]
		f.applyRt(m, s.x[ofF])
		f.solve(m)
		s.advance(0, 0)
	}
	clear(e.mode)
	s.Work.Failures++
	return math.Inf(-1), false
}

// leastHalfLogDet returns a lower bound of ½ log|B| at the mode, given the factor for
// other weights W_0. As ∂ log|B| / ∂W_ii = C_ii, C the posterior covariance, is no more
// than G_ii/(1 + G_ii W_ii), what it would be with difference i alone,
//
//	log|B| >= log|B_0| - Σ log((1 + G_ii W_0ii)/(1 + G_ii W_ii))
//
// over the i whose weight is lower than before. It is for duels alone.
func (e *Evidence) leastHalfLogDet() float64 {
	s, f := e.s, e.f
	if s.root.blocks != nil {
		return math.Inf(-1)
	}
	ratio, drop := 1.0, 0.0
	for i, r := range s.root.r {
		if before := f.r[i]; r < before {
			g := s.gram.norm2(i)
			ratio *= (1 + float64(g*float64(before*before))) / (1 + float64(g*float64(r*r)))
			if ratio > productMax {
				drop += math.Log(ratio)
				ratio = 1
			}
		}
	}
	return 0.5 * (linalg.LogDet(f.l, f.stride, s.n) - drop - math.Log(ratio))
}

// Sensitivity returns the derivative of the evidence in G, n×n, row-major and
// symmetric, after a Value that was exact: with M = R B⁻¹ Rᵀ
//
//	½ (α αᵀ - M + t αᵀ + α tᵀ),   t = (I + WG)⁻¹ s,   s_i = -½ tr(C ∂W/∂u_i)
//
// where t is what the motion of the mode adds (Rasmussen and Williams, Sec. 5.5.1) and
// C = G - GMG is the posterior covariance. It is valid until the next call, and must not
// be changed.
func (e *Evidence) Sensitivity() []float64 {
	if !e.have {
		panic("convex: the sensitivity of an evidence that is not exact")
	}
	s, f, n := e.s, e.f, e.s.n
	if e.sens == nil {
		e.inverse, e.sens = make([]float64, n*n), make([]float64, n*n)
	}
	e.invert()
	root := &f.root
	for i, p := range s.kp { // of duels: WC = I - B⁻¹
		e.motion[i] = 0.5 * (1 - e.sens[i*n+i]) * (1 - 2*p)
	}
	for pass := 0; pass < 2; pass++ { // M = R B⁻¹ Rᵀ, rows, then columns
		for i := range n {
			root.applyR(e.sens[i*n:(i+1)*n], e.sens[i*n:(i+1)*n])
		}
		for i := range n {
			for j := range i {
				e.sens[i*n+j], e.sens[j*n+i] = e.sens[j*n+i], e.sens[i*n+j]
			}
		}
	}
	if root.blocks != nil {
		e.blockMotion()
	}
	// (I + WG)⁻¹ s = s - M G s
	t, gs := e.motion, e.scratch
	s.gram.mul(gs, t)
	bl.Dgemv(blas.NoTrans, n, n, -1, e.sens, n, gs, 1, 1, t, 1)
	for i, a := range e.mode {
		row := e.sens[i*n : (i+1)*n]
		for j, m := range row {
			row[j] = 0.5 * (float64(a*e.mode[j]) - m + float64(t[i]*e.mode[j]) + float64(a*t[j]))
		}
	}
	return e.sens
}

// invert sets inverse to L⁻¹ and sens to B⁻¹, both triangles.
func (e *Evidence) invert() {
	n, l, x := e.s.n, e.f.l, e.inverse
	for i := range n {
		row, li := x[i*n:(i+1)*n], l[i*e.f.stride:]
		clear(row)
		if i > 0 {
			bl.Dgemv(blas.Trans, i, i, -1/li[i], x, n, li, 1, 0, row, 1)
		}
		row[i] = 1 / li[i]
	}
	for i := range n {
		row := e.sens[i*n : i*n+i+1]
		bl.Dgemv(blas.Trans, n-i, i+1, 1, x[i*n:], n, x[i*n+i:], n, 0, row, 1)
		for j, v := range row {
			e.sens[j*n+i] = v
		}
	}
}

// blockMotion sets motion to the s of Sensitivity where M is in sens: with C a block of
// the posterior covariance and ∂p_a/∂u_i = -W_ai, s = ½ W (diag C - 2 C p).
func (e *Evidence) blockMotion() {
	s, n := e.s, e.s.n
	mg := e.scratch
	o := 0
	for _, m := range s.blocks {
		p := s.kp[o : o+m]
		v := e.motion[o : o+m]
		clear(v)
		for b, pb := range p {
			g := s.data.row(o + b)
			bl.Dgemv(blas.NoTrans, n, n, 1, e.sens, n, g, 1, 0, mg, 1)
			for a := range p {
				c := g[o+a] - dot(s.data.row(o+a), mg)
				v[a] -= 2 * c * pb
				if a == b {
					v[a] += c
				}
			}
		}
		pv := dot(p, v)
		for a, pa := range p { // W v = p∘v - p pᵀv
			v[a] = 0.5 * pa * (v[a] - pv)
		}
		o += m
	}
}

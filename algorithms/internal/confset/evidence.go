package confset

import (
	"math"
	"slices"

	"popbench/internal/math/fmath"
	"popbench/internal/math/linalg"
	"popbench/internal/math/wide"
)

// Evidence evaluates the Laplace approximation of log p(data) for one data set under a sequence of kernels.
// f is a Gaussian process whose differences have the Gram matrix G as their covariance:
//
//	ℓ(û) - ½‖f̂‖² - ½ log det(I + W^½ G W^½)
//
// at the mode, the maximum of ℓ(f) - ½‖f‖² (Rasmussen and Williams, Gaussian Processes for Machine Learning,
// 2006, Eq. 3.32). The mode solves the MLE's equations with κ = 1. Each evaluation starts from the last mode.
// Evidence does not allocate after the first gradient, and is not safe for concurrent use.
type Evidence struct {
	s        *Solver
	f        *denseFactor
	mode     []float64 // α of the last mode, f̂ = Σ α_i g_i; or zeros
	latent   []float64 // û of the last mode
	logDet   float64   // log|B| of the factor
	factored bool      // the factor is the one at the last mode

	inverse, sens   []float64 // of Sensitivity: U⁻ᵀ and the result, both n×n
	motion, scratch []float64 // of Sensitivity, length n
}

// NewEvidence returns the evidence of comparisons with blocks[i] differences each; a duel has one.
func NewEvidence(blocks []int) *Evidence {
	n := 0
	for _, m := range blocks {
		n += m
	}
	e := &Evidence{s: NewSolver()}
	e.s.data.n, e.s.data.stride, e.s.data.a = n, n, make([]float64, n*n)
	e.s.setSize(n, n, blocks)
	e.f = e.s.exact.(*denseFactor)
	for _, v := range []*[]float64{&e.mode, &e.latent, &e.motion, &e.scratch, &e.f.m[ofV], &e.f.m[ofF], &e.f.m[ofZ]} {
		*v = make([]float64, n)
	}
	return e
}

// Gram returns G, n×n and row-major. The caller sets both triangles and then calls Value.
func (e *Evidence) Gram() []float64 { return e.s.data.a }

// Value returns the evidence for the present G. ok is false if Newton's method did not reach the mode.
//
// If the evidence is certainly below least, Value may return an upper bound of it that is also below least,
// at half the cost. With least = -Inf it always returns the evidence. The bound is that of the dual problem: with u = Gα
// and p = ∇ℓ(u), the mode's ℓ - ½‖f‖² is no more than half (p - α)ᵀG(p - α) above its value at α.
//
// The first step is Newton's from the last û, not from Gα: there the weights are closer to those at the mode.
// A factor of the Newton matrix is used again while its steps lower the squared residual enough, see
// modeFall.
func (e *Evidence) Value(least float64) (value float64, ok bool) {
	s, f := e.s, e.f
	e.factored = false
	s.work.Solves++
	if s.n == 0 {
		return 0, true
	}
	cur := &s.cur
	copy(cur.alpha, e.mode)
	s.data.mul(cur.g, cur.alpha)
	same := slices.Equal(cur.g, e.latent) // if G is that of the last mode
	copy(cur.g, e.latent)
	cur.lnKa = 0
	s.factor = f
	before := 0.0
	for i := range s.limits.newton {
		at := s.frame.evaluate(nil, 0)
		value = at.ll - float64(0.5*at.norm2)
		done := (i > 0 || same) && at.rest2 <= modeGoal*max(1, at.norm2)
		if i > 0 {
			copy(e.mode, cur.alpha)
			copy(e.latent, cur.g)
			if bound := value + float64(0.5*at.rest2) - e.leastHalfLogDet(math.Sqrt(at.rest2)); bound < least {
				return bound, true
			}
		}
		if done || i == 0 || i > 1 && !(at.rest2 <= modeFall*before) {
			if !s.factorize(f, nil) {
				break
			}
			e.logDet = linalg.LogDet(f.u, f.stride, s.n)
		}
		if done {
			e.factored = true
			return value - float64(0.5*e.logDet), true
		}
		before = at.rest2
		m := f.m[ofF]
		f.applyRt(m, s.x[ofF])
		f.solve(m)
		if !s.advance(0, 0) {
			s.data.mul(cur.g, cur.alpha) // after a part of the step from û it would not be Gα
		}
	}
	clear(e.mode)
	clear(e.latent)
	s.work.Failures++
	return math.Inf(-1), false
}

// leastHalfLogDet returns a lower bound of ½ log|B| at the mode, given the factor for other weights W_0 and a bound of
// ‖f - f̂‖. Weight i at the mode is no less than W_i exp(-√G_ii ‖f - f̂‖), and
// ∂ log|B| / ∂W_ii = C_ii, where C is the posterior covariance, is no more than G_ii/(1 + G_ii W_ii), its
// value with difference i alone. So
//
//	log|B| >= log|B_0| - Σ log((1 + G_ii W_0ii)/(1 + G_ii W_ii))
//
// over the i whose weight is lower than before. The bound is for duels only; otherwise it is -Inf.
func (e *Evidence) leastHalfLogDet(distance float64) float64 {
	s, f := e.s, e.f
	if s.root.blocks != nil {
		return math.Inf(-1)
	}
	ratio, drop := 1.0, 0.0
	for i, r := range s.root.r {
		g := s.data.norm2(i)
		r *= 1 - min(1, 0.5*distance*math.Sqrt(g))
		if before := f.r[i]; r < before {
			ratio *= (1 + float64(g*float64(before*before))) / (1 + float64(g*float64(r*r)))
			if ratio > productMax {
				drop += fmath.Log(ratio)
				ratio = 1
			}
		}
	}
	return 0.5 * (e.logDet - drop - fmath.Log(ratio))
}

// Sensitivity returns the derivative of the evidence in G, n×n, row-major and symmetric. The last Value must
// have been exact. With M = R B⁻¹ Rᵀ it is
//
//	½ (α αᵀ - M + t αᵀ + α tᵀ),   t = (I + WG)⁻¹ s,   s_i = -½ tr(C ∂W/∂u_i)
//
// where t is the contribution of the mode's motion (Rasmussen and Williams, Sec. 5.5.1) and C = G - GMG is the
// posterior covariance. The result is valid until the next call; the caller must not change it.
func (e *Evidence) Sensitivity() []float64 {
	if !e.factored {
		panic("confset: Sensitivity without an exact Value before it")
	}
	s, f, n := e.s, e.f, e.s.n
	if e.sens == nil {
		e.inverse, e.sens = make([]float64, n*n), make([]float64, n*n)
	}
	e.invert()
	root := &f.root
	for i, p := range s.kp { // for duels: WC = I - B⁻¹
		e.motion[i] = 0.5 * (1 - e.sens[i*n+i]) * (1 - float64(2*p))
	}
	if root.blocks == nil { // M = R B⁻¹ Rᵀ
		for i, r := range root.r {
			row := e.sens[i*n : (i+1)*n]
			wide.Product(row, 1, row, root.r)
			wide.Scale(row, r)
		}
	} else {
		bothSides(e.sens, n, n, func(row []float64) { root.applyR(row, row) })
		e.blockMotion()
	}
	// (I + WG)⁻¹ s = s - M G s
	t, gs := e.motion, e.scratch
	s.data.mul(gs, t)
	wide.Gemv(t, -1, e.sens, n, gs)
	mode := e.mode
	for i, a := range mode {
		row, ti := e.sens[i*n:(i+1)*n], t[i]
		for j, m := range row {
			row[j] = 0.5 * (float64(a*mode[j]) - m + float64(ti*mode[j]) + float64(a*t[j]))
		}
	}
	return e.sens
}

// invert sets inverse to U⁻ᵀ and sens to B⁻¹, both triangles.
func (e *Evidence) invert() {
	n, u, st, x := e.s.n, e.f.u, e.f.stride, e.inverse
	clear(x)
	for i := range n {
		x[i*n+i] = 1
	}
	const block = 8 // columns, whose zeros above the block are skipped
	for j := 0; j < n; j += block {
		wide.SolveUT(u[j*st+j:], st, n-j, wide.Matrix{Data: x[j*n+j:], Stride: n}, min(block, n-j))
	}
	clear(e.sens)
	linalg.AddSquare(wide.Matrix{Data: e.sens, Stride: n}, false, wide.Matrix{Data: x, Stride: n}, n)
	linalg.Mirror(wide.Matrix{Data: e.sens, Stride: n}, n)
}

// blockMotion sets motion to the s of Sensitivity, given M in sens. With C a block of the posterior
// covariance and ∂p_a/∂u_i = -W_ai, s = ½ W (diag C - 2 C p).
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
			linalg.Mul(mg, 1, e.sens, n, g)
			for a := range p {
				c := g[o+a] - wide.Dot(s.data.row(o+a), mg)
				v[a] -= float64(2 * c * pb)
				if a == b {
					v[a] += c
				}
			}
		}
		pv := wide.Dot(p, v)
		for a, pa := range p { // W v = p∘v - p pᵀv
			v[a] = 0.5 * pa * (v[a] - pv)
		}
		o += m
	}
}

package gp

import (
	"math"

	"popbench/internal/math/linalg"
	"popbench/internal/math/wide"
)

const (
	maxVariational = 500
	variationalTol = 1e-11
	// variationalFloor is the residual that is accepted if it stops falling.
	variationalFloor = 1e-7
	// roughTol is the tolerance from which expectations to 1e-9 suffice.
	roughTol = 1e-5
)

// Variational returns the Gaussian approximation of the posterior of n latent values with the logistic link
// that is nearest in Kullback-Leibler divergence, with the bound on the evidence that it maximises,
//
//	Evidence = Σ E log σ(g_i) - KL(q ‖ prior),  q(g) = N(G a, V),  V = (G⁻¹ + W)⁻¹
//
// whose optimum needs only 2n numbers, a and W (Opper and Archambeau, "The variational Gaussian approximation
// revisited", Neural Computation 2009, Eqs. 10 to 12):
//
//	a_i = E σ(-g_i),   W_ii = E σ(g_i) σ(-g_i)
//
// g is as for Laplace. from is an earlier posterior to start from, of the first of the n comparisons or of all;
// nil for none. It may be the solver's last result. The iteration stops at a residual of tol; 0 stands for the
// limit of rounding.
//
// A step goes from (a, W) to the a of Newton's method with the present W, and to the W of the present means and
// variances: the natural gradient. The slope of the bound is G (E ∇log p - a) in a and ½ (V∘V) (E w - W) in W,
// so a short enough step always raises the bound. Full steps converge linearly, more slowly for larger G. Going to the W of
// the means after the step of a, to first order, and Anderson's mixing make that fast; both are dropped if the bound does
// not rise.
func (s *Solver) Variational(g []float64, n int, from *Posterior, tol float64) *Approximation {
	v := &s.vi
	v.digits = allDigits
	if tol == 0 {
		tol = variationalTol
	}
	if tol >= roughTol {
		v.digits = someDigits
	}
	v.begin(n, from)
	s.variance = linalg.Resize(s.variance, n)
	f := s.begin(g, n, nil)
	f.d3, f.variational = f.d3[:0], true
	best, length, plain := math.Inf(-1), 1.0, false // best bound so far, and the length and kind of the step to x
	lowest, lowestAt := math.Inf(1), 0              // the lowest residual, and its iteration
	for f.Newton < maxVariational {
		f.Newton++
		s.evaluate(f)
		if !(f.Evidence >= best-float64(1e-12*(1+math.Abs(best)))) {
			if plain {
				length /= 2
			}
			if length < 1e-12 {
				break
			}
			v.retreat(length)
			plain = true
			continue
		}
		best = f.Evidence
		s.residual(f)
		if f.Residual <= tol {
			f.Converged = true
			break
		}
		if f.Residual < lowest/2 {
			lowest, lowestAt = f.Residual, f.Newton
		}
		// Rounding may keep the residual of an ill-scaled problem above tol.
		if lowest < variationalFloor && f.Newton > lowestAt+20 {
			f.Converged = true
			break
		}
		plain = v.advance(length, s.variance)
		length = min(1, 2*length)
	}
	return f
}

// begin sets x to the posterior to start from, and for new comparisons to a = 0 and W = ¼, its value at g = 0.
func (v *variational) begin(n int, from *Posterior) {
	known := 0
	if from != nil {
		known = min(n, from.n)
	}
	for _, p := range []*[]float64{&v.x, &v.step, &v.coupled, &v.lastX, &v.lastStep, &v.scale} {
		*p = linalg.Resize(*p, 2*n)
	}
	v.mix.reset(2 * n)
	for i := range n {
		v.x[i], v.x[n+i] = 0, 0.25
		if i < known {
			v.x[i], v.x[n+i] = from.Alpha[i], max(from.SqrtW[i]*from.SqrtW[i], 1e-300)
		}
	}
}

// evaluate computes the posterior at x, its bound, and the parts of the step.
func (s *Solver) evaluate(f *Approximation) {
	v, n := &s.vi, f.n
	copy(f.Alpha, v.x)
	for i, w := range v.x[n:] {
		f.SqrtW[i] = math.Sqrt(w)
	}
	linalg.Mul(f.Mode, 1, f.g, n, f.Alpha)
	s.factorWithRows(f)
	f.LogLik = 0
	var trace float64
	v.means.compute(f.Mode, s.variance, v.digits)
	for i, e := range v.means.value {
		f.LogLik += e
		s.r[i] = v.means.d1[i] - f.Alpha[i]
		v.step[n+i] = v.means.w[i] - v.x[n+i]
		trace += float64(s.variance[i] * v.x[n+i])
	}
	// KL = ½ (aᵀGa + tr B⁻¹ - n + log|B|), and B⁻¹ = I - W½ V W½.
	f.Evidence = f.LogLik - float64(0.5*(wide.Dot(f.Alpha, f.Mode)-trace+f.LogDet))
}

// residual sets the step of a, the coupled step and the certificate.
func (s *Solver) residual(f *Approximation) {
	v, n := &s.vi, f.n
	linalg.Mul(s.gr, 1, f.g, n, s.r)
	s.newtonStep(f)
	copy(v.step, s.step)
	copy(v.coupled, s.step)
	for i, move := range s.gstep {
		v.coupled[n+i] = v.step[n+i] + float64(v.means.slope[i]*move)
	}
	f.Residual = math.Sqrt(max(wide.Dot(s.gr, s.step), 0))
	for i, w := range v.x[n:] {
		f.Residual = max(f.Residual, math.Abs(v.step[n+i])/w)
	}
}

// factorWithRows factors B and sets variance to the diagonal of V = G - G W½ B⁻¹ W½ G.
func (s *Solver) factorWithRows(f *Approximation) {
	n := f.n
	stride := linalg.RowLength(2 * n)
	s.rows = linalg.Resize(s.rows, n*stride) // B, and W½ G at its right
	wide.ScaleBoth(wide.Matrix{Data: s.rows, Stride: stride}, wide.Matrix{Data: f.g, Stride: n}, f.SqrtW)
	for i, wi := range f.SqrtW {
		x := s.rows[i*stride+n : i*stride+2*n]
		copy(x, f.g[i*n:(i+1)*n])
		wide.Scale(x, wi)
		s.rows[i*stride+i]++
		s.variance[i], s.trial[i] = f.g[i*n+i], 1
	}
	if !wide.Cholesky(s.rows, stride, n, n, 1) {
		s.rows[0] = math.NaN() // as are numbers of B, and all that follows
	}
	f.LogDet = linalg.LogDet(s.rows, stride, n)
	wide.Transpose(wide.Matrix{Data: f.l, Stride: n}, wide.Matrix{Data: s.rows, Stride: stride}, n, n)
	wide.Product(s.rows, 1, s.rows, s.rows)
	if n > 0 {
		wide.GemvT(s.variance, -1, s.rows[n:], stride, s.trial)
	}
	for i, v := range s.variance {
		s.variance[i] = max(v, 0)
	}
}

// advance moves x by the mixed coupled step if length is 1, else by length times the plain step. It reports whether the
// step was plain.
func (v *variational) advance(length float64, variance []float64) bool {
	copy(v.lastX, v.x)
	copy(v.lastStep, v.step)
	if length < 1 {
		v.retreat(length)
		return true
	}
	n := len(v.x) / 2
	for i, sd2 := range variance {
		v.scale[i], v.scale[n+i] = math.Sqrt(sd2), sd2
	}
	v.mix.next(v.x, v.lastX, v.coupled, v.scale)
	for i, w := range v.lastX[n:] {
		v.x[n+i] = max(v.x[n+i], w/4)
	}
	return false
}

// retreat sets x to the last point plus length times its plain step.
func (v *variational) retreat(length float64) {
	v.mix.reset(len(v.x))
	for i, x := range v.lastX {
		v.x[i] = x + float64(length*v.lastStep[i])
	}
}

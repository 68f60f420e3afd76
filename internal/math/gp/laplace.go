package gp

import (
	"fmt"
	"math"

	"popbench/internal/math/linalg"
	"popbench/internal/math/wide"
)

// Approximation is a Gaussian approximation of the posterior, and of the evidence: the probability of all
// comparisons.
type Approximation struct {
	Posterior
	Mode     []float64 // of the latent values g, length n; the mean too, since it is Gaussian
	LogLik   float64   // Laplace: log p(comparisons | Mode); variational: its mean under the posterior
	Evidence float64   // log probability of the comparisons, approximate; variational: a lower bound
	// Converged says that the iteration ended within the tolerance of the method. Otherwise the numbers are from the last
	// iterate; do not use them as a posterior.
	Converged bool
	// Residual is the certificate: the length of the last computed Newton step, in posterior standard
	// deviations (the Newton decrement). Variational: the same for the mean, or the largest relative error of a
	// variance weight, whichever is larger.
	Residual float64
	Newton   int // number of systems factored

	sens []float64 // ∂Evidence/∂G, n×n symmetric
	d3   []float64 // Laplace: third derivatives at the mode
	g    []float64 // n×n, the prior covariances, owned by the caller
	m, u []float64 // workspaces of Sensitivity

	variational bool // computed by Variational
}

// Status says in a word how the approximation ended.
func (f *Approximation) Status() string {
	if f.Converged {
		return "converged"
	}
	return "failed"
}

// Solver owns the memory of approximations, so that repeated ones do not allocate. The zero value is ready for
// use. A result is valid until the next call. A Solver is not safe for concurrent use.
type Solver struct {
	approx Approximation

	r, step, gr, gstep []float64 // length n: residual, step of a, and G times these
	trial              []float64
	at, next           derivatives // of log p at the mode, and at a trial
	rows, variance     []float64   // workspaces of the other methods
	vi                 variational
}

// derivatives are log p of each comparison and its derivatives.
type derivatives struct{ logp, d1, d2, d3 []float64 }

// objective is that of Laplace, whose derivatives it leaves in d.
func (d *derivatives) objective(link Link, a, mode []float64) float64 {
	for _, v := range []*[]float64{&d.logp, &d.d1, &d.d2, &d.d3} {
		*v = linalg.Resize(*v, len(a))
	}
	sum := -0.5 * wide.Dot(a, mode)
	for i, g := range mode {
		d.logp[i], d.d1[i], d.d2[i], d.d3[i] = link.Derivs(g)
		sum += d.logp[i]
	}
	return sum
}

const (
	maxNewton = 200
	// laplaceTol is the tolerance on the Newton decrement. Convergence is quadratic, so the step after it,
	// which is taken unchecked, ends at rounding.
	laplaceTol = 1e-10
)

// Laplace returns the Laplace approximation of the posterior of n latent values with prior covariances g (n×n,
// row-major, positive semidefinite; kept until the next call, not changed): a Gaussian around the mode ĝ of log
// p(comparisons|g) + log prior,
//
//	a = ∇log p(ĝ),  ĝ = G a,  W = -∇²log p(ĝ)
//	Evidence = log p(comparisons|ĝ) - ½ ĝᵀa - ½ log|B|
//
// (Rasmussen and Williams 2006, Alg. 3.1 and Eq. 3.32), by Newton's method with backtracking on a. start is the
// initial a, for example from an earlier approximation. It is nil for zero, and may be shorter than n if
// comparisons are new.
func (s *Solver) Laplace(g []float64, n int, link Link, start []float64) *Approximation {
	f := s.begin(g, n, start)
	linalg.Mul(f.Mode, 1, g, n, f.Alpha)
	atZero, atStart := 0.0, s.at.objective(link, f.Alpha, f.Mode)
	logp, _, _, _ := link.Derivs(0)
	for range n {
		atZero += logp
	}
	if atStart < atZero { // an earlier mode can be worse than zero
		clear(f.Alpha)
		clear(f.Mode)
		s.at.objective(link, f.Alpha, f.Mode)
	}
	stalled := math.Inf(1)
	for {
		f.LogLik, f.d3 = 0, s.at.d3
		for i, logp := range s.at.logp {
			f.LogLik += logp
			f.SqrtW[i] = math.Sqrt(-s.at.d2[i])
			s.r[i] = s.at.d1[i] - f.Alpha[i]
		}
		f.factor(g)
		f.Newton++
		// Newton's step of a is (I + W G)⁻¹ r = r - W½ B⁻¹ W½ G r.
		linalg.Mul(s.gr, 1, g, n, s.r)
		s.newtonStep(f)
		decrement2 := wide.Dot(s.gr, s.step)
		f.Residual = math.Sqrt(max(decrement2, 0))
		if f.Residual <= laplaceTol {
			for i := range f.Mode {
				f.Alpha[i] += s.step[i]
				f.Mode[i] += s.gstep[i]
			}
			f.Converged = true
			break
		}
		// Rounding keeps the decrement of an ill-scaled problem above the tolerance. Once small, it falls fast
		// or not at all.
		if f.Residual < 1e-6 && f.Residual > 0.5*stalled {
			f.Converged = true
			break
		}
		stalled = f.Residual
		if f.Newton == maxNewton || math.IsNaN(decrement2) {
			break
		}
		if !s.backtrack(f, link, decrement2) {
			break
		}
	}
	f.Evidence = f.LogLik - float64(0.5*wide.Dot(f.Mode, f.Alpha)) - float64(0.5*f.LogDet)
	return f
}

// Predict returns a start of Laplace for other prior covariances g of the same comparisons, after a result of s with the
// same link: the step of Newton's method at the mode of that result, where a = ∇log p(ĝ),
//
//	a - (I + W G)⁻¹ W (G a - ĝ).
//
// It is better than a, since the derivatives of a steep link at G a say nothing. It factors one matrix.
func (s *Solver) Predict(g []float64) []float64 {
	f := &s.approx
	f.factor(g)
	linalg.Mul(s.gr, 1, g, f.n, f.Alpha)
	for i, m := range f.Mode {
		s.gr[i] -= m
	}
	f.Whiten(s.gr, s.gr)
	f.Unwhiten(s.gr, s.gr)
	for i, a := range f.Alpha {
		s.step[i] = a - s.gr[i]
	}
	return s.step
}

// newtonStep sets step = r - W½ B⁻¹ W½ gr, gr = G r, and gstep = G step.
func (s *Solver) newtonStep(f *Approximation) {
	f.Whiten(s.step, s.gr)
	f.Unwhiten(s.step, s.step)
	for i, v := range s.r {
		s.step[i] = v - s.step[i]
	}
	linalg.Mul(s.gstep, 1, f.g, f.n, s.step)
}

// backtrack moves a and the mode along the step as far as the objective rises. It returns false if it does not
// rise.
func (s *Solver) backtrack(f *Approximation, link Link, decrement2 float64) bool {
	now := f.LogLik - float64(0.5*wide.Dot(f.Alpha, f.Mode))
	noise := float64(1e-13 * (1 + math.Abs(now)))
	for t := 1.0; t > 1e-10; t /= 2 {
		for i := range s.trial {
			s.trial[i] = f.Alpha[i] + float64(t*s.step[i])
			s.r[i] = f.Mode[i] + float64(t*s.gstep[i])
		}
		if s.next.objective(link, s.trial, s.r) >= now+float64(1e-4*t*decrement2)-noise {
			copy(f.Alpha, s.trial)
			copy(f.Mode, s.r)
			s.at, s.next = s.next, s.at
			return true
		}
	}
	return false
}

// begin prepares the approximation and the memory for n comparisons.
func (s *Solver) begin(g []float64, n int, start []float64) *Approximation {
	if len(g) != n*n {
		panic(fmt.Sprintf("gp: the covariances of %d comparisons are %d numbers, not %d", n, len(g), n*n))
	}
	if len(start) > n {
		panic(fmt.Sprintf("gp: a start of %d numbers for %d comparisons", len(start), n))
	}
	f := &s.approx
	f.resize(n)
	clear(f.Alpha[copy(f.Alpha, start):])
	f.Mode = linalg.Resize(f.Mode, n)
	f.g, f.Converged, f.Newton, f.Residual, f.LogLik, f.variational = g, false, 0, 0, 0, false
	for _, v := range []*[]float64{&s.r, &s.step, &s.gr, &s.gstep, &s.trial} {
		*v = linalg.Resize(*v, n)
	}
	return f
}

// Sensitivity returns ∂Evidence/∂G, n×n, row-major and symmetric, for a constant link: with M = W½ B⁻¹ W½,
//
//	½ (a aᵀ - M + u aᵀ + a uᵀ)
//
// where u = (I + W G)⁻¹ s, s_i = ½ cov_ii ∂³log p_i, is the effect of the moving mode for Laplace (Rasmussen
// and Williams 2006, Alg. 5.1). u is zero for the variational bound, which is stationary. The derivative of
// Evidence in a hyper-parameter θ is the dot product with ∂G/∂θ. The result is valid until the next call.
func (f *Approximation) Sensitivity() []float64 {
	n := f.n
	f.sens = linalg.Resize(f.sens, n*n)
	clear(f.sens) // becomes L⁻¹ W½
	for i := range n {
		f.sens[i*n+i] = 1
	}
	f.WhitenColumns(f.sens)
	m, u := linalg.Resize(f.m, n*n), linalg.Resize(f.u, n)
	f.m, f.u = m, u
	clear(m)
	linalg.AddSquare(wide.Matrix{Data: m, Stride: n}, false, wide.Matrix{Data: f.sens, Stride: n}, n)
	clear(u)
	if len(f.d3) > 0 {
		f.modeMotion(u)
	}
	for i := range n {
		for j := range i + 1 {
			v := 0.5 * (float64(f.Alpha[i]*f.Alpha[j]) - m[i*n+j] + float64(u[i]*f.Alpha[j]) + float64(f.Alpha[i]*u[j]))
			f.sens[i*n+j], f.sens[j*n+i] = v, v
		}
	}
	return f.sens
}

// modeMotion sets u. It uses sens as a workspace.
func (f *Approximation) modeMotion(u []float64) {
	n := f.n
	copy(f.sens, f.g)
	f.WhitenColumns(f.sens)
	for i := range n {
		for j, v := range f.sens[i*n : (i+1)*n] {
			u[j] -= float64(v * v)
		}
	}
	for i, less := range u { // cov_ii is the prior variance minus the explained part, so rounding can make it negative
		u[i] = 0.5 * max(f.g[i*n+i]+less, 0) * f.d3[i]
	}
	gs := f.sens[:n]
	linalg.Mul(gs, 1, f.g, n, u)
	f.Whiten(gs, gs)
	f.Unwhiten(gs, gs)
	for i, v := range gs {
		u[i] -= v
	}
}

// variational is the memory of Variational.
type variational struct {
	x, step         []float64 // 2n: a and W, and the plain step from there
	coupled         []float64 // 2n: the same step of a, and of W to the weights at the means that it leads to
	lastX, lastStep []float64
	scale           []float64 // 2n: weights of errors in the mixing
	digits          float64   // of expectations
	means           logitMeans
	mix             anderson
}

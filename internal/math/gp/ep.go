package gp

import (
	"math"

	"popbench/internal/math/fmath"
	"popbench/internal/math/linalg"
	"popbench/internal/math/wide"
)

const (
	maxSweeps = 200
	// epTol is the tolerance on Approximation.Residual. Convergence is linear. The evidence is stationary in
	// the sites, so the error of the evidence is of the order of epTol².
	epTol = 1e-10
)

// EP returns the posterior of n latent values by expectation propagation with the probit link. The prior
// covariances g are as for Laplace. Each comparison is replaced by a Gaussian site exp(ν̃ g_i - ½ τ̃ g_i²),
// such that the marginal of g_i keeps its mean and variance if the comparison's own probability replaces the
// site (Minka, "A family of algorithms for approximate Bayesian inference", 2001; Rasmussen and Williams 2006,
// Alg. 3.5 and 5.2).
//
// In the result, W is τ̃; Mode is the posterior mean, so that ν̃ = a + τ̃ Mode; LogLik is the sum of log Ẑ_i,
// each comparison's probability given all others; and Newton counts the sweeps over the sites. Residual is the
// largest mismatch of a mean or, as a square, of a variance, in units of the width over which the comparison's
// probability changes: √(Scale² + variance).
func (s *Solver) EP(g []float64, n int, link Probit) *Approximation {
	f := s.begin(g, n, nil)
	f.d3 = f.d3[:0] // the evidence is stationary in the sites: G changes it through the prior only
	clear(f.SqrtW)
	s.rows, s.variance = linalg.Resize(s.rows, n*n), linalg.Resize(s.variance, n*n)
	nu, cov := s.r, s.variance
	clear(nu)
	before := math.Inf(1)
	for {
		s.marginals(nu, cov)
		f.Residual, f.LogLik, f.Evidence = 0, 0, -0.5*f.LogDet
		for i, mean := range f.Mode {
			tau := float64(f.SqrtW[i] * f.SqrtW[i])
			c := cavityOf(mean, cov[i*n+i], nu[i], tau)
			t := c.tilt(link)
			f.Residual = max(f.Residual, math.Abs(t.mean-mean)/t.width, math.Abs(t.variance-cov[i*n+i])/(t.width*t.width))
			f.LogLik += t.logZ
			f.Evidence += float64(0.5*nu[i]*mean) + t.logZ - c.logMass(nu[i], tau)
		}
		switch {
		case n > 0 && f.Newton == 0: // under a narrow prior even the initial zero sites nearly match
		case f.Residual <= epTol, f.Residual < 1e-6 && f.Residual > 0.9*before: // the second: rounding keeps it above epTol
			f.Converged = true
			return f
		case f.Newton == maxSweeps || math.IsNaN(f.Residual):
			return f
		}
		before = f.Residual
		s.sweep(link, nu, cov)
		f.Newton++
	}
}

// marginals sets cov (n×n) and the mode to the Gaussian posterior of the sites. It starts afresh, since the
// updates of a sweep lose digits.
func (s *Solver) marginals(nu, cov []float64) {
	f, n := &s.approx, s.approx.n
	f.factor(f.g)
	copy(s.rows, f.g)
	f.WhitenColumns(s.rows)
	copy(cov, f.g)
	columns := wide.Matrix{Data: s.rows, Stride: n}
	wide.GemmT(wide.Matrix{Data: cov, Stride: n}, true, columns, columns, n, n, n)
	linalg.Mul(s.gr, 1, f.g, n, nu) // a = ν̃ - W½ B⁻¹ W½ G ν̃
	f.Whiten(s.step, s.gr)
	f.Unwhiten(s.step, s.step)
	for i, v := range nu {
		f.Alpha[i] = v - s.step[i]
	}
	linalg.Mul(f.Mode, 1, f.g, n, f.Alpha)
}

// sweep updates every site once, and cov and the mode after each.
func (s *Solver) sweep(link Probit, nu, cov []float64) {
	f, n := &s.approx, s.approx.n
	for i := range n {
		tau := float64(f.SqrtW[i] * f.SqrtW[i])
		c := cavityOf(f.Mode[i], cov[i*n+i], nu[i], tau)
		t := c.tilt(link)
		dTau, dNu := t.tau-tau, t.nu-nu[i]
		f.SqrtW[i], nu[i] = math.Sqrt(t.tau), t.nu
		column := s.step
		copy(column, cov[i*n:(i+1)*n])
		scale := 1 / (1 + float64(dTau*column[i]))
		gain := (dNu - float64(dTau*f.Mode[i])) * scale
		for j, v := range column {
			f.Mode[j] += float64(gain * v)
		}
		for j, v := range column {
			wide.AddScaled(cov[j*n:(j+1)*n], -dTau*scale*v, column)
		}
	}
}

// cavity is the Gaussian marginal of a latent value without its own site.
type cavity struct{ mean, variance float64 }

// cavityOf removes the site (ν̃, τ̃) from a marginal.
func cavityOf(mean, variance, nu, tau float64) cavity {
	left := 1 - float64(tau*variance)
	return cavity{(mean - float64(nu*variance)) / left, variance / left}
}

// logMass returns log ∫ exp(ν̃ g - ½ τ̃ g²) dN(g) over the cavity.
func (c cavity) logMass(nu, tau float64) float64 {
	widening := float64(tau * c.variance)
	return (float64(c.mean*nu)+float64(0.5*nu*nu*c.variance)-float64(0.5*tau*c.mean*c.mean))/(1+widening) - float64(0.5*fmath.Log1p(widening))
}

// tilted is the cavity times Φ(g/Scale): its mass, its moments, the site (ν̃, τ̃) that gives the cavity these
// moments, and the combined width of cavity and link.
type tilted struct{ logZ, mean, variance, nu, tau, width float64 }

func (c cavity) tilt(link Probit) tilted {
	width := math.Sqrt(float64(link.Scale*link.Scale) + c.variance)
	logZ, h, q, _ := probit(c.mean / width)
	slope := h / width                     // ∂ log Z / ∂ mean
	bend := h * q / (width * width)        // -∂² log Z / ∂ mean²
	shrink := 1 - float64(c.variance*bend) // in (0, 1]
	return tilted{
		logZ:     logZ,
		mean:     c.mean + float64(c.variance*slope),
		variance: c.variance * shrink,
		nu:       (slope + float64(c.mean*bend)) / shrink,
		tau:      bend / shrink,
		width:    width,
	}
}

package convex

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"popbench/internal/check"
)

// Problems generated backwards: the test draws the multipliers ν and κ, and computes the f that they make optimal with code
// of its own. B and β follow from f, so its value is the optimum, which the solver has to find from the raw data.

// stationary maximises κ ℓ(u) - ½ αᵀGα, u = νc + Gα, whose solution makes f = νh + Σ α_i g_i stationary for
// the Lagrangian, by a damped Newton's method on the coefficients.
func (p *instance) stationary(t testing.TB, g, c []float64, nu, kappa float64) (alpha, u []float64) {
	n := len(c)
	alpha, u = make([]float64, n), make([]float64, n)
	next, rest := make([]float64, n), mat.NewVecDense(n, nil)
	gram := mat.NewDense(n, n, g)
	objective := func(alpha []float64) (fun float64) {
		for i := range u {
			ga := inner(g[i*n:(i+1)*n], alpha)
			u[i] = nu*c[i] + ga
			fun -= 0.5 * alpha[i] * ga
		}
		return fun + kappa*p.logLik(u)
	}
	fun := objective(alpha)
	last := math.Inf(1)
	for range 200 {
		prob := p.prob(u)
		for i, pi := range prob {
			rest.SetVec(i, kappa*pi-alpha[i])
		}
		left := mat.Norm(rest, math.Inf(1))
		if left <= 1e-14*(1+kappa) || left <= 1e-8*(1+kappa) && left > 0.5*last {
			return alpha, u
		}
		last = left
		var step mat.VecDense
		check.OK(t, step.SolveVec(p.newtonMatrix(prob, gram, kappa), rest))
		for size := 1.0; ; size *= 0.5 {
			for i := range next {
				next[i] = alpha[i] + size*step.AtVec(i)
			}
			if f := objective(next); f >= fun-1e-10*(1+kappa+math.Abs(fun)) {
				alpha, next, fun = next, alpha, f
				break
			}
			if size < 1e-9 {
				t.Fatalf("%s: the test's own solver stalls at a residual of %g", p.name, left)
			}
		}
	}
	t.Fatalf("%s: the test's own solver did not converge", p.name)
	return nil, nil
}

func TestBackward(t *testing.T) {
	count := check.Few(400, 4000)
	var solved, recovered int
	for seed := range count {
		r := rand.New(rand.NewPCG(uint64(seed), 3))
		n := int(logUniform(r, 1, 40))
		if seed%200 == 199 {
			n = 100
		}
		p := randomProblem(t, r, n)
		g := p.gram()
		c, rho := p.query()
		slope := 0.0 // of ℓ at 0
		prob := p.prob(make([]float64, len(c)))
		for i, pi := range prob {
			slope += pi * inner(g[i*len(c):][:len(c)], prob)
		}
		if rho < 1e-3 || slope < 1e-3 {
			continue
		}
		s := p.solver()
		alpha, u := p.stationary(t, g, make([]float64, len(c)), 0, logUniform(r, 0.03, 300)/math.Sqrt(slope))
		p.b = math.Sqrt(inner(alpha, u))
		best := p.logLik(u)
		mle := s.MLE(p.b)
		check.That(t, mle.Status.OK(), "seed %d, %s: MLE %v", seed, p.name, mle.Status)
		check.Near(t, mle.Value, best, Tol*max(1, -best), "seed %d, %s: MLE, the test's own", seed, p.name)

		// λ is relative to ‖h‖ and the slope, ν relative to the resulting norm.
		nu, lambda := logUniform(r, 0.1, 30)/math.Sqrt(rho), logUniform(r, 0.03, 30)*math.Sqrt(rho/slope)
		alpha, u = p.stationary(t, g, c, nu, lambda*nu)
		ca := inner(c, alpha)
		p.b = math.Sqrt(nu*(nu*rho+ca) + inner(alpha, u))
		level, optimum := p.logLik(u), nu*rho+ca
		p.beta = s.MLE(p.b).Value - level
		if p.beta < 1e-6 {
			continue
		}
		s.SetLevel(p.beta)
		o := p.solve(s, &WarmStart{})
		solved++
		if o.res.Status == Recovered {
			recovered++
		}
		slack := 1e-8*o.scale + 1e-13*lambda*-level
		check.That(t, o.res.Status.OK() && o.res.Gap <= 1e-8*o.scale, "seed %d, %s: %+v, scale %g", seed, p.name, o.res, o.scale)
		check.Near(t, o.res.Value, optimum, slack, "seed %d, %s: value, by construction", seed, p.name)
		check.That(t, o.res.Bound >= optimum-slack, "seed %d, %s: bound %.12g, by construction %.12g", seed, p.name, o.res.Bound, optimum)
		check.Near(t, o.valueFor(o), o.res.Value, slack, "seed %d, %s: the solution's value, reported", seed, p.name)
		p.checkSet(t, seed, o.f, level)
	}
	check.That(t, 2*solved > count && 20*recovered <= solved, "Newton's method failed on %d of %d, from %d seeds", recovered, solved, count)
}

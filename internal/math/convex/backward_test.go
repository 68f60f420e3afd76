package convex

import (
	"math"
	"math/rand/v2"
	"testing"

	"popbench/internal/check"
)

// Problems generated backwards: the tests draw the multipliers ν and κ, and compute the f that they make
// optimal with code of their own (a damped Newton's method on the coefficients, with Gaussian elimination).
// B and β follow from f, so its value is the optimum, which the solver has to find from the raw data.

// stationary maximises κ ℓ(u) - ½ αᵀGα, u = νc + Gα, whose solution makes f = νh + Σ α_i g_i stationary for
// the Lagrangian. It starts from alpha, leaves the solution there, and returns u.
func stationary(t testing.TB, p *instance, g [][]float64, c []float64, nu, kappa float64, alpha []float64) []float64 {
	n := len(alpha)
	u, next := make([]float64, n), make([]float64, n)
	m := make([][]float64, n)
	for i := range m {
		m[i] = make([]float64, n+1)
	}
	objective := func(alpha, u []float64) (fun float64) {
		for i := range u {
			ga := inner(g[i], alpha)
			u[i] = nu*c[i] + ga
			fun -= 0.5 * alpha[i] * ga
		}
		return fun + kappa*p.logLikDiff(u)
	}
	fun := objective(alpha, u)
	last := math.Inf(1)
	for range 200 {
		prob := p.prob(u)
		var rest float64
		o := 0
		for _, losers := range p.los {
			size := len(losers)
			for i := o; i < o+size; i++ {
				rest = max(rest, math.Abs(kappa*prob[i]-alpha[i]))
				// Row i of I + κWG, and the right-hand side κp - α.
				for j := range n {
					v := prob[i] * g[i][j]
					for k := o; k < o+size; k++ {
						v -= prob[i] * prob[k] * g[k][j]
					}
					m[i][j] = kappa * v
				}
				m[i][i]++
				m[i][n] = kappa*prob[i] - alpha[i]
			}
			o += size
		}
		if rest <= 1e-14*(1+kappa) || rest <= 1e-8*(1+kappa) && rest > 0.5*last {
			return u
		}
		last = rest
		eliminate(m)
		for step := 1.0; ; step *= 0.5 {
			for i := range next {
				next[i] = alpha[i] + step*m[i][n]
			}
			if f := objective(next, u); f >= fun-1e-10*(1+kappa+math.Abs(fun)) {
				copy(alpha, next)
				fun = f
				break
			}
			if step < 1e-9 {
				t.Fatalf("%s: the test's own solver stalls at a residual of %g", p.name, rest)
			}
		}
	}
	t.Fatalf("%s: the test's own solver did not converge", p.name)
	return nil
}

// eliminate solves the system with the right-hand side in the last column. It overwrites that column with
// the solution.
func eliminate(m [][]float64) {
	n := len(m)
	for k := range n {
		top := k
		for i := k + 1; i < n; i++ {
			if math.Abs(m[i][k]) > math.Abs(m[top][k]) {
				top = i
			}
		}
		m[k], m[top] = m[top], m[k]
		for i := k + 1; i < n; i++ {
			q := m[i][k] / m[k][k]
			row := m[i][k:]
			for j, v := range m[k][k:] {
				row[j] -= q * v
			}
		}
	}
	for k := n - 1; k >= 0; k-- {
		for j := k + 1; j < n; j++ {
			m[k][n] -= m[k][j] * m[j][n]
		}
		m[k][n] /= m[k][k]
	}
}

// prob returns ∇ℓ from its definition.
func (p *instance) prob(u []float64) []float64 {
	prob := make([]float64, len(u))
	o := 0
	for _, losers := range p.los {
		size := len(losers)
		for i := o; i < o+size; i++ {
			sum := math.Exp(u[i])
			for k := o; k < o+size; k++ {
				sum += math.Exp(u[i] - u[k])
			}
			prob[i] = 1 / sum
		}
		o += size
	}
	return prob
}

// logLikDiff returns ℓ at the differences u.
func (p *instance) logLikDiff(u []float64) (ll float64) {
	for _, losers := range p.los {
		most := 0.0
		for _, v := range u[:len(losers)] {
			most = max(most, -v)
		}
		var sum float64
		for _, v := range u[:len(losers)] {
			sum += math.Exp(-v - most)
		}
		if most == 0 {
			ll -= math.Log1p(sum)
		} else {
			ll -= most + math.Log(sum+math.Exp(-most))
		}
		u = u[len(losers):]
	}
	return ll
}

// bestLogLik returns ℓ_MLE over ‖f‖ <= b. The norm of the MLE rises with κ, so the solution is a root in
// log κ. It returns NaN if the norm stays below b.
func bestLogLik(t testing.TB, p *instance, g [][]float64, b float64) float64 {
	n := len(g)
	alpha, c := make([]float64, n), make([]float64, n)
	var ll float64
	excess := func(x float64) float64 {
		u := stationary(t, p, g, c, 0, math.Exp(x), alpha)
		ll = p.logLikDiff(u)
		return 0.5*math.Log(inner(alpha, u)) - math.Log(b)
	}
	lo, hi := math.Log(b)-3, 0.0
	flo := excess(lo)
	for flo > 0 {
		lo -= 3
		clear(alpha)
		flo = excess(lo)
	}
	fhi := flo
	for hi = lo; fhi <= 0; {
		lo, flo = hi, fhi
		if hi++; hi > 12 {
			return math.NaN() // the ball does not bind
		}
		fhi = excess(hi)
	}
	for math.Abs(hi-lo) > 1e-14*(1+math.Abs(hi)) { // the Illinois variant of regula falsi
		x := hi - fhi*(hi-lo)/(fhi-flo)
		f := excess(x)
		if math.Abs(f) < 1e-12 {
			break
		}
		if f*fhi < 0 {
			lo, flo = hi, fhi
		} else {
			flo *= 0.5
		}
		hi, fhi = x, f
		if lo == hi {
			break
		}
	}
	return ll
}

// backward is a problem with its solution.
type backward struct {
	*instance
	c           []float64
	rho         float64
	nu, lambda  float64
	best, level float64 // ℓ_MLE and ℓ̄
	optimum     float64
}

// newBackward draws a problem of about n differences whose β is distinct from 0 and whose MLE has the norm
// B.
func newBackward(t testing.TB, r *rand.Rand, n int) (b backward) {
	for b.instance == nil || !(b.beta >= 1e-6) {
		p := randomProblem(t, r, n)
		b.instance = p
		b.c, b.rho = p.query()
		g := p.gram()
		// λ is drawn relative to ‖h‖ and the slope of ℓ at 0, ν relative to the resulting norm.
		var slope float64
		prob := p.prob(make([]float64, len(g)))
		for i, pi := range prob {
			slope += pi * inner(g[i], prob)
		}
		if b.rho < 1e-3 || slope < 1e-3 {
			continue
		}
		b.nu = logUniform(r, 0.1, 30) / math.Sqrt(b.rho)
		b.lambda = logUniform(r, 0.03, 30) * math.Sqrt(b.rho/slope)
		alpha := make([]float64, len(g))
		u := stationary(t, p, g, b.c, b.nu, b.lambda*b.nu, alpha)
		ca := inner(b.c, alpha)
		norm2 := b.nu * (b.nu*b.rho + 2*ca)
		for i, a := range alpha {
			norm2 += a * inner(g[i], alpha)
		}
		p.b = math.Sqrt(norm2)
		b.best, b.level = bestLogLik(t, p, g, p.b), p.logLikDiff(u)
		p.beta = b.best - b.level
		b.optimum = b.nu*b.rho + ca
	}
	return b
}

func TestBackward(t *testing.T) {
	const count = 1000
	recovered := 0
	for seed := range count {
		r := rand.New(rand.NewPCG(uint64(seed), 3))
		n := int(logUniform(r, 1, 40))
		switch seed {
		case 333, 666:
			n = 100
		case 999:
			n = 200
		}
		p := newBackward(t, r, n)
		scale := max(1, p.b*math.Sqrt(p.rho))
		s := p.solver()
		mle := s.MLE(p.b)
		if !mle.Status.OK() || math.Abs(mle.Value-p.best) > Tol*max(1, -p.best) {
			t.Errorf("seed %d, %s: MLE %v, %.12g, the test's own %.12g", seed, p.name, mle.Status, mle.Value, p.best)
			continue
		}
		s.SetLevel(p.beta)
		res := s.Maximize(p.c, p.rho, nil)
		if res.Status == Recovered {
			recovered++
		}
		if !res.Status.OK() || res.Gap > 1e-8*scale {
			t.Errorf("seed %d, n=%d %s: %v, gap %g of a scale %g", seed, s.n, p.name, res.Status, res.Gap, scale)
			continue
		}
		// An error of ℓ_MLE moves the optimum λ times as far.
		slack := 1e-8*scale + p.lambda*(math.Abs(mle.Value-p.best)+1e-13*-p.level)
		if math.Abs(res.Value-p.optimum) > slack || res.Bound < p.optimum-slack {
			t.Errorf("seed %d, n=%d %s: [%.12g, %.12g], by construction %.12g", seed, s.n, p.name, res.Value, res.Bound, p.optimum)
		}
		p.checkKKT(t, seed, s, res, slack)
	}
	check.That(t, recovered <= count/20, "Newton's method failed on %d of %d", recovered, count)
}

// checkKKT computes from the raw data the value of the solver's function, its constraints, and the
// weak-duality bound with the multipliers that the problem was made from.
func (p *backward) checkKKT(t *testing.T, seed int, s *Solver, res Result, slack float64) {
	t.Helper()
	coef := make([]float64, s.n)
	own := s.Function(coef)
	a := p.spread(coef)
	for i, h := range p.h {
		a[i] += own * h
	}
	z := p.apply(a)
	norm2, ll, value := inner(a, z), p.logLik(z), inner(p.h, z)
	scale := max(1, p.b*math.Sqrt(p.rho))
	if norm2 > p.b*p.b*(1+1e-8) || p.lambda*(p.level-ll) > slack {
		t.Errorf("seed %d, %s: the solution has ‖f‖/B = 1%+.2g and ℓ - ℓ̄ = %.2g", seed, p.name, math.Sqrt(norm2)/p.b-1, ll-p.level)
	}
	check.Near(t, value, res.Value, slack, "seed %d, %s: the solution's value, reported", seed, p.name)
	// ∇L = h + λ Σ p_i g_i - 2μf, as coefficients of points; μ = 1/2ν.
	u := make([]float64, 0, s.n)
	for _, d := range p.diffs() {
		u = append(u, z[d[0]]-z[d[1]])
	}
	grad := p.spread(p.prob(u))
	for i := range grad {
		grad[i] = p.h[i] + p.lambda*grad[i] - a[i]/p.nu
	}
	rest := inner(grad, p.apply(grad))
	bound := value + p.lambda*(ll-p.level) + 0.5*(p.b*p.b-norm2)/p.nu + 0.5*p.nu*rest
	if bound < res.Value-slack || bound > res.Value+slack+1e-7*scale {
		t.Errorf("seed %d, %s: value %.12g, bound of weak duality %.12g", seed, p.name, res.Value, bound)
	}
}

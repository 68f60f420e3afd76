package convex

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// The Laplace approximation against the mode and the determinant by the test's
// own Gaussian elimination.
func TestEvidence(t *testing.T) {
	for seed := range 100 {
		r := rand.New(rand.NewPCG(uint64(seed), 8))
		p := randomProblem(t, r, 1+r.IntN(25))
		s := p.solver()
		got, ok := s.Evidence(make([]float64, s.Len()))
		g := p.gram()
		n := len(g)
		alpha := make([]float64, n)
		u := stationary(t, p, g, make([]float64, n), 0, 1, alpha)
		prob := p.prob(u)
		want := p.logLikDiff(u)
		m := make([][]float64, n) // I + WG
		o := 0
		for _, losers := range p.los {
			for i := o; i < o+len(losers); i++ {
				want -= 0.5 * alpha[i] * inner(g[i], alpha)
				m[i] = make([]float64, n+1)
				for j := range n {
					v := g[i][j]
					for k := o; k < o+len(losers); k++ {
						v -= prob[k] * g[k][j]
					}
					m[i][j] = prob[i] * v
				}
				m[i][i]++
			}
			o += len(losers)
		}
		eliminate(m)
		for i := range m {
			want -= 0.5 * math.Log(math.Abs(m[i][i])) // the pivots
		}
		if !ok || math.Abs(got-want) > 1e-9*(1+math.Abs(want)) {
			t.Errorf("seed %d, %s: log evidence %.12g (%v), want %.12g", seed, p.name, got, ok, want)
		}
	}
	if v, ok := NewSolver().Evidence(nil); v != 0 || !ok {
		t.Errorf("without data %g, %v", v, ok)
	}
}

// A relaxation is an ellipsoid: its solution lies on the boundary, has the value
// that is claimed, and no other point of the ellipsoid has more. Estimate gives
// the same for many.
func TestRelaxation(t *testing.T) {
	for seed := range 60 {
		r := rand.New(rand.NewPCG(uint64(seed), 9))
		p := randomProblem(t, r, 1+r.IntN(25))
		p.b, p.beta = logUniform(r, 1, 10), logUniform(r, 0.1, 10)
		s := p.solver()
		s.MLE(p.b)
		s.SetLevel(p.beta)
		var x Relaxation
		shift := r.NormFloat64()
		if !s.Relax(&x, shift) {
			continue
		}
		u0 := slices.Clone(s.cold.g)
		prob, ll0 := p.prob(u0), p.logLikDiff(u0)
		kappa := math.Exp(shift + s.ColdLogKappa())
		// inside is ½B² - ½‖f‖² + κ(ℓ - ℓ̄) by the quadratic model at u_0.
		inside := func(u []float64, norm2 float64) float64 {
			ll := ll0
			o := 0
			for _, losers := range p.los {
				var mean float64
				for i := o; i < o+len(losers); i++ {
					d := u[i] - u0[i]
					ll += prob[i]*d - 0.5*prob[i]*d*d
					mean += prob[i] * d
				}
				ll += 0.5 * mean * mean
				o += len(losers)
			}
			return 0.5*p.b*p.b - 0.5*norm2 + kappa*(ll-s.lbar)
		}
		diffs := func(f function) (u []float64) {
			for _, d := range p.diffs() {
				u = append(u, f.z[d[0]]-f.z[d[1]])
			}
			return u
		}
		const count = 3
		n := s.Len()
		all, rhos, single, many := make([]float64, n*count), make([]float64, count), make([]float64, count), make([]float64, count)
		for k := range count {
			c, rho := p.query()
			if rho < 1e-6 {
				rho = 0
			}
			rhos[k] = rho
			for i, v := range c {
				all[i*count+k] = v
			}
			coef := make([]float64, n)
			value, nu := x.Solve(coef, c, rho)
			single[k] = value
			if rho > 0 {
				f := p.function(coef, nu)
				size := p.b*p.b + f.norm2 + kappa*(math.Abs(ll0)+math.Abs(s.lbar))
				if got := inside(diffs(f), f.norm2); math.Abs(got) > 1e-6*size+f.blur {
					t.Errorf("seed %d, %s: the solution is %g off the boundary, of %g", seed, p.name, got, size)
				}
				if got := inner(p.h, f.z); math.Abs(got-value) > 1e-7*(1+math.Abs(value))+f.noise*10 {
					t.Errorf("seed %d, %s: the solution has %.10g, said to be %.10g", seed, p.name, got, value)
				}
				for range 20 {
					other := slices.Clone(coef)
					for i := range other {
						other[i] += 0.1 * (1 + math.Abs(other[i])) * r.NormFloat64()
					}
					o := p.function(other, nu*(1+0.1*r.NormFloat64()))
					if v := inner(p.h, o.z); inside(diffs(o), o.norm2) > 0 && v > value+1e-7*(1+math.Abs(value)) {
						t.Errorf("seed %d, %s: %.10g within the ellipsoid, maximum %.10g", seed, p.name, v, value)
					}
				}
			}
			p.randomQuery(r)
		}
		x.Estimate(many, all, rhos)
		for k := range many {
			if rhos[k] > 0 && math.Abs(many[k]-single[k]) > 1e-6*(1+math.Abs(single[k])) {
				t.Errorf("seed %d, %s: Estimate %.10g, Solve %.10g", seed, p.name, many[k], single[k])
			}
		}
	}
}

func TestTolerance(t *testing.T) {
	p := newBenchProblem(t, 30)
	c, rho := p.advantage([]float64{0.1, 0.9})
	scale := max(1, p.b*math.Sqrt(rho))
	systems := math.MaxInt
	for _, tol := range []float64{1e-12, 1e-9, 1e-3} {
		s := p.solver()
		s.SetTol(tol)
		s.MLE(p.b)
		s.SetLevel(p.beta)
		res := s.Maximize(c, rho, nil)
		if !res.Status.OK() || res.Gap > tol*scale || res.Newton > systems {
			t.Errorf("tolerance %g: %+v", tol, res)
		}
		systems = res.Newton
	}
}

func TestLogLikOfPoints(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 10))
	for range 50 {
		p := randomProblem(t, r, 12)
		f := make([]float64, len(p.k))
		for i := range f {
			f[i] = 3 * r.NormFloat64()
		}
		var win, los []int
		for _, d := range p.diffs() {
			win, los = append(win, d[0]), append(los, d[1])
		}
		if got, want := p.solver().LogLik(f, win, los), p.logLik(f); math.Abs(got-want) > 1e-12*(1+math.Abs(want)) {
			t.Errorf("%s: %g, want %g", p.name, got, want)
		}
	}
}

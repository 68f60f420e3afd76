package convex

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"popbench/internal/check"
)

// The evidence agrees with the mode and the determinant from the test's own Gaussian elimination.
func TestEvidence(t *testing.T) {
	for seed := range 100 {
		r := rand.New(rand.NewPCG(uint64(seed), 8))
		p := randomProblem(t, r, 1+r.IntN(25))
		g := p.gram()
		e := evidenceOf(p, g)
		got, ok := e.Value(math.Inf(-1))
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
	if v, ok := NewEvidence(nil).Value(math.Inf(-1)); v != 0 || !ok {
		t.Errorf("without data %g, %v", v, ok)
	}
}

// evidenceOf returns the evidence of a problem's comparisons with the Gram matrix g.
func evidenceOf(p *instance, g [][]float64) *Evidence {
	var blocks []int
	for _, losers := range p.los {
		blocks = append(blocks, len(losers))
	}
	e := NewEvidence(blocks)
	setGram(e, g, 1)
	return e
}

// setGram sets the Gram matrix to scale times g.
func setGram(e *Evidence, g [][]float64, scale float64) {
	for i, row := range g {
		for j, v := range row {
			e.Gram()[i*len(g)+j] = scale * v
		}
	}
}

// The sensitivity agrees with finite differences of the evidence along a random symmetric matrix, for duels and
// for comparisons of several points. The matrix is positive semi-definite, so G stays so too.
func TestEvidenceSensitivity(t *testing.T) {
	for seed := range 100 {
		r := rand.New(rand.NewPCG(uint64(seed), 9))
		p := randomProblem(t, r, 1+r.IntN(25))
		g := p.gram()
		e := evidenceOf(p, g)
		n := len(g)
		along := make([][]float64, n)
		for i := range along {
			along[i] = make([]float64, n)
		}
		for range 3 {
			v := make([]float64, n)
			for i := range v {
				v[i] = r.NormFloat64()
			}
			for i := range v {
				for j := range v {
					along[i][j] += v[i] * v[j]
				}
			}
		}
		at := func(h float64) float64 {
			sum := make([][]float64, n)
			for i := range sum {
				sum[i] = slices.Clone(g[i])
				for j := range sum[i] {
					sum[i][j] += h * along[i][j]
				}
			}
			setGram(e, sum, 1)
			v, ok := e.Value(math.Inf(-1))
			if !ok {
				t.Fatalf("seed %d: no evidence", seed)
			}
			return v
		}
		size := 1.0
		for i := range g {
			size = max(size, g[i][i])
		}
		// Fourth order, from one side because G - h along might have a negative eigenvalue.
		h := 1e-4 * size
		at(2 * h)
		s := e.Sensitivity()
		var got, scale float64
		for i := range n {
			for j := range n {
				got += s[i*n+j] * along[i][j]
				scale += math.Abs(s[i*n+j] * along[i][j])
			}
		}
		want := (at(0) - 8*at(h) + 8*at(3*h) - at(4*h)) / (12 * h)
		check.Near(t, got, want, 1e-6*scale+1e-9/h, "seed %d, %s: derivative, by differences", seed, p.name)
	}
}

// Below least, Value may return a bound, which is at least the evidence and below least. The test uses a
// sequence of Gram matrices, each solved from the mode of the one before.
func TestEvidenceBound(t *testing.T) {
	bounds := 0
	for seed := range 100 {
		r := rand.New(rand.NewPCG(uint64(seed), 10))
		p := randomProblem(t, r, 1+r.IntN(25))
		g := p.gram()
		e, exact := evidenceOf(p, g), evidenceOf(p, g)
		least := math.Inf(-1)
		for range 10 {
			scale := logUniform(r, 0.1, 10)
			setGram(e, g, scale)
			setGram(exact, g, scale)
			got, ok := e.Value(least)
			want, okExact := exact.Value(math.Inf(-1))
			if !ok || !okExact {
				t.Fatalf("seed %d: no evidence", seed)
			}
			tol := 1e-9 * (1 + math.Abs(want))
			switch {
			case want >= least && math.Abs(got-want) > tol:
				t.Errorf("seed %d: %.12g for an evidence of %.12g, which is not below %.12g", seed, got, want, least)
			case want < least && (got < want-tol || got >= least):
				t.Errorf("seed %d: %.12g for an evidence of %.12g, which is below %.12g", seed, got, want, least)
			case got > want+tol:
				bounds++
			}
			least = max(least, want)
		}
	}
	check.That(t, bounds >= 100, "only %d values were bounds", bounds)
}

// A relaxation is an ellipsoid: its solution lies on the boundary and has the value returned, and no other
// point of the ellipsoid has a greater one. Estimate gives the same values for many h.
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
		// inside returns ½B² - ½‖f‖² + κ(ℓ - ℓ̄) with the quadratic model at u_0.
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
		n := s.n
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
			value, nu := x.solve(coef, c, rho)
			single[k] = value
			if rho > 0 {
				f := p.function(coef, nu)
				size := p.b*p.b + f.norm2 + kappa*(math.Abs(ll0)+math.Abs(s.lbar))
				if got := inside(diffs(f), f.norm2); math.Abs(got) > 1e-6*size+f.blur {
					t.Errorf("seed %d, %s: the solution is %g off the boundary, of %g", seed, p.name, got, size)
				}
				if got := inner(p.h, f.z); math.Abs(got-value) > 1e-7*(1+math.Abs(value))+f.noise*10 {
					t.Errorf("seed %d, %s: the solution has the value %.10g, Solve returned %.10g", seed, p.name, got, value)
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
		check.That(t, res.Status.OK() && res.Gap <= tol*scale && res.Newton <= systems, "tolerance %g: %+v", tol, res)
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

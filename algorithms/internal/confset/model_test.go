package confset

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"popbench/internal/check"
	"popbench/internal/math/wide"
)

// evidence returns the evidence of the comparisons with the Gram matrix g.
func (p *instance) evidence(g []float64) *Evidence {
	e := NewEvidence(p.blocks())
	copy(e.Gram(), g)
	return e
}

// mode maximises ℓ(u) - ½ αᵀGα, u = Gα, by a damped Newton's method on the coefficients.
func (p *instance) mode(t testing.TB, g []float64) (alpha, u []float64) {
	n := len(p.diffs())
	alpha, u = make([]float64, n), make([]float64, n)
	next, rest, gram := make([]float64, n), mat.NewVecDense(n, nil), mat.NewDense(n, n, g)
	objective := func(alpha []float64) (fun float64) {
		for i := range u {
			u[i] = inner(g[i*n:(i+1)*n], alpha)
			fun -= 0.5 * alpha[i] * u[i]
		}
		return fun + p.logLik(u)
	}
	fun, last := objective(alpha), math.Inf(1)
	for range 200 {
		prob := p.prob(u)
		for i, pi := range prob {
			rest.SetVec(i, pi-alpha[i])
		}
		left := mat.Norm(rest, math.Inf(1))
		if left <= 2e-14 || left <= 2e-8 && left > 0.5*last {
			return alpha, u
		}
		last = left
		var step mat.VecDense
		check.OK(t, step.SolveVec(p.newtonMatrix(prob, gram), rest))
		for size := 1.0; size >= 1e-9; size *= 0.5 {
			for i := range next {
				next[i] = alpha[i] + size*step.AtVec(i)
			}
			if f := objective(next); f >= fun-1e-10*(1+math.Abs(fun)) {
				alpha, next, fun = next, alpha, f
				break
			}
		}
	}
	t.Fatalf("%s: the test's own solver did not converge", p.name)
	return nil, nil
}

// The evidence of a sequence of Gram matrices, each solved from the mode of the one before, agrees with the test's own mode
// and the determinant there. Below least, Value may return a bound, which is at least the evidence and below least.
func TestEvidence(t *testing.T) {
	bounds := 0
	for seed := range 100 {
		r := rand.New(rand.NewPCG(uint64(seed), 8))
		p := randomProblem(t, r, 1+r.IntN(25))
		g := p.gram()
		n := len(p.diffs())
		e, least := p.evidence(g), math.Inf(-1)
		for range 6 {
			scaled := slices.Clone(g)
			wide.Scale(scaled, logUniform(r, 0.1, 10))
			copy(e.Gram(), scaled)
			got, ok := e.Value(least)
			alpha, u := p.mode(t, scaled)
			logDet, _ := mat.LogDet(p.newtonMatrix(p.prob(u), mat.NewDense(n, n, scaled)))
			want := p.logLik(u) - 0.5*inner(alpha, u) - 0.5*logDet
			tol := 1e-9 * (1 + math.Abs(want))
			switch {
			case !ok || want >= least && !(math.Abs(got-want) <= tol) || want < least && !(got >= want-tol && got < least):
				t.Errorf("seed %d, %s: %.12g (%t) for an evidence of %.12g, least %.12g", seed, p.name, got, ok, want, least)
			case got > want+tol:
				bounds++
			}
			least = max(least, want)
		}
	}
	check.That(t, bounds >= 100, "only %d values were bounds", bounds)
	v, ok := NewEvidence(nil).Value(math.Inf(-1))
	check.That(t, v == 0 && ok, "without data %g, %v", v, ok)
}

// The sensitivity agrees with finite differences of the evidence along a random vvᵀ, for duels and for comparisons of
// several points.
func TestEvidenceSensitivity(t *testing.T) {
	for seed := range 100 {
		r := rand.New(rand.NewPCG(uint64(seed), 9))
		p := randomProblem(t, r, 1+r.IntN(25))
		g := p.gram()
		e := p.evidence(g)
		v := normal(r, len(p.diffs()))
		n := len(v)
		at := func(h float64) float64 {
			for i := range g {
				e.Gram()[i] = g[i] + h*v[i/n]*v[i%n]
			}
			value, ok := e.Value(math.Inf(-1))
			check.That(t, ok, "seed %d: no evidence", seed)
			return value
		}
		// Fourth order, from one side because G - hvvᵀ might have a negative eigenvalue.
		h := 1e-4 * max(1, slices.Max(g))
		at(2 * h)
		var got, scale float64
		for i, s := range e.Sensitivity() {
			got += s * v[i/n] * v[i%n]
			scale += math.Abs(s * v[i/n] * v[i%n])
		}
		want := (at(0) - 8*at(h) + 8*at(3*h) - at(4*h)) / (12 * h)
		check.Near(t, got, want, 1e-6*scale+1e-9/h, "seed %d, %s: derivative, by differences", seed, p.name)
	}
}

// A relaxation is an ellipsoid: its solution lies on the boundary, where the gradient is a multiple of h, and has the value
// returned. Estimate gives the same values for many h.
func TestRelaxation(t *testing.T) {
	for seed := range 60 {
		r := rand.New(rand.NewPCG(uint64(seed), 9))
		p := randomProblem(t, r, 1+r.IntN(25))
		p.b, p.beta = logUniform(r, 1, 10), logUniform(r, 0.1, 10)
		s := p.set(p.solver())
		var x Relaxation
		shift := r.NormFloat64()
		if !s.Relax(&x, shift) {
			continue
		}
		n, u0 := s.n, slices.Clone(s.cold.g)
		prob, ll0 := p.prob(u0), p.logLik(u0)
		kappa := math.Exp(shift + s.ColdLogKappa())
		curvature := p.newtonMatrix(prob, mat.NewDiagDense(n, slices.Repeat([]float64{1}, n))) // I + W
		const count = 3
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
			if single[k] = value; rho > 0 {
				f := p.function(coef, nu)
				d := p.differences(f.z)
				for i := range d {
					d[i] -= u0[i]
				}
				var wd mat.VecDense // W(u - u_0)
				wd.MulVec(curvature, mat.NewVecDense(n, d))
				wd.SubVec(&wd, mat.NewVecDense(n, d))
				ll := ll0 + inner(prob, d) - 0.5*inner(d, wd.RawVector().Data)
				size := p.b*p.b + f.norm2 + kappa*(math.Abs(ll0)+math.Abs(s.lbar))
				check.Near(t, 0.5*p.b*p.b-0.5*f.norm2+kappa*(ll-s.lbar), 0, 1e-6*size+f.blur, "seed %d, %s: distance from the boundary", seed, p.name)
				check.Near(t, value, inner(p.h, f.z), 1e-7*(1+math.Abs(value))+f.noise*10, "seed %d, %s: value, that of the solution", seed, p.name)
				for i, pi := range prob {
					coef[i] -= kappa * (pi - wd.AtVec(i))
				}
				rest := p.function(coef, 0) // what the gradient has besides h
				check.That(t, rest.norm2 <= 1e-12*size+rest.blur, "seed %d, %s: the gradient has %g across h, of %g", seed, p.name, rest.norm2, size)
			}
			p.randomQuery(r)
		}
		x.Estimate(many, all, rhos)
		for k, rho := range rhos {
			if rho > 0 {
				check.Near(t, many[k], single[k], 1e-6*(1+math.Abs(single[k])), "seed %d, %s: Estimate, Solve", seed, p.name)
			}
		}
	}
}

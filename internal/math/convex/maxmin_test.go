package convex

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"popbench/internal/check"
)

// maxMinProblem returns the max–min problem of the last point of random data over some of the others, with
// the indices of the points.
func maxMinProblem(t *testing.T, seed uint64) (p *instance, s *Solver, problem *MaxMin, x int, y []int) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 11))
	p = randomProblem(t, r, 2+r.IntN(20))
	p.b, p.beta = logUniform(r, 1, 10), logUniform(r, 0.1, 10)
	s = p.solver()
	s.MLE(p.b)
	s.SetLevel(p.beta)
	problem = NewMaxMin(s)
	x = len(p.k) - 1
	p.k[x][x] += 1e-3 // the new point has its own ε_K
	y = r.Perm(x)[:1+r.IntN(min(4, x))]
	c := func(of int) (c []float64) {
		for _, d := range p.diffs() {
			c = append(c, p.k[d[0]][of]-p.k[d[1]][of])
		}
		return c
	}
	var xy []float64
	for j, at := range y {
		var row []float64
		for _, other := range y[:j+1] {
			row = append(row, p.k[at][other])
		}
		problem.Add(c(at), row)
		xy = append(xy, p.k[x][at])
	}
	problem.SetPoint(c(x), xy, p.k[x][x])
	return p, s, problem, x, y
}

// The raw data confirm the certificate: the function is feasible and has the Value, and no other function of
// the set is above Bound. The others tried are the best ones for other weights.
func TestMaxMin(t *testing.T) {
	several := 0
	for seed := range uint64(200) {
		p, s, problem, x, y := maxMinProblem(t, seed)
		scale := max(1, 2*p.b*math.Sqrt(p.k[x][x]))
		res := problem.Solve(1e-8)
		if !res.Status.OK() || res.Gap > 1e-8*scale {
			t.Errorf("seed %d, %s, %d competitors: %+v", seed, p.name, len(y), res)
			continue
		}
		least := func() (least float64, f function) {
			nu, w, coef := problem.Function()
			p.h = make([]float64, len(p.k))
			p.h[x] = 1
			for j, at := range y {
				p.h[at] -= w[j]
			}
			f = p.function(coef, nu)
			least = math.Inf(1)
			for _, at := range y {
				least = min(least, f.z[x]-f.z[at])
			}
			return least, f
		}
		value, f := least()
		check.Near(t, value, res.Value, 1e-8*scale+2*f.noise, "seed %d, %s: the function, reported", seed, p.name)
		if ll := p.logLik(f.z); f.norm2 > p.b*p.b*(1+1e-8)+f.blur || ll < s.lbar-1e-8*max(1, -s.lbar)-f.noise*float64(s.n) {
			t.Errorf("seed %d, %s: the function has ‖f‖/B = 1%+.2g and ℓ - ℓ̄ = %.2g", seed, p.name, math.Sqrt(f.norm2)/p.b-1, ll-s.lbar)
		}
		if bound := problem.Bound(); math.Abs(bound-res.Bound) > 1e-8*scale {
			t.Errorf("seed %d, %s: bound %.12g by the weights, reported %.12g", seed, p.name, bound, res.Bound)
		}
		if len(y) == 1 {
			continue
		}
		several++
		for j := range y {
			clear(problem.w)
			problem.w[j] = 1
			if bound := problem.Bound(); bound < res.Value-1e-8*scale {
				t.Errorf("seed %d, %s: %.12g against all, bound %.12g against one", seed, p.name, res.Value, bound)
			}
			if other, f := least(); other > res.Bound+1e-8*scale+2*f.noise {
				t.Errorf("seed %d, %s: a function has %.12g, the bound is %.12g", seed, p.name, other, res.Bound)
			}
		}
	}
	check.That(t, several >= 100, "only %d problems with several competitors", several)
}

func TestMaxMinFailures(t *testing.T) {
	_, s, problem, _, _ := maxMinProblem(t, 5)
	if res := problem.Solve(-1); res.Status != IterationLimit {
		t.Errorf("with a tolerance of -1: %+v", res)
	}
	check.That(t, s.work.Failures == 1 && s.work.Retries != 0, "with a tolerance of -1: %+v", s.work)
	problem.xx = math.NaN()
	if res := problem.Solve(Tol); res.Status != Undefined || !math.IsInf(problem.Bound(), 1) {
		t.Errorf("with NaN: %+v", res)
	}
}

// A component of the step is its weight, or solves its equation with all others.
func TestNonNegative(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 12))
	const n = 4
	var held [n]int
	for range 200 {
		jacobian, base, w := make([]float64, n*n), make([]float64, n), make([]float64, n)
		for a := range n {
			for b := range n {
				jacobian[a*n+b] = 0.3 * r.NormFloat64()
			}
			jacobian[a*n+a] += 3
			base[a], w[a] = 2*r.NormFloat64(), r.Float64()
		}
		step, ok := nonNegative(jacobian, base, w)
		if !ok {
			t.Fatalf("no step for %v, %v, %v", jacobian, base, w)
		}
		for a, v := range step {
			if v == w[a] {
				held[a]++
				continue
			}
			check.That(t, v < w[a], "component %d of the step is %g, the weight %g", a, v, w[a])
			check.Near(t, inner(jacobian[a*n:(a+1)*n], step), base[a], 1e-12, "equation %d", a)
		}
	}
	check.That(t, slices.Min(held[:]) >= 20, "components are held %v times", held)
}

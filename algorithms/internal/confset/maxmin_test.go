package confset

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
	s = p.set(p.solver())
	problem = NewMaxMin(s)
	x = len(p.k) - 1
	p.k[x][x] += 1e-3 // the new point has its own ε_K
	y = r.Perm(x)[:1+r.IntN(min(4, x))]
	var xy []float64
	for j, at := range y {
		var row []float64
		for _, other := range y[:j+1] {
			row = append(row, p.k[at][other])
		}
		problem.Add(p.differences(p.k[at]), row)
		xy = append(xy, p.k[x][at])
	}
	problem.SetPoint(p.differences(p.k[x]), xy, p.k[x][x])
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
		if !(res.Status.OK() && res.Gap <= 1e-8*scale) {
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
		p.checkSet(t, int(seed), f, s.lbar)
		check.Near(t, problem.Bound(), res.Bound, 1e-8*scale, "seed %d, %s: bound by the weights, reported", seed, p.name)
		if len(y) == 1 {
			continue
		}
		several++
		problem.descend()
		check.Near(t, problem.Bound(), res.Bound, 1e-4*scale, "seed %d, %s: bound after the descent, after Newton's method", seed, p.name)
		for j := range y {
			clear(problem.w)
			problem.w[j] = 1
			bound := problem.Bound()
			check.That(t, bound >= res.Value-1e-8*scale, "seed %d, %s: %.12g against all, bound %.12g against one", seed, p.name, res.Value, bound)
			other, f := least()
			check.That(t, other <= res.Bound+1e-8*scale+2*f.noise, "seed %d, %s: a function has %.12g, the bound is %.12g", seed, p.name, other, res.Bound)
		}
	}
	check.That(t, several >= 100, "only %d problems with several competitors", several)
}

func TestMaxMinFailures(t *testing.T) {
	_, s, problem, _, _ := maxMinProblem(t, 5)
	res := problem.Solve(-1)
	check.That(t, res.Status == IterationLimit, "with a tolerance of -1: %+v", res)
	check.That(t, s.work.Failures == 1 && s.work.Retries != 0, "with a tolerance of -1: %+v", s.work)
	problem.xx = math.NaN()
	res = problem.Solve(Tol)
	check.That(t, res.Status == Undefined && math.IsInf(problem.Bound(), 1), "with NaN: %+v", res)
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
		check.That(t, ok, "no step for %v, %v, %v", jacobian, base, w)
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

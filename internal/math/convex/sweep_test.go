package convex

import (
	"math"
	"math/rand/v2"
	"testing"

	"popbench/internal/check"
)

// sweepProblem returns problem number seed of an endless list: any problem of randomProblem, with norms up to
// 1000 (differences up to thousands, whose exponentials underflow) and β from 0 and 1e-12 to 1000.
func sweepProblem(t testing.TB, seed int) (*instance, *rand.Rand) {
	r := rand.New(rand.NewPCG(uint64(seed), 1))
	p := randomProblem(t, r, int(logUniform(r, 1, 60)))
	p.b = choose(r, logUniform(r, 1e-3, 1000), logUniform(r, 1, 20))
	p.beta = choose(r, 0, 1e-12, logUniform(r, 1e-12, 1e3), logUniform(r, 1e-2, 100), logUniform(r, 1e-2, 100))
	return p, r
}

// Below tinyBeta a solve may fail: the confidence set is so thin that the last bits of ℓ decide its extent. One
// solve in fifty fails, always with contradictory comparisons or a nearly singular Gram matrix.
const tinyBeta = 1e-8

func TestSweep(t *testing.T) { sweep(t, 600, reduceFrom) }

// The same with Newton systems in a basis that does not span all g_i.
func TestSweepInBasis(t *testing.T) { sweep(t, 600, 1) }

func sweep(t *testing.T, count, from int) {
	// Seeds on which an earlier version failed or was slow.
	var hard struct{ Seeds []int }
	check.Read(t, "testdata/hard.json", &hard)
	check.That(t, len(hard.Seeds) > 0, "testdata/hard.json has no seeds")
	seeds := hard.Seeds
	for i := range count {
		seeds = append(seeds, i)
	}
	var tiny, failed, inBasis int
	for _, seed := range seeds {
		p, r := sweepProblem(t, seed)
		s := p.solver()
		s.limits.reduceFrom, s.limits.surrogateFrom = from, from
		mle := s.MLE(p.b)
		if s.Surrogate() != s {
			inBasis++
		}
		p.checkMLE(t, seed, s, mle)
		s.SetLevel(p.beta)
		if p.beta < tinyBeta {
			tiny++
		}

		// Three h. The solution for each is a feasible function for the others too.
		var found []*optimum
		var start WarmStart
		for len(found) < 3 {
			o := p.solve(s, &start)
			found = append(found, o)
			if !o.res.Status.OK() && o.res.Status != Unsolved && p.beta < tinyBeta {
				failed++
				continue
			}
			p.checkOptimum(t, seed, s, o, mle)
			p.randomQuery(r)
		}
		for i, o := range found {
			for j, by := range found {
				// A function is feasible up to rounding, which matters for tiny β.
				slack := 1e-8*o.scale + p.blurFor(by, o)
				if p.beta < tinyBeta {
					slack += 1e-4 * o.scale
				} else if p.beta < 1e-5 {
					slack += maxNoise * o.scale
				}
				if by.res.Status.OK() && by.valueFor(o) > o.res.Bound+slack {
					t.Errorf("seed %d, %s, B=%g β=%g: a feasible function has %.12g, the bound is %.12g (%d, %d)",
						seed, p.name, p.b, p.beta, by.valueFor(o), o.res.Bound, i, j)
				}
			}
		}
	}
	if from == 1 && inBasis*8 < len(seeds) {
		t.Errorf("only %d of %d problems in a basis", inBasis, len(seeds))
	}
	check.That(t, failed*100 <= 4*3*tiny, "%d of %d solves with tiny β failed", failed, 3*tiny)
}

// optimum is the result of a solve, with its function evaluated from the raw data.
type optimum struct {
	h     []float64
	scale float64
	res   Result
	f     function
}

// function is Σ coef_i g_i + ν h, evaluated from the raw data.
type function struct {
	z     []float64 // values at the points
	norm2 float64
	noise float64 // rounding error of the values
	blur  float64 // of norm2
}

func (p *instance) function(coef []float64, nu float64) (f function) {
	a, size := p.spread(coef), make([]float64, len(p.k))
	for i, d := range p.diffs() {
		size[d[0]] += math.Abs(coef[i])
		size[d[1]] += math.Abs(coef[i])
	}
	for i, h := range p.h {
		a[i] += nu * h
		size[i] += math.Abs(nu * h)
	}
	f.z = p.apply(a)
	f.norm2 = inner(a, f.z)
	for i, row := range p.k {
		var sum float64
		for j, k := range row {
			sum += math.Abs(k) * size[j]
		}
		f.noise = max(f.noise, 4e-16*sum)
		f.blur += 4e-16 * sum * size[i]
	}
	return f
}

// valueFor returns ⟨f, h⟩ for the h of another.
func (o *optimum) valueFor(other *optimum) float64 { return inner(other.h, o.f.z) }

// blurFor bounds the error of valueFor: rounding of the values, plus B times 1e-8 of h, because a Gram matrix does
// not resolve a smaller part of h.
func (p *instance) blurFor(o, other *optimum) float64 {
	var value, norm float64
	for i, h := range other.h {
		value += math.Abs(h) * o.f.noise
		for j, k := range p.k[i] {
			norm += math.Abs(h * k * other.h[j])
		}
	}
	return value + 2e-8*p.b*math.Sqrt(norm)
}

// solve maximises for the present h from the warm start, if it is not empty, and saves the solution there.
func (p *instance) solve(s *Solver, start *WarmStart) *optimum {
	c, rho := p.query()
	o := &optimum{h: append([]float64(nil), p.h...), scale: max(1, p.b*math.Sqrt(rho))}
	o.res = s.Maximize(c, rho, start)
	s.SaveStart(start)
	coef := make([]float64, s.n)
	nu := s.Function(coef)
	o.f = p.function(coef, nu)
	return o
}

func (p *instance) checkMLE(t *testing.T, seed int, s *Solver, mle Result) {
	t.Helper()
	check.That(t, mle.Status.OK(), "seed %d, %s, B=%g: MLE %v", seed, p.name, p.b, mle.Status)
	if mle.Gap < 0 || mle.Gap > Tol*max(1, -mle.Value) {
		t.Errorf("seed %d, %s, B=%g: the gap of the MLE is %g", seed, p.name, p.b, mle.Gap)
	}
	if gap := mle.Bound - mle.Value; gap != mle.Gap {
		t.Errorf("seed %d, %s, B=%g: the gap is %g, Bound - Value is %g", seed, p.name, p.b, mle.Gap, gap)
	}
	// The value is attained: a bound in its place would be above it, and the gap would be 0.
	ofU := logLik(s.mle.u, s.blocks)
	check.Near(t, mle.Value, ofU, 1e-13*max(1, -mle.Value), "seed %d, %s, B=%g: ℓ of the MLE", seed, p.name, p.b)
	f := p.function(s.MLECoef(), 0)
	ll := p.logLik(f.z)
	if f.norm2 > p.b*p.b*(1+1e-8)+f.blur || math.Abs(ll-mle.Value) > 1e-8*max(1, -mle.Value)+f.noise*float64(s.n) {
		t.Errorf("seed %d, %s, B=%g: MLE %v has norm² %.12g and ℓ %.12g, reported %.12g", seed, p.name, p.b, mle.Status, f.norm2, ll, mle.Value)
	}
	for i, d := range p.diffs() {
		if u := f.z[d[0]] - f.z[d[1]]; math.Abs(u-s.mle.u[i]) > 1e-8*max(1, p.b)+2*f.noise {
			t.Errorf("seed %d, %s, B=%g: MLE %v has u_%d = %g, reported %g", seed, p.name, p.b, mle.Status, i, u, s.mle.u[i])
		}
	}
}

func (p *instance) checkOptimum(t *testing.T, seed int, s *Solver, o *optimum, mle Result) {
	t.Helper()
	allowed := Tol * o.scale
	if p.beta < 1e-5 {
		allowed += maxNoise * o.scale
	}
	if !o.res.Status.OK() || !(o.res.Gap >= 0 && o.res.Gap <= allowed) {
		t.Errorf("seed %d, n=%d %s, B=%g β=%g: %+v, scale %g", seed, s.n, p.name, p.b, p.beta, o.res, o.scale)
		return
	}
	ll := p.logLik(o.f.z)
	if o.f.norm2 > p.b*p.b*(1+1e-8)+o.f.blur || ll < mle.Value-p.beta-1e-8*max(1, -mle.Value)-o.f.noise*float64(s.n) {
		t.Errorf("seed %d, %s, B=%g β=%g: %v solution has ‖f‖/B = 1%+.2g and ℓ - ℓ̄ = %.3g",
			seed, p.name, p.b, p.beta, o.res.Status, math.Sqrt(o.f.norm2)/p.b-1, ll-mle.Value+p.beta)
	}
	if value := o.valueFor(o); math.Abs(value-o.res.Value) > 1e-8*o.scale+p.blurFor(o, o) {
		t.Errorf("seed %d, %s, B=%g β=%g: %v solution has the value %.12g, reported %.12g", seed, p.name, p.b, p.beta, o.res.Status, value, o.res.Value)
	}
	// The optimum does not depend on the start.
	c, rho := p.query()
	if cold := s.Maximize(c, rho, nil); cold.Status.OK() && math.Abs(cold.Value-o.res.Value) > 2*allowed+p.blurFor(o, o) {
		t.Errorf("seed %d, %s, B=%g β=%g: %.12g from a warm start, %.12g from a cold one", seed, p.name, p.b, p.beta, o.res.Value, cold.Value)
	}
}

package confset

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"popbench/internal/check"
)

// One duel has a closed form: the norm and the level each leave an interval for f's component along g, and
// the rest of the norm is across it.
func TestOneDuel(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for range 2000 {
		b, beta := logUniform(r, 1e-3, 1000), logUniform(r, 1e-6, 1e3)
		size := logUniform(r, 1e-2, 3)
		along, across := r.NormFloat64(), choose(r, 0, 1e-3, 1)*r.NormFloat64()
		s := solverOf([]float64{size * size}, []int{1})
		mle := s.MLE(b)
		best := -softplus(-b * size)
		check.That(t, mle.Status.OK(), "B=%g ‖g‖=%g: MLE %+v", b, size, mle)
		check.Near(t, mle.Value, best, Tol, "B=%g ‖g‖=%g: MLE", b, size)
		check.Near(t, s.mle.u[0], b*size, 1e-6*b*size, "B=%g ‖g‖=%g: u of the MLE", b, size)
		s.SetLevel(beta)
		res := s.Maximize([]float64{along * size}, along*along+across*across, nil)

		least := -b           // of the component, by σ(u) >= e^ℓ̄
		x := beta - mle.Value // log(e^x - 1) without overflow
		if u := -x - math.Log(-math.Expm1(-x)); u > -b*size {
			least = u / size
		}
		at := max(least, b*along/math.Hypot(along, across))
		want := at*along + math.Sqrt(max(0, (b-at)*(b+at)))*math.Abs(across)
		scale := max(1, b*math.Hypot(along, across))
		// The sensitivity to ℓ̄ is bounded by the optimum's own range over β.
		check.That(t, res.Status.OK(), "B=%g β=%g ‖g‖=%g h=(%g, %g): %+v", b, beta, size, along, across, res)
		check.Near(t, res.Value, want, 2e-9*scale, "B=%g β=%g ‖g‖=%g h=(%g, %g): value", b, beta, size, along, across)
	}
}

func TestNoData(t *testing.T) {
	for _, beta := range []float64{0, 1} {
		s := NewSolver()
		res := s.MLE(3)
		check.That(t, res.Status == Free && res.Value == 0 && res.Gap == 0, "MLE: %+v", res)
		s.SetLevel(beta)
		res = s.Maximize(nil, 4, nil)
		check.That(t, res.Status == Free && res.Value == 6 && res.Bound == 6, "β=%g: %+v, want B‖h‖ = 6", beta, res)
		nu := s.Function(nil)
		check.That(t, nu == 1.5, "f = %g h, want 1.5 h", nu)
	}
}

// A comparison of a point with itself has g = 0. It lowers ℓ by log 2 and carries no information. Its
// coefficient is 0, so that it does not spoil a caller's sums.
func TestPointAgainstItself(t *testing.T) {
	for _, b := range []float64{1, 100, 1000} {
		with, without := solverOf([]float64{0, 0, 0, 2}, []int{1, 1}), solverOf([]float64{2}, []int{1})
		m, n := with.MLE(b), without.MLE(b)
		check.That(t, m.Status.OK(), "B=%g: MLE %+v", b, m)
		check.Near(t, m.Value+math.Ln2, n.Value, Tol, "B=%g: MLE, without the comparison", b)
		c := with.MLECoef()
		check.Equal(t, "its coefficient", c[0], 0)
		check.Near(t, c[1], without.MLECoef()[0], 1e-6*b, "B=%g: the other coefficient", b)
		with.SetLevel(0.5)
		without.SetLevel(0.5)
		x, y := with.Maximize([]float64{0, -1}, 1, nil), without.Maximize([]float64{-1}, 1, nil)
		check.That(t, x.Status.OK() && math.Abs(x.Value-y.Value) <= 1e-8*b, "B=%g: %+v, without it %+v", b, x, y)
		coef := make([]float64, 2)
		with.Function(coef)
		check.Equal(t, "its coefficient at the maximum", coef[0], 0)
	}
	s := solverOf(make([]float64, 4), []int{1, 1}) // such comparisons only
	mle := s.MLE(2)
	check.That(t, mle.Status.OK() && mle.Value == -2*math.Ln2 && mle.Gap == 0, "MLE %+v", mle)
	for _, beta := range []float64{0, 1} {
		s.SetLevel(beta)
		res := s.Maximize([]float64{0, 0}, 4, nil)
		check.That(t, res.Status == Free && res.Value == 4, "β=%g: %+v, want 4", beta, res)
	}
}

// With h = 0 every function of the set is a solution, but the zero function need not be in it.
func TestZeroFunctional(t *testing.T) {
	s := (&instance{b: 2, beta: 0.01}).set(solverOf([]float64{1}, []int{1}))
	coef := make([]float64, 1)
	res := s.Maximize([]float64{0}, 0, nil)
	check.That(t, res.Status == Free && res.Value == 0 && res.Bound == 0, "%+v", res)
	nu := s.Function(coef)
	check.That(t, nu == 0 && coef[0] == s.MLECoef()[0], "f = %g h + %v g, want the MLE %v", nu, coef, s.MLECoef())
}

// NaN in the input gives no number and no panic.
func TestNotANumber(t *testing.T) {
	p := newBenchProblem(t, 10)
	s := p.set(p.solver())
	c, rho := p.advantage([]float64{0.3, 0.3})
	bad := slices.Clone(c)
	bad[4] = math.NaN()
	for _, res := range []Result{s.Maximize(bad, rho, nil), s.Maximize(c, math.NaN(), nil)} {
		check.That(t, res.Status == Undefined && !res.Status.OK() && math.IsInf(res.Value, -1) && math.IsInf(res.Bound, 1), "%+v", res)
	}
	after := s.Maximize(c, rho, nil)
	check.That(t, after.Status.OK() && s.work.Failures == 2, "afterwards %+v, work %+v", after, s.work)
}

// With β = 0 the set is the MLE alone.
func TestBetaZero(t *testing.T) {
	p := newBenchProblem(t, 20)
	s := p.solver()
	s.MLE(p.b)
	c, rho := p.advantage([]float64{0.3, 0.3})
	s.SetLevel(1e-17) // lost in the rounding of ℓ
	lost := s.Maximize(c, rho, nil)
	s.SetLevel(0)
	res := s.Maximize(c, rho, nil)
	check.That(t, s.noise >= 0x1p-48*-s.mle.Value, "the rounding error assumed for ℓ = %g is %g", s.mle.Value, s.noise)
	check.That(t, lost == res, "%+v with β = 1e-17, %+v with 0", lost, res)
	check.That(t, res.Status.OK() && res.Gap <= 1e-9*p.b, "%+v", res)
	check.Near(t, res.Value, inner(c, s.MLECoef()), 1e-12, "value, that of the MLE")
	coef := make([]float64, 20)
	check.That(t, s.Function(coef) == 0 && slices.Equal(coef, s.MLECoef()), "f is not the MLE")
}

// tangentBound is the maximum over a ball cut by a halfspace: no point of the set is above it, and a point
// of the boundary attains it.
func TestTangentBound(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	for range 300 {
		s := &Solver{level: level{b: logUniform(r, 0.1, 10)}}
		along, across, slope := r.NormFloat64(), math.Abs(r.NormFloat64()), logUniform(r, 0.1, 10)
		least := s.b * (2*r.Float64() - 1)
		bound, mu, lambda := s.tangentBound(along, across, least, slope)
		most := math.Inf(-1)
		for i := range 4000 {
			a := math.Pi * float64(i) / 4000
			if x, y := s.b*math.Cos(a), s.b*math.Sin(a); x >= least {
				most = max(most, x*along+y*across)
			}
		}
		check.That(t, most <= bound+1e-12 && most >= bound-0.01*s.b*math.Hypot(along, across), "bound %g, maximum on the arc %g", bound, most)
		// Weak duality with the multipliers gives the same.
		x, y := along+lambda*slope, across
		check.Near(t, (x*x+y*y)/(4*mu)+mu*s.b*s.b-lambda*slope*least, bound, 1e-9*(1+math.Abs(bound)), "bound with the multipliers")
	}
}

// MLE and maximum depend only on the data and the level, to the last bit: not on earlier solves, nor on a warm start that is
// empty or from another data set.
func TestHistoryChangesNothing(t *testing.T) {
	p, other := newBenchProblem(t, 15), newBenchProblem(t, 14)
	fresh, used, o := p.set(p.solver()), p.solver(), other.set(other.solver())
	c, rho := p.advantage([]float64{0.1, 0.9})
	want := fresh.Maximize(c, rho, nil)
	var shorter, none WarmStart
	oc, orho := other.advantage([]float64{0.5, 0.5})
	o.Maximize(oc, orho, nil)
	o.SaveStart(&shorter)
	used.MLE(2)
	used.SetLevel(3)
	used.Maximize(c, rho, nil)
	p.set(used)
	check.Equal(t, "MLE after another", used.mle.Result, fresh.mle.Result)
	check.That(t, slices.Equal(used.MLECoef(), fresh.MLECoef()) && slices.Equal(used.mle.u, fresh.mle.u), "the MLE has other bits after another")
	used.Maximize(make([]float64, 15), 0, nil)
	used.SaveStart(&none)
	for name, from := range map[string]*WarmStart{"no": nil, "a zero": {}, "a shorter": &shorter, "an empty": &none} {
		check.Equal(t, "maximum from "+name+" start", used.Maximize(c, rho, from), want)
	}
}

func TestSolvesDoNotAllocate(t *testing.T) {
	mixed := newBenchProblem(t, 30)
	mixed.win, mixed.los = append(mixed.win, 3), append(mixed.los, []int{5, 9, 12})
	for name, p := range map[string]*instance{"duels": newBenchProblem(t, 30), "choice": mixed, "basis": crowded(t, 100, true)} {
		s := p.solver()
		if name == "basis" {
			s = p.solverFrom(1)
		}
		c, rho := p.path()
		coef := make([]float64, s.n)
		var start WarmStart
		p.set(s).Maximize(c[0], rho[0], nil)
		s.SaveStart(&start)
		g := s.Surrogate()
		check.Equal(t, "there is a surrogate", g != s, name == "basis")
		g.Maximize(c[0], rho[0], nil)
		i := 0
		for what, f := range map[string]func(){
			"MLE and SetLevel":    func() { p.set(s) },
			"Maximize, cold":      func() { s.Maximize(c[i%64], rho[i%64], nil); i++ },
			"Maximize, warm":      func() { s.Maximize(c[i%64], rho[i%64], &start); s.SaveStart(&start); i++ },
			"Maximize, surrogate": func() { g.Maximize(c[i%64], rho[i%64], nil); i++ },
			"Function":            func() { s.Function(coef); g.Function(coef) },
		} {
			check.Equal(t, name+": allocations of "+what, testing.AllocsPerRun(10, f), 0)
		}
		check.That(t, s.work.Retries == 0, "%s: %d retries", name, s.work.Retries)
	}
}

func TestWrongLengthsPanic(t *testing.T) {
	s := (&instance{b: 1, beta: 1}).set(solverOf([]float64{1}, []int{1}))
	check.Panics(t, "Append", func() { s.Append([]float64{1}) }, "of the wrong length")
	check.Panics(t, "Maximize", func() { s.Maximize([]float64{1, 2}, 1, nil) }, "of the wrong length")
}

// Every status that a solve can end with, but Bounded and Undefined: see TestCutoffEndsASolve and TestNotANumber.
func TestEndings(t *testing.T) {
	check.Equal(t, "other names", fmt.Sprint(Unsolved, Bounded, Undefined, Status(99)), "not solved bounded undefined Status(99)")
	for want, c := range map[Status]struct {
		name   string
		change func(s *Solver)
	}{
		Converged:      {"converged", func(*Solver) {}},
		Free:           {"free", func(s *Solver) { s.SetLevel(1e3) }},
		Recovered:      {"recovered", func(s *Solver) { s.limits.newton = 1 }},
		IterationLimit: {"iteration limit", func(s *Solver) { s.limits.newton, s.limits.barrier = 1, 5 }},
		LossOfPrecision: {"loss of precision", func(s *Solver) {
			s.SetTol(-1e-30) // a gap of 0 by chance would be within any other
			s.noise = 0      // or it would excuse the gap
		}},
		// No function of the ball is as likely.
		Infeasible: {"infeasible", func(s *Solver) { s.limits.newton, s.lbar = 1, 0.5*s.mle.Value }},
	} {
		t.Run(c.name, func(t *testing.T) {
			check.Equal(t, "name", want.String(), c.name)
			p := newBenchProblem(t, 20)
			s := p.set(p.solver())
			c.change(s)
			h, rho := p.advantage([]float64{0.1, 0.9})
			res := s.Maximize(h, rho, nil)
			failures := 1
			if want == Converged || want == Free || want == Recovered {
				failures = 0
			}
			check.That(t, res.Status == want && s.work.Failures == failures, "%v with %d failures", res.Status, s.work.Failures)
			check.Equal(t, "the result may be used", res.Status.OK(), failures == 0)
			check.That(t, res.Bound >= res.Value, "the bound %g is below the value %g", res.Bound, res.Value)
		})
	}
	s := newBenchProblem(t, 20).solver()
	s.limits.newton, s.limits.barrier = 1, 1
	mle := s.MLE(6)
	check.That(t, mle.Status == IterationLimit && s.work.Failures == 1, "MLE: %+v", mle)
}

func TestLargerChange(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 1))
	for _, spread := range []float64{1e-15, 1e-3, 3} { // of changes beside the largest so far
		for range 1000 {
			size, u := r.Float64(), r.NormFloat64()
			d := size * (1 + 0.5*math.Abs(u)) * (1 + float64(spread*r.NormFloat64()))
			want := max(size, math.Abs(d)/(1+0.5*math.Abs(u)))
			check.Equal(t, "larger", largerChange(size, d, u), want)
		}
	}
	check.That(t, math.IsNaN(largerChange(1, math.NaN(), 0)) && math.IsNaN(largerChange(1, 0, math.NaN())), "NaN is lost")
}

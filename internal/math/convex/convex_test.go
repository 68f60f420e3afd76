package convex

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
		s := NewSolver()
		s.Append([]float64{size * size})
		mle := s.MLE(b)
		best := -softplus(-b * size)
		if !mle.Status.OK() || math.Abs(mle.Value-best) > Tol || math.Abs(s.mle.u[0]-b*size) > 1e-6*b*size {
			t.Fatalf("B=%g ‖g‖=%g: MLE %+v with u = %g, want %g with %g", b, size, mle, s.mle.u[0], best, b*size)
		}
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
		if !res.Status.OK() || math.Abs(res.Value-want) > 2e-9*scale {
			t.Fatalf("B=%g β=%g ‖g‖=%g h=(%g, %g): %+v, want %.15g", b, beta, size, along, across, res, want)
		}
	}
}

func TestNoData(t *testing.T) {
	for _, beta := range []float64{0, 1} {
		s := NewSolver()
		if res := s.MLE(3); res.Status != Free || res.Value != 0 || res.Gap != 0 {
			t.Errorf("MLE: %+v", res)
		}
		s.SetLevel(beta)
		if res := s.Maximize(nil, 4, nil); res.Status != Free || res.Value != 6 || res.Bound != 6 {
			t.Errorf("β=%g: %+v, want B‖h‖ = 6", beta, res)
		}
		if nu := s.Function(nil); nu != 1.5 {
			t.Errorf("f = %g h, want 1.5 h", nu)
		}
	}
}

// A comparison of a point with itself has g = 0. It lowers ℓ by log 2 and carries no information. Its
// coefficient is 0, so that it does not spoil a caller's sums.
func TestPointAgainstItself(t *testing.T) {
	for _, b := range []float64{1, 100, 1000} {
		with, without := NewSolver(), NewSolver()
		with.Append([]float64{0})
		with.Append([]float64{0, 2})
		without.Append([]float64{2})
		m, n := with.MLE(b), without.MLE(b)
		if !m.Status.OK() || math.Abs(m.Value+math.Ln2-n.Value) > Tol {
			t.Errorf("B=%g: MLE %+v, without it %+v", b, m, n)
		}
		if c := with.MLECoef(); c[0] != 0 || math.Abs(c[1]-without.MLECoef()[0]) > 1e-6*b {
			t.Errorf("B=%g: coefficients %v, without it %v", b, c, without.MLECoef())
		}
		with.SetLevel(0.5)
		without.SetLevel(0.5)
		x, y := with.Maximize([]float64{0, -1}, 1, nil), without.Maximize([]float64{-1}, 1, nil)
		check.That(t, x.Status.OK() && math.Abs(x.Value-y.Value) <= 1e-8*b, "B=%g: %+v, without it %+v", b, x, y)
		coef := make([]float64, 2)
		if with.Function(coef); coef[0] != 0 {
			t.Errorf("B=%g: coefficients %v", b, coef)
		}
	}
	// Such comparisons only.
	s := NewSolver()
	s.Append([]float64{0})
	s.Append([]float64{0, 0})
	if res := s.MLE(2); !res.Status.OK() || res.Value != -2*math.Ln2 || res.Gap != 0 {
		t.Errorf("MLE %+v", res)
	}
	for _, beta := range []float64{0, 1} {
		s.SetLevel(beta)
		if res := s.Maximize([]float64{0, 0}, 4, nil); res.Status != Free || res.Value != 4 {
			t.Errorf("β=%g: %+v, want 4", beta, res)
		}
	}
}

// With h = 0 every function of the set is a solution, but the zero function need not be in it.
func TestZeroFunctional(t *testing.T) {
	s := NewSolver()
	s.Append([]float64{1})
	s.MLE(2)
	s.SetLevel(0.01)
	coef := make([]float64, 1)
	if res := s.Maximize([]float64{0}, 0, nil); res.Status != Free || res.Value != 0 || res.Bound != 0 {
		t.Errorf("%+v", res)
	}
	if nu := s.Function(coef); nu != 0 || coef[0] != s.MLECoef()[0] {
		t.Errorf("f = %g h + %v g, want the MLE %v", nu, coef, s.MLECoef())
	}
}

// NaN in the input gives no number and no panic.
func TestNotANumber(t *testing.T) {
	p := newBenchProblem(t, 10)
	s := p.solver()
	s.MLE(p.b)
	s.SetLevel(p.beta)
	c, rho := p.advantage([]float64{0.3, 0.3})
	bad := slices.Clone(c)
	bad[4] = math.NaN()
	for _, res := range []Result{s.Maximize(bad, rho, nil), s.Maximize(c, math.NaN(), nil)} {
		check.That(t, !res.Status.OK() && math.IsInf(res.Value, -1) && math.IsInf(res.Bound, 1), "%+v", res)
	}
	if res := s.Maximize(c, rho, nil); !res.Status.OK() || s.work.Failures != 2 {
		t.Errorf("afterwards %+v, work %+v", res, s.work)
	}
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
	if want := inner(c, s.MLECoef()); !res.Status.OK() || res.Gap > 1e-9*p.b || math.Abs(res.Value-want) > 1e-12 {
		t.Errorf("%+v, the MLE has %g", res, want)
	}
	coef := make([]float64, 20)
	if nu := s.Function(coef); nu != 0 || !slices.Equal(coef, s.MLECoef()) {
		t.Error("f is not the MLE")
	}
}

// Every function of a confidence set is within mleDistance of the MLE.
func TestMLEDistance(t *testing.T) {
	for seed := range 300 {
		p, r := sweepProblem(t, seed)
		p.beta = max(p.beta, tinyBeta)
		s := p.solver()
		s.MLE(p.b)
		s.SetLevel(p.beta)
		for range 3 {
			c, rho := p.query()
			if res := s.Maximize(c, rho, nil); res.Status.OK() {
				d := make([]float64, s.n)
				nu := s.Function(d)
				for i, a := range s.MLECoef() {
					d[i] -= a
				}
				f := p.function(d, nu)
				if f.norm2 > s.mleDistance*s.mleDistance*(1+1e-6)+f.blur+1e-12*p.b*p.b {
					t.Errorf("seed %d, %s, B=%g β=%g: %v at a distance of %g, bound %g", seed, p.name, p.b, p.beta, res.Status, math.Sqrt(f.norm2), s.mleDistance)
				}
			}
			p.randomQuery(r)
		}
	}
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
		if most > bound+1e-12 || most < bound-0.01*s.b*math.Hypot(along, across) {
			t.Fatalf("bound %g, maximum on the arc %g", bound, most)
		}
		// Weak duality with the multipliers gives the same.
		x, y := along+lambda*slope, across
		if dual := (x*x+y*y)/(4*mu) + mu*s.b*s.b - lambda*slope*least; math.Abs(dual-bound) > 1e-9*(1+math.Abs(bound)) {
			t.Fatalf("bound %.12g, with the multipliers %.12g", bound, dual)
		}
	}
}

// The factor solves systems with M = I + RᵀGR to nearly full accuracy.
func TestFactorSolves(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for _, n := range []int{1, 2, 3, 7, 8, 40} {
		g := &dense{}
		full := make([][]float64, n) // M
		w := root{}
		for range n {
			w.r = append(w.r, 0.1+r.Float64())
		}
		var x vectors
		for i := range full {
			row := make([]float64, i+1)
			for j := range row {
				row[j] = 0.3 * r.NormFloat64() / math.Sqrt(float64(n))
			}
			row[i] = 1
			g.append([][]float64{row})
			for k := range x {
				x[k] = append(x[k], r.NormFloat64())
			}
		}
		for i := range full {
			for j, v := range g.row(i) {
				full[i] = append(full[i], w.r[i]*v*w.r[j])
			}
			full[i][i]++
		}
		f := &denseFactor{g: g}
		if !f.factor(&w, &x) {
			t.Fatal("no factor")
		}
		for k := range x {
			want := make([]float64, n) // Rᵀx
			w.applyRt(want, x[k])
			solved := slices.Clone(want)
			f.solve(solved)
			for i := range n {
				if got := inner(full[i], f.m[k]); math.Abs(got-want[i]) > 1e-12 || math.Abs(solved[i]-f.m[k][i]) > 1e-12 {
					t.Fatalf("n=%d: (My)_%d = %g, want %g; y_%[2]d = %g and %g", n, i, got, want[i], f.m[k][i], solved[i])
				}
			}
			if got, want := f.inner(0, k), inner(f.m[0], want); math.Abs(got-want) > 1e-12 {
				t.Fatalf("n=%d: x_0ᵀKx_%d = %g, want %g", n, k, got, want)
			}
		}
	}
}

// The MLE depends only on the data and the norm, to the last bit, not on earlier solves.
func TestMLEHasNoHistory(t *testing.T) {
	p := newBenchProblem(t, 15)
	fresh, used := p.solver(), p.solver()
	c, rho := p.advantage([]float64{0.1, 0.9})
	used.MLE(2)
	used.SetLevel(3)
	used.Maximize(c, rho, nil)
	a, b := fresh.MLE(p.b), used.MLE(p.b)
	if a != b || !slices.Equal(fresh.MLECoef(), used.MLECoef()) || !slices.Equal(fresh.mle.u, used.mle.u) {
		t.Errorf("%+v and %+v", a, b)
	}
	fresh.SetLevel(p.beta)
	used.SetLevel(p.beta)
	if a, b := fresh.Maximize(c, rho, nil), used.Maximize(c, rho, nil); a != b {
		t.Errorf("%+v and %+v", a, b)
	}
}

// A warm start from another data set, or an empty one, is ignored.
func TestUselessWarmStarts(t *testing.T) {
	p := newBenchProblem(t, 15)
	s := p.solver()
	s.MLE(p.b)
	s.SetLevel(p.beta)
	c, rho := p.advantage([]float64{0.1, 0.9})
	want := s.Maximize(c, rho, nil)
	other := newBenchProblem(t, 14)
	o := other.solver()
	o.MLE(other.b)
	o.SetLevel(other.beta)
	oc, orho := other.advantage([]float64{0.5, 0.5})
	o.Maximize(oc, orho, nil)
	var shorter, none WarmStart
	o.SaveStart(&shorter)
	s.Maximize(make([]float64, 15), 0, nil)
	s.SaveStart(&none)
	for _, from := range []*WarmStart{{}, &shorter, &none} {
		if res := s.Maximize(c, rho, from); res != want {
			t.Errorf("%+v, want %+v", res, want)
		}
	}
}

func TestSolvesDoNotAllocate(t *testing.T) {
	for i := range 4 {
		choice, reduced := i%2 == 1, i/2 == 1
		p := newBenchProblem(t, 30)
		if reduced {
			p = crowded(t, 100, false)
		}
		if choice { // one more comparison, of four points
			p.win = append(p.win, 3)
			p.los = append(p.los, []int{5, 9, 12})
		}
		s := p.solver()
		if reduced {
			s.limits.reduceFrom, s.limits.surrogateFrom = 1, 1
		}
		c, rho := p.path()
		coef := make([]float64, s.n)
		var start WarmStart
		if res := s.MLE(p.b); res.Status != Converged {
			t.Fatal(res)
		}
		s.SetLevel(p.beta)
		s.Maximize(c[0], rho[0], nil)
		s.SaveStart(&start)
		g := s.Surrogate()
		if (g != s) != reduced {
			t.Fatalf("there is a surrogate: %t, want %t", g != s, reduced)
		}
		g.Maximize(c[0], rho[0], nil)
		i := 0
		for name, f := range map[string]func(){
			"MLE and SetLevel":    func() { s.MLE(p.b); s.SetLevel(p.beta) },
			"Maximize, cold":      func() { s.Maximize(c[i%64], rho[i%64], nil); i++ },
			"Maximize, warm":      func() { s.Maximize(c[i%64], rho[i%64], &start); s.SaveStart(&start); i++ },
			"Maximize, surrogate": func() { g.Maximize(c[i%64], rho[i%64], nil); i++ },
			"Function":            func() { s.Function(coef); g.Function(coef) },
		} {
			t.Run(fmt.Sprintf("%s, choice %t, low rank %t", name, choice, reduced), func(t *testing.T) {
				check.Equal(t, "allocations", testing.AllocsPerRun(100, f), 0)
			})
		}
		check.That(t, s.work.Retries == 0, "%d retries", s.work.Retries)
	}
}

func TestWrongLengthsPanic(t *testing.T) {
	s := NewSolver()
	s.Append([]float64{1})
	s.MLE(1)
	s.SetLevel(1)
	for name, f := range map[string]func(){
		"Append":   func() { s.Append([]float64{1}) },
		"Maximize": func() { s.Maximize([]float64{1, 2}, 1, nil) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				check.That(t, recover() != nil, "a slice of the wrong length is accepted")
			}()
			f()
		})
	}
}

func TestStatus(t *testing.T) {
	for s, want := range map[Status]struct {
		name string
		ok   bool
	}{
		Unsolved: {"not solved", false}, Converged: {"converged", true}, Free: {"free", true}, Recovered: {"recovered", true},
		IterationLimit: {"iteration limit", false}, LossOfPrecision: {"loss of precision", false},
		Infeasible: {"infeasible", false}, Undefined: {"undefined", false}, 99: {"Status(99)", false},
	} {
		t.Run(want.name, func(t *testing.T) {
			if s.String() != want.name || s.OK() != want.ok {
				t.Errorf("%d: %q, OK %v", s, s, s.OK())
			}
		})
	}
}

// Every status that a solve can end with.
func TestEndings(t *testing.T) {
	for want, change := range map[Status]func(s *Solver, p benchProblem) (rho float64){
		Converged: func(*Solver, benchProblem) float64 { return 1 },
		Free:      func(s *Solver, _ benchProblem) float64 { s.SetLevel(1e3); return 1 },
		Recovered: func(s *Solver, _ benchProblem) float64 { s.limits.newton = 1; return 1 },
		IterationLimit: func(s *Solver, _ benchProblem) float64 {
			s.limits.newton, s.limits.barrier = 1, 5
			return 1
		},
		LossOfPrecision: func(s *Solver, _ benchProblem) float64 {
			s.SetTol(-1e-30) // a gap of 0 by chance would be within any other
			s.noise = 0      // or it would excuse the gap
			return 1
		},
		Infeasible: func(s *Solver, _ benchProblem) float64 {
			s.limits.newton = 1
			s.lbar = 0.5 * s.mle.Value // no function of the ball is as likely
			return 1
		},
		Undefined: func(*Solver, benchProblem) float64 { return math.NaN() },
	} {
		t.Run(want.String(), func(t *testing.T) {
			p := newBenchProblem(t, 20)
			s := p.solver()
			s.MLE(p.b)
			s.SetLevel(p.beta)
			c, rho := p.advantage([]float64{0.1, 0.9})
			res := s.Maximize(c, rho*change(s, p), nil)
			failures := 1
			if want.OK() {
				failures = 0
			}
			if res.Status != want || s.work.Failures != failures {
				t.Errorf("%v with %d failures, want %v with %d", res.Status, s.work.Failures, want, failures)
			}
			check.That(t, res.Bound >= res.Value, "the bound %g is below the value %g", res.Bound, res.Value)
		})
	}
	s := newBenchProblem(t, 20).solver()
	s.limits.newton, s.limits.barrier = 1, 1
	if res := s.MLE(6); res.Status != IterationLimit || s.work.Failures != 1 {
		t.Errorf("MLE: %+v", res)
	}
}

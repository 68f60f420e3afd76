package popbo

import (
	"math"
	"slices"
	"testing"

	"popbench/algorithms/internal/confset"
	"popbench/internal/check"
	"popbench/internal/math/search"
	"popbench/kernel"
	"popbench/space"
)

// The model solves the paper's problems, for a comparison graph that is no chain and has repeated points and a comparison of
// four points: MLE, bounds and advantages agree with testdata/paper.json, which scripts/reference/popbo.py makes by another
// method in the paper's own variables.
func TestModelAgainstPaperProblem(t *testing.T) {
	var cases []struct {
		Kernel           kernel.Config
		Epsilon, B, Beta float64
		X                [][]float64
		Comparisons      [][]int
		MLE              float64
		Z                []float64 // where the ball limits the MLE, which is then unique
		Queries          []struct {
			X                       []float64
			Upper, Lower, Advantage float64
		}
		Batches []struct {
			Refs  []int
			Fresh [][]float64
			X     []float64
			Value float64
		}
	}
	check.Read(t, "testdata/paper.json", &cases)
	for _, c := range cases {
		t.Run(c.Kernel.Family, func(t *testing.T) {
			d := len(c.X[0])
			k := mustKernel(t, c.Kernel, d)
			m := NewModel(k, c.Epsilon)
			for _, x := range c.X {
				m.AddPoint(x)
			}
			for _, members := range c.Comparisons {
				m.AddComparison(members[0], members[1:]...)
			}
			mle := m.SolveMLE(c.B)
			m.SetBeta(c.Beta)
			check.That(t, mle.Status.OK() && near(mle.Value, c.MLE, 1e-8), "ℓ(MLE) = %+v, the paper's problem has %.12g", mle, c.MLE)
			check.Near(t, m.LogLik(m.PointValues()), mle.Value, 1e-9, "likelihood of Z")
			check.That(t, m.Norm() <= c.B*(1+1e-9), "the MLE's norm %.12g is above B = %g", m.Norm(), c.B)
			for i, z := range c.Z {
				check.Near(t, m.PointValues()[i], z, 1e-4*c.B, "Z_%d", i)
			}
			f := m.MLE()
			for i, z := range m.PointValues() {
				check.Near(t, f.Value(m.Point(i)), z, c.Epsilon*max(slices.Max(f.w), -slices.Min(f.w))*1.01+1e-12, "f(x_%d)", i)
			}
			agree := func(what string, x []float64, got Solution, want float64) {
				t.Helper()
				check.That(t, got.Status.OK() && near(got.Value, want, 1e-7) && got.Gap <= confset.Tol*max(1, 2*c.B*math.Sqrt(k.Eval(x, x))),
					"%s at %v: %+v, the paper's problem has %.12g", what, x, got, want)
			}
			for _, q := range c.Queries {
				agree("upper bound", q.X, m.Upper(q.X), q.Upper)
				agree("lower bound", q.X, m.Lower(q.X), q.Lower)
				agree("advantage", q.X, m.Advantage(q.X, 3), q.Advantage)
			}
			for _, q := range c.Batches {
				a := newMaxMin(newOptimizer(m, space.Cube(d, 0, 1), 16, nil))
				for _, ref := range q.Refs {
					a.add(m.Point(ref), ref)
				}
				for _, y := range q.Fresh {
					a.add(y, -1)
				}
				agree("advantage over several", q.X, a.solve(q.X), q.Value)
			}
		})
	}
}

func advantageOver(p *POPBO, ref int) *advantage {
	m := p.method.model
	return &advantage{m: m, s: m.s, ref: ref}
}

func TestGradients(t *testing.T) {
	box := space.Cube(3, -1, 1)
	for _, family := range []string{"matern32", "se-paper", "linear"} {
		p := newTest(t, box, 1, func(c *Config) { c.Kernel.Family = family })
		r := stream(1)
		play(t, p, bump(box), 4, r)
		a := advantageOver(p, 1)
		a.value(sample(box, r), make([]float64, 3))
		optimistic := a.f
		for name, f := range map[string]search.Objective{
			"MLE": objective(p.method.model.MLE()), "optimistic": objective(optimistic), "advantage": func(x, grad []float64) float64 { return advantageOver(p, 1).value(x, grad) },
			"over several": func(x, grad []float64) float64 {
				several := newMaxMin(p.method.opt)
				for i, y := range [][]float64{p.method.model.Point(1), p.method.model.Point(2), {0.1, -0.6, 0.4}} {
					several.add(y, []int{1, 2, -1}[i])
				}
				return several.approximate(x, grad, confset.Tol)
			},
		} {
			for range 5 {
				check.Gradient(t, family+", "+name, f, sample(box, r), 1e-6, 1e-5)
			}
		}
	}
}

// objective is a function as an objective of searches.
func objective(f Function) search.Objective {
	return func(x, grad []float64) float64 {
		if grad != nil {
			return f.ValueGradient(grad, x)
		}
		return f.Value(x)
	}
}

// A model can grow while its last MLE is in use.
func TestMLEOutlivesNewPoints(t *testing.T) {
	p := newTest(t, space.Cube(1, 0, 1), 1, nil)
	tell(t, p, 1, []float64{0.1}, []float64{0.7})
	f, x := p.method.model.MLE(), []float64{0.4}
	want := f.Value(x)
	p.method.model.AddPoint([]float64{0.2})
	check.Equal(t, "f(x)", f.Value(x), want)
}

// Functions that the joint search evaluates a thousand times a step do not allocate.
func TestInnerLoopsDoNotAllocate(t *testing.T) {
	box := space.Cube(2, 0, 1)
	p := newTest(t, box, 1, nil)
	r := stream(1)
	play(t, p, bump(box), 20, r)
	m, a := p.method.model, advantageOver(p, 3)
	x, grad := sample(box, r), make([]float64, 2)
	f := m.MLE()
	a.value(x, grad) // sets the maximiser a.f
	for name, call := range map[string]func(){
		"Model.Advantage":              func() { m.Advantage(x, 3) },
		"Model.Upper":                  func() { m.Upper(x) },
		"Function.Value":               func() { f.Value(x) },
		"Function.Gradient":            func() { f.Gradient(grad, x) },
		"the joint search's objective": func() { a.value(x, grad) },
	} {
		call() // warm up
		check.Equal(t, name+": allocations", testing.AllocsPerRun(50, call), 0)
	}
}

// If the ball does not limit the likelihood, its maximiser fits the rate of wins and is the function of least norm that
// does: where two points differ by δ, their values are ±δ/2 and the norm is δ/√(2(k(x,x) + ε_K - k(x,y))).
func TestMLEOfLeastNorm(t *testing.T) {
	const eps, won, lost = 1e-6, 5., 2.
	k := mustKernel(t, kernel.Config{Family: "matern52", Variance: 1, Lengthscale: []float64{1}}, 1)
	m := NewModel(k, eps)
	x, y := []float64{0}, []float64{0.7}
	a, b := m.AddPoint(x), m.AddPoint(y)
	for i := range int(won + lost) {
		if i < lost {
			m.AddComparison(b, a)
		} else {
			m.AddComparison(a, b)
		}
	}
	want := won*math.Log(won/(won+lost)) + lost*math.Log(lost/(won+lost))
	delta := math.Log(won / lost)
	norm := delta / math.Sqrt(2*(k.Eval(x, x)+eps-k.Eval(x, y)))
	for _, ball := range []float64{1.01 * norm, 50, 1000} {
		mle := m.SolveMLE(ball)
		check.That(t, mle.Status.OK() && near(mle.Value, want, 1e-9), "B = %g: %+v, the rates of wins have %.12g", ball, mle, want)
		z := m.PointValues()
		check.Near(t, z[a], delta/2, 1e-4, "B = %g: the value of the winner", ball)
		check.Near(t, z[b], -delta/2, 1e-4, "B = %g: the value of the loser", ball)
		check.Near(t, m.Norm(), norm, 1e-4, "B = %g: norm", ball)
	}
}

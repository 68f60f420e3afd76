package popbo

import (
	"math"
	"slices"
	"testing"

	"popbench/algorithms"
	"popbench/internal/check"
	"popbench/internal/math/convex"
	"popbench/internal/math/search"
	"popbench/internal/math/wide"
	"popbench/kernel"
	"popbench/space"
)

// The model solves the paper's problems: MLE, bounds and advantage agree with Probs. MLE_prob and
// reform_inner_prob_to_fin in Z, for a comparison graph that is not a chain and has repeated points
// and a comparison of four points.
func TestModelAgainstPaperProblem(t *testing.T) {
	box := space.Cube(2, 0, 1)
	for _, c := range []struct {
		kernel  kernel.Config
		eps     float64
		b, beta float64
	}{
		{kernel.Config{Family: "matern52", Variance: 1, Lengthscale: []float64{0.4}}, 1e-6, 3, 1},
		{kernel.Config{Family: "se-half", Variance: 4, Lengthscale: []float64{0.5, 0.3}}, 0.02, 1, 0.2},
		{kernel.Config{Family: "linear", Variance: 2}, 1e-3, 4, 2},
		{kernel.Config{Family: "matern12", Variance: 1, Lengthscale: []float64{0.2}}, 1e-6, 8, 5},
	} {
		t.Run(c.kernel.Family, func(t *testing.T) {
			k := mustKernel(t, c.kernel, 2)
			m := NewModel(k, c.eps)
			r := stream(1)
			point := make([][]float64, 6)
			for i := range point {
				point[i] = sample(box, r)
			}
			comparisons := []algorithms.Comparison{
				{Points: [][]float64{point[0], point[1]}, Winner: 1},
				{Points: [][]float64{point[2], point[1]}, Winner: 1},
				{Points: [][]float64{point[1], point[2]}, Winner: 1},
				{Points: [][]float64{point[0], point[3], point[4], point[1]}, Winner: 2},
				{Points: [][]float64{point[5], point[0]}, Winner: 0},
				{Points: [][]float64{point[5], point[3]}, Winner: 0},
			}
			for _, c := range comparisons {
				m.learn(c)
			}
			check.Equal(t, "distinct points", m.Len(), 6)
			mle := m.SolveMLE(c.b)
			m.SetBeta(c.beta)
			problem := newPaperProblem(t, m, k, c.eps, c.b, comparisons)
			want, u := problem.mle()
			check.That(t, mle.Status.OK() && near(mle.Value, want, 1e-8),
				"ℓ(MLE) = %.12g (%v), the paper's problem has %.12g", mle.Value, mle.Status, want)
			check.Near(t, m.LogLik(m.PointValues()), mle.Value, 1e-9, "likelihood of Z")
			check.That(t, m.Norm() <= c.b*(1+1e-9), "the MLE's norm %.12g is above B = %g", m.Norm(), c.b)
			// If the ball limits the MLE, it is unique.
			if a := u[:m.Len()]; math.Sqrt(wide.Dot(a, a)) > 0.999*c.b {
				for i, z := range problem.values(u) {
					check.Near(t, m.PointValues()[i], z, 1e-4*c.b, "Z_%d", i)
				}
			}
			f := m.MLE()
			for i, z := range m.PointValues() {
				check.Near(t, f.Value(m.Point(i)), z, c.eps*max(slices.Max(f.w), -slices.Min(f.w))*1.01+1e-12, "f(x_%d)", i)
			}
			for range 3 {
				x := sample(box, r)
				problem := newPaperProblem(t, m, k, c.eps, c.b, comparisons, x)
				obj := make([]float64, len(problem.points))
				last := len(obj) - 1
				check := func(what string, got Solution, want float64) {
					t.Helper()
					if !got.Status.OK() || !near(got.Value, want, 1e-7) || math.Abs(got.Bound-got.Value) > convex.Tol*max(1, 2*c.b*math.Sqrt(k.Eval(x, x))) {
						t.Errorf("%s at %v: %+v, the paper's problem has %.12g", what, x, got, want)
					}
				}
				obj[last] = 1
				check("upper bound", m.Upper(x), problem.maximise(c.beta, obj, nil))
				obj[last] = -1
				check("lower bound", m.Lower(x), -problem.maximise(c.beta, obj, nil))
				obj[last], obj[3] = 1, -1
				check("advantage", m.Advantage(x, 3), problem.maximise(c.beta, obj, nil))
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

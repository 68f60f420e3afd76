package popbo

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"testing"

	"popbench/algorithms"
	"popbench/internal/check"
	"popbench/kernel"
	"popbench/space"
)

// own is a kernel with ε on the diagonal: that of f on a finite set, where every arm has one variable.
type own struct {
	kernel.Kernel
	epsilon float64
}

func (k own) Eval(x, y []float64) float64 {
	v := k.Kernel.Eval(x, y)
	if slices.Equal(x, y) {
		v += k.epsilon
	}
	return v
}

func (k own) Row(dst, x, pts []float64) {
	d := len(x)
	for i := range dst {
		dst[i] = k.Eval(x, pts[i*d:(i+1)*d])
	}
}

// reference returns the Model of what p has learnt, with a variable for each comparison: the solver of boxes.
func reference(t *testing.T, p *POPBO) *Model {
	t.Helper()
	cfg, a := p.method.cfg, p.method.finite.domain
	k := check.Must(cfg.Kernel.New(a.Dim()))(t)
	m := NewModel(own{k, cfg.Epsilon}, 0)
	for i := range a.Len() {
		m.AddPoint(a.At(i))
	}
	for _, c := range mustState(t, p).Comparisons {
		m.AddComparison(a.Index(c.Points[c.Winner]), a.Index(c.Points[1-c.Winner]))
	}
	beta, norm := p.Beta()
	if s := m.SolveMLE(norm); !s.Status.OK() {
		t.Fatal(s)
	}
	m.SetBeta(beta)
	return m
}

// newOnArms returns a POPBO on n random arms with d features.
func newOnArms(t testing.TB, n, d int, seed uint64, change func(*Config)) *POPBO {
	t.Helper()
	r := stream(seed)
	points := make([][]float64, n)
	for i := range points {
		points[i] = sample(space.Cube(d, 0, 1), r)
	}
	a := check.Must(space.NewArms(points))(t)
	cfg := Default()
	cfg.Kernel.Lengthscale = []float64{0.3}
	if change != nil {
		change(&cfg)
	}
	return check.Must(New(algorithms.Setup{Domain: a, Start: a.At(0), Rand: r, Pilot: algorithms.NewPilot(pilotOf(bump(a.Bounds()), a, 20, r))}, cfg))(t)
}

// TestOnArms: the solver of boxes, with the kernel matrix of the arms, has the same estimates, advantages, ranges and
// choices.
func TestOnArms(t *testing.T) {
	for name, change := range variants {
		t.Run(name, func(t *testing.T) {
			change := func(c *Config) { change(c); c.Batch, c.Beta.Beta0 = 1, max(c.Beta.Beta0, 0.01) }
			for seed := range uint64(3) {
				p := newOnArms(t, 12, 1+int(seed), seed, change)
				a, r, m := p.method.finite.domain, stream(99+seed), p.method
				for step := range 18 {
					model := reference(t, p)
					z := model.PointValues()
					got, want := p.LogLikelihood(), model.mleSolution.Value
					check.That(t, near(got.Value, want, 1e-9) && got.Gap <= 1e-9, "step %d: log-likelihood %v, want %.12g", step, got, want)
					for i := range a.Len() {
						x := a.At(i)
						estimate, lower, upper, err := p.Confidence(x)
						check.OK(t, err)
						got, want := []float64{estimate, lower.Value, upper.Value}, []float64{z[i], model.Lower(x).Value, model.Upper(x).Value}
						check.That(t, slices.EqualFunc(got, want, func(v, w float64) bool { return near(v, w, 1e-7) }),
							"step %d: estimate and range at %v are %.10g, and %.10g for the solver of boxes", step, x, got, want)
					}
					q, metrics := mustAskMetrics(t, p)
					if m.t >= m.cfg.InitialDuels {
						ref, best := m.last[0], math.Inf(-1)
						for i := range a.Len() {
							best = max(best, model.Advantage(a.At(i), ref).Value)
						}
						adv := model.Advantage(q.Points[1], ref).Value
						check.That(t, (name == "random" || near(adv, best, 1e-7)) && near(adv, metrics["optimistic_advantage"], 1e-7),
							"step %d: the advantage is %.10g, here %.10g; the largest is %.10g", step, metrics["optimistic_advantage"], adv, best)
						check.That(t, slices.Equal(q.Points[0], a.At(ref)) && metrics["duality_gap"] <= 1e-9 && metrics["search_gap"] <= 1e-8,
							"step %d: %v, %v", step, q, metrics)
					}
					rec := mustRecommend(t, p)
					check.Near(t, z[a.Index(rec[RuleMaxMLE])], slices.Max(z), 1e-7, "step %d: max-mle", step)
					top, visited := math.Inf(-1), a.Index(rec[RuleMaxMLEVisited])
					for _, i := range m.finite.visited {
						top = max(top, z[i])
					}
					check.That(t, near(z[visited], top, 1e-7) && slices.Contains(m.finite.visited, visited), "step %d: max-mle-visited is arm %d", step, visited)
					check.OK(t, p.Tell(q, oracle(bump(a.Bounds()), q.Points, r)))
				}
			}
		})
	}
}

// TestRunOnArms: every estimate and every choice of a run has its certificate, and most arms need no solve. The end of the
// run recommends the best arm.
func TestRunOnArms(t *testing.T) {
	p, r := newOnArms(t, 40, 1, 7, nil), stream(8)
	a := p.method.finite.domain
	f := bump(a.Bounds())
	for step := range 120 {
		q, metrics := mustAskMetrics(t, p)
		if p.LogLikelihood().Gap > 1e-9 || metrics["duality_gap"] > 1e-9 || metrics["search_gap"] > 1e-8 || metrics["failures"] != 0 {
			t.Fatalf("step %d: gap %g, %v", step, p.LogLikelihood().Gap, metrics)
		}
		check.OK(t, p.Tell(q, oracle(func(x []float64) float64 { return 3 * f(x) }, q.Points, r)))
	}
	solves := p.method.finite.spent().Solves
	check.That(t, solves < 120*a.Len()/2, "%d solves in 120 steps on %d arms: tangents exclude few", solves, a.Len())
	best := slices.MaxFunc(a.Points(), func(x, y []float64) int { return cmp.Compare(f(x), f(y)) })
	x := mustRecommend(t, p)[RuleMaxMLE]
	check.That(t, f(x) >= f(best)-0.05, "%v is recommended; the best arm is %v", x, best)
}

// TestLooseSolveOnArms: a solve that misses its tolerance still has a value and a bound. An arm is not passed over because
// its solve is among these.
func TestLooseSolveOnArms(t *testing.T) {
	cfg := Default()
	cfg.Kernel.Variance, cfg.NormBound = 10, 12
	a := check.Must(space.NewArms([][]float64{{0, 0}, {1, 1}, {2, 2}}))(t)
	p := check.Must(New(algorithms.Setup{Domain: a, Start: a.At(0), Rand: stream(0)}, cfg))(t)
	var failures float64
	answers := [][2]int{{0, 1}, {0, 1}, {2, 0}, {2, 0}, {2, 0}, {0, 2}, {2, 0}, {0, 1}, {2, 1}, {2, 0}} // winner, loser
	for step, c := range answers {
		check.OK(t, p.Tell(algorithms.Query{Points: [][]float64{a.At(c[1]), a.At(c[0])}, New: 1}, 1))
		q, metrics := mustAskMetrics(t, p)
		failures += metrics["failures"]
		adv := reference(t, p).Advantage(q.Points[1], a.Index(q.Points[0])).Value
		check.That(t, metrics["search_gap"] <= 1e-6 && near(metrics["optimistic_advantage"], adv, 1e-6),
			"step %d: advantage %.10g with %v", step, adv, metrics)
	}
	check.That(t, failures > 0, "all solves meet their tolerance: the test has to find others")
}

// TestTiesOnArms: of arms as far from the start as each other, a draw takes one, whatever their order.
func TestTiesOnArms(t *testing.T) {
	points := [][]float64{{0, 0}, {1, 0}, {-1, 0}, {0, 1}, {0, -1}, {0.5, 0}}
	turned := [][]float64{{0, 1}, {0.5, 0}, {-1, 0}, {0, 0}, {0, -1}, {1, 0}}
	seen := map[string]bool{}
	for seed := range uint64(40) {
		var chosen []string
		for _, list := range [][][]float64{points, turned} {
			a := check.Must(space.NewArms(list))(t)
			p := check.Must(New(algorithms.Setup{Domain: a, Start: []float64{0, 0}, Rand: stream(seed)}, Default()))(t)
			chosen = append(chosen, fmt.Sprint(mustAsk(t, p).Points[1]))
		}
		check.That(t, chosen[0] == chosen[1], "seed %d: %v, and in another order %v", seed, chosen[0], chosen[1])
		seen[chosen[0]] = true
	}
	check.That(t, len(seen) == 4 && !seen["[0.5 0]"] && !seen["[0 0]"],
		"the choices are %v, not each of the four farthest arms", seen)
}

// TestOneArm: a single arm can only meet itself.
func TestOneArm(t *testing.T) {
	p := newOnArms(t, 1, 2, 1, nil)
	for range 3 {
		q := mustAsk(t, p)
		check.Same(t, "the second arm", q.Points[1], q.Points[0])
		tell(t, p, 1, q.Points...)
		mustRecommend(t, p)
	}
}

func TestBatchOnArms(t *testing.T) {
	p := newOnArms(t, 3, 1, 1, nil)
	cfg := Default()
	cfg.Batch = 3
	_, err := New(algorithms.Setup{Domain: p.method.domain, Start: p.method.first[0], Rand: stream(1)}, cfg)
	check.That(t, algorithms.IsUndefined(err), "a batch on arms: %v", err)
	check.Error(t, "a batch on arms", err, "popbo: batch = 3: on a finite set of arms it compares two points; give 1")
	check.Error(t, "a query of three points", p.Tell(algorithms.Query{Points: p.method.finite.domain.Points(), New: 1}, 0),
		"popbo: points: it learns from duels, and this query has 3 points; give two")
}

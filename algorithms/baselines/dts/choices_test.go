package dts

import (
	"flag"
	"math/rand/v2"
	"slices"
	"testing"

	"popbench/algorithms"
	"popbench/internal/check"
	"popbench/internal/math/linalg"
	"popbench/problems"
	"popbench/space"
)

var (
	runs  = flag.Int("runs", 1, "runs per function of TestChoicesAreTheBest")
	every = flag.Int("every", 6, "steps from one state to the next of TestChoicesAreTheBest")
	prior = flag.String("prior", antisymmetric, "prior of TestChoicesAreTheBest")
)

// Both choices score most candidates with few of the landmarks. In states of runs on the test functions the
// chosen candidates have the largest score over all landmarks. With -args -runs 5 -every 2 there are 455
// states.
func TestChoicesAreTheBest(t *testing.T) {
	cfg := Default()
	cfg.Prior = *prior
	states := 0
	for _, name := range []string{"levy13", "beale", "branin", "bukin6", "cross_in_tray", "eggholder", "holder_table"}[:check.Few(2, 7)] {
		for seed := range *runs {
			run(t, name, uint64(seed), cfg, func(step int, m *method) {
				if step < cfg.InitialDuels || step%*every != 0 {
					return
				}
				states++
				checkChoices(t, name, m)
			})
		}
	}
	t.Logf("%d states", states)
}

// run plays 30 steps, and calls after with the number of comparisons after each.
func run(t *testing.T, name string, seed uint64, cfg Config, after func(step int, m *method)) {
	t.Helper()
	spec := check.Must(problems.Lookup(name))(t)
	p := check.Must(spec.Instance(problems.Std, nil))(t)
	oracle := problems.NewOracle(p, rand.New(rand.NewPCG(seed, 2)))
	r := rand.New(rand.NewPCG(seed, 3))
	start := p.Box.Sample(make([]float64, p.Box.Dim()), r)
	a := check.Must(New(algorithms.Setup{Domain: p.Box, Start: start, Rand: r}, cfg))(t)
	for step := 1; step <= 30; step++ {
		q := check.Must(a.Ask())(t)
		c := check.Must(oracle.Answer(t.Context(), q.Points))(t)
		check.OK(t, a.Tell(q, c.Winner))
		after(step, a.m)
	}
}

func checkChoices(t *testing.T, name string, m *method) {
	t.Helper()
	a := m.choices
	n, cols := len(a.candidates)/a.d, len(a.landmarks)/a.d
	scores, latent := make([]float64, n), make([]float64, n*cols)

	f := newFeatures(m.model.kernel.k, slices.Concat(a.both, m.model.duels.points), nil)
	draw := m.model.draw(f, m.streams.Rand("sample", m.t))
	draw.latent(latent, f.phi, f.n, n, a.at, cols)
	softCopeland(scores, latent, m.model.link)
	if got, _ := a.winner(draw, m.model.link); got != linalg.ArgMax(scores) {
		t.Errorf("%s, %d comparisons: the winner of a draw is %d with %.4f, not %d with %.4f", name, m.t, got, scores[got], linalg.ArgMax(scores), slices.Max(scores))
	}

	m.model.ExpectedCopeland(scores, a.candidates, a.landmarks)
	if got := m.model.condorcet(a); got != linalg.ArgMax(scores) {
		t.Errorf("%s, %d comparisons: the recommendation is %d with %.4f, not %d with %.4f", name, m.t, got, scores[got], linalg.ArgMax(scores), slices.Max(scores))
	}
}

// On arms every choice is exact, however many there are.
func TestChoicesOnArmsAreExact(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 9))
	points := make([][]float64, 300)
	for i := range points {
		points[i] = []float64{float64(i)} // the first are no sample of all
	}
	domain := check.Must(space.NewArms(points))(t)
	cfg := Default()
	cfg.Fit, cfg.Kernel.Lengthscale[0], cfg.Kernel.Variance = "none", 15, 4
	a := check.Must(New(algorithms.Setup{Domain: domain, Start: points[0], Rand: r}, cfg))(t)
	for range 12 {
		q := algorithms.Query{Points: [][]float64{points[r.IntN(300)], points[r.IntN(300)]}, New: 2}
		check.OK(t, a.Tell(q, r.IntN(2)))
		checkChoices(t, "arms", a.m)
	}
}

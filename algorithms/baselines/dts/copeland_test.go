package dts

import (
	"math/rand/v2"
	"slices"
	"testing"

	"popbench/algorithms"
	"popbench/algorithms/algotest"
	"popbench/internal/check"
	"popbench/internal/math/linalg"
	"popbench/problems"
	"popbench/space"
)

// The scores of known functions f([x; x']): a matrix, or g(x') - g(x) for the values of g, to be minimised, on a grid.
func TestSoftCopelandReferences(t *testing.T) {
	var cases []struct {
		F      [][]float64
		G, C   []float64
		Argmax int
	}
	check.Read(t, "testdata/soft_copeland.json", &cases)
	for i, c := range cases {
		n := len(c.C)
		got, latent := make([]float64, n), make([]float64, n*n)
		for i := range n {
			for j := range n {
				if c.G != nil {
					latent[j*n+i] = c.G[j] - c.G[i]
				} else {
					latent[j*n+i] = c.F[i][j]
				}
			}
		}
		softCopeland(got, latent, logit{})
		near(t, reference{ID: i}, "C", got, c.C, 1e-11)
		check.Equal(t, "the winner", linalg.ArgMax(got), c.Argmax)
	}
}

// Both choices score most candidates with few of the landmarks. In states of runs on the test functions the chosen
// candidates have the largest score over all landmarks.
func TestChoicesAreTheBest(t *testing.T) {
	for _, name := range []string{"levy13", "beale", "branin", "bukin6", "cross_in_tray", "eggholder", "holder_table"}[:check.Few(2, 7)] {
		p := check.Must(check.Must(problems.Lookup(name))(t).Instance(problems.Std, nil))(t)
		for seed := range uint64(check.Few(1, 5)) {
			r, oracle := rand.New(rand.NewPCG(seed, 3)), problems.NewOracle(p, rand.New(rand.NewPCG(seed, 2)))
			start := p.Box.Sample(make([]float64, p.Box.Dim()), r)
			a := check.Must(New(algorithms.Setup{Domain: p.Box, Start: start, Rand: r}, Default()))(t)
			for step := 1; step <= 30; step++ {
				q := check.Must(a.Ask())(t)
				check.OK(t, a.Tell(q, check.Must(oracle.Answer(t.Context(), q.Points))(t).Winner))
				if step >= paperDuels && step%check.Few(6, 2) == 0 {
					checkChoices(t, name, a.m)
				}
			}
		}
	}
}

// The points of a grid are in rows, so the first are an edge of the box. On Branin's function an edge decides wrongly.
func TestChoicesOfAGridAreExact(t *testing.T) {
	cfg := Default()
	cfg.Grid, cfg.InitialDuels = 15, 3
	p := check.Must(check.Must(problems.Lookup("branin"))(t).Instance(problems.Std, nil))(t)
	for seed := range uint64(4) {
		a, r := check.Must(New(algotest.Setup(p.Box, seed), cfg))(t), rand.New(rand.NewPCG(seed, 9))
		for range 8 {
			algotest.Play(t, a, 1, p.Value, r)
			checkChoices(t, "grid", a.m)
		}
	}
}

// checkChoices compares the winner of a draw, and the recommendation, with scores over all landmarks, and opponents with
// exact variances.
func checkChoices(t *testing.T, name string, m *method) {
	t.Helper()
	a := m.choices
	n, cols := len(a.candidates)/a.d, len(a.landmarks)/a.d
	scores := make([]float64, n)
	best := func(what string, got int) {
		t.Helper()
		want := linalg.ArgMax(scores)
		check.That(t, got == want, "%s, %d comparisons: %s is %d with %.4f, not %d with %.4f", name, m.t, what, got, scores[got], want, scores[want])
	}
	f := newFeatures(m.model.kernel.k, slices.Concat(a.both, m.model.duels.points), nil)
	draw := m.model.draw(f, m.streams.Rand("sample", m.t))
	draw.latent(f.phi, f.n, n, a.at, cols, func(from int, values []float64) {
		softCopeland(scores[from:from+len(values)/cols], values, m.model.link)
	})
	got, _ := a.winner(draw, m.model.link)
	best("the winner of a draw", got)
	m.model.ExpectedCopeland(scores, a.candidates, a.landmarks)
	best("the recommendation", m.model.condorcet(a))
	mean := make([]float64, n)
	for x := 0; x < n; x += 1 + n/16 {
		m.model.WinMoments(mean, scores, a.candidate(x), a.candidates)
		scores[x] = -1
		got, _ := m.model.opponent(a, x)
		best("the opponent", got)
	}
}

// On arms every choice is exact, however many there are.
func TestChoicesOnArmsAreExact(t *testing.T) {
	points := make([][]float64, 300)
	for i := range points {
		points[i] = []float64{float64(i)} // the first are no sample of all
	}
	cfg := Default()
	cfg.Fit, cfg.Kernel.Lengthscale, cfg.Kernel.Variance = "none", []float64{15}, 4
	a, r := check.Must(New(algotest.Setup(check.Must(space.NewArms(points))(t), 1), cfg))(t), rand.New(rand.NewPCG(1, 9))
	for range 12 {
		algotest.Play(t, a, 1, func([]float64) float64 { return 0 }, r)
		checkChoices(t, "arms", a.m)
	}
}

// Scores do not allocate for each pair of points: with ten times the candidates the model does not allocate more often.
func TestScoresDoNotAllocate(t *testing.T) {
	a := learnt(t, Default(), 20)
	m, points, landmarks := a.m.model, a.m.choices.candidates, a.m.choices.landmarks
	scores := make([]float64, 1000)
	for name, f := range map[string]func(dst, points, landmarks []float64){"rough": m.addRough, "exact": m.ExpectedCopeland} {
		allocations := func(n int) float64 {
			return testing.AllocsPerRun(3, func() { f(scores[:n], points[:2*n], landmarks[:2*20]) })
		}
		few, many := allocations(100), allocations(1000)
		check.That(t, many <= few, "%s: %v allocations with 100 candidates, %v with 1,000", name, few, many)
	}
}

// Candidates differ from run to run, so that no candidate is the same in all of them. They are in the box, and
// the landmarks are well spread too.
func TestChoices(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	square := space.Cube(2, 0, 1)
	one, two := newChoices(Default(), space.NewFrame(square), r), newChoices(Default(), space.NewFrame(square), r)
	check.That(t, one.candidates[0] != two.candidates[0] && len(one.candidates) == 2*1089 && len(one.landmarks) == 2*256,
		"%d candidates, %d landmarks, the first at %g and %g in two runs", len(one.candidates)/2, len(one.landmarks)/2, one.candidates[0], two.candidates[0])
	for name, points := range map[string][]float64{"candidates": one.candidates, "landmarks": one.landmarks} {
		quarters := map[[2]bool]float64{}
		for x := range slices.Chunk(points, 2) {
			check.That(t, square.Contains(x), "%v is outside", x)
			quarters[[2]bool{x[0] < 0.5, x[1] < 0.5}] += 2 / float64(len(points))
		}
		for _, share := range quarters {
			check.Near(t, share, 0.25, 0.02, "%s: the share in a quarter of the box", name)
		}
	}
	cfg := Default()
	cfg.Grid = 33
	g := newChoices(cfg, space.NewFrame(space.Cube(1, 0, 1)), r)
	check.That(t, len(g.candidates) == 33 && &g.landmarks[0] == &g.candidates[0],
		"a grid of 33 points has %d candidates, %d landmarks", len(g.candidates), len(g.landmarks))
}

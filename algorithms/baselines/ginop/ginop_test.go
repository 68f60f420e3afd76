package ginop

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"popbench/algorithms"
	"popbench/algorithms/algotest"
	"popbench/algorithms/internal/confset"
	"popbench/algorithms/popbo"
	"popbench/internal/check"
	"popbench/space"
)

func TestConforms(t *testing.T) {
	algotest.Run(t, "default", algotest.With(New, Default()))
	for name, change := range map[string]func(*Config){
		"no self-duels": func(c *Config) { c.SelfDuels, c.Epsilon = "forbid", 0 },
		"laplace":       func(c *Config) { c.Width = "laplace" },
		"fitted":        func(c *Config) { c.Fit = "map" },
	} {
		cfg := Default()
		change(&cfg)
		algotest.Run(t, name, algotest.With(New, cfg), "a line", "nine arms with three features")
	}
}

func TestConfigValidate(t *testing.T) {
	algotest.RunSettings(t, Default(), map[string]func(*Config){
		"norm_bound = 0":       func(c *Config) { c.NormBound = 0 },
		`width = "both"`:       func(c *Config) { c.Width = "both" },
		`self_duels = "never"`: func(c *Config) { c.SelfDuels = "never" },
		"beta.beta0 = -1":      func(c *Config) { c.Beta.Beta0 = -1 },
		"kernel.variance = -1": func(c *Config) { c.Kernel.Variance = -1 },
		"epsilon = -1":         func(c *Config) { c.Epsilon = -1 },
		"lambda = 0":           func(c *Config) { c.Lambda = 0 },
		"fit":                  func(c *Config) { c.Fit = "mle" },
	}, New)
}

// played returns a box and its model after random duels about a utility, and the duels.
func played(t *testing.T, r *rand.Rand, d, duels int, cfg Config) (m *box, all []algorithms.Comparison) {
	t.Helper()
	domain := space.Cube(d, 0, 1)
	m = newBox(domain, make([]float64, d), check.Must(cfg.Kernel.New(d))(t), cfg)
	for range duels {
		x, y := domain.Sample(make([]float64, d), r), domain.Sample(make([]float64, d), r)
		if len(all) > 0 && r.IntN(2) == 0 {
			x = all[r.IntN(len(all))].Points[0]
		}
		winner := 0
		if r.Float64() < 1/(1+math.Exp(4*(x[0]-y[0]))) {
			winner = 1
		}
		all = append(all, algorithms.Comparison{Points: [][]float64{x, y}, Winner: winner})
		m.add(all[len(all)-1])
	}
	m.fit(cfg.Beta.at(duels))
	return m, all
}

// streams are the random numbers of a choice.
func streams(step int) func(label string) *rand.Rand {
	return func(label string) *rand.Rand { return algorithms.NewStreams(7).Rand(label, step) }
}

// TestPOPBO: with one point fixed, the largest difference is POP-BO's optimistic advantage. The two are different methods.
func TestPOPBO(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var worst float64
	for set := range 20 {
		cfg := Default()
		cfg.NormBound = []float64{1, 4}[set%2]
		m, all := played(t, r, 1+set%3, 1+r.IntN(15), cfg)
		p := popbo.NewModel(m.k, cfg.Epsilon)
		index := map[string]int{}
		for i := range m.seen.Points.Len() {
			index[space.Key(m.seen.Points.At(i))] = p.AddPoint(m.seen.Points.At(i))
		}
		for _, c := range all {
			p.AddComparison(index[space.Key(c.Points[c.Winner])], index[space.Key(c.Points[1-c.Winner])])
		}
		last := p.AddPoint(m.box.Sample(make([]float64, m.k.Dim()), r))
		p.SolveMLE(cfg.NormBound)
		p.SetBeta(m.beta)
		for range 5 {
			x, y := m.box.Sample(make([]float64, m.k.Dim()), r), p.Point(last)
			w, want := m.width(x, y), p.Advantage(x, last)
			difference := math.Abs(w.MaxValue - want.Value)
			worst = max(worst, difference)
			check.That(t, w.Status == confset.Converged && want.Status.OK() && difference <= 1e-7,
				"set %d: the largest difference is %.10g (%v), POP-BO's advantage %.10g (%v)", set, w.MaxValue, w.Status, want.Value, want.Status)
			check.Near(t, m.width(y, x).Least(), w.Least(), 1e-8, "set %d: ω the other way", set)
			check.That(t, w.Least() >= 0, "set %d: ω is %g", set, w.Least())
		}
	}
	t.Logf("largest difference %.2g", worst)
}

// TestGradient compares the gradient of a pair's value with differences. Alternating in pairs raises the value of most.
func TestGradient(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	raised := 0
	for _, duels := range []int{0, 1, 6, 12} {
		cfg := Default()
		cfg.Kernel.Lengthscale = []float64{0.4}
		m, _ := played(t, r, 2, duels, cfg)
		c := m.newSamples(r)
		for range 5 {
			z := m.box.Sample(make([]float64, 4)[:2], r)
			z = append(z, m.box.Sample(make([]float64, 2), r)...)
			check.Gradient(t, fmt.Sprint(duels, " duels"), m.value, z, 1e-4, 1e-4)
			before, p := m.value(z, nil), m.alternate(choice{x: z[:2], y: z[2:]}, c)
			check.That(t, p.value >= before && p.value == m.value(slices.Concat(p.x, p.y), nil), "%d duels: from %g to %g", duels, before, p.value)
			if p.value > before {
				raised++
			}
		}
	}
	check.That(t, raised >= 10, "alternating raises the value of %d pairs of 20", raised)
}

// TestBoxSearch: no random pair is clearly better than the one that the search finds.
func TestBoxSearch(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for set := range 12 {
		d := 1 + set%3
		cfg := Default()
		cfg.NormBound, cfg.Kernel.Lengthscale = []float64{1, 3}[set%2], []float64{0.3}
		m, _ := played(t, r, d, 2*set, cfg)
		c, best := m.choose(streams(set)), math.Inf(-1)
		for range 400 {
			z := space.Cube(2*d, 0, 1).Sample(make([]float64, 2*d), r)
			for i, v := range z {
				if r.IntN(3) == 0 { // many optima are on the boundary
					z[i] = math.Round(v)
				}
			}
			if !slices.Equal(z[:d], z[d:]) {
				best = max(best, m.value(z, nil))
			}
		}
		check.That(t, c.value >= best-1e-3*math.Abs(best) && c.gap <= 1e-7,
			"set %d: chose (%g, %g) of value %g with gap %g; another pair has %g", set, c.x, c.y, c.value, c.gap, best)
	}
}

// TestFirstBelief: before the first answer, f(x) is known to be within the ball, or within what β leaves of the prior. On a
// box the start is recommended. An estimate that is wrong is not used.
func TestFirstBelief(t *testing.T) {
	for _, domain := range []space.Domain{grid(t, 4), space.Cube(1, 0, 1)} {
		for width, want := range map[string]float64{"certified": 3 * math.Sqrt(1.5), "laplace": math.Sqrt(2 * 0.2 / 0.1 * 1.5)} {
			cfg := Default()
			cfg.Width, cfg.Epsilon, cfg.NormBound, cfg.Lambda = width, 0.5, 3, 0.1
			s := algotest.Setup(domain, 1)
			m := check.Must(begin(s, algorithms.Streams{}, cfg))(t)
			on, isBox := m.model.(*box)
			if isBox {
				check.Same(t, "the recommended point", check.Must(m.Recommend())(t)[0].X, s.Start)
				on.beta = 0.2
			} else {
				m.fit(0.2)
			}
			b := check.Must(m.Belief(s.Start))(t)
			check.Equal(t, "estimate", b.Estimate, 0)
			check.Near(t, b.Upper, want, 1e-12*want, "%T, %s: upper", domain, width)
			check.Near(t, b.Lower, -want, 1e-12*want, "%T, %s: lower", domain, width)
			if isBox {
				on.now.Status = confset.LossOfPrecision
				for _, err := range []error{check.Err(m.Propose()), check.Err(m.Recommend()), check.Err(m.Belief(s.Start))} {
					check.Error(t, "a wrong estimate", err, "the estimate from 0 comparisons ended with", "raise epsilon or lower norm_bound")
				}
			}
		}
	}
}

// TestBoxSelfDuel: on a box where the estimate is nearly certain, the best point is asked against itself if that may be.
func TestBoxSelfDuel(t *testing.T) {
	for _, self := range []string{"allow", "forbid"} {
		r := rand.New(rand.NewPCG(10, 11))
		cfg := Default()
		cfg.SelfDuels, cfg.Width, cfg.Beta.Beta0 = self, "laplace", 1e-12
		m, _ := played(t, r, 1, 20, cfg)
		c := m.choose(streams(0))
		check.That(t, slices.Equal(c.x, c.y) == (self == "allow") && (self != "allow" || c.value == 2*m.mean(c.x, nil)),
			"%s: chose (%g, %g) of value %g", self, c.x, c.y, c.value)
	}
}

// grid returns arms on a line.
func grid(t testing.TB, n int) *space.Arms {
	var points [][]float64
	for i := range n {
		points = append(points, []float64{-5 + 10*float64(i)/float64(n-1)})
	}
	return check.Must(space.NewArms(points))(t)
}

// TestManyArms: the certified width refuses what would not fit in memory, and the approximate one does not.
func TestManyArms(t *testing.T) {
	s := algotest.Setup(grid(t, maxArms+1), 1)
	cfg := Default()
	err := check.Err(New(s, cfg))
	check.That(t, algorithms.IsUndefined(err), "certified: %v", err)
	cfg.Width = "laplace"
	check.OK(t, check.Err(New(s, cfg)))
}

// TestRun plays duels on arms: choices are certified, the best arm is found, and self-duels happen where they may.
func TestRun(t *testing.T) {
	domain := grid(t, 9)
	for _, self := range []string{"allow", "forbid"} {
		for _, width := range []string{"certified", "laplace"} {
			cfg := Default()
			cfg.SelfDuels, cfg.Width, cfg.Beta.Beta0 = self, width, 0.05
			a, r := check.Must(New(algotest.Setup(domain, 1), cfg))(t), rand.New(rand.NewPCG(8, 9))
			selves, most := 0, map[string]float64{}
			for range 150 {
				q, _ := algotest.Step(t, a, func(x []float64) float64 { return -0.5 * (x[0] - 2.5) * (x[0] - 2.5) }, r)
				if slices.Equal(q.Points[0], q.Points[1]) {
					selves++
				}
				for _, v := range a.Metrics() {
					most[v.Name] = max(most[v.Name], v.Value)
				}
			}
			check.That(t, most["choice_gap"] <= 1e-7 && most["failures"] == 0, "%s, %s: the largest metrics are %v", self, width, most)
			best := check.Must(a.Recommend())(t)[0].X
			b := check.Must(a.Belief(best))(t)
			check.That(t, best[0] == 2.5 && (selves > 0) == (self == "allow") && b.Lower < b.Estimate && b.Estimate < b.Upper,
				"self-duels %s, width %s: %d self-duels, recommends %g with belief %+v", self, width, selves, best, b)
		}
	}
}

package ginop

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"popbench/algorithms"
	"popbench/algorithms/algotest"
	"popbench/algorithms/popbo"
	"popbench/internal/check"
	"popbench/internal/math/arms"
	"popbench/space"
)

func TestConforms(t *testing.T) {
	for name, change := range map[string]func(*Config){
		"default":       func(*Config) {},
		"no self-duels": func(c *Config) { c.SelfDuels, c.Epsilon = "forbid", 0 },
		"laplace":       func(c *Config) { c.Width = "laplace" },
		"fitted":        func(c *Config) { c.Fit = "map" },
	} {
		cfg := Default()
		change(&cfg)
		var scenarios []string
		if name != "default" {
			scenarios = []string{"a line", "nine arms with three features"}
		}
		algotest.Run(t, name, func(s algorithms.Setup) (algorithms.Algorithm, error) { return New(s, cfg) }, scenarios...)
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

// played returns a box and its model after random duels about a utility.
func played(t *testing.T, r *rand.Rand, d, duels int, cfg Config) *box {
	t.Helper()
	k := check.Must(cfg.Kernel.New(d))(t)
	domain := space.Cube(d, 0, 1)
	m := newBox(domain, make([]float64, d), k, cfg)
	for range duels {
		x, y := domain.Sample(make([]float64, d), r), domain.Sample(make([]float64, d), r)
		if len(m.all) > 0 && r.IntN(2) == 0 {
			x = m.all[r.IntN(len(m.all))].Points[0]
		}
		winner := 0
		if r.Float64() < 1/(1+math.Exp(4*(x[0]-y[0]))) {
			winner = 1
		}
		m.add(algorithms.Comparison{Points: [][]float64{x, y}, Winner: winner})
	}
	m.fit(cfg.Beta.at(duels))
	return m
}

// TestPOPBO: with one point fixed, the largest difference is POP-BO's optimistic advantage. The two are different methods.
func TestPOPBO(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var worst float64
	for set := range 20 {
		cfg := Default()
		cfg.NormBound = []float64{1, 4}[set%2]
		m := played(t, r, 1+set%3, 1+r.IntN(15), cfg)
		p := popbo.NewModel(m.k, cfg.Epsilon)
		for i := range len(m.index) {
			p.AddPoint(m.points[i*m.k.Dim() : (i+1)*m.k.Dim()])
		}
		for _, c := range m.all {
			p.AddComparison(m.visit(c.Points[c.Winner]), m.visit(c.Points[1-c.Winner]))
		}
		last := p.AddPoint(m.box.Sample(make([]float64, m.k.Dim()), r))
		p.SolveMLE(cfg.NormBound)
		p.SetBeta(m.beta)
		for range 5 {
			x, y := m.box.Sample(make([]float64, m.k.Dim()), r), p.Point(last)
			w, want := m.width(x, y), p.Advantage(x, last)
			difference := math.Abs(w.MaxValue - want.Value)
			worst = max(worst, difference)
			if w.Status != arms.Converged || !want.Status.OK() || difference > 1e-7 {
				t.Errorf("set %d: the largest difference is %.10g (%v), POP-BO's advantage %.10g (%v)", set, w.MaxValue, w.Status, want.Value, want.Status)
			}
			other := m.width(y, x)
			if math.Abs(other.Least()-w.Least()) > 1e-8 || !(w.Least() >= 0) {
				t.Errorf("set %d: ω is %g one way, %g the other", set, w.Least(), other.Least())
			}
		}
	}
	t.Logf("largest difference %.2g", worst)
}

// TestGradient compares the gradient of a pair's value with differences.
func TestGradient(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, duels := range []int{0, 1, 6, 12} {
		cfg := Default()
		cfg.Kernel.Lengthscale = []float64{0.4}
		m := played(t, r, 2, duels, cfg)
		for range 5 {
			z := []float64{r.Float64(), r.Float64(), r.Float64(), r.Float64()}
			check.Gradient(t, fmt.Sprint(duels, " duels"), m.value, z, 1e-4, 1e-4)
		}
	}
}

// TestBoxSearch: no pair of a grid, and in more dimensions no random pair, is clearly better than the one that the search
// finds.
func TestBoxSearch(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for set := range 12 {
		d := 1 + set%3
		cfg := Default()
		cfg.NormBound = []float64{1, 3}[set%2]
		cfg.Kernel.Lengthscale = []float64{0.3}
		m := played(t, r, d, 2*set, cfg)
		c := m.choose(func(label string) *rand.Rand { return algorithms.NewStreams(7).Rand(label, set) })
		best := math.Inf(-1)
		if d == 1 {
			for i := range 41 {
				for j := range i {
					best = max(best, m.value([]float64{float64(i) / 40, float64(j) / 40}, nil))
				}
			}
		} else {
			z := make([]float64, 2*d)
			for range 400 {
				for i := range z {
					if z[i] = r.Float64(); r.IntN(3) == 0 { // many optima are on the boundary
						z[i] = math.Round(z[i])
					}
				}
				best = max(best, m.value(z, nil))
			}
		}
		check.That(t, c.value >= best-1e-3*math.Abs(best) && c.gap <= 1e-7,
			"set %d: chose (%g, %g) of value %g with gap %g; another pair has %g", set, c.x, c.y, c.value, c.gap, best)
	}
}

// TestFirstBelief: before the first answer, f(x) is known to be within the ball, or within what β leaves of the prior. On a
// box the start is recommended.
func TestFirstBelief(t *testing.T) {
	for _, domain := range []space.Domain{grid(t, 4), space.Cube(1, 0, 1)} {
		for _, width := range []string{"certified", "laplace"} {
			cfg := Default()
			cfg.Width, cfg.Epsilon, cfg.NormBound, cfg.Lambda = width, 0.5, 3, 0.1
			want := 3 * math.Sqrt(1.5)
			if width == "laplace" {
				want = math.Sqrt(2 * 0.2 / 0.1 * 1.5)
			}
			x := domain.Sample(make([]float64, 1), rand.New(rand.NewPCG(1, 1)))
			m := check.Must(begin(algorithms.Setup{Domain: domain, Start: x}, algorithms.Streams{}, cfg))(t)
			if on, ok := m.model.(*box); ok {
				check.Same(t, "the recommended point", check.Must(m.Recommend())(t)[0].X, x)
				on.beta = 0.2
			} else {
				m.fit(0.2)
			}
			b, err := m.Belief(x)
			if err != nil || b.Estimate != 0 || math.Abs(b.Upper-want) > 1e-12*want || math.Abs(b.Lower+want) > 1e-12*want {
				t.Errorf("%T, %s: belief %+v (%v), want ±%g", domain, width, b, err, want)
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
		m := played(t, r, 1, 20, cfg)
		c := m.choose(func(label string) *rand.Rand { return algorithms.NewStreams(7).Rand(label, 0) })
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
	domain := grid(t, maxArms+1)
	for _, width := range []string{"certified", "laplace"} {
		cfg := Default()
		cfg.Width = width
		_, err := New(algorithms.Setup{Domain: domain, Start: domain.At(0), Rand: rand.New(rand.NewPCG(1, 1))}, cfg)
		if undefined := algorithms.IsUndefined(err); undefined != (width == "certified") || err != nil && !undefined {
			t.Errorf("%s: %v", width, err)
		}
	}
}

// TestRun plays duels on arms: choices are certified, the best arm is found, and self-duels happen where they may.
func TestRun(t *testing.T) {
	domain := grid(t, 9)
	for _, self := range []string{"allow", "forbid"} {
		for _, width := range []string{"certified", "laplace"} {
			cfg := Default()
			cfg.SelfDuels, cfg.Width, cfg.Beta.Beta0 = self, width, 0.05
			r := rand.New(rand.NewPCG(8, 9))
			a := check.Must(New(algorithms.Setup{Domain: domain, Start: domain.At(0), Rand: rand.New(rand.NewPCG(1, 1))}, cfg))(t)
			selves := 0
			utility := func(x float64) float64 { return -0.5 * (x - 2.5) * (x - 2.5) }
			for range 150 {
				q := check.Must(a.Ask())(t)
				x, y := q.Points[0][0], q.Points[1][0]
				if x == y {
					selves++
				}
				winner := 0
				if r.Float64() < 1/(1+math.Exp(utility(x)-utility(y))) {
					winner = 1
				}
				check.OK(t, a.Tell(q, winner))
				for _, v := range a.Metrics() {
					if v.Name == "choice_gap" && v.Value > 1e-7 || v.Name == "failures" && v.Value > 0 {
						t.Fatalf("%s, %s: %s = %g", self, width, v.Name, v.Value)
					}
				}
			}
			best := check.Must(a.Recommend())(t)
			what := fmt.Sprintf("self-duels %s, width %s: %d self-duels, recommends %g", self, width, selves, best[0].X)
			if best[0].X[0] != 2.5 || (selves > 0) != (self == "allow") {
				t.Error(what)
			}
			b, err := a.Belief(best[0].X)
			check.That(t, err == nil && b.Lower < b.Estimate && b.Estimate < b.Upper, "%s: belief %+v, %v", what, b, err)
			t.Log(what)
		}
	}
}

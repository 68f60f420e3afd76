package popbo

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"popbench/algorithms"
	"popbench/algorithms/algotest"
	"popbench/internal/check"
	"popbench/internal/math/convex"
	"popbench/kernel"
	"popbench/space"
)

func TestConformance(t *testing.T) {
	for name, change := range map[string]func(*Config){
		"default":   func(*Config) {},
		"se":        func(c *Config) { c.Kernel.Family = "se-paper" },
		"matern12":  func(c *Config) { c.Kernel.Family = "matern12" },
		"linear":    func(c *Config) { c.Kernel = kernel.Config{Family: "linear", Variance: 1e-6} },
		"adapt":     func(c *Config) { c.AdaptNormBound = true; c.NormBound = 0.1 },
		"batch":     func(c *Config) { c.Batch = 2 },
		"visited":   func(c *Config) { c.Recommendation = RuleMaxMLEVisited },
		"uncertain": func(c *Config) { c.Recommendation = RuleMinUncertainty; c.Beta.Schedule = "sqrt(t+1)" },
		"theory":    func(c *Config) { c.Beta.Schedule = "theory"; c.Beta.Covering = 10 },
		"refit":     func(c *Config) { *c = refitted() },
		"refit, adapt": func(c *Config) {
			*c = refitted()
			c.AdaptNormBound, c.NormBound, c.FitLengthscale = true, 0.1, "isotropic"
		},
		"refit, batch": func(c *Config) { *c = refitted(); c.Batch, c.LengthscalePrior = 2, algorithms.Prior{} },
		"certain":      func(c *Config) { c.Beta = BetaConfig{Schedule: "constant", Beta0: 0} },
	} {
		scenarios := []string{"a square, start at a corner", "nine arms with three features"}
		switch name {
		case "default":
			scenarios = nil
		case "batch", "refit":
			scenarios = append(scenarios, "five dimensions")
		}
		algotest.Run(t, "popbo-"+name, func(s algorithms.Setup) (algorithms.Algorithm, error) {
			cfg := Default()
			cfg.Restarts = 4
			cfg.Kernel.Lengthscale = nil
			box, _ := s.Domain.(space.Box)
			for i := range box.Lo {
				cfg.Kernel.Lengthscale = append(cfg.Kernel.Lengthscale, 0.3*(box.Hi[i]-box.Lo[i]))
			}
			if len(cfg.Kernel.Lengthscale) == 0 {
				cfg.Kernel.Lengthscale = []float64{1}
			}
			change(&cfg)
			return New(s, cfg)
		}, scenarios...)
	}
}

// refSet is a data set with reference optima, computed by an interior-point solver at 1e-10 with
// its own dual certificates. Its kernel "SE" is se-half.
type refSet struct {
	ID, D, T    int
	Kernel      string
	Variance    float64
	Lengthscale []float64
	Bounds      [][2]float64
	B, Beta     float64
	Epsilon     float64
	X           [][]float64
	One         []int
	MLE         float64
	Joint       struct {
		Value float64
		X     []float64
	}
}

func loadReference(t testing.TB) []refSet {
	var sets []refSet
	check.Read(t, "testdata/convex.json", &sets)
	return sets
}

// build returns a POPBO that has learnt the data of a reference set.
func (r refSet) build(t testing.TB) *POPBO {
	cfg := Default()
	cfg.Kernel = kernel.Config{Family: map[string]string{"SE": "se-half", "Matern52": "matern52"}[r.Kernel], Variance: r.Variance, Lengthscale: r.Lengthscale}
	cfg.NormBound, cfg.Epsilon = r.B, r.Epsilon
	cfg.Beta = BetaConfig{Schedule: "constant", Beta0: r.Beta}
	var box space.Box
	for _, b := range r.Bounds {
		box.Lo, box.Hi = append(box.Lo, b[0]), append(box.Hi, b[1])
	}
	p := check.Must(New(algorithms.Setup{Domain: box, Start: r.X[0], Rand: rand.New(rand.NewPCG(1, 1))}, cfg))(t)
	for i, one := range r.One {
		check.OK(t, p.Tell(algorithms.Query{Points: [][]float64{r.X[i], r.X[i+1]}, New: 1}, one))
	}
	return p
}

// The joint optimum over x and f is not below the reference, which is the best of restarts, a grid
// and a local polish. Where it is above, it has a certificate.
func TestJointReference(t *testing.T) {
	for _, r := range loadReference(t) {
		t.Run(fmt.Sprint(r.ID), func(t *testing.T) {
			p := r.build(t)
			check.That(t, math.Abs(p.method.mleSolution.Value-r.MLE) <= 1e-8*max(1, math.Abs(r.MLE)),
				"MLE %.12g, reference %.12g", p.method.mleSolution.Value, r.MLE)
			q := check.Must(p.Ask())(t)
			adv := proposed(t, p)
			rel := (adv.Value - r.Joint.Value) / max(1, r.Joint.Value)
			if rel < -1e-6 {
				t.Errorf("d %d, t %d: joint optimum %.10g at %v, reference %.10g at %v", r.D, r.T, adv.Value, q.Points[1], r.Joint.Value, r.Joint.X)
			}
			if rel > 1e-6 {
				t.Logf("d %d, t %d: %.10g is above the reference %.10g, gap %.2g", r.D, r.T, adv.Value, r.Joint.Value, adv.Gap)
			}
			check.That(t, adv.Status.OK() && adv.Gap <= convex.Tol*max(1, r.B*math.Sqrt(4*r.Variance)),
				"%v, gap %g", adv.Status, adv.Gap)
		})
	}
}

// The metrics are those of the last Tell and of the Ask before it.
func TestMetrics(t *testing.T) {
	for _, batch := range []int{1, 2} {
		t.Run(fmt.Sprintf("q=%d", batch), func(t *testing.T) {
			box := space.Cube(1, 0, 1)
			p := newTest(t, box, 1, func(c *Config) { c.Batch, c.AdaptNormBound, c.NormBound, c.Beta.Beta0 = batch, true, 0.5, 0.05 })
			r := stream(1)
			for range 4 {
				before := p.method.model.Work()
				q, proposed := mustAskMetrics(t, p)
				winner := oracle(bump(box), q.Points, r)
				check.OK(t, p.Tell(q, winner))
				got := map[string]float64{}
				for _, m := range p.Metrics() {
					got[m.Name] = m.Value
				}
				work := p.method.model.Work().Since(before)
				for name, want := range map[string]float64{
					"beta": 0.05 * math.Sqrt(float64(p.method.t)), "norm_bound": p.method.normBound, "log_likelihood": p.method.mleSolution.Value,
					"optimistic_advantage": proposed["optimistic_advantage"], "search_gap": proposed["search_gap"], "duality_gap": max(p.method.mleSolution.Gap, proposed["duality_gap"]),
					"solves": float64(work.Solves), "newton": float64(work.Newton),
					"retries": float64(work.Retries), "failures": 0,
					"lengthscale_1": p.method.cfg.Kernel.Lengthscale[0],
				} {
					if v, ok := got[name]; !ok || v != want {
						t.Errorf("t = %d: %s = %g, want %g", p.method.t, name, v, want)
					}
				}
				if len(got) != 11 || len(proposed) != 7 {
					t.Errorf("t = %d: %d metrics, %d of the proposal, want 11 and 7: %v; %v", p.method.t, len(got), len(proposed), got, proposed)
				}
				if v := proposed["optimistic_advantage"]; !(v > 0) {
					t.Errorf("t = %d: the optimistic advantage is %g", p.method.t, v)
				}
				if v := proposed["solves"]; !(v > 1) {
					t.Errorf("t = %d: the proposal took %g solves", p.method.t, v)
				}
			}
		})
	}
}

// Random search draws another uniform point every step, and from another seed another one.
func TestRandomSearch(t *testing.T) {
	box := space.Box{Lo: []float64{-1, 10}, Hi: []float64{1, 20}}
	random := func(c *Config) { c.Search = "random" }
	p, other := newTest(t, box, 1, random), newTest(t, box, 2, random)
	var mean [2]float64
	const n = 60
	last := []float64(nil)
	for range n {
		x, z := mustAsk(t, p).Points[1], mustAsk(t, other).Points[1]
		if slices.Equal(x, z) || slices.Equal(x, last) {
			t.Fatalf("t = %d: %v; from another seed %v, in the step before %v", p.method.t, x, z, last)
		}
		if !box.Contains(x) {
			t.Fatalf("t = %d: %v is outside the box", p.method.t, x)
		}
		last = x
		for i, u := range box.ToUnit(make([]float64, 2), x) {
			mean[i] += u / n
		}
		for _, a := range []*POPBO{p, other} {
			tell(t, a, p.method.t%2, []float64{0, 15}, x)
		}
	}
	for i, m := range mean { // four standard errors
		check.That(t, math.Abs(m-0.5) <= 4*math.Sqrt(1./12/n), "the mean of coordinate %d is at %.3f of its width", i, m)
	}
}

func TestBelief(t *testing.T) {
	box := space.Cube(2, 0, 1)
	p := newTest(t, box, 1, nil)
	r := stream(1)
	play(t, p, bump(box), 6, r)
	x := sample(box, r)
	b := check.Must(p.Belief(x))(t)
	m := p.method.model
	if want := (algorithms.Belief{Estimate: m.MLE().Value(x), Lower: m.Lower(x).Value, Upper: m.Upper(x).Value}); b != want {
		t.Errorf("belief %+v at %v, want %+v", b, x, want)
	}
	check.That(t, b.Lower < b.Estimate && b.Estimate < b.Upper, "the estimate is outside the range: %+v", b)
	for _, bad := range [][]float64{{0.5}, {0.5, math.NaN()}, {0.5, 2}} {
		if _, err := p.Belief(bad); err == nil {
			t.Errorf("a belief at %v", bad)
		}
	}
}

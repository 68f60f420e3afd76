package popbo

import (
	"fmt"
	"math"
	"testing"

	"popbench/algorithms"
	"popbench/algorithms/algotest"
	"popbench/internal/check"
	"popbench/kernel"
	"popbench/space"
)

// variants are settings that differ from the default.
var variants = map[string]func(*Config){
	"default":   func(*Config) {},
	"grid":      func(c *Config) { c.Search, c.Grid = "grid", 20 },
	"random":    func(c *Config) { c.Search = "random" },
	"pilot":     func(c *Config) { c.FitLengthscale = "ard" },
	"linear":    func(c *Config) { c.Kernel = kernel.Config{Family: "linear", Variance: 1e-6} },
	"tight":     func(c *Config) { c.NormBound = 0.5 },
	"adapt":     func(c *Config) { c.AdaptNormBound, c.NormBound, c.Beta.Beta0 = true, 0.1, 0.2 },
	"epsilon":   func(c *Config) { c.Epsilon = 0.3 },
	"batch":     func(c *Config) { c.Batch = 2 },
	"visited":   func(c *Config) { c.Recommendation = RuleMaxMLEVisited },
	"uncertain": func(c *Config) { c.Recommendation = RuleMinUncertainty; c.Beta.Schedule = "sqrt(t+1)" },
	"theory":    func(c *Config) { c.Beta.Schedule = "theory"; c.Beta.Covering = 10 },
	"certain":   func(c *Config) { c.Beta = BetaConfig{Schedule: "constant", Beta0: 0} },
	"refit":     func(c *Config) { *c = refitted() },
	"refit, variance": func(c *Config) {
		*c = refitted()
		c.LengthscalePrior, c.VariancePrior = algorithms.Prior{Shape: 3, Rate: 6}, algorithms.Gamma{Shape: 2, Rate: 0.15}
	},
	"refit, adapt": func(c *Config) {
		*c = refitted()
		c.AdaptNormBound, c.NormBound, c.FitLengthscale = true, 0.1, "isotropic"
	},
	"refit, batch": func(c *Config) { *c = refitted(); c.Batch, c.LengthscalePrior = 2, algorithms.Prior{} },
}

func TestConformance(t *testing.T) {
	for name, change := range variants {
		scenarios := []string{"a square, start at a corner", "nine arms with three features"}
		if name == "default" {
			scenarios = nil // all
		}
		algotest.Run(t, "popbo-"+name, func(s algorithms.Setup) (algorithms.Algorithm, error) {
			cfg := Default()
			cfg.Restarts = 4
			if box, ok := s.Domain.(space.Box); ok {
				cfg.Kernel = testKernel(box)
			}
			change(&cfg)
			return New(s, cfg)
		}, scenarios...)
	}
}

// The metrics are those of the last Tell and of the Ask before it.
func TestMetrics(t *testing.T) {
	for _, batch := range []int{1, 2} {
		box := space.Cube(1, 0, 1)
		p := newTest(t, box, 1, func(c *Config) { c.Batch, c.AdaptNormBound, c.NormBound, c.Beta.Beta0 = batch, true, 0.5, 0.05 })
		r, m := stream(1), p.method
		for range 4 {
			before := m.model.spent()
			q, proposed := mustAskMetrics(t, p)
			check.OK(t, p.Tell(q, oracle(bump(box), q.Points, r)))
			got := map[string]float64{}
			for _, m := range p.Metrics() {
				got[m.Name] = m.Value
			}
			work := m.model.spent().Since(before)
			check.Same(t, fmt.Sprintf("metrics of a batch of %d at t = %d", batch, m.t), got, map[string]float64{
				"beta": 0.05 * math.Sqrt(float64(m.t)), "norm_bound": m.normBound, "log_likelihood": m.mleSolution.Value,
				"optimistic_advantage": proposed["optimistic_advantage"], "search_gap": proposed["search_gap"],
				"duality_gap": max(m.mleSolution.Gap, proposed["duality_gap"]), "lengthscale_1": m.cfg.Kernel.Lengthscale[0],
				"solves": float64(work.Solves), "newton": float64(work.Newton), "retries": float64(work.Retries), "failures": 0,
			})
			check.That(t, len(proposed) == 7 && proposed["optimistic_advantage"] > 0 && proposed["solves"] > 1, "the proposal has %v", proposed)
		}
	}
}

// Random search draws points of the whole box, others every step and from another seed.
func TestRandomSearch(t *testing.T) {
	box := space.Box{Lo: []float64{-1, 10}, Hi: []float64{1, 20}}
	quarters, seen := map[[2]bool]int{}, map[string]bool{}
	for seed := range uint64(2) {
		p := newTest(t, box, seed, func(c *Config) { c.Search = "random" })
		for range 20 {
			x := mustAsk(t, p).Points[1]
			quarters[[2]bool{x[0] < 0, x[1] < 15}]++
			seen[fmt.Sprint(x)] = true
			tell(t, p, p.method.t%2, []float64{0, 15}, x)
		}
	}
	check.That(t, len(seen) == 40 && len(quarters) == 4, "%d different points of 40, %v in the quarters", len(seen), quarters)
}

func TestBelief(t *testing.T) {
	box := space.Cube(2, 0, 1)
	p := newTest(t, box, 1, nil)
	r := stream(1)
	play(t, p, bump(box), 6, r)
	x := sample(box, r)
	b := check.Must(p.Belief(x))(t)
	m := p.method.model
	check.Equal(t, "belief", b, algorithms.Belief{Estimate: m.MLE().Value(x), Lower: m.Lower(x).Value, Upper: m.Upper(x).Value})
	check.That(t, b.Lower < b.Estimate && b.Estimate < b.Upper, "the estimate is outside the range: %+v", b)
	check.Error(t, "a belief outside the box", check.Err(p.Belief([]float64{0.5, 2})), "x[1] = 2 is outside")
}

package popbo

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"popbench/algorithms"
	"popbench/internal/check"
	"popbench/internal/math/search"
	"popbench/space"
)

// directUncertainties computes Eq. ff_sigma_def for the duels (x_τ, x'_τ) in their order: with σ_τ² the Schur complement of
// the last row, log det(K_τ + λI) grows by log(σ_τ² + λ).
func directUncertainties(p *POPBO, lambda float64, comparisons []algorithms.Comparison) []float64 {
	k := p.method.model.k
	sigma, before := make([]float64, len(comparisons)), 0.0
	gram := mat.NewSymDense(len(comparisons), nil)
	for t, a := range comparisons {
		for i, b := range comparisons[:t+1] {
			gram.SetSym(t, i, k.Eval(a.Points[1], b.Points[1])+k.Eval(a.Points[0], b.Points[0]))
		}
		gram.SetSym(t, t, gram.At(t, t)+lambda)
		now, _ := mat.LogDet(gram.SliceSym(0, t+1))
		sigma[t], before = math.Sqrt(math.Exp(now-before)-lambda), now
	}
	return sigma
}

func TestDuelWiseUncertainty(t *testing.T) {
	box := space.Cube(2, 0, 1)
	for _, c := range []struct {
		name   string
		change func(*Config)
		b      float64 // bound on |f|
	}{
		{"defaults", func(*Config) {}, 6},
		{"small λ", func(c *Config) { c.Lambda = 0.01 }, 6},
		{"theory", func(c *Config) { c.Beta.Schedule, c.Beta.Covering, c.NormBound = "theory", 5, 1 }, 1},
		{"small B, so that β_t counts", func(c *Config) { c.NormBound, c.Beta.Beta0 = 0.1, 5 }, 0.1},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newTest(t, box, 3, func(cfg *Config) { cfg.Epsilon = 0; c.change(cfg) })
			play(t, p, bump(box), 6, stream(4))
			// Duels that were not proposed: one of them repeated, and the first again.
			for i := range 5 {
				tell(t, p, i%2, []float64{0.2, 0.9}, []float64{0.8, 0.3})
			}
			tell(t, p, 0, mustState(t, p).Comparisons[0].Points...)
			comparisons, cfg := mustState(t, p).Comparisons, p.method.cfg
			best, at := math.Inf(1), 0
			for i, s := range directUncertainties(p, cfg.Lambda, comparisons) {
				check.Near(t, p.method.uncertainty.sigma[i], s, 1e-10, "σ of duel %v", i+1)
				beta := cfg.Beta.Beta0 * math.Sqrt(float64(i+1))
				if cfg.Beta.Schedule == "theory" {
					beta = Theory{B: c.b, LogCovering: 5, Epsilon: coverRadius, Delta: cfg.Beta.Delta}.Beta(i + 1)
				}
				radius := 2 * (2*c.b + math.Sqrt(beta/cfg.Lambda))
				check.Near(t, p.method.radius(i+1), radius, 1e-12, "factor of duel %v", i+1)
				if score := radius * s; score < best {
					best, at = score, i
				}
			}
			check.Same(t, "the point with the least score", mustRecommend(t, p)[RuleMinUncertainty], comparisons[at].Points[1])
			check.That(t, at != 0 && at != len(comparisons)-1, "duel %d has the least score; the test needs one that is neither first nor last", at+1)
		})
	}
}

// A batch has q duels a step: each new point against the one that it replaces.
func TestDuelsOfABatch(t *testing.T) {
	w := duelUncertainties{m: NewModel(mustKernel(t, testKernel(space.Cube(1, 0, 1)), 1), 0), lambda: 1}
	for i := range 6 {
		w.m.AddPoint([]float64{float64(i) / 5})
	}
	w.add(1, []int{0, 1, 2, 3}, 2)
	w.add(2, []int{2, 3, 4}, 2)
	w.add(3, []int{5}, 2) // a query of one point has no duel
	want := [][2]int{{2, 0}, {3, 1}, {3, 2}, {4, 2}}
	check.That(t, slices.Equal(w.omega, want) && slices.Equal(w.step, []int{1, 1, 2, 2}),
		"duels %v of steps %v, want %v", w.omega, w.step, want)
}

// If the radius overflows, σ_t decides.
func TestUncertaintyWithAnInfiniteRadius(t *testing.T) {
	w := duelUncertainties{omega: [][2]int{{1, 0}, {2, 1}, {3, 2}}, step: []int{1, 2, 3}, sigma: []float64{0.5, 0.2, 0.3}}
	infinite := func(int) float64 { return math.Inf(1) }
	check.Equal(t, "the best point", w.best(infinite), 2)
	w.sigma[2] = 0
	check.Equal(t, "the best point, which has no uncertainty", w.best(infinite), 3)
	box := space.Cube(1, 0, 1)
	p := newTest(t, box, 1, func(c *Config) { c.Beta.Schedule, c.Beta.Covering, c.NormBound = "theory", 1, 1000 })
	tell(t, p, 1, []float64{0.1}, []float64{0.9})
	tell(t, p, 1, []float64{0.1}, []float64{0.9})
	tell(t, p, 1, []float64{0.9}, []float64{0.5})
	check.Equal(t, "the radius at B = 1000", p.method.radius(1), math.Inf(1))
	check.Equal(t, "the point of the duel that was repeated", mustRecommend(t, p)[RuleMinUncertainty][0], 0.9)
}

// The maximiser of the MLE is no worse than the best point of a dense grid.
func TestMaxMLE(t *testing.T) {
	for _, c := range []struct {
		box   space.Box
		side  int
		seeds uint64
	}{{space.Cube(1, -3, 5), 2001, 4}, {space.Box{Lo: []float64{0, -1e3}, Hi: []float64{1e-2, 1e3}}, 61, 3}} {
		grid := search.Candidates{Dim: c.box.Dim(), X: c.box.Grid(c.side)}
		for seed := range c.seeds {
			for _, family := range []string{"matern52", "matern12", "se-half"} {
				p := newTest(t, c.box, seed, func(cfg *Config) { cfg.Kernel.Family = family })
				r, m := stream(seed), p.method.model
				for _, steps := range []int{1, 5, 22} {
					play(t, p, bump(c.box), steps-p.method.t, r)
					rec, f := mustRecommend(t, p), m.MLE()
					name := fmt.Sprintf("%s, seed %d, t = %d", family, seed, steps)
					got, best := f.Value(rec[RuleMaxMLE]), grid.Maximize(func(x, _ []float64) float64 { return f.Value(x) })
					check.That(t, best.Value <= got+1e-7, "%s: %.9g at %v, but %.9g at %v", name, got, rec[RuleMaxMLE], best.Value, best.X)
					z := m.PointValues()
					check.Same(t, name+": visited point", rec[RuleMaxMLEVisited], m.Point(slices.Index(z, slices.Max(z))))
				}
			}
		}
	}
}

// A function of the grid has its local maxima at the candidates that are best; of a plateau the first point counts.
func TestBestCandidates(t *testing.T) {
	for d, at := range map[int][]int{1: {70, 3, 128}, 2: {25*12 + 12, 24, 25*24 + 3}} {
		c := newCandidates(mustKernel(t, testKernel(space.Cube(d, 0, 1)), d), space.Cube(d, 0, 1), nil)
		values := make([]float64, c.Len())
		for i := range values {
			values[i] = -float64(i)
		}
		for i, p := range at {
			values[p] = float64(3 - i)
		}
		var peaks [][]float64
		for _, i := range at {
			peaks = append(peaks, c.At(i))
		}
		check.Same(t, "the peaks", c.best(values, 3), peaks)
		values[at[0]+1] = values[at[0]]
		check.Same(t, "the peaks, one of them two points", c.best(values, 2), peaks[:2])
		check.Same(t, "the first of a plateau", c.best(make([]float64, c.Len()), 9), [][]float64{c.At(0)})
	}
}

// Before the first comparison every rule recommends the start. The rule of the settings comes first.
func TestRecommendAtTheStart(t *testing.T) {
	for _, rule := range []string{RuleMaxMLE, RuleMaxMLEVisited, RuleMinUncertainty} {
		p := newTest(t, space.Cube(2, 0, 1), 1, func(c *Config) { c.Recommendation = rule })
		for name, x := range mustRecommend(t, p) {
			check.That(t, slices.Equal(x, []float64{0.5, 0.5}), "%s recommends %v before the first comparison", name, x)
		}
		tell(t, p, 1, []float64{0.5, 0.5}, []float64{0.1, 0.2})
		mustRecommend(t, p)
	}
}

package popbo

import (
	"fmt"
	"math"
	"testing"

	"popbench/algorithms/internal/confset"
	"popbench/internal/check"
	"popbench/space"
)

// After every comparison B is what the rule of App. "Elaboration on Remark (choice of B)" gives for
// the MLEs of a new model.
func TestNormBoundFollowsTheRule(t *testing.T) {
	box := space.Cube(1, 0, 1)
	steep := func(x []float64) float64 { return 6 * math.Sin(9*x[0]) }
	for _, c := range []struct {
		name         string
		beta         BetaConfig
		b            float64
		fixed, grows bool
	}{
		{"much too small", BetaConfig{Schedule: "constant", Beta0: 0.1}, 0.1, false, true},
		{"too small, growing β", BetaConfig{Schedule: "sqrt(t)", Beta0: 0.03}, 0.1, false, true},
		{"β outweighs any gain", BetaConfig{Schedule: "constant", Beta0: 30}, 0.1, false, false},
		{"large enough", BetaConfig{Schedule: "constant", Beta0: 0.5}, 64, false, false},
		{"too small, but fixed", BetaConfig{Schedule: "constant", Beta0: 0.1}, 0.1, true, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newTest(t, box, 1, func(cfg *Config) { cfg.AdaptNormBound, cfg.NormBound, cfg.Beta = !c.fixed, c.b, c.beta })
			r := stream(5)
			want := c.b
			for step := range 12 {
				points := [][]float64{sample(box, r), sample(box, r)}
				tell(t, p, oracle(steep, points, r), points...)
				bestLogLik := func(b float64) float64 {
					m := NewModel(p.method.model.k, p.method.cfg.Epsilon)
					for _, c := range mustState(t, p).Comparisons {
						m.learn(c)
					}
					return m.SolveMLE(b).Value
				}
				for !c.fixed {
					margin := bestLogLik(want) - (bestLogLik(2*want) - c.beta.at(step+1, want))
					if math.Abs(margin) < 1e-5 {
						t.Fatalf("step %d: too close to call (%g); take another seed", step+1, margin)
					}
					if margin > 0 {
						break
					}
					want *= 2
				}
				if _, b := p.Beta(); b != want {
					t.Fatalf("step %d: B = %g, the rule gives %g", step+1, b, want)
				}
				check.Near(t, p.method.mleSolution.Value, bestLogLik(want), 1e-7, "step %d: likelihood of the MLE", step+1)
			}
			check.Equal(t, "B grows", want > c.b, c.grows)
		})
	}
}

// The test compares certified values: the bound for B with the value for 2B.
func TestRejectionIsCertified(t *testing.T) {
	p := newTest(t, space.Cube(1, 0, 1), 1, func(cfg *Config) { cfg.AdaptNormBound, cfg.Beta = true, BetaConfig{Schedule: "constant", Beta0: 1} })
	solved := func(value, bound float64) Solution {
		return Solution{Status: Status(confset.Converged), Value: value, Bound: bound}
	}
	for name, c := range map[string]struct {
		single, doubled Solution
		want            bool
	}{
		"far below":          {solved(-5, -5), solved(-1, -1), true},
		"within β":           {solved(-1.9, -1.9), solved(-1, -1), false},
		"B may attain more":  {solved(-5, -1.9), solved(-1, -1), false},
		"2B may attain less": {solved(-5, -5), solved(-4.1, -1), false},
		"no MLE for B":       {Solution{Status: Status(confset.LossOfPrecision), Value: -5, Bound: -5}, solved(-1, -1), false},
		"no MLE for 2B":      {solved(-5, -5), Solution{Status: Status(confset.LossOfPrecision), Value: -1, Bound: -1}, false},
	} {
		check.Equal(t, name+": rejected", p.method.rejected(c.single, c.doubled), c.want)
	}
}

// Under the theory schedule the test uses β_1 for 2B, with |f| <= 2B sup sqrt(k).
func TestRejectionUsesBetaOfTwiceB(t *testing.T) {
	p := newTest(t, space.Cube(1, 0, 1), 1, func(cfg *Config) {
		cfg.Kernel.Variance, cfg.AdaptNormBound, cfg.NormBound = 9, true, 2
		cfg.Beta.Schedule, cfg.Beta.Covering = "theory", 4
	})
	tell(t, p, 1, []float64{0.2}, []float64{0.7})
	beta := Theory{B: 2 * 2 * 3, LogCovering: 4, Epsilon: coverRadius, Delta: p.method.cfg.Beta.Delta}.Beta1(1)
	doubled := Solution{Status: Status(confset.Converged)}
	for below, want := range map[float64]bool{0.999: false, 1.001: true} {
		v := -below * beta
		got := p.method.rejected(Solution{Status: Status(confset.Converged), Value: v, Bound: v}, doubled)
		check.Equal(t, fmt.Sprintf("rejected %gβ below", below), got, want)
	}
	check.Near(t, p.method.beta, (Theory{B: 6, LogCovering: 4, Epsilon: 0.01, Delta: 0.1}).Beta1(1), 1e-12, "β_1")
}

// supSqrtK finds the greatest value of a kernel that is not stationary.
func TestSupSqrtK(t *testing.T) {
	box := space.Box{Lo: []float64{-5, 1}, Hi: []float64{2, 3}}
	p := newTest(t, box, 1, func(cfg *Config) { cfg.Kernel.Family, cfg.Kernel.Variance = "linear", 4 })
	check.Near(t, p.method.supSqrtK, math.Sqrt(4*(25+9)), 1e-14, "sup sqrt(k(x, x))")
}

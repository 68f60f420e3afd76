package claims

import (
	"math"

	"popbench/internal/outcome"
	"popbench/internal/page/document"
)

// swept lists the problems of the suites that vary a setting.
var swept = []string{"beale", "branin", "levy13", "thermal2"}

func claimsSettings() []Claim {
	const (
		where   = "App. \"More Experimental Results and Details\", paragraph \"Effect of Hyperparameters\""
		bounds  = "paper-sweep-norm-bound"
		widths  = "paper-sweep-beta0"
		unknown = "The paper shows neither numbers nor problems; three of its test functions and thermal comfort are ours, and so are the ranges."
	)
	final := func(label string) []Quantity { return []Quantity{Suboptimality(label, Last), random(label)} }
	total := func(label string) []Quantity { return []Quantity{Regret(label, Last)} }
	// spread is the variance over the runs, in units of U²: the means of S_T and of its square give it.
	spread := func(label string) []Quantity {
		s := Suboptimality(label, Last)
		return []Quantity{s.changed("$S_T$²", func(v float64, _ *outcome.Run) float64 { return v * v }), s, random(label)}
	}
	logarithm := func(m []float64) float64 { return math.Log(m[0]) }
	relative := func(m []float64) float64 { return m[0] / m[1] }
	variance := func(m []float64) float64 { return (m[0] - m[1]*m[1]) / (m[2] * m[2]) }
	logs := func(settings ...float64) (x []float64) {
		for _, v := range settings {
			x = append(x, math.Log(v))
		}
		return x
	}
	return []Claim{
		{
			ID: "hyp-1", Where: where,
			Short: "larger B: slower convergence",
			Says:  "The larger the norm bound B, the more variance the estimate has; set too large, the recommended solution tends to converge more slowly.",
			Read:  "From the paper's B = 6 up to 16 times it, the suboptimality after the last step increases: its slope against log $B$, averaged over four problems, is above 0. The estimate itself is not in records; how much the outcome varies over the runs stands beside.",
			Parts: []Check{
				trend("slope of $S_T$ / $U$ against log $B$, 6…96",
					bounds, swept, []string{"B=6", "B=12", "B=24", "B=96"}, logs(6, 12, 24, 96), final, relative, Above(0)).linear(),
			},
			Beside: []Check{
				trend("$S_T$ / $U$, B = 96 minus B = 6", bounds, swept, []string{"B=6", "B=96"}, []float64{0, 1}, final, relative, Above(0)),
				trend("variance of $S_T$ over the runs / $U$², B = 96 minus B = 6",
					bounds, swept, []string{"B=6", "B=96"}, []float64{0, 1}, spread, variance, Above(0)).note("the estimate's variance, as far as it shows"),
				trend("$S_T$ / $U$, B = 1.5 minus B = 6", bounds, swept, []string{"B=6", "B=1.5"}, []float64{0, 1}, final, relative, Above(0)).
					note("too small"),
			},
			Known: []document.Text{unknown},
		},
		{
			ID: "hyp-2", Where: where,
			Short: "larger β0: more regret; very small: slower",
			Says:  "The larger β0 in β = β0√t, the more is explored, and the cumulative regret may be higher; a very small β0 may make the recommended solution converge more slowly.",
			Read:  "Averaged over four problems, cumulative regret increases with β0 from 0.01 to 10 (slope in log-log), and the suboptimality after the last step is higher with β0 = 0.01 than with the paper's 1. \"May\" is read as what happens on average.",
			Parts: []Check{
				trend("slope of log $R_T$ against log β0, 0.01…10", widths, swept, []string{"beta0=0.01", "beta0=0.1", "beta0=0.3", "beta0=1", "beta0=3", "beta0=10"},
					logs(0.01, 0.1, 0.3, 1, 3, 10), total, logarithm, Above(0)),
				trend("$S_T$ / $U$, β0 = 0.01 minus β0 = 1", widths, swept, []string{"beta0=1", "beta0=0.01"}, []float64{0, 1}, final, relative, Above(0)).
					linear(),
			},
			Beside: []Check{
				trend("$S_T$ / $U$, β0 = 10 minus β0 = 1", widths, swept, []string{"beta0=1", "beta0=10"}, []float64{0, 1}, final, relative, Above(0)).
					note("the other arm of a U"),
			},
			Known: []document.Text{unknown},
		},
	}
}

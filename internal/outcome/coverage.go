package outcome

import (
	"slices"

	"popbench/internal/math/stats"
)

// Coverage is how often the truth was inside the confidence set of Thm. 1,
// {f : ‖f‖ ≤ B, ℓ_t(f) ≥ ℓ_t(MLE) − β_t}, over the complete runs of a group.
type Coverage struct {
	Known     bool        // false: the algorithm reports no confidence set
	NormKnown bool        // whether ‖f‖ ≤ B could be decided of the truth of every run; if not, Ball and Inside are zero
	Likely    Containment // in the likelihood part of the set, ℓ_t(f) ≥ ℓ_t(MLE) − β_t
	Ball      stats.Share // runs with ‖f‖ ≤ B after every step
	Inside    Containment // in both parts
}

// Containment counts steps of all runs, and runs in all their steps: the theorem is about such runs.
type Containment struct{ Steps, Runs stats.Share }

func (c *Containment) add(inside []bool) {
	for _, in := range inside {
		c.Steps.Add(in)
	}
	c.Runs.Add(!slices.Contains(inside, false))
}

func (g *Group) coverage() (c Coverage) {
	c.Known = len(g.Runs) > 0 && !slices.ContainsFunc(g.Runs, func(run *Run) bool { return run.Likely == nil })
	c.NormKnown = c.Known && !slices.ContainsFunc(g.Runs, func(run *Run) bool { return run.InBall == nil })
	for _, run := range g.Runs {
		if c.Known {
			c.Likely.add(run.Likely)
		}
		if c.NormKnown {
			c.Inside.add(run.Inside())
			c.Ball.Add(!slices.Contains(run.InBall, false))
		}
	}
	return c
}

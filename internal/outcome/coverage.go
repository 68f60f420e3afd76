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
	all := true
	for _, in := range inside {
		c.Steps.N++
		if in {
			c.Steps.Count++
		}
		all = all && in
	}
	c.Runs.N++
	if all {
		c.Runs.Count++
	}
}

func (g *Group) coverage() (c Coverage) {
	for i := range g.Runs {
		if g.Runs[i].Likely == nil {
			return Coverage{}
		}
		c.Known = true
		c.Likely.add(g.Runs[i].Likely)
	}
	c.NormKnown = c.Known && !slices.ContainsFunc(g.Runs, func(run Run) bool { return run.InBall == nil })
	if !c.NormKnown {
		return c
	}
	for i := range g.Runs {
		c.Inside.add(g.Runs[i].Inside())
		c.Ball.N++
		if !slices.Contains(g.Runs[i].InBall, false) {
			c.Ball.Count++
		}
	}
	return c
}

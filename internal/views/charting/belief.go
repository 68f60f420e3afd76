package charting

import (
	"fmt"

	"popbench/internal/outcome"
	"popbench/internal/page/figure"
	"popbench/internal/words"
)

// maxBeliefs is how many runs of a group are drawn; all are in the table.
const maxBeliefs = 3

// Beliefs are the confidence-set figures: the first runs of each group whose records have beliefs.
func Beliefs(r *outcome.Results) (charts []*figure.BeliefChart) {
	names := FileNames(words.Each(r.Groups, func(g *outcome.Group) string { return g.Problem.Name + "-" + g.Algorithm.Label }))
	for i, g := range r.Groups {
		drawn := 0
		for _, run := range g.Runs {
			if len(run.Beliefs) == 0 || drawn == maxBeliefs {
				continue
			}
			drawn++
			c := &figure.BeliefChart{
				Name: fmt.Sprintf("%s-confidence-set-%03d", names[i], run.Repetition), File: names[i] + "-confidence-set",
				Title: g.Name(), Algorithm: g.Algorithm.Label, Repetition: run.Repetition,
				Lo: g.Problem.Lo[0], Hi: g.Problem.Hi[0], Panels: run.Beliefs, Again: drawn > 1, Group: g,
			}
			if run.InBall != nil {
				in := run.Inside()
				for _, b := range run.Beliefs {
					c.Inside = append(c.Inside, in[b.Step-1])
				}
			}
			charts = append(charts, c)
		}
	}
	return charts
}

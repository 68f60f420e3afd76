package charting

import (
	"cmp"
	"slices"

	"popbench/internal/math/stats"
	"popbench/internal/outcome"
	"popbench/internal/page/figure"
	"popbench/internal/words"
)

// Growth are figures with logarithmic axes, one for each problem: its curves and the paper's, beside √t and t.
func Growth(t *outcome.Table) (charts []*figure.Chart) {
	g, styles := t.Growth, Styles(t.Results)
	own := slices.DeleteFunc(slices.Clone(g.Curves), func(c *outcome.GrowthCurve) bool { return c.Paper })
	problems := words.Once(words.Each(own, func(c *outcome.GrowthCurve) string { return c.Problem }))
	names := FileNames(problems)
	for i, p := range problems {
		c := &figure.Chart{Name: names[i] + "-growth", File: names[i] + "-growth",
			Problem: p, Quantity: quantity(outcome.RelativeRegret), Log: true, LogSteps: true}
		for _, cv := range g.Curves {
			if cv.Problem != p && !cv.Paper {
				continue
			}
			c.Title = cmp.Or(c.Title, cv.Title)
			c.Steps = max(c.Steps, len(cv.Regret))
			style, ok := styles[cv.Algorithm]
			if !ok { // the paper's
				style = Free(styles)
			}
			line := figure.Line{Label: cv.Algorithm, Style: style}
			for _, v := range cv.Regret {
				line.Points = append(line.Points, stats.Summary{N: cv.Runs, Mean: v.Value, CI: v.CI})
			}
			c.Lines = append(c.Lines, line)
		}
		c.Baselines = []figure.Baseline{{Label: "t", Slope: 1, Power: 1}, {Label: "√t", Slope: 1, Power: 0.5}}
		charts = append(charts, c)
	}
	return charts
}

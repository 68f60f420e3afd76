package chart

import (
	"cmp"

	"popbench/internal/analysis/outcome"
	"popbench/internal/math/stats"
	"popbench/internal/words"
)

// GrowthCharts are figures with logarithmic axes, one for each problem: its curves and
// the paper's, and √t and t to compare them with.
func GrowthCharts(t *outcome.Table) (charts []Chart) {
	g, styles := t.Growth, Styles(t.Results)
	var problems []string
	for i := range g.Curves {
		if c := &g.Curves[i]; !c.Paper {
			problems = words.Include(problems, c.Problem)
		}
	}
	names := FileNames(problems)
	for i, p := range problems {
		chart := Chart{Name: names[i] + "-growth", File: names[i] + "-growth", Problem: p, Metric: outcome.RelativeRegret, Log: true, LogSteps: true}
		for k := range g.Curves {
			c := &g.Curves[k]
			if c.Problem != p && !c.Paper {
				continue
			}
			chart.Title = cmp.Or(chart.Title, c.Title)
			chart.Steps = max(chart.Steps, len(c.Regret))
			style, ok := styles[c.Algorithm]
			if !ok { // the paper's
				style = Free(styles)
			}
			line := Line{Label: c.Algorithm, Style: style}
			for _, v := range c.Regret {
				line.Points = append(line.Points, stats.Summary{N: c.Runs, Mean: v.Value, CI: v.CI})
			}
			chart.Lines = append(chart.Lines, line)
		}
		chart.Baselines = []Baseline{{Label: "t", Slope: 1, Power: 1}, {Label: "√t", Slope: 1, Power: 0.5}}
		charts = append(charts, chart)
	}
	return charts
}

package charting

import (
	"slices"

	"popbench/internal/outcome"
	"popbench/internal/page/chart"
)

// AsInPaper are the figures as the paper draws them: of its methods alone, and with bands as wide as its own. There are none
// if the paper does not say how wide its bands are.
func AsInPaper(t *outcome.Table, curves []outcome.Curve) (charts []*chart.Chart) {
	e := t.Experiment
	if e == nil || e.Band == 0 {
		return nil
	}
	styles := Styles(t.Results)
	type report struct{ name, label, rule string } // rule "" is the selected one
	var reports []report
	var missing []string
	add := func(name, method, rule string) {
		if label, ok := t.Labelled(method, e.Method); ok {
			reports = append(reports, report{name, label, rule})
		} else {
			missing = append(missing, name)
		}
	}
	for _, m := range e.Methods {
		add(m, m, "")
	}
	for _, a := range e.Also {
		add(a.Label, a.Method, a.Rule)
	}
	for _, like := range Of(t, curves) {
		if like.Metric != outcome.CumulativeRegret && like.Metric != outcome.Suboptimality {
			continue // the paper has no such figure
		}
		c := &chart.Chart{Name: like.Name + "-as-in-paper",
			File: like.File, Problem: like.Problem, Title: like.Title, Quantity: like.Quantity, BestFound: like.BestFound, Steps: like.Steps,
			Band: e.Band, Missing: missing, LogSteps: like.LogSteps, Log: like.LogSteps}
		if c.Log {
			c.Baselines = []chart.Baseline{{Label: "T", Slope: 1, Power: 1}}
		}
		taken := map[string]int{}
		for _, r := range reports {
			k := slices.IndexFunc(curves, func(cv outcome.Curve) bool {
				return cv.Problem == c.Problem && cv.Algorithm == r.label && cv.Metric == c.Metric && cv.Against != outcome.GridOptimum &&
					(r.rule == "" && cv.Selected || cv.Rule == r.rule && !cv.Selected)
			})
			if k < 0 || r.rule != "" && c.Metric != outcome.Suboptimality {
				continue
			}
			style := styles[r.label]
			if r.rule != "" {
				style = Free(taken)
			}
			taken[r.name] = style
			c.Lines = append(c.Lines, chart.Line{Label: r.name, Style: style, Points: curves[k].Points})
		}
		if c.Lines != nil {
			charts = append(charts, c)
		}
	}
	return charts
}

package charting

import (
	"fmt"
	"slices"

	"popbench/internal/math/stats"
	"popbench/internal/outcome"
	"popbench/internal/page/chart"
	"popbench/internal/page/document"
	"popbench/internal/words"
)

// Of returns the charts of the results: of each problem the headline, if it is a metric of its own and has a curve, then the
// cumulative regret and the suboptimality. With several algorithms the suboptimality is by the rule that each selects; with
// one algorithm, by every rule.
func Of(t *outcome.Table, curves []outcome.Curve) []chart.Chart {
	problems, names := problemsOf(t)
	styles := Styles(t.Results)
	ruleStyles := map[string]int{} // the first that is selected looks like its algorithm
	for i := range t.Rows {
		for _, r := range t.Rows[i].Group.Rules {
			switch _, ok := ruleStyles[r]; {
			case ok:
			case len(ruleStyles) == 0:
				ruleStyles[r] = styles[t.Rows[i].Algorithm.Label]
			default:
				ruleStyles[r] = Free(ruleStyles)
			}
		}
	}
	var charts []chart.Chart
	for i, problem := range problems {
		of := func(m outcome.Metric) chart.Chart {
			return chart.Chart{Name: FigureName(names[i], m), File: names[i], Problem: problem, Quantity: quantity(m), Steps: t.Steps}
		}
		regret, sub, head := of(outcome.CumulativeRegret), of(outcome.Suboptimality), of(t.Headline.Name)
		for k := range curves {
			c := &curves[k]
			if c.Problem != problem || c.Against == outcome.GridOptimum {
				continue
			}
			style := styles[c.Algorithm]
			switch {
			case c.Metric == outcome.CumulativeRegret:
				regret.Lines = append(regret.Lines, chart.Line{Label: c.Algorithm, Style: style, Points: c.Points})
			case c.Metric == outcome.Suboptimality && len(styles) == 1:
				sub.Lines = append(sub.Lines, chart.Line{Label: c.Rule, Style: ruleStyles[c.Rule], Points: c.Points})
			case c.Metric == outcome.Suboptimality && c.Selected:
				sub.Lines = append(sub.Lines, chart.Line{Label: c.Algorithm, Style: style, Points: c.Points})
			case c.Metric == head.Metric && c.Metric != outcome.Suboptimality:
				head.Lines, head.BestFound = append(head.Lines, chart.Line{Label: c.Algorithm, Style: style, Points: c.Points}), c.BestFound
			}
			if c.Against == outcome.Found {
				regret.BestFound, sub.BestFound = c.BestFound, c.BestFound
			}
		}
		if len(regret.Lines) == 0 {
			continue // no complete run; the table says so
		}
		comparisons(t, &regret, &sub, styles)
		if head.Lines != nil {
			head.Title = regret.Title
			charts = append(charts, head)
		}
		charts = append(charts, regret, sub)
	}
	log := map[outcome.Metric]bool{} // charts of a metric
	for i := range charts {
		log[charts[i].Metric] = log[charts[i].Metric] || charts[i].SpansDecades()
	}
	for i := range charts {
		if !charts[i].Sum {
			charts[i].Log = log[charts[i].Metric]
		} else if t.Experiment != nil && t.Experiment.LogRegret {
			charts[i].Log, charts[i].LogSteps = true, true
		}
	}
	return charts
}

// problemsOf are the problems of a table, and the names of their files.
func problemsOf(t *outcome.Table) (problems, files []string) {
	for i := range t.Rows {
		problems = words.Include(problems, t.Rows[i].Problem.Name)
	}
	return problems, FileNames(problems)
}

// OfMetric are the charts of a metric.
func OfMetric(charts []chart.Chart, metric outcome.Metric) (some []*chart.Chart) {
	for i := range charts {
		if charts[i].Metric == metric {
			some = append(some, &charts[i])
		}
	}
	return some
}

// Coverage show for each problem in how many runs the truth is inside the confidence set: where a norm is not known, inside
// its likelihood part.
func Coverage(t *outcome.Table, curves []outcome.Curve) []chart.Chart {
	problems, names := problemsOf(t)
	styles := Styles(t.Results)
	metric := outcome.InSet // of all charts, so that they can be compared
	if slices.ContainsFunc(t.Rows, func(row outcome.Row) bool { return row.Coverage.Known && !row.Coverage.NormKnown }) {
		metric = outcome.InLikelihoodSet
	}
	var charts []chart.Chart
	for i, problem := range problems {
		c := chart.Chart{Name: names[i] + "-coverage", File: names[i], Problem: problem, Quantity: quantity(metric), Steps: t.Steps}
		for k := range curves {
			if cv := &curves[k]; cv.Problem == problem && cv.Metric == metric {
				c.Title = cv.Title
				c.Lines = append(c.Lines, chart.Line{Label: cv.Algorithm, Style: styles[cv.Algorithm], Points: cv.Points})
			}
		}
		if c.Lines != nil {
			charts = append(charts, c)
		}
	}
	return charts
}

// comparisons adds what the problem's runs are to be compared with.
func comparisons(t *outcome.Table, regret, sub *chart.Chart, styles map[string]int) {
	for i := range t.Rows {
		row := &t.Rows[i]
		if row.Problem.Name != sub.Problem || len(row.Runs) == 0 {
			continue
		}
		if regret.Title == "" {
			regret.Title, sub.Title = row.Name(), row.Name()
			if u := row.Uniform; u != nil {
				regret.Baselines = append(regret.Baselines, chart.Baseline{Label: "random points", Slope: u.Mean, Power: 1})
				sub.Baselines = append(sub.Baselines, chart.Baseline{Label: "random point", Level: u.Mean},
					chart.Baseline{Label: fmt.Sprintf("best of %d random", u.K), Level: u.BestMean})
			}
		}
		if row.Printed != nil {
			method, _ := t.Paper.Method(row.Algorithm.Name)
			// The printed number is against the grid's best value; the chart is
			// against the optimum.
			m := chart.Mark{Label: "paper: " + method, Style: -1, Value: row.Printed.Mean - row.MeanShift()}
			if len(styles) > 1 {
				m.Style = styles[row.Algorithm.Label]
			}
			sub.AddMark(m, "what the paper prints, shifted from its grid's best value to the optimum")
		}
		if published := t.Published(row); published != nil {
			sub.AddMark(chart.Mark{Label: "paper: " + row.Algorithm.Label, Style: styles[row.Algorithm.Label], Value: stats.Mean(published)},
				document.Textf("mean of %s that the paper’s authors published", words.Count(len(published), "run")))
		}
	}
}

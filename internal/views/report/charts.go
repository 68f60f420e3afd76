package report

import (
	"fmt"
	"slices"
	"strings"

	"popbench/internal/math/stats"
	"popbench/internal/outcome"
	"popbench/internal/page/document"
	"popbench/internal/page/figure"
	"popbench/internal/views/about"
	"popbench/internal/words"
)

// Charts returns the charts of the results: of each problem the headline, if it is a metric of its own and has a curve, then
// the cumulative regret and the suboptimality. With several algorithms the suboptimality is by the rule that each selects;
// with one algorithm, by every rule.
func Charts(t *outcome.Table, curves []*outcome.Curve) []*figure.Chart {
	problems, names := problemsOf(t)
	styles := about.Styles(t.Results)
	ruleStyles := map[string]int{} // the first that is selected looks like its algorithm
	for _, row := range t.Rows {
		for _, r := range row.Group.Rules {
			switch _, ok := ruleStyles[r]; {
			case ok:
			case len(ruleStyles) == 0:
				ruleStyles[r] = styles[row.Algorithm.Label]
			default:
				ruleStyles[r] = about.Free(ruleStyles)
			}
		}
	}
	var charts []*figure.Chart
	for i, problem := range problems {
		for _, m := range chartMetrics(t) {
			c := &figure.Chart{Name: FigureName(names[i], m), File: names[i], Problem: problem, Quantity: quantity(m), Steps: t.Steps}
			addLines(c, curves, styles, ruleStyles)
			addComparisons(c, t, styles)
			if c.Lines != nil { // otherwise there is no complete run, and the table says so
				charts = append(charts, c)
			}
		}
	}
	log := map[outcome.Metric]bool{} // charts of a metric
	for _, c := range charts {
		log[c.Metric] = log[c.Metric] || c.SpansDecades()
	}
	for _, c := range charts {
		if !c.Sum {
			c.Log = log[c.Metric]
		} else if t.Experiment != nil && t.Experiment.LogRegret {
			c.Log, c.LogSteps = true, true
		}
	}
	return charts
}

// chartMetrics are those of the charts of a table: the headline, if it is a metric of its own, then the usual ones.
func chartMetrics(t *outcome.Table) []outcome.Metric {
	usual := []outcome.Metric{outcome.CumulativeRegret, outcome.Suboptimality}
	if slices.Contains(usual, t.Headline.Name) {
		return usual
	}
	return slices.Insert(usual, 0, t.Headline.Name)
}

// problemsOf are the problems of a table, and the names of their files.
func problemsOf(t *outcome.Table) (problems, files []string) {
	problems = words.Once(words.Each(t.Rows, func(row *outcome.Row) string { return row.Problem.Name }))
	return problems, FileNames(problems)
}

// OfMetric are the charts of a metric.
func OfMetric(charts []*figure.Chart, metric outcome.Metric) []*figure.Chart {
	return words.Only(charts, func(c *figure.Chart) bool { return c.Metric == metric })
}

// CoverageCharts show in how many runs the truth is in the confidence set, or, where a norm is unknown, in its likelihood
// part.
func CoverageCharts(t *outcome.Table, curves []*outcome.Curve) (charts []*figure.Chart) {
	problems, names := problemsOf(t)
	styles := about.Styles(t.Results)
	metric := outcome.InSet // of all charts, so that they can be compared
	if slices.ContainsFunc(t.Rows, func(row *outcome.Row) bool { return row.Coverage.Known && !row.Coverage.NormKnown }) {
		metric = outcome.InLikelihoodSet
	}
	for i, problem := range problems {
		c := &figure.Chart{Name: names[i] + "-coverage", File: names[i], Problem: problem, Quantity: quantity(metric), Steps: t.Steps}
		addLines(c, curves, styles, nil)
		if c.Lines != nil {
			charts = append(charts, c)
		}
	}
	return charts
}

// addLines adds the curves of the chart's metric on its problem. Several algorithms have a line each, by the selected rule,
// and one algorithm has a line for each rule.
func addLines(c *figure.Chart, curves []*outcome.Curve, styles, ruleStyles map[string]int) {
	for _, cv := range curves {
		if cv.Problem.Name != c.Problem || cv.Metric != c.Metric || cv.Against == outcome.GridOptimum {
			continue
		}
		line := figure.Line{Label: cv.Algorithm.Label, Style: styles[cv.Algorithm.Label], Points: cv.Points}
		if cv.Rule != "" && len(styles) == 1 {
			line.Label, line.Style = cv.Rule, ruleStyles[cv.Rule]
		} else if !cv.Selected {
			continue
		}
		c.Title, c.BestFound, c.Lines = cv.Name(), cv.BestFound, append(c.Lines, line)
	}
}

// addComparisons adds what the problem's runs are to be compared with.
func addComparisons(c *figure.Chart, t *outcome.Table, styles map[string]int) {
	first := true
	for _, row := range t.Rows {
		if row.Problem.Name != c.Problem || len(row.Runs) == 0 {
			continue
		}
		if u := row.Uniform; first && u != nil {
			switch c.Metric {
			case outcome.CumulativeRegret:
				c.Baselines = []figure.Baseline{{Label: "random points", Slope: u.Mean, Power: 1}}
			case outcome.Suboptimality:
				c.Baselines = []figure.Baseline{{Label: "random point", Level: u.Mean}, {Label: fmt.Sprintf("best of %d random", u.K), Level: u.BestMean}}
			}
		}
		if first = false; c.Metric != outcome.Suboptimality {
			continue
		}
		if row.Printed != nil {
			method, _ := t.Paper.Method(row.Algorithm.Name)
			// The printed number is against the grid's best value; the chart is against the optimum.
			m := figure.Mark{Label: "paper: " + method, Style: -1, Value: row.Printed.Mean - row.MeanShift()}
			if len(styles) > 1 {
				m.Style = styles[row.Algorithm.Label]
			}
			c.AddMark(m, "what the paper prints, shifted from its grid's best value to the optimum")
		}
		if published := t.Published(row); published != nil {
			c.AddMark(figure.Mark{Label: "paper: " + row.Algorithm.Label, Style: styles[row.Algorithm.Label], Value: stats.Mean(published)},
				document.Textf("mean of %s that the paper’s authors published", words.Count(len(published), "run")))
		}
	}
}

// asInPaper are the figures as the paper draws them: of its methods alone, and with bands as wide as its own. There are none
// if the paper does not say how wide its bands are.
func asInPaper(t *outcome.Table, curves []*outcome.Curve) (charts []*figure.Chart) {
	e := t.Experiment
	if e == nil || e.Band == 0 {
		return nil
	}
	styles := about.Styles(t.Results)
	type report struct{ label, method, rule string } // rule "" is the selected one
	var reports []report
	for _, m := range e.Methods {
		reports = append(reports, report{m, m, ""})
	}
	for _, a := range e.Also {
		reports = append(reports, report{a.Label, a.Method, a.Rule})
	}
	for _, like := range Charts(t, curves) {
		if like.Metric != outcome.CumulativeRegret && like.Metric != outcome.Suboptimality {
			continue // the paper has no such figure
		}
		c := &figure.Chart{Name: like.Name + "-as-in-paper",
			File: like.File, Problem: like.Problem, Title: like.Title, Quantity: like.Quantity, BestFound: like.BestFound, Steps: like.Steps,
			Band: e.Band, LogSteps: like.LogSteps, Log: like.LogSteps}
		if c.Log {
			c.Baselines = []figure.Baseline{{Label: "T", Slope: 1, Power: 1}}
		}
		taken := map[string]int{}
		for _, r := range reports {
			label, ok := t.Labelled(r.method, e.Method)
			if !ok {
				c.Missing = append(c.Missing, r.label)
				continue
			}
			k := slices.IndexFunc(curves, func(cv *outcome.Curve) bool {
				return cv.Problem.Name == c.Problem && cv.Algorithm.Label == label && cv.Metric == c.Metric && cv.Against != outcome.GridOptimum &&
					(r.rule == "" && cv.Selected || cv.Rule == r.rule && !cv.Selected)
			})
			if k < 0 || r.rule != "" && c.Metric != outcome.Suboptimality {
				continue
			}
			style := styles[label]
			if r.rule != "" {
				style = about.Free(taken)
			}
			taken[r.label] = style
			c.Lines = append(c.Lines, figure.Line{Label: r.label, Style: style, Points: curves[k].Points})
		}
		if c.Lines != nil {
			charts = append(charts, c)
		}
	}
	return charts
}

// quantity is what the charts of a metric show.
func quantity(metric outcome.Metric) figure.Quantity {
	q := figure.Quantity{Metric: metric}
	share := func(what string, set document.Text) figure.Quantity {
		q.What, q.Share = what, true
		q.About = "Share of %[2]s in which the truth is inside " + set + " after the step, on %[1]s; %[3]s: its 95\u00a0%% Wilson interval. Higher is better."
		return q
	}
	switch metric {
	case outcome.InSet:
		return share("share of runs with the truth inside", "the confidence set")
	case outcome.InLikelihoodSet:
		return share("share of runs with the truth likely enough", "the likelihood part of the confidence set")
	case outcome.RelativeRegret:
		q.What = "cumulative regret relative to step 1"
		q.About = "$R_t / R_1$ on %[1]s, both axes logarithmic: of the mean over %[2]s, with its 95\u00a0%% bootstrap interval as a band, and as the paper prints it."
		return q
	}
	m := outcome.Find(metric)
	q.What, q.Better, q.Sum, q.Mean = m.Title, m.Better(), m.Over == outcome.Sum, true
	if metric == outcome.Suboptimality {
		q.What = "suboptimality of the recommended point"
	}
	q.About = document.Plain(words.Capital(q.What)) + " on %[1]s: mean over %[2]s; %[3]s: its 95\u00a0%% bootstrap interval. " +
		document.Plain(words.Capital(q.Better)) + "."
	return q
}

// FileNames makes a plain, unique file name of each name, which no system reserves.
func FileNames(names []string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		plain := strings.Map(func(r rune) rune {
			if r == '-' || r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
				return r
			}
			return '-'
		}, n)
		if reserved := words.FileName(plain) != plain; reserved || slices.Contains(out[:i], plain) {
			plain = fmt.Sprintf("%s-%d", plain, i+1)
		}
		out[i] = plain
	}
	return out
}

// FigureName names the figure of a metric on a problem, whose files have the given name.
func FigureName(file string, metric outcome.Metric) string {
	if metric == outcome.CumulativeRegret {
		return file + "-regret"
	}
	return file + "-" + string(metric)
}

// OverviewName names the figure of a metric on all problems of a suite that has several.
func OverviewName(metric outcome.Metric) string { return "overview-" + string(metric) }

package report

import (
	"io"
	"slices"

	"popbench/internal/math/stats"
	"popbench/internal/outcome"
	"popbench/internal/page/document"
	"popbench/internal/page/figure"
)

// tableCSV has every number of the table, a line for each problem, algorithm and recommendation rule.
func tableCSV(t *outcome.Table) func(io.Writer) error {
	l := newLayout(t)
	welch := func(key string, of func(*stats.WelchResult) float64) column { // missing where there was no test
		return column{Key: key, Of: func(v line) document.Cell {
			o := v.verdict()
			return document.Short(of(&o.PaperTest)).If(relationWords[o.Paper] != "")
		}}
	}
	paperRuns := 0
	if t.Paper != nil {
		paperRuns = t.Paper.Runs
	}
	columns := []column{
		document.WordsAt("suite", func(line) string { return t.Suite }),
		document.WordsAt("problem", func(v line) string { return v.Problem.Name }),
		document.WordsAt("title", func(v line) string { return v.Name() }),
		document.WordsAt("algorithm", func(v line) string { return v.Algorithm.Name }),
		document.WordsAt("label", func(v line) string { return v.Algorithm.Label }),
		ruleName,
		column{Key: "selected", Of: func(v line) document.Cell { return document.Bool(v.k == 0 && len(v.Rules) > 0) }},
		document.CountAt("steps", func(line) int { return t.Steps }),
		document.CountAt("runs", func(v line) int { return len(v.Runs) }),
		document.CountAt("runs_planned", func(line) int { return t.Planned }),
		document.CountAt("runs_left_out", func(v line) int { return len(v.LeftOut) }),
		suboptimality, gridSuboptimality, regret, gridRegret, exponent,
		randomPoint, bestOf, bestPoint,
		l.paperPrints(), column{Key: "paper_runs", Of: func(v line) document.Cell { return document.Count(paperRuns).If(v.Printed != nil) }},
		welch("welch_t", func(r *stats.WelchResult) float64 { return r.T }),
		welch("welch_df", func(r *stats.WelchResult) float64 { return r.DF }),
		welch("welch_p", func(r *stats.WelchResult) float64 { return r.P }),
		againstPaper, againstRandom, againstBest,
		solves, retries, failures, largestGap,
		likelySteps, likelyRuns, normRuns, insideSteps, insideRuns,
		timedRuns, stepMedian, stepMean, runMean,
	}
	columns = append(columns, metricsCSV()...)
	if programsOf(t.Results) != nil {
		columns = append(columns,
			document.WordsAt("algorithm_program", func(v line) string { return v.Algorithm.Program.Reported() }),
			document.WordsAt("problem_program", func(v line) string { return v.Problem.Program.Reported() }))
	}
	return foundCSV(lines(t, true), func(v line) *outcome.BestFound { return v.BestFound }, columns...)
}

// foundCSV is csvOf, with the best value found and its runs if the optimum of some row is unknown.
func foundCSV[R any](rows []R, against func(R) *outcome.BestFound, columns ...document.Column[R]) func(io.Writer) error {
	if slices.ContainsFunc(rows, func(r R) bool { return against(r) != nil }) {
		found := func(key string, of func(*outcome.BestFound) document.Cell) document.Column[R] {
			return document.Column[R]{Key: key, Of: func(r R) document.Cell { return known(against(r), of) }}
		}
		columns = append(columns, found("best_found", func(b *outcome.BestFound) document.Cell { return document.Short(b.Value) }),
			found("best_found_runs", func(b *outcome.BestFound) document.Cell { return document.Count(b.Runs) }))
	}
	return csvOf(rows, columns...)
}

// curvesCSV has the curves, a line for each step.
func curvesCSV(curves []*outcome.Curve) func(io.Writer) error {
	type point = at[outcome.Curve]
	points := indices(curves, func(c *outcome.Curve) int { return len(c.Points) })
	return foundCSV(points, func(p point) *outcome.BestFound { return p.of.BestFound },
		document.WordsAt("problem", func(p point) string { return p.of.Problem.Name }),
		document.WordsAt("label", func(p point) string { return p.of.Algorithm.Label }),
		document.WordsAt("metric", func(p point) string { return string(p.of.Metric) }),
		document.WordsAt("rule", func(p point) string { return p.of.Rule }),
		document.Column[point]{Key: "selected", Of: func(p point) document.Cell { return document.Bool(p.of.Selected) }},
		document.WordsAt("against", func(p point) string { return string(p.of.Against) }),
		document.CountAt("step", func(p point) int { return p.k + 1 }),
		document.CountAt("runs", func(p point) int { return p.of.Points[p.k].N }),
		document.Column[point]{Of: func(p point) document.Cell { return document.MeanStd(&p.of.Points[p.k]) }})
}

// chartsCSV has what a figure of the charts shows, a line for each point of a line (with the ends of its band) or of a
// baseline, and for each mark.
func chartsCSV(charts ...*figure.Chart) func(io.Writer) error {
	type point struct {
		*figure.Chart
		series, kind   string
		step           int
		*stats.Summary // its mean alone if it is no line's
	}
	var points []point
	for _, c := range charts {
		for _, l := range c.Lines {
			for t := range l.Points {
				points = append(points, point{c, l.Label, "line", t + 1, &l.Points[t]})
			}
		}
		for _, b := range c.Baselines {
			for t := 1; t <= c.Steps; t++ {
				points = append(points, point{c, b.Label, "baseline", t, &stats.Summary{Mean: b.At(float64(t))}})
			}
		}
		for _, m := range c.Marks {
			points = append(points, point{c, m.Label, "mark", c.Steps, &stats.Summary{Mean: m.Value}})
		}
	}
	ofLine := func(key string, of func(point) float64) document.Column[point] {
		return document.Column[point]{Key: key, Of: func(p point) document.Cell { return document.Short(of(p)).If(p.kind == "line") }}
	}
	return foundCSV(points, func(p point) *outcome.BestFound { return p.BestFound },
		document.WordsAt("problem", func(p point) string { return p.Problem }),
		document.WordsAt("metric", func(p point) string { return string(p.Metric) }),
		document.WordsAt("series", func(p point) string { return p.series }),
		document.WordsAt("kind", func(p point) string { return p.kind }),
		document.CountAt("step", func(p point) int { return p.step }),
		document.NumberAt("value", func(p point) float64 { return p.Mean }),
		ofLine("band_lo", func(p point) float64 { return p.Low(p.Summary) }),
		ofLine("band_hi", func(p point) float64 { return p.High(p.Summary) }),
		ofLine("runs", func(p point) float64 { return float64(p.N) }))
}

// dosesCSV has what dose–response figures show, a line for each value of the setting.
func dosesCSV(doses []*figure.Chart) func(io.Writer) error {
	type point = at[figure.Chart]
	points := indices(doses, func(d *figure.Chart) int { return len(d.Sweep.Values) })
	return foundCSV(points, func(p point) *outcome.BestFound { return p.of.BestFound },
		document.WordsAt("problem", func(p point) string { return p.of.Problem }),
		document.WordsAt("metric", func(p point) string { return string(p.of.Metric) }),
		document.WordsAt("setting", func(p point) string { return p.of.Sweep.Setting }),
		document.NumberAt("value", func(p point) float64 { return p.of.Sweep.Values[p.k] }),
		document.WordsAt("label", func(p point) string { return p.of.Sweep.Labels[p.k] }),
		document.CountAt("runs", func(p point) int { return p.of.Lines[0].Points[p.k].N }),
		document.Column[point]{Of: func(p point) document.Cell { return document.MeanStd(&p.of.Lines[0].Points[p.k]) }})
}

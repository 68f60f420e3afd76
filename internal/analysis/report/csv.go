package report

import (
	"io"
	"math"
	"slices"
	"strconv"

	"popbench/internal/analysis/chart"
	"popbench/internal/analysis/document"
	"popbench/internal/analysis/outcome"
	"popbench/internal/math/stats"
)

// WriteCSV writes every number of the table at full precision, a line for each
// problem, algorithm and reporting rule. A number that there is not is empty.
func WriteTableCSV(t *outcome.Table, w io.Writer) error {
	c := document.NewCSV(w)
	head := []string{"suite", "problem", "title", "algorithm", "label", "rule", "selected", "steps", "runs", "runs_planned", "runs_left_out"}
	head = append(head, document.SummaryHead("suboptimality_")...)
	head = append(head, document.SummaryHead("grid_suboptimality_")...)
	head = append(head, document.SummaryHead("cumulative_regret_")...)
	head = append(head, document.SummaryHead("grid_cumulative_regret_")...)
	head = append(head, "regret_exponent",
		"random_mean", "random_std", "best_of", "best_of_mean", "best_of_std",
		"paper_mean", "paper_std", "paper_runs", "welch_t", "welch_df", "welch_p",
		"verdict_paper", "verdict_random", "verdict_best_of",
		"solves", "retries", "failures", "duality_gap",
		"likely_steps", "likely_runs", "likely_runs_ci_lo", "likely_runs_ci_hi", "norm_within_bound_runs",
		"in_set_steps", "in_set_runs", "in_set_runs_ci_lo", "in_set_runs_ci_hi",
		"timed_runs", "step_seconds_median", "step_seconds_mean", "run_seconds_mean")
	c.Write(head)
	for i := range t.Rows {
		row := &t.Rows[i]
		rules := row.Rules
		if len(rules) == 0 { // no complete run: the line is there, its numbers are not
			rules = []outcome.RuleSummary{{True: stats.Summarize(nil)}}
		}
		for k := range rules {
			line := []string{t.Suite, row.Problem.Name, row.Name(), row.Algorithm.Name, row.Algorithm.Label, rules[k].Rule, strconv.FormatBool(k == 0 && rules[k].Rule != ""),
				strconv.Itoa(t.Steps), strconv.Itoa(len(row.Runs)), strconv.Itoa(t.Planned), strconv.Itoa(len(row.LeftOut))}
			line = append(line, document.SummaryFields(&rules[k].True)...)
			line = append(line, document.SummaryFields(rules[k].Grid)...)
			line = append(line, document.SummaryFields(&row.Regret)...)
			line = append(line, document.SummaryFields(row.GridRegret)...)
			line = append(line, document.Field(row.Exponent))
			if u := row.Uniform; u != nil {
				line = append(line, document.Field(u.Mean), document.Field(u.Std), strconv.Itoa(u.K), document.Field(u.BestMean), document.Field(u.BestStd))
			} else {
				line = append(line, make([]string, 5)...)
			}
			if p := row.Printed; p != nil {
				line = append(line, document.Field(p.Mean), document.Field(p.Std), strconv.Itoa(t.Paper.Runs))
			} else {
				line = append(line, make([]string, 3)...)
			}
			// The verdict is about the selected rule.
			v := row.Verdict
			if k > 0 || row.Verdict.Paper == outcome.Unknown {
				v.PaperTest = stats.WelchResult{T: math.NaN(), DF: math.NaN(), P: math.NaN()}
			}
			if k > 0 {
				v = outcome.Verdict{PaperTest: v.PaperTest}
			}
			line = append(line, document.Field(v.PaperTest.T), document.Field(v.PaperTest.DF), document.Field(v.PaperTest.P), string(v.Paper), string(v.Random), string(v.Best))
			if h := row.Health; h.Known {
				line = append(line, strconv.Itoa(h.Solves), strconv.Itoa(h.Retries), strconv.Itoa(h.Failures), document.Field(h.MaxGap))
			} else {
				line = append(line, make([]string, 4)...)
			}
			line = append(line, coverageFields(&row.Coverage)...)
			if v := row.Times; v.Runs > 0 {
				line = append(line, strconv.Itoa(v.Runs), document.Field(v.StepMedian), document.Field(v.Step), document.Field(v.Run))
			} else {
				line = append(line, make([]string, 4)...)
			}
			c.Write(line)
		}
	}
	c.Flush()
	return c.Error()
}

func coverageFields(c *outcome.Coverage) []string {
	fields := make([]string, 9)
	part := func(dst []string, p *outcome.Containment) {
		ci := p.Runs.Wilson(stats.Level)
		dst[0], dst[1], dst[2], dst[3] = document.Field(p.Steps.Value()), document.Field(p.Runs.Value()), document.Field(ci.Lo), document.Field(ci.Hi)
	}
	if c.Known {
		part(fields, &c.Likely)
	}
	if c.NormKnown {
		fields[4] = document.Field(c.Ball.Value())
		part(fields[5:], &c.Inside)
	}
	return fields
}

// WriteCurvesCSV writes the curves, a line for each step.
func WriteCurvesCSV(w io.Writer, curves []outcome.Curve) error {
	c := document.NewCSV(w)
	c.Write(slices.Concat([]string{"problem", "label", "metric", "rule", "selected", "against", "step", "runs"}, document.SummaryHead("")))
	for i := range curves {
		cv := &curves[i]
		for t := range cv.Points {
			p := &cv.Points[t]
			c.Write(slices.Concat([]string{cv.Problem, cv.Algorithm, string(cv.Metric), cv.Rule, strconv.FormatBool(cv.Selected), string(cv.Against),
				strconv.Itoa(t + 1), strconv.Itoa(p.N)}, document.SummaryFields(p)))
		}
	}
	c.Flush()
	return c.Error()
}

// WriteChartsCSV writes what a figure of the charts shows, a line for each point
// of a line (with the ends of its band) or of a baseline, and for each mark.
func WriteChartsCSV(w io.Writer, charts ...*chart.Chart) error {
	c := document.NewCSV(w)
	c.Write([]string{"problem", "metric", "series", "kind", "step", "value", "band_lo", "band_hi", "runs"})
	for _, ch := range charts {
		row := func(series, kind string, step int, values ...string) {
			c.Write(append([]string{ch.Problem, string(ch.Metric), series, kind, strconv.Itoa(step)}, values...))
		}
		for i := range ch.Lines {
			l := &ch.Lines[i]
			for t := range l.Points {
				p := &l.Points[t]
				row(l.Label, "line", t+1, document.Field(p.Mean), document.Field(ch.Low(p)), document.Field(ch.High(p)), strconv.Itoa(p.N))
			}
		}
		for i := range ch.Baselines {
			b := &ch.Baselines[i]
			for t := 1; t <= ch.Steps; t++ {
				row(b.Label, "baseline", t, document.Field(b.At(float64(t))), "", "", "")
			}
		}
		for _, m := range ch.Marks {
			row(m.Label, "mark", ch.Steps, document.Field(m.Value), "", "", "")
		}
	}
	c.Flush()
	return c.Error()
}

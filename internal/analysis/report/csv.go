package report

import (
	"encoding/csv"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"popbench/internal/math/stats"
)

// CSV writes comma-separated values. A text that a spreadsheet would read as a
// formula gets an apostrophe in front. So does a text that begins with an
// apostrophe, so that removing one always restores the text. Numbers stay numbers.
type CSV struct{ *csv.Writer }

// NewCSV returns a CSV that writes to w when it is flushed.
func NewCSV(w io.Writer) CSV { return CSV{csv.NewWriter(w)} }

// Write writes a line. Error reports what went wrong.
func (c CSV) Write(cells []string) {
	line := slices.Clone(cells)
	for i, s := range line {
		if s != "" && strings.IndexByte("=+-@'\t\r", s[0]) >= 0 {
			if _, err := strconv.ParseFloat(s, 64); err != nil {
				line[i] = "'" + s
			}
		}
	}
	_ = c.Writer.Write(line)
}

// WriteCSV writes every number of the table at full precision, a line for each
// problem, algorithm and reporting rule. A number that there is not is empty.
func (t *Table) WriteCSV(w io.Writer) error {
	c := NewCSV(w)
	head := []string{"suite", "problem", "title", "algorithm", "label", "rule", "selected", "steps", "runs", "runs_planned", "runs_left_out"}
	head = append(head, summaryHead("suboptimality_")...)
	head = append(head, summaryHead("grid_suboptimality_")...)
	head = append(head, summaryHead("cumulative_regret_")...)
	head = append(head, summaryHead("grid_cumulative_regret_")...)
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
			rules = []RuleSummary{{True: stats.Summarize(nil, 1)}}
		}
		for k := range rules {
			line := []string{t.Suite, row.Problem.Name, row.Name(), row.Algorithm.Name, row.Algorithm.Label, rules[k].Rule, strconv.FormatBool(k == 0 && rules[k].Rule != ""),
				strconv.Itoa(t.Steps), strconv.Itoa(len(row.Runs)), strconv.Itoa(t.Planned), strconv.Itoa(len(row.LeftOut))}
			line = append(line, summaryFields(&rules[k].True)...)
			line = append(line, summaryFields(rules[k].Grid)...)
			line = append(line, summaryFields(&row.Regret)...)
			line = append(line, summaryFields(row.GridRegret)...)
			line = append(line, field(row.Exponent))
			if u := row.Uniform; u != nil {
				line = append(line, field(u.Mean), field(u.Std), strconv.Itoa(u.K), field(u.BestMean), field(u.BestStd))
			} else {
				line = append(line, make([]string, 5)...)
			}
			if p := row.Printed; p != nil {
				line = append(line, field(p.Mean), field(p.Std), strconv.Itoa(t.Paper.Runs))
			} else {
				line = append(line, make([]string, 3)...)
			}
			// The verdict is about the selected rule.
			v := row.Verdict
			if k > 0 || row.Verdict.Paper == Unknown {
				v.PaperTest = stats.WelchResult{T: math.NaN(), DF: math.NaN(), P: math.NaN()}
			}
			if k > 0 {
				v = Verdict{PaperTest: v.PaperTest}
			}
			line = append(line, field(v.PaperTest.T), field(v.PaperTest.DF), field(v.PaperTest.P), string(v.Paper), string(v.Random), string(v.Best))
			if h := row.Health; h.Known {
				line = append(line, strconv.Itoa(h.Solves), strconv.Itoa(h.Retries), strconv.Itoa(h.Failures), field(h.MaxGap))
			} else {
				line = append(line, make([]string, 4)...)
			}
			line = append(line, row.Coverage.fields()...)
			if v := row.Times; v.Runs > 0 {
				line = append(line, strconv.Itoa(v.Runs), field(v.StepMedian), field(v.Step), field(v.Run))
			} else {
				line = append(line, make([]string, 4)...)
			}
			c.Write(line)
		}
	}
	c.Flush()
	return c.Error()
}

func (c *Coverage) fields() []string {
	fields := make([]string, 9)
	part := func(dst []string, p *Containment) {
		ci := p.Runs.Wilson(stats.Level)
		dst[0], dst[1], dst[2], dst[3] = field(p.Steps.Value()), field(p.Runs.Value()), field(ci.Lo), field(ci.Hi)
	}
	if c.Known {
		part(fields, &c.Likely)
	}
	if c.NormKnown {
		fields[4] = field(c.Ball.Value())
		part(fields[5:], &c.Inside)
	}
	return fields
}

// WriteCurvesCSV writes the curves, a line for each step.
func WriteCurvesCSV(w io.Writer, curves []Curve) error {
	c := NewCSV(w)
	c.Write(slices.Concat([]string{"problem", "label", "metric", "rule", "selected", "against", "step", "runs"}, summaryHead("")))
	for i := range curves {
		cv := &curves[i]
		for t := range cv.Points {
			p := &cv.Points[t]
			c.Write(slices.Concat([]string{cv.Problem, cv.Algorithm, string(cv.Metric), cv.Rule, strconv.FormatBool(cv.Selected), string(cv.Against),
				strconv.Itoa(t + 1), strconv.Itoa(p.N)}, summaryFields(p)))
		}
	}
	c.Flush()
	return c.Error()
}

// WriteChartsCSV writes what a figure of the charts shows, a line for each point
// of a line (with the ends of its band) or of a baseline, and for each mark.
func WriteChartsCSV(w io.Writer, charts ...*Chart) error {
	c := NewCSV(w)
	c.Write([]string{"problem", "metric", "series", "kind", "step", "value", "band_lo", "band_hi", "runs"})
	for _, ch := range charts {
		row := func(series, kind string, step int, values ...string) {
			c.Write(append([]string{ch.Problem, string(ch.Metric), series, kind, strconv.Itoa(step)}, values...))
		}
		for i := range ch.Lines {
			l := &ch.Lines[i]
			for t := range l.Points {
				p := &l.Points[t]
				row(l.Label, "line", t+1, field(p.Mean), field(ch.Low(p)), field(ch.High(p)), strconv.Itoa(p.N))
			}
		}
		for i := range ch.Baselines {
			b := &ch.Baselines[i]
			for t := 1; t <= ch.Steps; t++ {
				row(b.Label, "baseline", t, field(b.At(float64(t))), "", "", "")
			}
		}
		for _, m := range ch.Marks {
			row(m.Label, "mark", ch.Steps, field(m.Value), "", "", "")
		}
	}
	c.Flush()
	return c.Error()
}

var summaryColumns = []string{"mean", "std", "stderr", "ci_lo", "ci_hi", "median", "q1", "q3", "min", "max"}

func summaryHead(prefix string) []string {
	head := make([]string, len(summaryColumns))
	for i, c := range summaryColumns {
		head[i] = prefix + c
	}
	return head
}

func summaryFields(s *stats.Summary) []string {
	fields := make([]string, len(summaryColumns))
	if s != nil {
		for i, v := range []float64{s.Mean, s.Std, s.StdErr, s.CI.Lo, s.CI.Hi, s.Median, s.Q1, s.Q3, s.Min, s.Max} {
			fields[i] = field(v)
		}
	}
	return fields
}

func field(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

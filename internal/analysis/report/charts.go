package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"popbench/internal/math/stats"
)

// Chart is what one figure shows: curves of one problem over the steps, and
// what to compare them with.
type Chart struct {
	Name      string  // file name without extension, unique in the report
	File      string  // the same of the problem
	Problem   string  // name
	Title     string  // of the problem
	Metric    Metric  // CumulativeRegret or Suboptimality, against the certified optimum; or one of the others but InstantRegret
	Band      float64 // bands reach so many standard deviations to each side of the mean; 0: they are 95 % intervals
	Steps     int
	Lines     []Line
	Baselines []Baseline
	Marks     []Mark
	// Log asks for a logarithmic vertical axis. It is the same for all charts of
	// a metric, so that they can be compared.
	Log      bool
	LogSteps bool     // the same for the horizontal axis
	Missing  []string // lines of the paper's that there is nothing of; of a PaperCharts chart
}

// Line is a mean with its 95 % interval.
type Line struct {
	Label  string
	Style  int             // lines of the same style in all charts are the same thing
	Points []stats.Summary // after step 1, 2, …
}

// Baseline is Slope·t^Power + Level.
type Baseline struct {
	Label               string
	Slope, Power, Level float64
}

// At is the baseline's value after step t.
func (b *Baseline) At(t float64) float64 {
	if b.Slope == 0 {
		return b.Level
	}
	return float64(b.Slope*math.Pow(t, b.Power)) + b.Level
}

// Mark is a single value after the last step.
type Mark struct {
	Label string
	Style int // of the line that it belongs to; −1 if it needs no telling
	Value float64
}

// Charts are the figures of the results: for each problem the cumulative regret
// and then the suboptimality. With several algorithms the suboptimality is by
// the rule that each selects; with one it is by every rule.
func Charts(t *Table, curves []Curve) []Chart {
	var problems []string
	styles := t.styles()
	ruleStyles := map[string]int{} // the first that is selected looks like its algorithm
	for i := range t.Rows {
		problems = include(problems, t.Rows[i].Problem.Name)
		for _, r := range t.Rows[i].Group.Rules {
			switch _, ok := ruleStyles[r]; {
			case ok:
			case len(ruleStyles) == 0:
				ruleStyles[r] = styles[t.Rows[i].Algorithm.Label]
			default:
				ruleStyles[r] = free(ruleStyles)
			}
		}
	}
	names := fileNames(problems)
	var charts []Chart
	for i, problem := range problems {
		regret := Chart{Name: names[i] + "-regret", File: names[i], Problem: problem, Metric: CumulativeRegret, Steps: t.Steps}
		sub := Chart{Name: names[i] + "-suboptimality", File: names[i], Problem: problem, Metric: Suboptimality, Steps: t.Steps}
		for k := range curves {
			c := &curves[k]
			if c.Problem != problem || c.Against != Optimum {
				continue
			}
			style := styles[c.Algorithm]
			switch {
			case c.Metric == CumulativeRegret:
				regret.Lines = append(regret.Lines, Line{c.Algorithm, style, c.Points})
			case c.Metric == Suboptimality && len(styles) == 1:
				sub.Lines = append(sub.Lines, Line{c.Rule, ruleStyles[c.Rule], c.Points})
			case c.Metric == Suboptimality && c.Selected:
				sub.Lines = append(sub.Lines, Line{c.Algorithm, style, c.Points})
			}
		}
		if len(regret.Lines) == 0 {
			continue // no complete run; the table says so
		}
		t.compare(&regret, &sub, styles)
		charts = append(charts, regret, sub)
	}
	log := false
	for i := range charts {
		log = log || charts[i].Metric == Suboptimality && charts[i].spansDecades()
	}
	for i := range charts {
		if charts[i].Metric == Suboptimality {
			charts[i].Log = log
		} else if t.Experiment != nil && t.Experiment.LogRegret {
			charts[i].Log, charts[i].LogSteps = true, true
		}
	}
	return charts
}

// OfMetric are the charts of a metric.
func OfMetric(charts []Chart, metric Metric) (some []*Chart) {
	for i := range charts {
		if charts[i].Metric == metric {
			some = append(some, &charts[i])
		}
	}
	return some
}

// CoverageCharts show for each problem in how many runs the truth is inside the
// confidence set: where a norm is not known, inside the likelihood part of it.
func CoverageCharts(t *Table, curves []Curve) []Chart {
	var problems []string
	styles := t.styles()
	metric := InSet // of all charts, so that they can be compared
	for i := range t.Rows {
		row := &t.Rows[i]
		problems = include(problems, row.Problem.Name)
		if row.Coverage.Known && !row.Coverage.NormKnown {
			metric = InLikelihoodSet
		}
	}
	names := fileNames(problems)
	var charts []Chart
	for i, problem := range problems {
		chart := Chart{Name: names[i] + "-coverage", File: names[i], Problem: problem, Metric: metric, Steps: t.Steps}
		for k := range curves {
			if c := &curves[k]; c.Problem == problem && c.Metric == metric {
				chart.Title = c.Title
				chart.Lines = append(chart.Lines, Line{c.Algorithm, styles[c.Algorithm], c.Points})
			}
		}
		if chart.Lines != nil {
			charts = append(charts, chart)
		}
	}
	return charts
}

// Share reports whether the chart's values are shares of the runs.
func (c *Chart) Share() bool { return c.Metric == InSet || c.Metric == InLikelihoodSet }

// compare adds what the problem's runs are to be compared with.
func (t *Table) compare(regret, sub *Chart, styles map[string]int) {
	for i := range t.Rows {
		row := &t.Rows[i]
		if row.Problem.Name != sub.Problem || len(row.Runs) == 0 {
			continue
		}
		if regret.Title == "" {
			regret.Title, sub.Title = row.Name(), row.Name()
			if u := row.Uniform; u != nil {
				regret.Baselines = append(regret.Baselines, Baseline{Label: "random points", Slope: u.Mean, Power: 1})
				sub.Baselines = append(sub.Baselines, Baseline{Label: "random point", Level: u.Mean}, Baseline{Label: fmt.Sprintf("best of %d random", u.K), Level: u.BestMean})
			}
		}
		if row.Printed != nil {
			method, _ := t.Paper.Method(row.Algorithm.Name)
			// The printed number is against the grid's best value; the chart is
			// against the optimum.
			m := Mark{"paper: " + method, -1, row.Printed.Mean - row.meanShift()}
			if len(styles) > 1 {
				m.Style = styles[row.Algorithm.Label]
			}
			if !slices.Contains(sub.Marks, m) {
				sub.Marks = append(sub.Marks, m)
			}
		}
	}
}

// spansDecades reports whether the means are positive and go over a factor of
// thirty, so that a linear axis would show the small ones as zero.
func (c *Chart) spansDecades() bool {
	lo, hi := math.Inf(1), 0.0
	for _, l := range c.Lines {
		for i := range l.Points {
			lo, hi = min(lo, l.Points[i].Mean), max(hi, l.Points[i].Mean)
		}
	}
	return lo > 0 && hi > 30*lo
}

// fileNames makes a plain, unique file name of each name.
func fileNames(names []string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		plain := strings.Map(func(r rune) rune {
			if r == '-' || r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
				return r
			}
			return '-'
		}, n)
		if slices.Contains(out[:i], plain) {
			plain = fmt.Sprintf("%s-%d", plain, i+1)
		}
		out[i] = plain
	}
	return out
}

// DataFile is where a report has the curves of the problem, from its folder.
func (c *Chart) DataFile() string { return "data/" + c.File + ".csv" }

// DataFile is where a report has what a figure of that name shows.
func DataFile(figure string) string { return "data/" + figure + ".csv" }

// Capital is s with its first letter, an ASCII one, as a capital.
func Capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// OverviewCaption explains a figure of several charts of one metric.
func OverviewCaption(charts []*Chart) string {
	c := charts[0]
	caption := c.about(count(len(charts), "problem"))
	return caption + c.axes()
}

// axes says which are logarithmic, and why.
func (c *Chart) axes() string {
	switch {
	case c.Metric == RelativeRegret:
		return ""
	case c.LogSteps:
		return " Both axes are logarithmic, as growth like a power of T is a straight line then; like T itself, one with the slope of that of random points."
	case c.Log:
		return " Logarithmic scale."
	}
	return ""
}

// Low is the lower end of a line's band; the mean where there is none, as of a
// single run.
func (c *Chart) Low(s *stats.Summary) float64 { return c.end(s, s.CI.Lo, -1) }

// High is the upper end.
func (c *Chart) High(s *stats.Summary) float64 { return c.end(s, s.CI.Hi, 1) }

func (c *Chart) end(s *stats.Summary, ci, sign float64) float64 {
	v := ci
	if c.Band > 0 {
		v = s.Mean + float64(sign*c.Band*s.Std)
	}
	if math.IsNaN(v) {
		return s.Mean
	}
	return v
}

// What is the metric in words.
func (c *Chart) What() string {
	switch c.Metric {
	case CumulativeRegret:
		return "cumulative regret"
	case InSet:
		return "share of runs with the truth inside"
	case InLikelihoodSet:
		return "share of runs with the truth likely enough"
	case RelativeRegret:
		return "cumulative regret relative to step 1"
	}
	return "suboptimality of the reported point"
}

// about is the first sentence of a caption.
func (c *Chart) about(where string) string {
	if c.Share() {
		set := "the confidence set"
		if c.Metric == InLikelihoodSet {
			set = "the likelihood part of the confidence set"
		}
		return fmt.Sprintf("Share of %s in which the truth is inside %s after the step, on %s; band: its 95\u00a0%% Wilson interval.", c.runs(), set, where)
	}
	if c.Band > 0 {
		return c.bandAbout()
	}
	if c.Metric == RelativeRegret {
		return fmt.Sprintf("R_t / R_1 on %s, both axes logarithmic: of the mean over %s, with its 95\u00a0%% bootstrap interval as a band, and as the paper prints it.", where, c.runs())
	}
	return fmt.Sprintf("%s on %s: mean over %s; band: its 95\u00a0%% bootstrap interval.", Capital(c.What()), where, c.runs())
}

// Caption explains the figure.
func (c *Chart) Caption() string {
	caption := c.about(c.Title)
	if c.Band == 0 {
		caption += c.axes()
	}
	if len(c.Marks) > 0 {
		diamond := "Diamond"
		if c.Marks[0].Style >= 0 {
			diamond = "Diamond around a marker"
		}
		caption += " " + diamond + ": what the paper prints, moved from its grid's best value to the optimum."
	}
	return caption
}

// runs is "30 runs", or "29 or 30 runs" when the lines differ.
func (c *Chart) runs() string {
	var n []string
	most := 0
	for _, l := range c.Lines {
		if k := l.Points[0].N; k > 0 { // not of a printed curve
			most = max(most, k)
			n = include(n, fmt.Sprint(k))
		}
	}
	if len(n) == 1 {
		return count(most, "run")
	}
	return strings.Join(n, " or ") + " runs"
}

// Alt says what a reader would see.
func (c *Chart) Alt() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Line chart of the %s on %s over %s.", c.What(), c.Title, count(c.Steps, "step"))
	mean := "mean "
	if c.Share() || c.Metric == RelativeRegret {
		mean = ""
	}
	for _, l := range c.Lines {
		first, last := &l.Points[0], &l.Points[len(l.Points)-1]
		fmt.Fprintf(&b, " %s: %s%s after step 1, %s at the end", l.Label, mean, short(first.Mean), short(last.Mean))
		if ci := interval(last); ci != none {
			b.WriteString(", interval " + ci)
		}
		b.WriteByte('.')
	}
	for _, l := range c.Baselines {
		fmt.Fprintf(&b, " %s: %s.", l.Label, short(l.At(float64(c.Steps))))
	}
	for _, m := range c.Marks {
		fmt.Fprintf(&b, " %s: %s.", m.Label, short(m.Value))
	}
	return b.String()
}

package chart

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"popbench/internal/analysis/document"
	"popbench/internal/analysis/outcome"
	"popbench/internal/math/stats"
	"popbench/internal/printable"
	"popbench/internal/words"
)

// Chart is what one figure shows: curves of one problem over the steps, and
// what to compare them with.
type Chart struct {
	Name       string             // file name without extension, unique in the report
	File       string             // the same of the problem
	Problem    string             // name
	Title      string             // of the problem
	Metric     outcome.Metric     // any but InstantRegret
	BestFound  *outcome.BestFound // what regrets are against; nil if that is the certified optimum
	Band       float64            // standard deviations to each side of the mean; 0: bands are 95 % intervals
	Steps      int
	Lines      []Line
	Baselines  []Baseline
	Marks      []Mark
	AboutMarks document.Text // what they are
	// Log asks for a logarithmic vertical axis. It is the same for all charts of
	// a metric, so that they can be compared.
	Log      bool
	LogSteps bool     // the same for the horizontal axis
	NoBands  bool     // intervals are bars, however few lines there are
	Missing  []string // lines of the paper's without records here; of a PaperCharts chart
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

// Charts are the figures of the results: for each problem the headline, if it is a metric of
// its own and has a curve, then the cumulative regret and the suboptimality. With several algorithms the suboptimality is by
// the rule that each selects; with one it is by every rule.
func Charts(t *outcome.Table, curves []outcome.Curve) []Chart {
	var problems []string
	styles := Styles(t.Results)
	ruleStyles := map[string]int{} // the first that is selected looks like its algorithm
	for i := range t.Rows {
		problems = words.Include(problems, t.Rows[i].Problem.Name)
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
	names := FileNames(problems)
	var charts []Chart
	for i, problem := range problems {
		regret := Chart{Name: FigureName(names[i], outcome.CumulativeRegret), File: names[i], Problem: problem, Metric: outcome.CumulativeRegret, Steps: t.Steps}
		sub := Chart{Name: FigureName(names[i], outcome.Suboptimality), File: names[i], Problem: problem, Metric: outcome.Suboptimality, Steps: t.Steps}
		head := Chart{Name: FigureName(names[i], t.Headline.Name), File: names[i], Problem: problem, Metric: t.Headline.Name, Steps: t.Steps}
		for k := range curves {
			c := &curves[k]
			if c.Problem != problem || c.Against == outcome.GridOptimum {
				continue
			}
			style := styles[c.Algorithm]
			switch {
			case c.Metric == outcome.CumulativeRegret:
				regret.Lines = append(regret.Lines, Line{c.Algorithm, style, c.Points})
			case c.Metric == outcome.Suboptimality && len(styles) == 1:
				sub.Lines = append(sub.Lines, Line{c.Rule, ruleStyles[c.Rule], c.Points})
			case c.Metric == outcome.Suboptimality && c.Selected:
				sub.Lines = append(sub.Lines, Line{c.Algorithm, style, c.Points})
			case c.Metric == head.Metric && c.Metric != outcome.Suboptimality:
				head.Lines, head.BestFound = append(head.Lines, Line{c.Algorithm, style, c.Points}), c.BestFound
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
		log[charts[i].Metric] = log[charts[i].Metric] || charts[i].spansDecades()
	}
	for i := range charts {
		if !charts[i].Grows() {
			charts[i].Log = log[charts[i].Metric]
		} else if t.Experiment != nil && t.Experiment.LogRegret {
			charts[i].Log, charts[i].LogSteps = true, true
		}
	}
	return charts
}

// OfMetric are the charts of a metric.
func OfMetric(charts []Chart, metric outcome.Metric) (some []*Chart) {
	for i := range charts {
		if charts[i].Metric == metric {
			some = append(some, &charts[i])
		}
	}
	return some
}

// CoverageCharts show for each problem in how many runs the truth is inside the
// confidence set: where a norm is not known, inside the likelihood part of it.
func CoverageCharts(t *outcome.Table, curves []outcome.Curve) []Chart {
	var problems []string
	styles := Styles(t.Results)
	metric := outcome.InSet // of all charts, so that they can be compared
	for i := range t.Rows {
		row := &t.Rows[i]
		problems = words.Include(problems, row.Problem.Name)
		if row.Coverage.Known && !row.Coverage.NormKnown {
			metric = outcome.InLikelihoodSet
		}
	}
	names := FileNames(problems)
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

// Grows reports whether the chart's values are sums over the steps.
func (c *Chart) Grows() bool {
	m := outcome.Find(c.Metric)
	return m != nil && m.Over == outcome.Sum
}

// Share reports whether the chart's values are shares of the runs.
func (c *Chart) Share() bool { return c.Metric == outcome.InSet || c.Metric == outcome.InLikelihoodSet }

// better says which values are.
func (c *Chart) better() string {
	if m := outcome.Find(c.Metric); m != nil && m.Higher {
		return "Higher"
	}
	return "Lower"
}

// manyLines is from how many lines on bands would cover each other.
const manyLines = 6

// Bars reports whether intervals are drawn at some steps only, because there are too many lines for bands.
func (c *Chart) Bars() bool { return c.NoBands || len(c.Lines) >= manyLines }

// interval names what shows the interval of a line.
func (c *Chart) interval() string {
	if c.Bars() {
		return "bars at some steps"
	}
	return "band"
}

// compare adds what the problem's runs are to be compared with.
func comparisons(t *outcome.Table, regret, sub *Chart, styles map[string]int) {
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
			m := Mark{"paper: " + method, -1, row.Printed.Mean - row.MeanShift()}
			if len(styles) > 1 {
				m.Style = styles[row.Algorithm.Label]
			}
			sub.mark(m, "what the paper prints, shifted from its grid's best value to the optimum")
		}
		if published := t.Published(row); published != nil {
			sub.mark(Mark{"paper: " + row.Algorithm.Label, styles[row.Algorithm.Label], stats.Mean(published)},
				document.Textf("mean of %s that the paper’s authors published", words.Count(len(published), "run")))
		}
	}
}

// mark adds a mark, once.
func (c *Chart) mark(m Mark, about document.Text) {
	if !slices.Contains(c.Marks, m) {
		c.Marks, c.AboutMarks = append(c.Marks, m), about
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
		if reserved := printable.FileName(plain) != plain; reserved || slices.Contains(out[:i], plain) {
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

// DataFile is where a report has the curves of the problem, from its folder.
func (c *Chart) DataFile() string { return "data/" + c.File + ".csv" }

// DataFile is where a report has what a figure of that name shows.
func DataFile(figure string) string { return "data/" + figure + ".csv" }

// OverviewCaption explains a figure of several charts of one metric.
func OverviewCaption(charts []*Chart) document.Text {
	c := charts[0]
	caption := c.about(words.Count(len(charts), "problem"))
	caption += AboutBestFound(charts...) + c.axes()
	for _, one := range charts {
		if text := one.aboutMarks(); text != "" {
			return caption + text
		}
	}
	return caption
}

// AboutBestFound says which of the charts are against the best value found, with a space before it; "" if none are.
func AboutBestFound(charts ...*Chart) document.Text {
	var problems []outcome.OfProblem
	for _, c := range charts {
		problems = append(problems, outcome.OfProblem{Title: c.Title, BestFound: c.BestFound})
	}
	if text := outcome.AboutBestFound(problems); text != "" {
		return " " + document.Plain(text)
	}
	return ""
}

// axes says which are logarithmic, and why.
func (c *Chart) axes() document.Text {
	switch {
	case c.Metric == outcome.RelativeRegret:
		return ""
	case c.LogSteps:
		return " Both axes are logarithmic, so that growth like a power of $T$ is a straight line; the line of random points has the slope of $T$ itself."
	case c.Log:
		return " Logarithmic scale."
	}
	return ""
}

// Low is the lower end of a line's band; the mean without a band, as of a single run.
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
	case outcome.Suboptimality:
		return "suboptimality of the recommended point"
	case outcome.InSet:
		return "share of runs with the truth inside"
	case outcome.InLikelihoodSet:
		return "share of runs with the truth likely enough"
	case outcome.RelativeRegret:
		return "cumulative regret relative to step 1"
	}
	return outcome.Find(c.Metric).Title
}

// Better is "lower is better" or "higher is better"; "" of a chart of which neither can be said.
func (c *Chart) Better() string {
	if m := outcome.Find(c.Metric); m != nil {
		return m.Better()
	}
	return ""
}

// about is the first sentence of a caption.
func (c *Chart) about(where string) document.Text {
	if c.Share() {
		set := "the confidence set"
		if c.Metric == outcome.InLikelihoodSet {
			set = "the likelihood part of the confidence set"
		}
		return document.Textf("Share of %s in which the truth is inside %s after the step, on %s; %s: its 95\u00a0%% Wilson interval. Higher is better.", c.runs(), set, where, c.interval())
	}
	if c.Band > 0 {
		return c.bandAbout()
	}
	if c.Metric == outcome.RelativeRegret {
		return document.Textf("$R_t / R_1$ on %s, both axes logarithmic: of the mean over %s, with its 95\u00a0%% bootstrap interval as a band, and as the paper prints it.", where, c.runs())
	}
	return document.Textf("%s on %s: mean over %s; %s: its 95\u00a0%% bootstrap interval. %s is better.", words.Capital(c.What()), where, c.runs(), c.interval(), c.better())
}

// Caption explains the figure.
func (c *Chart) Caption() document.Text {
	caption := c.about(c.Title) + AboutBestFound(c)
	if c.Band == 0 {
		caption += c.axes()
	}
	return caption + c.aboutMarks()
}

// aboutMarks explains the marks, with a space before it; "" if there are none.
func (c *Chart) aboutMarks() document.Text {
	if len(c.Marks) == 0 {
		return ""
	}
	diamond := document.Text("Diamond")
	if c.Marks[0].Style >= 0 {
		diamond = "Diamond around a marker"
	}
	return " " + diamond + ": " + c.AboutMarks + "."
}

// runs is "30 runs", or "29 or 30 runs" when the lines differ.
func (c *Chart) runs() string {
	var n []string
	most := 0
	for _, l := range c.Lines {
		if k := l.Points[0].N; k > 0 { // not of a printed curve
			most = max(most, k)
			n = words.Include(n, fmt.Sprint(k))
		}
	}
	if len(n) == 1 {
		return words.Count(most, "run")
	}
	return strings.Join(n, " or ") + " runs"
}

// Alt says what a reader would see.
func (c *Chart) Alt() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Line chart of the %s on %s over %s.%s", c.What(), c.Title, words.Count(c.Steps, "step"), AboutBestFound(c))
	mean := "mean "
	if c.Share() || c.Metric == outcome.RelativeRegret {
		mean = ""
	}
	for _, l := range c.Lines {
		first, last := &l.Points[0], &l.Points[len(l.Points)-1]
		fmt.Fprintf(&b, " %s: %s%s after step 1, %s at the end", l.Label, mean, document.Short(first.Mean), document.Short(last.Mean))
		if ci := document.Interval(last); ci.Text != "" {
			fmt.Fprintf(&b, ", interval %s", ci)
		}
		b.WriteByte('.')
	}
	for _, l := range c.Baselines {
		fmt.Fprintf(&b, " %s: %s.", l.Label, document.Short(l.At(float64(c.Steps))))
	}
	for _, m := range c.Marks {
		fmt.Fprintf(&b, " %s: %s.", m.Label, document.Short(m.Value))
	}
	return b.String()
}

// bandAbout explains a band of the paper's width.
func (c *Chart) bandAbout() document.Text {
	n := c.Lines[0].Points[0].N
	about := document.Textf("As the paper draws it: mean over %s; %s: ±%g standard deviations of the runs, as there", c.runs(), c.interval(), c.Band)
	if e := c.Band * math.Sqrt(float64(n)); n > 1 {
		about += document.Textf(", which is ±%.2g standard errors of the mean (a 95\u00a0%% interval has about ±2)", e)
	}
	about += "."
	if c.Missing != nil {
		about += document.Textf(" The paper has %s too; no records here are of that.", strings.Join(c.Missing, ", "))
	}
	return about
}

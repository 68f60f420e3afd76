package figure

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"popbench/internal/math/stats"
	"popbench/internal/outcome"
	"popbench/internal/page/document"
	"popbench/internal/words"
)

// Chart is what one figure shows: curves of one problem over the steps, and what to compare them with.
type Chart struct {
	Name       string             // file name without extension, unique in the report
	File       string             // file name of the problem, without extension
	Problem    string             // name
	Title      string             // of the problem
	Quantity                      // what the lines are
	BestFound  *outcome.BestFound // what regrets are measured against; nil for the certified optimum
	Band       float64            // standard deviations to each side of the mean; 0: bands are 95 % intervals
	Steps      int
	Lines      []Line
	Baselines  []Baseline
	Marks      []Mark
	AboutMarks document.Text // what they are
	Log        bool          // the vertical axis is logarithmic, the same in all charts of a metric
	LogSteps   bool          // the same for the horizontal axis
	NoBands    bool          // intervals are bars, however few lines there are
	Missing    []string      // lines of the paper without records here, in a chart as the paper draws it

	// Of a dose–response chart, whose only line has a point for each value of a setting, after the last step.
	Sweep    *outcome.Sweep // nil for a chart over the steps
	LogSweep bool           // the axis of the setting is logarithmic
}

// Quantity is what the lines of a chart are.
type Quantity struct {
	Metric outcome.Metric // its name
	What   string         // in words
	Better string         // "lower is better" or the like; "" if neither can be said
	Sum    bool           // it is a sum over the steps
	Share  bool           // it is a share of the runs
	Mean   bool           // it is a mean over the runs
	// About is the first sentence of a caption; %[1]s is where, %[2]s over how many runs, %[3]s what shows the interval.
	About document.Text
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

// manyLines is the number of lines from which on bands would cover each other.
const manyLines = 6

// bars reports whether intervals are drawn at some steps only, because there are too many lines for bands.
func (c *Chart) bars() bool { return c.NoBands || len(c.Lines) >= manyLines }

func (c *Chart) interval() string {
	if c.bars() {
		return "bars at some steps"
	}
	return "band"
}

// AddMark adds a mark, once.
func (c *Chart) AddMark(m Mark, about document.Text) {
	if !slices.Contains(c.Marks, m) {
		c.Marks, c.AboutMarks = append(c.Marks, m), about
	}
}

// SpansDecades reports whether the means are positive and go over a factor of thirty: too much for a linear axis.
func (c *Chart) SpansDecades() bool {
	lo, hi := math.Inf(1), 0.0
	for _, l := range c.Lines {
		for i := range l.Points {
			lo, hi = min(lo, l.Points[i].Mean), max(hi, l.Points[i].Mean)
		}
	}
	return lo > 0 && hi > 30*lo
}

// overviewCaption explains a figure of several charts of one metric.
func overviewCaption(charts []*Chart) document.Text {
	c := charts[0]
	caption := c.about(words.Count(len(charts), "problem"), overRuns(charts...)) + aboutBestFound(charts...) + c.axes()
	for _, one := range charts {
		if text := one.aboutMarks(); text != "" {
			return caption + text
		}
	}
	return caption
}

// aboutBestFound says which of the charts are against the best value found, with a space before it; "" if none are.
func aboutBestFound(charts ...*Chart) document.Text {
	return document.Plain(outcome.AboutBestFound(charts, func(c *Chart) (string, *outcome.BestFound) { return c.Title, c.BestFound }))
}

func (c *Chart) axes() document.Text {
	switch {
	case c.LogSteps && !c.Mean: // the sentence says it
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

// High is the upper end of a line's band.
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

func (c *Chart) about(where, runs string) document.Text {
	if c.Band > 0 {
		return c.bandAbout(runs)
	}
	return document.Textf(c.About, where, runs, c.interval())
}

func (c *Chart) Caption() document.Text {
	caption := c.about(c.Title, overRuns(c)) + aboutBestFound(c)
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

// overRuns is "30 runs", or "29 to 30 runs" when the lines of the charts differ.
func overRuns(charts ...*Chart) string {
	least, most := math.MaxInt, 0
	for _, c := range charts {
		for _, l := range c.Lines {
			if n := l.Points[0].N; n > 0 { // not of a printed curve
				least, most = min(least, n), max(most, n)
			}
		}
	}
	if least < most {
		return fmt.Sprintf("%d to %s", least, words.Count(most, "run"))
	}
	return words.Count(most, "run")
}

func (c *Chart) Alt() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Line chart of the %s on %s over %s.%s", c.What, c.Title, words.Count(c.Steps, "step"), aboutBestFound(c))
	mean := ""
	if c.Mean {
		mean = "mean "
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

func (c *Chart) bandAbout(runs string) document.Text {
	n := c.Lines[0].Points[0].N
	about := document.Textf("As the paper draws it: mean over %s; %s: ±%g standard deviations of the runs, as there", runs, c.interval(), c.Band)
	if e := c.Band * math.Sqrt(float64(n)); n > 1 {
		about += document.Textf(", which is ±%.2g standard errors of the mean (a 95\u00a0%% interval has about ±2)", e)
	}
	about += "."
	if c.Missing != nil {
		about += document.Textf(" The paper has %s too; no records here are of that.", strings.Join(c.Missing, ", "))
	}
	return about
}

// Colours is how many colours the lines of figures have: styles with the same remainder have the same colour.
const Colours = 8

// graded is where the styles of a sequence begin; there are fewer than gradedMax in a sequence.
const (
	graded    = 1 << 16
	gradedMax = 1 << 10
)

// Graded is the style of number k of n in a sequence, from 0: values of a setting look like steps along a scale.
func Graded(k, n int) int { return graded + min(n, gradedMax-1)*gradedMax + min(k, gradedMax-1) }

// Grade returns k and n of a style of a sequence; false for any other style.
func Grade(style int) (k, n int, ok bool) {
	style -= graded
	return style % gradedMax, style / gradedMax, style >= 0
}

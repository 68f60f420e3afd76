package chart

import (
	"fmt"
	"math"
	"strings"

	"popbench/internal/math/stats"
	"popbench/internal/page/document"
)

// Trend is what a figure of values over named points shows: over versions, for example.
type Trend struct {
	Name  string // file name without extension
	Title string
	What  string   // the vertical axis
	Axis  string   // the horizontal axis
	Ticks []string // names of the points
	Log   bool     // the vertical axis is logarithmic; otherwise it begins at zero
	Lines []TrendLine
}

// TrendLine is one line of a Trend.
type TrendLine struct {
	Label  string
	Style  int
	Values []float64 // one a point; a gap where it is NaN, or not above 0 on a logarithmic axis
}

// Add adds a line with the values that at returns for the points.
func (t *Trend) Add(label string, style int, at func(i int) float64) {
	line := TrendLine{Label: label, Style: style}
	for i := range t.Ticks {
		v := at(i)
		if t.Log && !(v > 0) {
			v = math.NaN()
		}
		line.Values = append(line.Values, v)
	}
	t.Lines = append(t.Lines, line)
}

// Known is a chart of the lines without gaps, with the range and the last values of the trend.
func (t *Trend) Known() *Chart {
	c := &Chart{Log: t.Log}
	for _, l := range t.Lines {
		var points []stats.Summary
		for _, v := range l.Values {
			if !math.IsNaN(v) {
				points = append(points, stats.Summary{Mean: v, CI: stats.Interval{Lo: math.NaN(), Hi: math.NaN()}})
			}
		}
		if points != nil {
			c.Lines = append(c.Lines, Line{l.Label, l.Style, points})
		}
	}
	return c
}

// Caption explains the figure.
func (t *Trend) Caption() document.Text {
	caption := document.Textf("%s (%s), by %s.", t.Title, t.What, t.Axis)
	if t.Log {
		caption += " Logarithmic scale."
	}
	return caption
}

// Alt says what a reader would see.
func (t *Trend) Alt() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Line chart. %s", t.Caption())
	for _, l := range t.Known().Lines {
		fmt.Fprintf(&b, " %s: %s first, %s last.", l.Label, document.Short(l.Points[0].Mean), document.Short(l.Points[len(l.Points)-1].Mean))
	}
	return b.String()
}

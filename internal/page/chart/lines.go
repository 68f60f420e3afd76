package chart

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"popbench/internal/math/stats"
	"popbench/internal/page/document"
)

// Shares is what a figure of distribution functions shows: how many of each algorithm's numbers, such as steps to a target,
// are at most the number on the horizontal axis. Higher is better.
type Shares struct {
	Name  string // file name without extension
	Title string
	What  string // the vertical axis: of what the shares are
	Axis  string // the horizontal axis
	About document.Text
	From  float64 // where the horizontal axis begins: 0, or above 0 if it is logarithmic
	To    float64
	Log   bool // the horizontal axis is logarithmic
	Lines []ShareLine
}

// ShareLine is the numbers of an algorithm, in ascending order; +Inf stands for a target that it never reached.
type ShareLine struct {
	Label  string
	Style  int
	Values []float64
}

// Add adds the numbers of an algorithm.
func (s *Shares) Add(label string, style int, values []float64) {
	values = slices.Clone(values)
	slices.Sort(values)
	s.Lines = append(s.Lines, ShareLine{label, style, values})
}

// Share is a point of a distribution function.
type Share struct{ X, Share float64 }

// Points are where the distribution function rises, up to x: each different number, and the share of numbers up to it.
func (l *ShareLine) Points(to float64) (points []Share) {
	for i, v := range l.Values {
		if v > to {
			break
		}
		share := float64(i+1) / float64(len(l.Values))
		if n := len(points); n > 0 && points[n-1].X == v {
			points[n-1].Share = share
			continue
		}
		points = append(points, Share{v, share})
	}
	return points
}

// Last is the share at the end of the axis.
func (l *ShareLine) Last(to float64) float64 {
	if points := l.Points(to); points != nil {
		return points[len(points)-1].Share
	}
	return 0
}

func (s *Shares) Caption() document.Text {
	caption := s.About + " Higher is better."
	if s.Log {
		caption += " The horizontal axis is logarithmic."
	}
	return caption
}

func (s *Shares) Alt() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s by %s.", s.Title, s.What, s.Axis)
	middle := (s.From + s.To) / 2
	if s.Log {
		middle = math.Sqrt(s.From * s.To)
	}
	for _, l := range s.Lines {
		fmt.Fprintf(&b, " %s: %s in the middle of the axis, %s at its end.", l.Label, document.Percent(l.Last(middle)), document.Percent(l.Last(s.To)))
	}
	return b.String()
}

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
				points = append(points, stats.Summary{Mean: v, CI: stats.NoInterval()})
			}
		}
		if points != nil {
			c.Lines = append(c.Lines, Line{l.Label, l.Style, points})
		}
	}
	return c
}

func (t *Trend) Caption() document.Text {
	caption := document.Textf("%s (%s), by %s.", t.Title, t.What, t.Axis)
	if t.Log {
		caption += " Logarithmic scale."
	}
	return caption
}

func (t *Trend) Alt() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Line chart. %s", t.Caption())
	for _, l := range t.Known().Lines {
		fmt.Fprintf(&b, " %s: %s first, %s last.", l.Label, document.Short(l.Points[0].Mean), document.Short(l.Points[len(l.Points)-1].Mean))
	}
	return b.String()
}

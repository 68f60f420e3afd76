package figure

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"popbench/internal/outcome"
	"popbench/internal/page/document"
	"popbench/internal/words"
)

// BeliefChart is the confidence set of one run on a 1-D problem, step by step.
type BeliefChart struct {
	Name       string // file name without extension, unique in the report
	File       string // of the numbers
	Title      string // of the problem
	Algorithm  string // label
	Repetition int
	Lo, Hi     float64           // the box
	Panels     []*outcome.Belief // one or more, by step
	Inside     []bool            // panel: the truth is in the confidence set; nil if that is not known
	Again      bool              // it is not the first of its group
	Group      *outcome.Group
}

// steps is "10, 20 and 30 comparisons".
func (c *BeliefChart) steps() string {
	var s []string
	for _, p := range c.Panels {
		s = append(s, strconv.Itoa(p.Step))
	}
	if len(s) > 1 {
		return words.List(s) + " comparisons"
	}
	return words.Count(c.Panels[0].Step, "comparison")
}

func (c *BeliefChart) Caption() document.Text {
	if c.Again {
		return document.Textf("The same for run %d.%s", c.Repetition, c.verdict())
	}
	return document.Textf("Confidence set of %s on %s, run %d, after %s. Solid: the truth. Dashed: the maximum likelihood estimate of smallest norm. Band: the least and the largest value at $x$ of any function in the set. Ticks: the points compared. "+
		"Preferences cannot tell $f$ from $f$ plus a constant: only the bound on the norm fixes the level, so an estimate that is off by a constant is as good as the truth.%s",
		c.Algorithm, c.Title, c.Repetition, c.steps(), c.verdict())
}

// verdict says after which of the steps the truth is in the confidence set.
func (c *BeliefChart) verdict() string {
	if c.Inside == nil {
		return ""
	}
	var out []string
	for i, in := range c.Inside {
		if !in {
			out = append(out, strconv.Itoa(c.Panels[i].Step))
		}
	}
	switch len(out) {
	case 0:
		return " The truth is inside the set every time."
	case len(c.Inside):
		return " The truth is inside the set at none of these times."
	}
	return " The truth is outside of the set after " + strings.Join(out, ", ") + "."
}

func (c *BeliefChart) Alt() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s of a function on [%g, %g], its estimate and its confidence range: %s on %s.",
		words.Capital(words.Count(len(c.Panels), "chart")), c.Lo, c.Hi, c.Algorithm, c.Title)
	for _, p := range c.Panels {
		fmt.Fprintf(&b, " After %s the range is %s wide on average and the estimate is off by %s.",
			words.Count(p.Step, "comparison"), document.Short(p.Width()), document.Short(p.Error()))
	}
	return b.String() + c.verdict()
}

const (
	beliefPanelWidth, beliefPanelHeight = 180, 160
	beliefTop                           = 44 // title and legend
	rugHeight                           = 6  // of the ticks at points compared
)

// Figure draws a confidence set, with a panel for each step, all with the same scale.
func (c *BeliefChart) Figure() *Figure {
	cols := min(len(c.Panels), 3)
	rows := (len(c.Panels) + cols - 1) / cols
	title := "confidence set of " + c.Algorithm
	f := &Figure{
		Width: beliefPanelWidth * vg.Length(max(cols, 2)), Height: beliefPanelHeight*vg.Length(rows) + beliefTop,
		draw: func(dc draw.Canvas) {
			const edge = 4
			dc.FillText(style(titleSize, ink, draw.XLeft, draw.YTop), vg.Point{X: dc.Min.X + edge, Y: dc.Max.Y - 3}, c.Title)
			indent := edge + style(titleSize, ink, 0, 0).Width(c.Title+"  ")
			dc.FillText(style(labelSize, grey, draw.XLeft, draw.YTop), vg.Point{X: dc.Min.X + indent, Y: dc.Max.Y - 5}, title)
			beliefLegend(dc, vg.Point{X: dc.Min.X + edge, Y: dc.Max.Y - 28})

			lo, hi := beliefRange(c)
			drawGrid(dc, draw.Tiles{Cols: cols, Rows: rows, PadTop: beliefTop + 16}, len(c.Panels), func(k int) *plot.Plot {
				p := newPlot(smallSize)
				p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = c.Lo, c.Hi, lo, hi
				p.X.Tick.Marker, p.Y.Tick.Marker = plot.TickerFunc(linearTicks), plot.TickerFunc(linearTicks)
				p.Add(plotter(gridLines), beliefPanel(c.Panels[k]), heading(words.Count(c.Panels[k].Step, "comparison")))
				if k+cols >= len(c.Panels) {
					p.X.Label.Text = "x"
				}
				return p
			})
		},
	}
	return f.of(c.Name, c)
}

// beliefRange returns the vertical range of all panels, with room for the ticks. Package plot widens that of a constant.
func beliefRange(c *BeliefChart) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, p := range c.Panels {
		for k := range p.X {
			lo = min(lo, p.Lower[k], p.Utility[k], p.Estimate[k])
			hi = max(hi, p.Upper[k], p.Utility[k], p.Estimate[k])
		}
	}
	return lo - 0.1*(hi-lo), hi + 0.04*(hi-lo)
}

var (
	truthLine    = draw.LineStyle{Color: ink, Width: 1.4}
	estimateLine = draw.LineStyle{Color: palette[0], Width: 1.8, Dashes: []vg.Length{5, 2.5}}
	rangeLine    = draw.LineStyle{Color: palette[0], Width: 0.5}
	rugLine      = draw.LineStyle{Color: ink, Width: 0.8}
)

func beliefPanel(b *outcome.Belief) plotter {
	return func(c draw.Canvas, p *plot.Plot) {
		x, y := p.Transforms(&c)
		curve := func(v []float64) []vg.Point {
			pts := make([]vg.Point, len(v))
			for i := range v {
				pts[i] = vg.Point{X: x(b.X[i]), Y: y(v[i])}
			}
			return pts
		}
		lower, upper := curve(b.Lower), curve(b.Upper)
		back := slices.Clone(upper)
		slices.Reverse(back)
		c.FillPolygon(bandColor(0, 1), slices.Concat(lower, back))
		c.StrokeLines(rangeLine, lower, upper)
		c.StrokeLines(truthLine, curve(b.Utility))
		c.StrokeLines(estimateLine, curve(b.Estimate))
		for _, v := range b.Visited {
			c.StrokeLine2(rugLine, x(v), c.Min.Y, x(v), c.Min.Y+rugHeight)
		}
	}
}

// beliefLegend draws the legend in one line that starts at the point.
func beliefLegend(c draw.Canvas, at vg.Point) {
	const sample, gap = 22, 14
	entry := func(text string, draw func(from, to vg.Point)) {
		draw(at, vg.Point{X: at.X + sample, Y: at.Y})
		at.X += sample + 4
		st := style(smallSize, ink, 0, -0.5)
		c.FillText(st, vg.Point{X: at.X, Y: at.Y + 0.7}, text)
		at.X += st.Width(text) + gap
	}
	line := func(s draw.LineStyle) func(a, b vg.Point) {
		return func(a, b vg.Point) { c.StrokeLine2(s, a.X, a.Y, b.X, b.Y) }
	}
	entry("truth", line(truthLine))
	entry("estimate", line(estimateLine))
	entry("confidence range", func(a, b vg.Point) {
		c.FillPolygon(bandColor(0, 1), rectangle(a.X, a.Y-4, b.X, a.Y+4))
		c.StrokeLine2(rangeLine, a.X, a.Y-4, b.X, a.Y-4)
		c.StrokeLine2(rangeLine, a.X, a.Y+4, b.X, a.Y+4)
	})
	entry("compared", func(a, b vg.Point) {
		for _, t := range []vg.Length{0.35, 0.5, 0.8} {
			x := a.X + t*(b.X-a.X)
			c.StrokeLine2(rugLine, x, a.Y-rugHeight/2, x, a.Y+rugHeight/2)
		}
	})
}

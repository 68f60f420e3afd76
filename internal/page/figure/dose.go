package figure

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"popbench/internal/page/document"
	"popbench/internal/words"
)

// doseCaption explains a dose–response figure of several problems.
func doseCaption(doses []*Chart) document.Text {
	d := doses[0]
	where := document.Plain(d.Title)
	if len(doses) > 1 {
		where = document.Plain(words.Count(len(doses), "problem"))
	}
	caption := document.Textf("%s after %s on %s, by %s: mean over %s, with its 95\u00a0%% bootstrap interval. %s.",
		words.Capital(d.What), words.Count(d.Steps, "step"), where, document.Plain(d.Sweep.Setting), overRuns(d), words.Capital(d.Better))
	switch {
	case d.LogSweep && d.Log:
		caption += " Both axes are logarithmic."
	case d.LogSweep:
		caption += " The axis of the setting is logarithmic."
	case d.Log:
		caption += " The vertical axis is logarithmic."
	}
	return caption + aboutBestFound(doses...)
}

// doseAlt says what a reader would see.
func doseAlt(doses []*Chart) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s by %s.", words.Capital(doses[0].What), doses[0].Sweep.Setting)
	for _, d := range doses {
		fmt.Fprintf(&b, " %s:", d.Title)
		for k, v := range d.Sweep.Values {
			fmt.Fprintf(&b, " at %g %s", v, document.MeanInterval(&d.Lines[0].Points[k]))
			b.WriteByte(map[bool]byte{true: '.', false: ';'}[k == len(d.Sweep.Values)-1])
		}
	}
	return b.String()
}

// Doses draws means with their intervals over the values of a setting, a panel for each problem.
func Doses(name string, doses []*Chart) *Figure {
	axis := doses[0].Sweep.Setting
	var f *Figure
	if len(doses) == 1 {
		f = single(doses[0], axis, func() *plot.Plot { return newDosePanel(doses[0], tickSize) })
	} else {
		f = overview(doses, axis, func(k int) *plot.Plot { return newDosePanel(doses[k], smallSize) })
	}
	f.Name, f.Caption, f.Alt = name, doseCaption(doses), doseAlt(doses)
	return f
}

// newDosePanel returns the axes and data of a chart over the values of a setting.
func newDosePanel(d *Chart, tickSize vg.Length) *plot.Plot {
	values := d.Sweep.Values
	p := newAxes(d, tickSize)
	lo, hi := values[0], values[len(values)-1]
	const pad = 0.06
	p.X.Min, p.X.Max = lo-pad*(hi-lo), hi+pad*(hi-lo)
	p.X.Tick.Marker = plot.TickerFunc(linearTicks)
	if d.LogSweep {
		p.X.Min, p.X.Max = lo*math.Pow(hi/lo, -pad), hi*math.Pow(hi/lo, pad)
		makeLog(&p.X)
	}
	if len(values) <= maxValues {
		p.X.Tick.Marker = valueTicks(values)
	}
	p.Add(dosePoints(d))
	return p
}

// maxValues is how many values of a setting have a tick each.
const maxValues = 8

func valueTicks(values []float64) (ticks plot.ConstantTicks) {
	for _, x := range values {
		ticks = append(ticks, plot.Tick{Value: x, Label: fmt.Sprintf("%g", x)})
	}
	return ticks
}

// dosePoints draws the means and their intervals, joined by a thin line.
func dosePoints(d *Chart) plotter {
	return func(c draw.Canvas, p *plot.Plot) {
		x, y := p.Transforms(&c)
		points := d.Lines[0].Points
		var line []vg.Point
		for i := range points {
			line = append(line, vg.Point{X: x(d.Sweep.Values[i]), Y: y(points[i].Mean)})
		}
		c.StrokeLines(draw.LineStyle{Color: grey, Width: 0.8}, line)
		for i := range points {
			s, style := &points[i], Graded(i, len(points))
			whiskers(c, seriesColor(style), [3]vg.Length{line[i].X, y(d.Low(s)), y(d.High(s))})
			c.DrawGlyph(seriesMarker(style), line[i])
		}
	}
}

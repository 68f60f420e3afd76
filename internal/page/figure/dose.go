package figure

import (
	"fmt"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"popbench/internal/page/chart"
)

// Doses draws means with their intervals over the values of a setting, a panel for each problem.
func Doses(name string, doses []*chart.Chart) *Figure {
	axis := doses[0].Sweep.Setting
	var f *Figure
	if len(doses) == 1 {
		f = single(doses[0], axis, func() *plot.Plot { return newDosePanel(doses[0], tickSize) })
	} else {
		f = overview(doses, axis, func(k int) *plot.Plot { return newDosePanel(doses[k], smallSize) })
	}
	f.Name, f.Caption, f.Alt = name, chart.DoseCaption(doses), chart.DoseAlt(doses)
	return f
}

// newDosePanel returns the axes and data of a chart over the values of a setting.
func newDosePanel(d *chart.Chart, tickSize vg.Length) *plot.Plot {
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
func dosePoints(d *chart.Chart) plotter {
	return func(c draw.Canvas, p *plot.Plot) {
		x, y := p.Transforms(&c)
		points := d.Lines[0].Points
		var line []vg.Point
		for i := range points {
			line = append(line, vg.Point{X: x(d.Sweep.Values[i]), Y: y(points[i].Mean)})
		}
		c.StrokeLines(draw.LineStyle{Color: grey, Width: 0.8}, line)
		for i := range points {
			s, style := &points[i], chart.Graded(i, len(points))
			whiskers(c, seriesColor(style), [3]vg.Length{line[i].X, y(d.Low(s)), y(d.High(s))})
			c.DrawGlyph(seriesMarker(style), line[i])
		}
	}
}

package figure

import (
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"popbench/internal/page/chart"
)

// Trend draws a chart over named points. The names of its lines determine its height.
func Trend(t *chart.Trend) *Figure {
	return onePanel(t.Title, t.What, t.Axis, nil, len(t.Lines), func() (*plot.Plot, *endLabels) {
		known := t.Known()
		p := newPlot(tickSize)
		p.X.Min, p.X.Max = 0.5, float64(len(t.Ticks))+0.5
		p.X.Tick.Marker = nameTicks(t.Ticks)
		p.Y.Min, p.Y.Max = valueRange(known)
		p.Y.Tick.Marker = linearTicks{}
		if t.Log {
			makeLog(&p.Y)
		}
		p.Add(plotter(gridLines))
		for i := range t.Lines {
			p.Add(trendLine(&t.Lines[i]))
		}
		ends := &endLabels{chart: known}
		p.Add(ends)
		return p, ends
	}).of(t.Name, t.Title, t)
}

// nameTicks places names at 1, 2, …, and shows about six of them.
type nameTicks []string

func (n nameTicks) Ticks(_, _ float64) (ticks []plot.Tick) {
	every := (len(n) + 5) / 6
	for i := 0; i < len(n); i += every {
		ticks = append(ticks, plot.Tick{Value: float64(i + 1), Label: n[i]})
	}
	return ticks
}

// trendLine draws a line with gaps, and a marker at each value.
func trendLine(l *chart.TrendLine) plotter {
	return func(c draw.Canvas, p *plot.Plot) {
		x, y := p.Transforms(&c)
		var piece []vg.Point
		for i, v := range append(slices.Clone(l.Values), math.NaN()) {
			if math.IsNaN(v) {
				if len(piece) > 1 {
					c.StrokeLines(seriesLine(l.Style), piece)
				}
				piece = nil
				continue
			}
			at := vg.Point{X: x(float64(i + 1)), Y: y(v)}
			piece = append(piece, at)
			c.DrawGlyph(seriesMarker(l.Style), at)
		}
	}
}

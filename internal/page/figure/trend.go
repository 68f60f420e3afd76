package figure

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"popbench/internal/page/chart"
)

// Trend draws a chart over named points. The names of its lines determine its height.
func Trend(t *chart.Trend) *Figure {
	return &Figure{
		Name: t.Name, Title: t.Title, Caption: t.Caption(), Alt: t.Alt(),
		Width: singleWidth, Height: height(top(t.Title, t.What), len(t.Lines)),
		draw: func(dc draw.Canvas) {
			titles(dc, t.Title, t.What)

			known := t.Known()
			p := newPlot(tickSize)
			p.X.Min, p.X.Max = 0.5, float64(len(t.Ticks))+0.5
			p.X.Tick.Marker = nameTicks(t.Ticks)
			p.X.Label.Text = t.Axis
			p.Y.Min, p.Y.Max = valueRange(known)
			p.Y.Tick.Marker = linearTicks{}
			if t.Log {
				p.Y.Scale = logScale{}
				p.Y.Tick.Marker = logTicks{}
			}
			ends := &endLabels{chart: known}
			p.Add(gridLines{})
			for i := range t.Lines {
				p.Add(trendLine{&t.Lines[i]})
			}
			p.Add(ends)
			p.Draw(draw.Crop(dc, edge, -ends.width()-edge, 4, -top(t.Title, t.What)))
		},
	}
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
type trendLine struct{ *chart.TrendLine }

func (l trendLine) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	var piece []vg.Point
	end := func() {
		if len(piece) > 1 {
			c.StrokeLines(seriesLine(l.Style), piece)
		}
		piece = nil
	}
	for i, v := range l.Values {
		if math.IsNaN(v) {
			end()
			continue
		}
		at := vg.Point{X: x(float64(i + 1)), Y: y(v)}
		piece = append(piece, at)
		c.DrawGlyph(seriesMarker(l.Style), at)
	}
	end()
}

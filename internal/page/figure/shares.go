package figure

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"popbench/internal/page/chart"
)

// Shares draws distribution functions as steps. The names of the lines determine its height.
func Shares(s *chart.Shares) *Figure {
	return &Figure{
		Name: s.Name, Title: s.Title, Caption: s.Caption(), Alt: s.Alt(),
		Width: singleWidth, Height: height(top(s.Title, s.What), len(s.Lines)),
		draw: func(dc draw.Canvas) {
			titles(dc, s.Title, s.What)
			p := newPlot(tickSize)
			p.X.Min, p.X.Max = s.From, s.To
			p.X.Tick.Marker = linearTicks{}
			if s.Log {
				p.X.Scale, p.X.Tick.Marker = logScale{}, logTicks{}
			}
			p.X.Label.Text = s.Axis
			ends := &endLabels{chart: s.Ends()}
			fifths := 1.0 // of 100 %, that the highest line needs
			for _, l := range ends.chart.Lines {
				fifths = max(fifths, math.Ceil(5*l.Points[0].Mean-1e-9))
			}
			p.Y.Min, p.Y.Max = 0, fifths/5*1.02
			p.Y.Tick.Marker = percentTicks{}
			p.Add(gridLines{})
			for i := range s.Lines {
				p.Add(steps{s, &s.Lines[i], i})
			}
			p.Add(ends)
			p.Draw(draw.Crop(dc, edge, -ends.width()-edge, 4, -top(s.Title, s.What)))
		},
	}
}

// percentTicks are the ticks of a share, at most from 0 to 100 %. The highest has the unit.
type percentTicks struct{}

func (percentTicks) Ticks(lo, hi float64) (ticks []plot.Tick) {
	ticks = multiples(100*lo, 100*min(hi, 1), nice(100*(hi-lo)/6))
	for i := range ticks {
		ticks[i].Value /= 100
	}
	ticks[len(ticks)-1].Label += "\u00a0%"
	return ticks
}

// steps draws a distribution function, with a few markers, placed where other lines have none.
type steps struct {
	*chart.Shares
	line  *chart.ShareLine
	index int
}

func (s steps) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	path := []vg.Point{{X: x(s.From), Y: y(0)}}
	for _, at := range s.line.Points(s.To) {
		path = append(path, vg.Point{X: x(at.X), Y: path[len(path)-1].Y}, vg.Point{X: x(at.X), Y: y(at.Share)})
	}
	path = append(path, vg.Point{X: x(s.To), Y: path[len(path)-1].Y})
	c.StrokeLines(thin(seriesLine(s.line.Style), len(s.Lines)), path)
	const markers = 4
	for k := range markers {
		at := along(&p.X, (float64(k)+(float64(s.index)+0.5)/float64(len(s.Lines)))/markers)
		c.DrawGlyph(seriesMarker(s.line.Style), vg.Point{X: x(at), Y: y(s.line.Last(at))})
	}
}

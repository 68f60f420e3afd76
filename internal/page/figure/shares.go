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
	return onePanel(s.Title, s.What, s.Axis, nil, len(s.Lines), func() (*plot.Plot, *endLabels) {
		p := newPlot(tickSize)
		p.X.Min, p.X.Max = s.From, s.To
		p.X.Tick.Marker = linearTicks{}
		if s.Log {
			makeLog(&p.X)
		}
		ends := &endLabels{chart: s.Ends()}
		fifths := 1.0 // of 100 %, that the highest line needs
		for _, l := range ends.chart.Lines {
			fifths = max(fifths, math.Ceil(5*l.Points[0].Mean-1e-9))
		}
		p.Y.Min, p.Y.Max = 0, fifths/5*1.02
		p.Y.Tick.Marker = percentTicks{}
		p.Add(plotter(gridLines))
		for i := range s.Lines {
			p.Add(steps(s, i))
		}
		p.Add(ends)
		return p, ends
	}).of(s.Name, s.Title, s)
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
func steps(s *chart.Shares, index int) plotter {
	line := &s.Lines[index]
	return func(c draw.Canvas, p *plot.Plot) {
		x, y := p.Transforms(&c)
		path := []vg.Point{{X: x(s.From), Y: y(0)}}
		for _, at := range line.Points(s.To) {
			path = append(path, vg.Point{X: x(at.X), Y: path[len(path)-1].Y}, vg.Point{X: x(at.X), Y: y(at.Share)})
		}
		path = append(path, vg.Point{X: x(s.To), Y: path[len(path)-1].Y})
		c.StrokeLines(thin(seriesLine(line.Style), len(s.Lines)), path)
		const markers = 4
		for k := range markers {
			at := along(&p.X, (float64(k)+(float64(index)+0.5)/float64(len(s.Lines)))/markers)
			c.DrawGlyph(seriesMarker(line.Style), vg.Point{X: x(at), Y: y(line.Last(at))})
		}
	}
}

package figure

import (
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"popbench/internal/math/stats"
	"popbench/internal/page/chart"
)

// Shares draws distribution functions as steps. The names of the lines determine its height.
func Shares(s *chart.Shares) *Figure {
	last := &chart.Chart{} // the shares at the end of the axis
	fifths := 1.0          // of 100 %, that the highest line needs
	for _, l := range s.Lines {
		share := l.Last(s.To)
		last.Lines = append(last.Lines, chart.Line{Label: l.Label, Style: l.Style, Points: []stats.Summary{{Mean: share}}})
		fifths = max(fifths, math.Ceil(5*share-1e-9))
	}
	return onePanel(s.Title, s.What, s.Axis, nil, len(s.Lines), last, func() *plot.Plot {
		p := newPlot(tickSize)
		p.X.Min, p.X.Max = s.From, s.To
		p.X.Tick.Marker = plot.TickerFunc(linearTicks)
		if s.Log {
			makeLog(&p.X)
		}
		p.Y.Min, p.Y.Max = 0, fifths/5*1.02
		p.Y.Tick.Marker = plot.TickerFunc(percentTicks)
		p.Add(plotter(gridLines))
		for i := range s.Lines {
			p.Add(steps(s, i))
		}
		return p
	}).of(s.Name, s)
}

// percentTicks are the ticks of a share, at most from 0 to 100 %. The highest has the unit.
func percentTicks(lo, hi float64) (ticks []plot.Tick) {
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

// Trend draws a chart over named points. The names of its lines determine its height.
func Trend(t *chart.Trend) *Figure {
	known := t.Known()
	return onePanel(t.Title, t.What, t.Axis, nil, len(t.Lines), known, func() *plot.Plot {
		p := newPlot(tickSize)
		p.X.Min, p.X.Max = 0.5, float64(len(t.Ticks))+0.5
		p.X.Tick.Marker = nameTicks(t.Ticks)
		addValues(p, known)
		for i := range t.Lines {
			p.Add(trendLine(&t.Lines[i]))
		}
		return p
	}).of(t.Name, t)
}

// nameTicks places names at 1, 2, …, and shows about six of them.
func nameTicks(names []string) (ticks plot.ConstantTicks) {
	every := (len(names) + 5) / 6
	for i := 0; i < len(names); i += every {
		ticks = append(ticks, plot.Tick{Value: float64(i + 1), Label: names[i]})
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

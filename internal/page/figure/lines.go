package figure

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

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

// known is a chart of the lines without gaps, with the range and the last values of the trend.
func (t *Trend) known() *Chart {
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
	for _, l := range t.known().Lines {
		fmt.Fprintf(&b, " %s: %s first, %s last.", l.Label, document.Short(l.Points[0].Mean), document.Short(l.Points[len(l.Points)-1].Mean))
	}
	return b.String()
}

// Figure draws distribution functions as steps. The names of the lines determine its height.
func (s *Shares) Figure() *Figure {
	last := &Chart{} // the shares at the end of the axis
	fifths := 1.0    // of 100 %, that the highest line needs
	for _, l := range s.Lines {
		share := l.Last(s.To)
		last.Lines = append(last.Lines, Line{Label: l.Label, Style: l.Style, Points: []stats.Summary{{Mean: share}}})
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
func steps(s *Shares, index int) plotter {
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

// Figure draws a chart over named points. The names of its lines determine its height.
func (t *Trend) Figure() *Figure {
	known := t.known()
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
func trendLine(l *TrendLine) plotter {
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

package figure

import (
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"popbench/internal/words"
)

// newPanel returns the axes and the lines of a chart.
func newPanel(c *Chart, tickSize vg.Length) *plot.Plot {
	p := newAxes(c, tickSize)
	for i := range c.Lines {
		if !c.bars() {
			p.Add(band(c, &c.Lines[i]))
		}
	}
	for i := range c.Lines {
		p.Add(series(c, i))
	}
	return p
}

func newAxes(c *Chart, tickSize vg.Length) *plot.Plot {
	p := newPlot(tickSize)
	p.X.Min, p.X.Max = 0, float64(c.Steps)
	p.X.Tick.Marker = plot.TickerFunc(stepTicks)
	if c.LogSteps {
		p.X.Min, p.X.Max = 1, max(2, p.X.Max)
		makeLog(&p.X)
	}
	addValues(p, c)
	for i := range c.Baselines {
		p.Add(baseline(&c.Baselines[i], i))
	}
	return p
}

// addValues adds the axis of values and the grid.
func addValues(p *plot.Plot, c *Chart) {
	p.Y.Min, p.Y.Max = valueRange(c)
	p.Y.Tick.Marker = plot.TickerFunc(linearTicks)
	if c.Log {
		makeLog(&p.Y)
	}
	p.Add(plotter(gridLines))
}

func newPlot(tickSize vg.Length) *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Padding = 0
		a.Color, a.Width = grey, 0.6
		a.Tick.Color, a.Tick.Width, a.Tick.Length = grey, 0.6, 4
		for _, s := range []*text.Style{&a.Tick.Label, &a.Label.TextStyle} {
			s.Font, s.Color, s.Handler = sans(tickSize), ink, measured{s.Handler}
		}
	}
	return p
}

func gridLines(c draw.Canvas, p *plot.Plot) {
	for _, t := range p.Y.Tick.Marker.Ticks(p.Y.Min, p.Y.Max) {
		if y := c.Y(p.Y.Norm(t.Value)); !t.IsMinor() && c.ContainsY(y) {
			c.StrokeLine2(draw.LineStyle{Color: rule, Width: 0.6}, c.Min.X, y, c.Max.X, y)
		}
	}
}

func baseline(b *Baseline, index int) plotter {
	return func(c draw.Canvas, p *plot.Plot) {
		if b.At(p.X.Max) < p.Y.Min { // it lies below the axis
			return
		}
		x, y := p.Transforms(&c)
		const pieces = 60 // for a curved baseline
		pts := make([]vg.Point, pieces+1)
		for i := range pts {
			t := along(&p.X, float64(i)/pieces)
			pts[i] = vg.Point{X: x(t), Y: y(b.At(t))}
		}
		if b.Slope == 0 || b.Power == 1 && isLog(&p.X) == isLog(&p.Y) {
			pts = []vg.Point{pts[0], pts[pieces]} // straight
		}
		c.StrokeLines(baselineLine(index), pts)
	}
}

func band(ch *Chart, l *Line) plotter {
	return func(c draw.Canvas, p *plot.Plot) {
		x, y := p.Transforms(&c)
		n := len(l.Points)
		if n < 2 {
			return
		}
		pts := make([]vg.Point, 2*n)
		for i := range l.Points {
			pts[i] = vg.Point{X: x(float64(i + 1)), Y: y(ch.Low(&l.Points[i]))}
			pts[2*n-1-i] = vg.Point{X: x(float64(i + 1)), Y: y(ch.High(&l.Points[i]))}
		}
		c.FillPolygon(bandColor(l.Style, len(ch.Lines)), pts)
	}
}

func series(ch *Chart, index int) plotter {
	l := &ch.Lines[index]
	return func(c draw.Canvas, p *plot.Plot) {
		x, y := p.Transforms(&c)
		var pts []vg.Point
		if ch.Sum && !ch.LogSteps { // R_0 is zero
			pts = append(pts, vg.Point{X: x(0), Y: y(0)})
		}
		for i := range l.Points {
			pts = append(pts, vg.Point{X: x(float64(i + 1)), Y: y(l.Points[i].Mean)})
		}
		c.StrokeLines(thin(seriesLine(l.Style), len(ch.Lines)), pts)
		marked := marked(&p.X, len(l.Points), index, len(ch.Lines))
		if ch.bars() {
			bars := make([][3]vg.Length, len(marked))
			for k, i := range marked {
				bars[k] = [3]vg.Length{x(float64(i + 1)), y(ch.Low(&l.Points[i])), y(ch.High(&l.Points[i]))}
			}
			whiskers(c, fainter(seriesColor(l.Style)), bars...)
		}
		for _, i := range marked {
			c.DrawGlyph(seriesMarker(l.Style), vg.Point{X: x(float64(i + 1)), Y: y(l.Points[i].Mean)})
		}
	}
}

// marked returns which of n points have a marker: a few, at other steps for each of count series.
func marked(x *plot.Axis, n, index, count int) (at []int) {
	if isLog(x) { // evenly spaced on the axis
		const markers = 6
		for k := range markers {
			i := int(math.Round(along(x, (float64(k)+float64(index+1)/float64(count))/markers))) - 1
			if i < n && !slices.Contains(at, i) {
				at = append(at, i)
			}
		}
		return at
	}
	every := max(1, n/6)
	for i := range n {
		if (i+1)%every == (index*every/count)%every {
			at = append(at, i)
		}
	}
	return at
}

// fainter is the colour of intervals, from which the lines stand out.
func fainter(c color.NRGBA) translucent {
	c.A = 140
	return translucent(c)
}

// whiskers draws intervals with short ends, each at {x, lo, hi}, as one path: there may be hundreds.
func whiskers(c draw.Canvas, colour color.Color, all ...[3]vg.Length) {
	const half = 2
	var path vg.Path
	for _, w := range all {
		x, lo, hi := w[0], max(w[1], c.Min.Y), min(w[2], c.Max.Y)
		for _, end := range []vg.Length{lo, hi} {
			path.Move(vg.Point{X: x - half, Y: end})
			path.Line(vg.Point{X: x + half, Y: end})
		}
		path.Move(vg.Point{X: x, Y: lo})
		path.Line(vg.Point{X: x, Y: hi})
	}
	c.SetLineStyle(draw.LineStyle{Color: colour, Width: 0.9})
	c.Stroke(path)
}

func heading(text string) plotter { return headingOf(labelSize, 3, 8, text) }

// headingOf draws a title of a size, so far above the axes and so much wider.
func headingOf(size, above, wider vg.Length, text string) plotter {
	return func(c draw.Canvas, _ *plot.Plot) {
		c.FillText(style(size, ink, draw.XLeft, draw.YBottom), vg.Point{X: c.Min.X, Y: c.Max.Y + above}, fit(text, 0.5, size, c.Max.X-c.Min.X+wider))
	}
}

// legend lists the series of an overview in its own cell.
type legend struct {
	title, about string
	entries      []legendEntry
}

type legendEntry struct {
	label string
	draw  func(c draw.Canvas, from, to vg.Point)
}

func newLegend(title string, charts []*Chart) *legend {
	l := &legend{title: title, about: "mean and 95\u00a0% interval"}
	add := func(label string, draw func(c draw.Canvas, from, to vg.Point)) {
		if !slices.ContainsFunc(l.entries, func(e legendEntry) bool { return e.label == label }) {
			l.entries = append(l.entries, legendEntry{label, draw})
		}
	}
	middle := func(a, b vg.Point) vg.Point { return vg.Point{X: (a.X + b.X) / 2, Y: a.Y} }
	if charts[0].Share {
		l.about = "95\u00a0% interval"
	}
	if slices.ContainsFunc(charts, func(c *Chart) bool { return c.Log }) {
		l.about += ", log scale"
	}
	if charts[0].Better != "" {
		l.about += "; " + charts[0].Better
	}
	var against []string
	for _, c := range charts {
		if c.BestFound != nil {
			against = words.Include(against, c.BestFound.String())
		}
	}
	if against != nil {
		l.about += "; * against " + strings.Join(against, " or ")
	}
	for _, ch := range charts {
		for _, s := range ch.Lines {
			add(s.Label, func(c draw.Canvas, a, b vg.Point) {
				if ch.bars() {
					whiskers(c, fainter(seriesColor(s.Style)), [3]vg.Length{middle(a, b).X, a.Y - 4.5, a.Y + 4.5})
				} else {
					c.FillPolygon(bandColor(s.Style, 1), rectangle(a.X, a.Y-4, b.X, a.Y+4))
				}
				c.StrokeLines(seriesLine(s.Style), []vg.Point{a, b})
				c.DrawGlyphNoClip(seriesMarker(s.Style), middle(a, b))
			})
		}
	}
	for _, ch := range charts {
		for i := range ch.Baselines {
			add(ch.Baselines[i].Label, func(c draw.Canvas, a, b vg.Point) { c.StrokeLines(baselineLine(i), []vg.Point{a, b}) })
		}
		for _, m := range ch.Marks {
			if m.Style >= 0 { // the marker identifies the series
				m.Label = "paper"
			}
			add(m.Label, func(c draw.Canvas, a, b vg.Point) { diamond(c, middle(a, b), ink) })
		}
	}
	return l
}

const (
	legendSample = 26 // width of a line in the legend
	legendGap    = 5
)

func (l *legend) height(width vg.Length) vg.Length {
	lines := labelSize*1.25*vg.Length(len(wrap(l.title, labelSize, width))) + smallSize*1.25*vg.Length(len(wrap(l.about, smallSize, width)))
	return lines + legendGap + smallSize*1.5*vg.Length(len(l.entries))
}

// draw draws the legend, with its first line at the height of a panel's heading.
func (l *legend) draw(c draw.Canvas) {
	y := c.Max.Y + 3 + style(labelSize, ink, 0, 0).Height(l.title)
	line := func(s string, size vg.Length, col color.Color) {
		for _, part := range wrap(s, size, c.Max.X-c.Min.X) {
			c.FillText(style(size, col, draw.XLeft, draw.YTop), vg.Point{X: c.Min.X, Y: y}, part)
			y -= size * 1.25
		}
	}
	line(l.title, labelSize, ink)
	line(l.about, smallSize, grey)
	y -= legendGap
	names := fitAll(words.Each(l.entries, func(e legendEntry) string { return e.label }), smallSize, c.Max.X-c.Min.X-legendSample-5)
	for i, e := range l.entries {
		mid := y - smallSize/2
		e.draw(c, vg.Point{X: c.Min.X, Y: mid}, vg.Point{X: c.Min.X + legendSample, Y: mid})
		c.FillText(style(smallSize, ink, draw.XLeft, draw.YCenter), vg.Point{X: c.Min.X + legendSample + 5, Y: mid + 0.7}, names[i])
		y -= smallSize * 1.5
	}
}

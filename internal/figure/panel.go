package figure

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"popbench/internal/report"
	"popbench/internal/stats"
)

// newPanel is the axes and the data of a chart. The end labels that it returns
// are drawn with it, to the right of the axes, in a margin of their width().
func newPanel(c *report.Chart, tickSize vg.Length) (*plot.Plot, *endLabels) {
	p := plot.New()
	p.BackgroundColor = nil
	p.X.Min, p.X.Max = 0, float64(c.Steps)
	p.X.Tick.Marker = stepTicks{}
	p.Y.Min, p.Y.Max = valueRange(c)
	p.Y.Tick.Marker = linearTicks{}
	if c.Log {
		p.Y.Scale = logScale{}
		p.Y.Tick.Marker = logTicks{}
	}
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Padding = 0
		a.Color, a.Width = grey, 0.6
		a.Tick.Color, a.Tick.Width, a.Tick.Length = grey, 0.6, 4
		a.Tick.Label.Font = sans(tickSize)
		a.Tick.Label.Color = ink
		a.Label.TextStyle.Font = sans(tickSize)
		a.Label.TextStyle.Color = ink
	}
	ends := &endLabels{chart: c}
	p.Add(gridLines{})
	for i := range c.Baselines {
		p.Add(&baseline{i, &c.Baselines[i]})
	}
	for i := range c.Lines {
		p.Add(band{&c.Lines[i]})
	}
	for i := range c.Lines {
		p.Add(&series{i, len(c.Lines), c.Metric, &c.Lines[i]})
	}
	p.Add(ends)
	return p, ends
}

// ends of a summary's interval; the mean where there is none (a single run).
func low(s *stats.Summary) float64 {
	if math.IsNaN(s.CI.Lo) {
		return s.Mean
	}
	return s.CI.Lo
}

func high(s *stats.Summary) float64 {
	if math.IsNaN(s.CI.Hi) {
		return s.Mean
	}
	return s.CI.Hi
}

// steps of a line: cumulative regret starts with R_0 = 0, a report after step 1.
func (s *series) origin() bool { return s.metric == report.CumulativeRegret }

type gridLines struct{}

func (gridLines) Plot(c draw.Canvas, p *plot.Plot) {
	for _, t := range p.Y.Tick.Marker.Ticks(p.Y.Min, p.Y.Max) {
		if y := c.Y(p.Y.Norm(t.Value)); !t.IsMinor() && c.ContainsY(y) {
			c.StrokeLine2(draw.LineStyle{Color: rule, Width: 0.6}, c.Min.X, y, c.Max.X, y)
		}
	}
}

type baseline struct {
	index int
	*report.Baseline
}

func (b *baseline) at(t float64) float64 { return float64(b.Slope*t) + b.Level }

// below reports whether the baseline is off the axis.
func (b *baseline) below(p *plot.Plot) bool { return b.at(p.X.Max) < p.Y.Min }

func (b *baseline) Plot(c draw.Canvas, p *plot.Plot) {
	if b.below(p) {
		return
	}
	x, y := p.Transforms(&c)
	const pieces = 60 // a straight line is curved on a logarithmic axis
	pts := make([]vg.Point, pieces+1)
	for i := range pts {
		t := p.X.Max * float64(i) / pieces
		pts[i] = vg.Point{X: x(t), Y: y(b.at(t))}
	}
	if b.Slope == 0 || !isLog(p) {
		pts = []vg.Point{pts[0], pts[pieces]}
	}
	c.StrokeLines(baselineLine(b.index), pts)
}

type band struct{ *report.Line }

func (b band) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	n := len(b.Points)
	if n < 2 {
		return
	}
	pts := make([]vg.Point, 2*n)
	for i := range b.Points {
		pts[i] = vg.Point{X: x(float64(i + 1)), Y: y(low(&b.Points[i]))}
		pts[2*n-1-i] = vg.Point{X: x(float64(i + 1)), Y: y(high(&b.Points[i]))}
	}
	c.FillPolygon(bandColor(b.Style), pts)
}

type series struct {
	index, count int // of the lines of the panel
	metric       report.Metric
	*report.Line
}

func (s *series) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	var pts []vg.Point
	if s.origin() {
		pts = append(pts, vg.Point{X: x(0), Y: y(0)})
	}
	for i := range s.Points {
		pts = append(pts, vg.Point{X: x(float64(i + 1)), Y: y(s.Points[i].Mean)})
	}
	c.StrokeLines(seriesLine(s.Style), pts)
	// A few markers, each series at steps of its own so that they do not lie on
	// top of each other.
	every := max(1, len(s.Points)/6)
	for i := range s.Points {
		if (i+1)%every == (s.index*every/s.count)%every {
			c.DrawGlyph(seriesMarker(s.Style), vg.Point{X: x(float64(i + 1)), Y: y(s.Points[i].Mean)})
		}
	}
}

// heading is a panel's title, above its axes.
type heading struct{ text string }

func (h *heading) Plot(c draw.Canvas, _ *plot.Plot) {
	c.FillText(style(labelSize, ink, draw.XLeft, draw.YBottom), vg.Point{X: c.Min.X, Y: c.Max.Y + 3}, h.text)
}

// drawLegend lists the series of an overview in a cell of its own.
func drawLegend(c draw.Canvas, title string, charts []*report.Chart) {
	type entry struct {
		label string
		draw  func(from, to vg.Point)
	}
	var entries []entry
	seen := map[string]bool{}
	add := func(label string, draw func(from, to vg.Point)) {
		if !seen[label] {
			seen[label] = true
			entries = append(entries, entry{label, draw})
		}
	}
	middle := func(a, b vg.Point) vg.Point { return vg.Point{X: (a.X + b.X) / 2, Y: a.Y} }
	log := false
	for _, ch := range charts {
		log = log || ch.Log
		for i := range ch.Lines {
			l := &ch.Lines[i]
			add(l.Label, func(a, b vg.Point) {
				c.FillPolygon(bandColor(l.Style), []vg.Point{{X: a.X, Y: a.Y - 4}, {X: b.X, Y: a.Y - 4}, {X: b.X, Y: a.Y + 4}, {X: a.X, Y: a.Y + 4}})
				c.StrokeLines(seriesLine(l.Style), []vg.Point{a, b})
				c.DrawGlyphNoClip(seriesMarker(l.Style), middle(a, b))
			})
		}
	}
	for _, ch := range charts {
		for i := range ch.Baselines {
			add(ch.Baselines[i].Label, func(a, b vg.Point) { c.StrokeLines(baselineLine(i), []vg.Point{a, b}) })
		}
		for i := range ch.Marks {
			m := &ch.Marks[i]
			add(m.Label, func(a, b vg.Point) { diamond(c, middle(a, b), markColor(m)) })
		}
	}
	y := c.Max.Y + 3 + style(labelSize, ink, 0, 0).Height(title)
	line := func(text string, size vg.Length, col color.Color) {
		for _, l := range wrap(text, size, c.Max.X-c.Min.X) {
			c.FillText(style(size, col, draw.XLeft, draw.YTop), vg.Point{X: c.Min.X, Y: y}, l)
			y -= size * 1.25
		}
	}
	line(title, labelSize, ink)
	about := "mean and 95\u00a0% interval"
	if log {
		about += ", log scale"
	}
	line(about, smallSize, grey)
	y -= 5
	const sample = 26
	for _, e := range entries {
		mid := y - smallSize/2
		e.draw(vg.Point{X: c.Min.X, Y: mid}, vg.Point{X: c.Min.X + sample, Y: mid})
		c.FillText(style(smallSize, ink, draw.XLeft, draw.YCenter), vg.Point{X: c.Min.X + sample + 5, Y: mid + 0.7}, e.label)
		y -= smallSize * 1.5
	}
}

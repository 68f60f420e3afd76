// Package figure has charts as values, which say what a figure shows in lines, marks and words, and draws them as SVG, PNG
// and PDF. Only this package imports gonum/plot. The same chart always gives the same bytes. Figures are readable without
// colour: series differ in dash and marker. Their names stand at the ends of the lines, outside the axes, so that no legend
// covers data.
//
//	Chart, Shares, Trend, Differences, Ranks, BeliefChart → Figure → SVG, PNG, PDF, OnPage
package figure

import (
	"fmt"
	"math"
	"strings"
	"sync"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"

	"popbench/internal/page/document"
	"popbench/internal/words"
)

// Figure is a drawing of fixed size, in points (1/72 inch).
type Figure struct {
	Name          string // file name without extension
	Caption       document.Text
	Alt           string // alternative text, for screen readers
	Width, Height vg.Length
	draw          func(draw.Canvas)

	once   sync.Once
	shapes recorder.Canvas // what draw draws, with text as outlines
}

// described is what every chart says of itself: its caption, and what a reader would see.
type described interface {
	Caption() document.Text
	Alt() string
}

// of says of a figure what its chart says of itself.
func (f *Figure) of(name string, c described) *Figure {
	f.Name, f.Caption, f.Alt = name, c.Caption(), c.Alt()
	return f
}

// Figure draws one chart, with the names of its series at the right. Its text is readable on a phone.
func (c *Chart) Figure() *Figure {
	return single(c, "step", func() *plot.Plot { return newPanel(c, tickSize) }).of(c.Name, c)
}

func single(c *Chart, axis string, panel func() *plot.Plot) *Figure {
	return onePanel(c.Title, subtitle(c), axis, beside(c), len(c.Lines)+len(c.Baselines), c, panel)
}

// onePanel draws axes with the names of a chart's lines at the right, where there is room for so many. what and beside are
// about the vertical axis.
func onePanel(title, what, axis string, beside []string, lines int, named *Chart, panel func() *plot.Plot) *Figure {
	return &Figure{
		Width: singleWidth, Height: height(top(title, what), lines),
		draw: func(dc draw.Canvas) {
			titles(dc, title, what)
			p := panel()
			p.X.Label.Text = axis
			p.Add(endLabels(named), marks(named))
			area := plotArea(dc, title, what, beside, named)
			p.Draw(area)
			// The plot's own label would shrink a logarithmic plot: it makes room around the middle of the values.
			name := style(tickSize, ink, draw.XCenter, draw.YTop)
			name.Rotation = math.Pi / 2
			axes := p.DataCanvas(area)
			for i, text := range beside {
				dc.FillText(name, vg.Point{X: dc.Min.X + edge + besideWidth()*vg.Length(i), Y: axes.Center().Y}, text)
			}
		},
	}
}

// subtitle is what the vertical axis of a figure of one panel has.
func subtitle(c *Chart) string {
	text := c.What
	switch {
	case c.LogSteps:
		text += ", log–log"
	case c.Log:
		text += ", log scale"
	}
	if c.Band > 0 {
		text += fmt.Sprintf(", ±%g std", c.Band)
	}
	return text
}

// plotArea crops the canvas of a figure of one panel to the axes with their ticks.
func plotArea(dc draw.Canvas, title, what string, beside []string, named *Chart) draw.Canvas {
	return draw.Crop(dc, edge+besideWidth()*vg.Length(len(beside)), -labelsWidth(named)-edge, 4, -top(title, what))
}

// beside is what stands at the vertical axis of a figure of one panel.
func beside(c *Chart) (texts []string) {
	if c.BestFound != nil {
		texts = append(texts, "against "+c.BestFound.String())
	}
	if c.Better != "" {
		texts = append(texts, c.Better)
	}
	return texts
}

// besideWidth is the room of a text at the vertical axis of a figure of one panel.
func besideWidth() vg.Length { return style(tickSize, ink, 0, 0).FontExtents().Height + 2 }

// Width and margin of a figure of one panel.
const (
	singleWidth = 360
	edge        = 4
)

// indent is where the text beside a title begins; below it, at the edge, if there is no room.
func indent(title, what string) (x vg.Length, below bool) {
	x = edge + style(titleSize, ink, 0, 0).Width(title+"  ")
	if x+style(labelSize, grey, 0, 0).Width(what) > singleWidth-edge {
		return edge, true
	}
	return x, false
}

// top is the room of the title and of the text beside it, or below.
func top(title, what string) vg.Length {
	if _, below := indent(title, what); below {
		return 24 + 1.25*labelSize
	}
	return 24
}

// height is how high a figure of one panel is with the names of its lines at the right.
func height(top vg.Length, lines int) vg.Length {
	const bottom = 40
	return max(240, top+bottom+lineSpace*vg.Length(lines+1))
}

// titles writes the title of a figure of one panel, and what its vertical axis has.
func titles(dc draw.Canvas, title, what string) {
	dc.FillText(style(titleSize, ink, draw.XLeft, draw.YTop), vg.Point{X: dc.Min.X + edge, Y: dc.Max.Y - 3}, fit(title, 0.5, titleSize, singleWidth-2*edge))
	x, below := indent(title, what)
	y := dc.Max.Y - 5
	if below {
		y -= 1.35 * labelSize
	}
	dc.FillText(style(labelSize, grey, draw.XLeft, draw.YTop), vg.Point{X: dc.Min.X + x, Y: y}, what)
}

// Overview draws all charts of one metric, small, in a grid with a common legend.
func Overview(name string, charts []*Chart) *Figure {
	f := overview(charts, "step", func(k int) *plot.Plot { return newPanel(charts[k], smallSize) })
	f.Name, f.Caption = name, overviewCaption(charts)
	f.Alt = f.Caption.String() + " The figures below have the numbers."
	return f
}

func overview(charts []*Chart, axis string, panel func(k int) *plot.Plot) *Figure {
	cols, rows := grid(len(charts) + 1)
	const panelWidth, bottom = 172, 8
	names := newLegend(words.Capital(charts[0].What), charts)
	panelHeight := max(138, names.height(panelWidth-20))
	return &Figure{
		Width: panelWidth * vg.Length(cols), Height: panelHeight*vg.Length(rows) + bottom,
		draw: func(dc draw.Canvas) {
			cell := drawGrid(dc, draw.Tiles{Cols: cols, Rows: rows, PadTop: 20}, len(charts), func(k int) *plot.Plot {
				p := panel(k)
				p.Add(marks(charts[k]), heading(starred(charts[k])))
				if k/cols == rows-1 || k+cols > len(charts) {
					p.X.Label.Text = axis
				}
				return p
			})
			cell.Max.X = dc.Max.X - 4
			names.draw(cell)
		},
	}
}

// drawGrid draws n panels row by row, their axes aligned. It returns the place of the next panel, if the grid has one: its
// left end is where the axes of its column begin.
func drawGrid(dc draw.Canvas, tiles draw.Tiles, n int, panel func(k int) *plot.Plot) (next draw.Canvas) {
	tiles.PadBottom, tiles.PadLeft, tiles.PadRight, tiles.PadX, tiles.PadY = 4, 4, 12, 12, 18
	plots := make([][]*plot.Plot, tiles.Rows)
	for k := range tiles.Rows * tiles.Cols {
		var p *plot.Plot
		if k < n {
			p = panel(k)
		}
		plots[k/tiles.Cols] = append(plots[k/tiles.Cols], p)
	}
	canvases := plot.Align(plots, tiles, dc)
	for k := range n {
		plots[k/tiles.Cols][k%tiles.Cols].Draw(canvases[k/tiles.Cols][k%tiles.Cols])
	}
	if n < tiles.Rows*tiles.Cols {
		next = tiles.At(dc, n%tiles.Cols, n/tiles.Cols)
		next.Min.X = canvases[n/tiles.Cols][n%tiles.Cols].Min.X
	}
	return next
}

// starred is a chart's title, with a star if the chart is against the best value found.
func starred(c *Chart) string {
	if c.BestFound != nil {
		return c.Title + "*"
	}
	return c.Title
}

// Together draws an overview of several charts, or a single chart.
func Together(name string, charts []*Chart) *Figure {
	if len(charts) == 1 {
		return charts[0].Figure()
	}
	return Overview(name, charts)
}

// grid returns the shape for n cells with the fewest empty ones. With more columns, panels would be too small in print.
func grid(n int) (cols, rows int) {
	best := math.MaxInt
	for _, c := range []int{4, 3, 2} {
		r := (n + c - 1) / c
		if empty := r*c - n; empty < best && c <= n {
			best, cols, rows = empty, c, r
		}
	}
	if cols == 0 {
		return n, 1
	}
	return cols, rows
}

// Thumb draws charts of one metric as a thumbnail, without numbers.
func Thumb(name string, charts []*Chart) *Figure {
	const panelWidth, panelHeight, heading = 120, 90, 12
	cols := min(len(charts), 3)
	rows := (len(charts) + cols - 1) / cols
	scale := vg.Length(1)
	if cols == 1 {
		scale = 2
	}
	var titles []string
	for _, c := range charts {
		titles = append(titles, c.Title)
	}
	about, against := words.Capital(charts[0].What), aboutBestFound(charts...)
	caption := document.Plain(about)
	if against != "" {
		caption += "." + document.Text(strings.TrimSuffix(string(against), "."))
	}
	return &Figure{
		Name: name, Caption: caption,
		Alt:   fmt.Sprintf("%s on %s, in small; the suite's page has the numbers.%s", about, strings.Join(titles, ", "), against),
		Width: scale * panelWidth * vg.Length(cols), Height: scale * panelHeight * vg.Length(rows),
		draw: func(dc draw.Canvas) {
			tiles := draw.Tiles{Cols: cols, Rows: rows, PadTop: heading + 2, PadBottom: 3, PadLeft: 3, PadRight: 3, PadX: 8, PadY: heading + 4}
			for k, c := range charts {
				bare := *c
				bare.Marks = nil
				p := newPanel(&bare, smallSize)
				for _, a := range []*plot.Axis{&p.X, &p.Y} {
					a.Tick.Marker = plot.ConstantTicks{}
					a.Tick.Length = 0
				}
				p.Add(headingOf(smallSize, 1, 4, starred(c)))
				p.Draw(tiles.At(dc, k%cols, k/cols))
			}
		},
	}
}

// Swatch draws a sample of the lines of a style.
func Swatch(i int) *Figure {
	return &Figure{
		Name: "swatch", Width: 30, Height: 10,
		draw: func(dc draw.Canvas) {
			mid := vg.Point{X: 15, Y: 5}
			dc.StrokeLine2(seriesLine(i), 1, mid.Y, 29, mid.Y)
			dc.DrawGlyphNoClip(seriesMarker(i), mid)
		},
	}
}

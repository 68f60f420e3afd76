package figure

import (
	"fmt"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"popbench/internal/page/chart"
	"popbench/internal/page/document"
	"popbench/internal/words"
)

// Thumb draws charts of one metric as a thumbnail, without numbers.
func Thumb(name string, charts []*chart.Chart) *Figure {
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
	about, against := words.Capital(charts[0].What), chart.AboutBestFound(charts...)
	caption := document.Plain(about)
	if against != "" {
		caption += "." + document.Text(strings.TrimSuffix(string(against), "."))
	}
	return &Figure{
		Name: name, Title: about, Caption: caption,
		Alt:   fmt.Sprintf("%s on %s, in small; the suite's page has the numbers.%s", about, strings.Join(titles, ", "), against),
		Width: scale * panelWidth * vg.Length(cols), Height: scale * panelHeight * vg.Length(rows),
		draw: func(dc draw.Canvas) {
			tiles := draw.Tiles{Cols: cols, Rows: rows, PadTop: heading + 2, PadBottom: 3, PadLeft: 3, PadRight: 3, PadX: 8, PadY: heading + 4}
			for k, chart := range charts {
				bare := *chart
				bare.Marks = nil
				p, ends := newPanel(&bare, smallSize)
				ends.hidden = true
				for _, a := range []*plot.Axis{&p.X, &p.Y} {
					a.Tick.Marker = plot.ConstantTicks{}
					a.Tick.Length = 0
				}
				p.Add(headingOf(smallSize, 1, 4, starred(chart)))
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

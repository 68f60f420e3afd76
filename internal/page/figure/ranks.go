package figure

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"popbench/internal/page/chart"
)

// Ranks draws average ranks as dots in a row each. Lines at the right join what cannot be told apart.
func Ranks(r *chart.Ranks) *Figure {
	const (
		top, edge = 62, 4
		maxName   = 150 // points; the names are all that the rows say
		rowHeight = 15
		lineGap   = 7
	)
	n := len(r.Labels)
	f := &Figure{
		Width: 360, Height: top + rowHeight*vg.Length(n) + edge,
		draw: func(dc draw.Canvas) {
			dc.FillText(style(titleSize, ink, draw.XLeft, draw.YTop), vg.Point{X: dc.Min.X + edge, Y: dc.Max.Y - 3}, r.Title)
			name := style(labelSize, ink, draw.XLeft, draw.YCenter)
			labels := make([]string, n)
			var width vg.Length
			for i, l := range r.Labels {
				labels[i] = fit(l, labelSize, maxName)
				width = max(width, name.Width(labels[i]))
			}
			left := dc.Min.X + edge + width + 12
			right := dc.Max.X - edge - 8 - lineGap*vg.Length(len(r.Alike))
			x := func(rank float64) vg.Length {
				return left + (right-left)*vg.Length((rank-1)/math.Max(float64(n-1), 1))
			}
			y := func(i int) vg.Length { return dc.Max.Y - top - rowHeight*(vg.Length(i)+0.5) }
			ruled := draw.LineStyle{Color: rule, Width: 0.6}
			for _, t := range append([]plot.Tick{{Value: 1, Label: "1"}}, multiples(2, float64(max(n, 2)), max(1, nice(float64(n)/6)))...) {
				at := x(t.Value)
				dc.StrokeLine2(ruled, at, dc.Max.Y-top, at, y(n-1)-rowHeight/2)
				dc.FillText(style(tickSize, grey, draw.XCenter, draw.YBottom), vg.Point{X: at, Y: dc.Max.Y - top + 2}, t.Label)
			}
			if !math.IsNaN(r.Critical) && r.Critical < float64(n-1) {
				bar, from := dc.Max.Y-38, left
				to := left + x(1+r.Critical) - x(1)
				dc.StrokeLines(draw.LineStyle{Color: ink, Width: 1.4},
					[]vg.Point{{X: from, Y: bar - 3}, {X: from, Y: bar + 3}, {X: from, Y: bar}, {X: to, Y: bar}, {X: to, Y: bar + 3}, {X: to, Y: bar - 3}})
				dc.FillText(style(smallSize, grey, draw.XLeft, draw.YBottom), vg.Point{X: from, Y: bar + 4}, "critical difference")
			}
			for i, l := range labels {
				at := vg.Point{X: x(r.Ranks[i]), Y: y(i)}
				dc.FillText(name, vg.Point{X: dc.Min.X + edge, Y: at.Y + 0.7}, l)
				dc.StrokeLine2(ruled, dc.Min.X+edge+width+6, at.Y, at.X, at.Y)
				if r.Intervals != nil && !math.IsNaN(r.Intervals[i].Lo) {
					dc.StrokeLine2(draw.LineStyle{Color: seriesColor(0), Width: 1.2}, x(r.Intervals[i].Lo), at.Y, x(r.Intervals[i].Hi), at.Y)
				}
				if r.Marks[i] {
					diamond(dc, at, seriesColor(1))
				} else {
					dc.DrawGlyphNoClip(draw.GlyphStyle{Color: seriesColor(0), Radius: 3.2, Shape: draw.CircleGlyph{}}, at)
				}
			}
			for k, g := range r.Alike {
				at := right + 8 + lineGap*vg.Length(k)
				dc.StrokeLine2(draw.LineStyle{Color: ink, Width: 2}, at, y(g[0])+4, at, y(g[1])-4)
			}
		},
	}
	return f.of(r.Name, r.Title, r)
}

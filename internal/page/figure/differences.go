package figure

import (
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"popbench/internal/page/chart"
)

// Differences draws a row each: the name, the difference from a reference with its interval, the finding.
func Differences(d *chart.Differences) *Figure {
	const (
		head      = 40 // title, and which side is better
		foot      = 34 // axis
		rowHeight = 17
	)
	n := len(d.Rows)
	f := &Figure{
		Width: 360, Height: head + rowHeight*vg.Length(n) + foot,
		draw: func(dc draw.Canvas) {
			titles(dc, d.Title, "")
			name := style(labelSize, ink, draw.XLeft, draw.YCenter)
			finding := style(tickSize, grey, draw.XLeft, draw.YCenter)
			var names, findings vg.Length
			lo, hi := -d.Margin, d.Margin
			for _, r := range d.Rows {
				names, findings = max(names, name.Width(fit(r.Label, labelSize, maxLabel))), max(findings, finding.Width(r.Finding))
				lo, hi = min(lo, r.Value), max(hi, r.Value)
				if !math.IsNaN(r.CI.Lo) {
					lo, hi = min(lo, r.CI.Lo), max(hi, r.CI.Hi)
				}
				for _, v := range r.Problems {
					lo, hi = min(lo, v), max(hi, v)
				}
			}
			if hi <= lo {
				lo, hi = lo-1, hi+1 // no run differs
			}
			pad := (hi - lo) * 0.04
			lo, hi = lo-pad, hi+pad
			left, right := dc.Min.X+edge+names+10, dc.Max.X-edge-findings-8
			x := func(v float64) vg.Length { return left + (right-left)*vg.Length((v-lo)/(hi-lo)) }
			y := func(i int) vg.Length { return dc.Max.Y - head - rowHeight*(vg.Length(i)+0.5) }
			up, down := dc.Max.Y-head, y(n-1)-rowHeight/2
			if d.Margin > 0 {
				dc.FillPolygon(bandColor(6, 1), rectangle(x(-d.Margin), down, x(d.Margin), up))
			}
			tick := style(tickSize, ink, draw.XCenter, draw.YTop)
			for _, t := range multiples(lo, hi, nice((hi-lo)/5)) {
				at := x(t.Value)
				dc.StrokeLine2(draw.LineStyle{Color: rule, Width: 0.6}, at, up, at, down)
				dc.FillText(tick, vg.Point{X: at, Y: down - 3}, t.Label)
			}
			dc.StrokeLine2(draw.LineStyle{Color: grey, Width: 1}, x(0), up, x(0), down)
			dc.FillText(style(tickSize, ink, draw.XCenter, draw.YBottom), vg.Point{X: (left + right) / 2, Y: dc.Min.Y + 4}, d.Axis)
			better, worse := "← better", "worse →"
			if d.Higher {
				better, worse = "← worse", "better →"
			}
			dc.FillText(style(smallSize, grey, draw.XRight, draw.YBottom), vg.Point{X: x(0) - 4, Y: up + 2}, better)
			dc.FillText(style(smallSize, grey, draw.XLeft, draw.YBottom), vg.Point{X: x(0) + 4, Y: up + 2}, worse)
			for i, r := range d.Rows {
				at := vg.Point{X: x(r.Value), Y: y(i)}
				dc.FillText(name, vg.Point{X: dc.Min.X + edge, Y: at.Y + 0.7}, fit(r.Label, labelSize, maxLabel))
				dc.FillText(finding, vg.Point{X: right + 8, Y: at.Y + 0.7}, r.Finding)
				var ticks vg.Path
				for _, v := range r.Problems {
					ticks.Move(vg.Point{X: x(v), Y: at.Y - 3})
					ticks.Line(vg.Point{X: x(v), Y: at.Y + 3})
				}
				dc.SetLineStyle(draw.LineStyle{Color: grey, Width: 0.7})
				dc.Stroke(ticks)
				line := draw.LineStyle{Color: seriesColor(r.Style), Width: 2}
				if !math.IsNaN(r.CI.Lo) {
					dc.StrokeLine2(line, x(r.CI.Lo), at.Y, x(r.CI.Hi), at.Y)
				}
				dc.DrawGlyphNoClip(draw.GlyphStyle{Color: line.Color, Radius: 3.2, Shape: draw.CircleGlyph{}}, at)
			}
		},
	}
	return f.of(d.Name, d.Title, d)
}

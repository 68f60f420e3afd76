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
	"popbench/internal/words"
)

// Differences is what a figure of the differences from a reference shows: a row for each algorithm, the best first.
type Differences struct {
	Name   string // file name without extension
	Title  string
	Axis   string  // what the differences are, with their unit
	Margin float64 // differences between −Margin and Margin count as none; 0 without a margin
	Higher bool    // a difference above zero is better; otherwise, one below
	Rows   []DifferenceRow
}

// DifferenceRow is the difference of an algorithm from the reference.
type DifferenceRow struct {
	Label    string
	Style    int
	Value    float64
	CI       stats.Interval // both ends NaN if there are too few runs
	Finding  string         // in words
	Problems []float64      // the difference on each problem; nil if there is one problem only
}

func (d *Differences) Caption() document.Text {
	better := "left"
	if d.Higher {
		better = "right"
	}
	caption := document.Textf("%s, over all problems: dot and line are the mean and its 95\u00a0%% interval. To the %s of zero is better.",
		d.Title, better)
	if slices.ContainsFunc(d.Rows, func(r DifferenceRow) bool { return r.Problems != nil }) {
		caption += " Small ticks: single problems."
	}
	if d.Margin > 0 {
		caption += document.Textf(" Shaded: the margin, ±%g.", d.Margin)
	}
	return caption
}

func (d *Differences) Alt() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s.", d.Title, d.Axis)
	for _, r := range d.Rows {
		fmt.Fprintf(&b, " %s: %s", r.Label, document.Signed(r.Value))
		if ci := document.SignedInterval(r.CI); ci.Text != "" {
			fmt.Fprintf(&b, " %s", ci)
		}
		fmt.Fprintf(&b, ", %s.", r.Finding)
	}
	return b.String()
}

// Ranks is what a diagram of average ranks shows: the algorithms, best first, and which are alike (Demšar, JMLR 7, 2006).
type Ranks struct {
	Name     string // file name without extension
	Title    string
	Labels   []string
	Ranks    []float64 // 1 is the best
	Critical float64   // difference of two ranks that is significant
	// Intervals are the 95 % intervals of the ranks; nil without intervals.
	Intervals []stats.Interval
	// Alike are the longest groups of algorithms of which no two differ, each as the first and last index.
	Alike  [][2]int
	Marks  []bool // algorithms that stand out
	Stands string // what the marked algorithms are
}

// hasBar reports whether a bar as long as the critical difference fits on the axis.
func (r *Ranks) hasBar() bool { return r.Critical < float64(len(r.Labels)-1) }

func (r *Ranks) Caption() document.Text {
	caption := document.Text("Average rank of each algorithm, 1 for the best.")
	if r.Intervals != nil {
		caption += " Lines through the dots are 95\u00a0% intervals."
	}
	switch {
	case r.hasBar():
		caption += document.Textf(" The bar above is the critical difference, %.2f.", r.Critical)
	case !math.IsNaN(r.Critical):
		caption += document.Textf(" The critical difference, %.2f, is longer than the axis.", r.Critical)
	}
	if r.Alike != nil {
		caption += " A line at the right joins algorithms whose ranks do not differ by this test."
	}
	if slices.Contains(r.Marks, true) {
		caption += document.Textf(" Diamond: %s.", r.Stands)
	}
	return caption
}

func (r *Ranks) Alt() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: average ranks.", r.Title)
	for i, l := range r.Labels {
		fmt.Fprintf(&b, " %s: %s.", l, document.Number(r.Ranks[i], 2))
	}
	for _, g := range r.Alike {
		fmt.Fprintf(&b, " Not different by the critical difference: %s to %s.", r.Labels[g[0]], r.Labels[g[1]])
	}
	return b.String()
}

// Figure draws a row each: the name, the difference from a reference with its interval, the finding.
func (d *Differences) Figure() *Figure {
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
			labels := fitAll(words.Each(d.Rows, func(r DifferenceRow) string { return r.Label }), labelSize, maxLabel)
			for i, r := range d.Rows {
				names, findings = max(names, name.Width(labels[i])), max(findings, finding.Width(r.Finding))
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
				dc.FillText(name, vg.Point{X: dc.Min.X + edge, Y: at.Y + 0.7}, labels[i])
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
	return f.of(d.Name, d)
}

// Figure draws average ranks as dots in a row each. Lines at the right join what cannot be told apart.
func (r *Ranks) Figure() *Figure {
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
			labels := fitAll(r.Labels, labelSize, maxName)
			var width vg.Length
			for _, l := range labels {
				width = max(width, name.Width(l))
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
			if r.hasBar() {
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
					dc.StrokeLine2(draw.LineStyle{Color: ink, Width: 1.2}, x(r.Intervals[i].Lo), at.Y, x(r.Intervals[i].Hi), at.Y)
				}
				if r.Marks[i] {
					diamond(dc, at, ink)
				} else {
					dc.DrawGlyphNoClip(draw.GlyphStyle{Color: ink, Radius: 3.2, Shape: draw.CircleGlyph{}}, at)
				}
			}
			for k, g := range r.Alike {
				at := right + 8 + lineGap*vg.Length(k)
				dc.StrokeLine2(draw.LineStyle{Color: ink, Width: 2}, at, y(g[0])+4, at, y(g[1])-4)
			}
		},
	}
	return f.of(r.Name, r)
}

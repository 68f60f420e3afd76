package figure

import (
	"cmp"
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"popbench/internal/words"
)

const (
	markGap   = 7  // from the axes' edge to the centre of a mark
	labelGap  = 31 // to the text; a leader line and a marker are between
	lineSpace = labelSize * 1.15
	maxLabel  = 120 // maximum width; longer labels are cut
)

// label is a text with its preferred and its final position.
type label struct {
	text  string
	color color.Color // of the leader line
	style int         // style of the marker before the text; no marker if negative
	want  vg.Length   // y of the line's end
	y     vg.Length   // y of the text
}

// labelsWidth is the width of the margin to the right of the axes.
func labelsWidth(c *Chart) vg.Length {
	var w vg.Length
	for _, l := range labelsOf(c, func(float64) vg.Length { return 0 }) {
		w = max(w, style(labelSize, ink, 0, 0).Width(l.text))
	}
	return w + labelGap
}

// labelsOf are the labels of the lines, the baselines and the marks of a chart that are not of a line.
func labelsOf(c *Chart, y func(float64) vg.Length) (all []label) {
	add := func(text string, col color.Color, style int, v float64) {
		all = append(all, label{text: text, color: col, style: style, want: y(v)})
	}
	for _, l := range c.Lines {
		add(l.Label, seriesColor(l.Style), l.Style, l.Points[len(l.Points)-1].Mean)
	}
	for _, b := range c.Baselines {
		v := b.At(float64(c.Steps))
		text := b.Label
		if lo, _ := valueRange(c); v < lo {
			text = "↓ " + text
		}
		add(text, grey, -1, v)
	}
	for _, m := range c.Marks {
		if m.Style < 0 { // others have the marker of their series
			add(m.Label, ink, -1, m.Value)
		}
	}
	for i, text := range fitAll(words.Each(all, func(l label) string { return l.text }), labelSize, maxLabel) {
		all[i].text = text
	}
	return all
}

// drawMark draws a diamond, with the marker of its series in it if it has one.
func drawMark(c draw.Canvas, at vg.Point, style int) {
	if style < 0 {
		diamond(c, at, ink)
		return
	}
	diamond(c, at, seriesColor(style))
	g := seriesMarker(style)
	g.Radius = 1.9
	c.DrawGlyphNoClip(g, at)
}

// marks draws the marks of a chart at the right edge of the axes.
func marks(ch *Chart) plotter {
	return func(c draw.Canvas, p *plot.Plot) {
		_, y := p.Transforms(&c)
		for _, m := range ch.Marks {
			drawMark(c, vg.Point{X: c.Max.X + markGap, Y: y(m.Value)}, m.Style)
		}
	}
}

// endLabels name the lines of a chart at their right ends, outside the axes.
func endLabels(ch *Chart) plotter {
	return func(c draw.Canvas, p *plot.Plot) {
		_, y := p.Transforms(&c)
		labels := labelsOf(ch, y)
		spread(labels, c.Min.Y+lineSpace/2, c.Max.Y-lineSpace/2)
		for _, l := range labels {
			c.StrokeLines(draw.LineStyle{Color: l.color, Width: 0.6}, []vg.Point{
				{X: c.Max.X + 2, Y: l.want}, {X: c.Max.X + 2*markGap - 2, Y: l.want}, {X: c.Max.X + labelGap - 10, Y: l.y},
				{X: c.Max.X + labelGap - 3, Y: l.y}})
			text := ink
			if l.style >= 0 {
				c.DrawGlyphNoClip(seriesMarker(l.style), vg.Point{X: c.Max.X + labelGap - 6, Y: l.y})
			} else if l.color == grey {
				text = grey
			}
			c.FillText(style(labelSize, text, draw.XLeft, draw.YCenter), vg.Point{X: c.Max.X + labelGap, Y: l.y + 0.8}, l.text)
		}
		if slices.ContainsFunc(ch.Marks, func(m Mark) bool { return m.Style >= 0 }) {
			key := vg.Point{X: c.Max.X + markGap, Y: c.Min.Y - 2*lineSpace} // beside the axis' name
			diamond(c, key, ink)
			c.FillText(style(labelSize, ink, draw.XLeft, draw.YCenter), vg.Point{X: key.X + markGap + 2, Y: key.Y + 0.8}, "paper")
		}
	}
}

// spread sets the y of each label as close as possible to its preferred y, with lineSpace between labels and all between lo
// and hi. By least squares this is an isotonic regression: overlapping neighbours are pooled around their mean.
func spread(labels []label, lo, hi vg.Length) {
	order := make([]*label, len(labels))
	for i := range labels {
		order[i] = &labels[i]
	}
	slices.SortStableFunc(order, func(a, b *label) int { return cmp.Compare(a.want, b.want) })
	type block struct {
		sum vg.Length // of want − rank·lineSpace
		n   int
	}
	mean := func(b block) vg.Length { return b.sum / vg.Length(b.n) }
	var blocks []block
	for i, l := range order {
		blocks = append(blocks, block{l.want - vg.Length(i)*lineSpace, 1})
		for k := len(blocks) - 1; k > 0 && mean(blocks[k-1]) > mean(blocks[k]); k-- {
			blocks[k-1] = block{blocks[k-1].sum + blocks[k].sum, blocks[k-1].n + blocks[k].n}
			blocks = blocks[:k]
		}
	}
	top := hi - vg.Length(len(order)-1)*lineSpace // of the lowest label if the highest is at hi
	i := 0
	for _, b := range blocks {
		at := max(min(mean(b), top), lo)
		for range b.n {
			order[i].y = at + vg.Length(i)*lineSpace
			i++
		}
	}
}

// fitAll returns texts without as much of their middle as makes them fit: labels often differ at the end. If some would then
// look the same, it leaves out another part.
func fitAll(texts []string, size, width vg.Length) (best []string) {
	most := 0
	for _, before := range []float64{0.5, 0.75, 0.25, 1, 0} {
		short := words.Each(texts, func(text string) string { return fit(text, before, size, width) })
		if n := len(words.Once(short)); n > most {
			best, most = short, n
		}
	}
	return best
}

// fit returns a text that fits: that share of what is left of it is before the gap.
func fit(text string, before float64, size, width vg.Length) string {
	st := style(size, ink, 0, 0)
	r, short := []rune(text), text
	for n := len(r) - 1; n > 0 && st.Width(short) > width; n-- {
		k := int(math.Ceil(before * float64(n)))
		short = strings.TrimRight(string(r[:k]), " ") + "…" + strings.TrimLeft(string(r[len(r)-n+k:]), " ")
	}
	return short
}

func wrap(text string, size, width vg.Length) (lines []string) {
	st := style(size, ink, 0, 0)
	for _, word := range strings.Split(text, " ") {
		if n := len(lines); n > 0 && st.Width(lines[n-1]+" "+word) <= width {
			lines[n-1] += " " + word
		} else {
			lines = append(lines, word)
		}
	}
	return lines
}

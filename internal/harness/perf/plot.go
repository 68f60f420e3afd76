package perf

import (
	"fmt"
	"html/template"
	"math"
	"strings"
)

// plot is a small line chart, drawn as SVG. Points are one beside the other;
// NaN is a gap.
type plot struct {
	Title  string
	XLabel string
	Ticks  []string // below the points
	Log    bool     // the vertical axis, unless all is 0
	lines  []plotLine
}

type plotLine struct {
	label  string
	points []float64
}

func (p *plot) add(label string, n int, at func(i int) float64) {
	line := plotLine{label: label, points: make([]float64, n)}
	for i := range line.points {
		line.points[i] = at(i)
	}
	p.lines = append(p.lines, line)
}

// Of the drawing, in its own units.
const (
	plotWidth, leastHeight = 460, 230
	plotLeft, plotRight    = 48, 150
	plotTop, plotBottom    = 10, 34
	labelHeight            = 11
)

// Lines next to each other differ in colour and in dash; thirty differ in one.
var (
	plotColours = []string{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"}
	plotDashes  = []string{"", "6 3", "2 2", "8 3 2 3", "1 3"}
)

// SVG is the chart as an element of an HTML page.
func (p *plot) SVG() template.HTML {
	lo, hi := p.extent()
	plotHeight := max(leastHeight, plotTop+8+labelHeight*len(p.lines))
	plot := float64(plotHeight - plotTop - plotBottom)
	y := func(v float64) float64 {
		if p.Log {
			v = math.Log10(v)
		}
		return float64(plotHeight-plotBottom) - (v-lo)/(hi-lo)*plot
	}
	x := func(i int) float64 {
		if len(p.Ticks) == 1 {
			return plotLeft + (plotWidth-plotLeft-plotRight)/2
		}
		return plotLeft + 8 + float64(i)/float64(len(p.Ticks)-1)*(plotWidth-plotLeft-plotRight-16)
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg viewBox="0 0 %d %d" role="img" aria-label="%s">`, plotWidth, plotHeight, template.HTMLEscapeString(p.Title))
	for _, v := range p.grid(lo, hi) {
		fmt.Fprintf(&b, `<line class="grid" x1="%d" x2="%d" y1="%.1f" y2="%.1f"/><text x="%d" y="%.1f" text-anchor="end">%.3g</text>`,
			plotLeft, plotWidth-plotRight, y(v), y(v), plotLeft-4, y(v)+3, v)
	}
	every := (len(p.Ticks) + 5) / 6
	for i, t := range p.Ticks {
		if i%every == 0 {
			fmt.Fprintf(&b, `<text x="%.1f" y="%d" text-anchor="middle">%s</text>`, x(i), plotHeight-plotBottom+13, template.HTMLEscapeString(t))
		}
	}
	fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="middle">%s</text>`, (plotLeft+plotWidth-plotRight)/2, plotHeight-6, p.XLabel)

	for i, l := range p.lines {
		colour, dash := plotColours[i%len(plotColours)], plotDashes[i%len(plotDashes)]
		var path strings.Builder
		pen := "M"
		for j, v := range l.points {
			if math.IsNaN(v) || p.Log && !(v > 0) {
				pen = "M"
				continue
			}
			fmt.Fprintf(&path, "%s%.1f %.1f", pen, x(j), y(v))
			fmt.Fprintf(&b, `<circle cx="%.1f" cy="%.1f" r="2" fill="%s"/>`, x(j), y(v), colour)
			pen = "L"
		}
		fmt.Fprintf(&b, `<path d="%s" stroke="%s" stroke-dasharray="%s"/>`, path.String(), colour, dash)
		at := plotTop + 8 + i*labelHeight
		fmt.Fprintf(&b, `<path d="M%d %dh16" stroke="%s" stroke-dasharray="%s"/><text x="%d" y="%d">%s</text>`,
			plotWidth-plotRight+6, at-3, colour, dash, plotWidth-plotRight+26, at, template.HTMLEscapeString(l.label))
	}
	b.WriteString("</svg>")
	return template.HTML(b.String()) // every text in it is escaped above
}

// extent is the range of the vertical axis: of logarithms where it is logarithmic.
func (p *plot) extent() (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, l := range p.lines {
		for _, v := range l.points {
			if p.Log {
				v = math.Log10(v)
			}
			if !math.IsNaN(v) && !math.IsInf(v, 0) {
				lo, hi = min(lo, v), max(hi, v)
			}
		}
	}
	switch {
	case lo > hi: // no point
		return 0, 1
	case p.Log:
		return math.Floor(lo), max(math.Ceil(hi), math.Floor(lo)+1)
	}
	return 0, hi + 0.05*max(hi, 1e-300) // from zero, so that a small change looks small
}

// grid are the values with a line.
func (p *plot) grid(lo, hi float64) []float64 {
	var at []float64
	if p.Log {
		step := max(1, math.Ceil((hi-lo)/5))
		for v := lo; v <= hi; v += step {
			at = append(at, math.Pow(10, v))
		}
		return at
	}
	unit := math.Pow(10, math.Floor(math.Log10(hi)))
	step := 2 * unit
	for _, part := range []float64{0.2, 0.5, 1} {
		if hi/(part*unit) <= 6 {
			step = part * unit
			break
		}
	}
	for v := 0.0; v <= hi; v += step {
		at = append(at, v)
	}
	return at
}

package figure

import (
	"fmt"
	"html"
	"html/template"
	"math"
	"strconv"
	"strings"

	"popbench/internal/math/stats"
)

// Intervals is what a figure of estimates shows: a row for each, beside the region in which a claim says that it lies.
type Intervals []IntervalRow

// IntervalRow is an estimate with its interval. Numbers that are not known are NaN.
type IntervalRow struct {
	Alt      string // alternative text
	Value    float64
	Interval stats.Interval
	Joint    stats.Interval // wider than Interval, or equal to it
	Region   stats.Interval // where the claim says that Value lies; its ends may be infinite
	Printed  float64        // the paper's number
	Settled  bool           // Interval decides where Value lies
	// Looks are the intervals of the looks of a group-sequential plan, in order; nil without a plan. Border ± Margin is the
	// zone of such a plan in which a value counts as being at the border; Margin is 0 without one.
	Looks          []stats.Interval
	Border, Margin float64
}

const (
	axisPad      = 0.07 // of the span, on each side
	printedReach = 1    // how far a printed number may stretch the axis, in spans of all others; the edge stands for more
)

// axis returns the ends of the axis. Wide early looks, and printed numbers far from everything else, may be outside.
func (rows Intervals) axis() (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	see := func(values ...float64) {
		for _, v := range values {
			if !math.IsNaN(v) && !math.IsInf(v, 0) {
				lo, hi = min(lo, v), max(hi, v)
			}
		}
	}
	for _, r := range rows {
		see(r.Value, r.Interval.Lo, r.Interval.Hi, r.Joint.Lo, r.Joint.Hi, r.Region.Lo, r.Region.Hi)
		if r.Margin > 0 {
			see(r.Border-r.Margin, r.Border+r.Margin)
		}
	}
	if lo > hi { // nothing is known
		return 0, 1
	}
	reach := printedReach * (hi - lo)
	from, to := lo-reach, hi+reach
	for _, r := range rows {
		if r.Printed >= from && r.Printed <= to {
			see(r.Printed)
		}
	}
	pad := axisPad * (hi - lo)
	if pad == 0 {
		pad = max(math.Abs(lo), 1) / 2
	}
	return lo - pad, hi + pad
}

// Heights of the strips of [Intervals], in CSS pixels.
const (
	stripHeight = 18
	stripMargin = 6 // of stripHeight, that a narrow row may do without
	lookHeight  = 4 // that each look adds
	axisHeight  = 16
)

// Draw draws each row as an <svg> element of its own, in a <span>, so that a page can set the row's name and numbers
// beside it, and the axis below all of them. The elements are as wide and as high as what holds them: places along the axis
// are percentages, and what is drawn there has a fixed size and stands in the middle of the row.
func (rows Intervals) Draw() (strips []template.HTML, axis template.HTML) {
	lo, hi := rows.axis()
	s := stripWriter{lo: lo, hi: hi}
	for i := range rows {
		strips = append(strips, s.strip(&rows[i]))
	}
	return strips, s.axis()
}

// IntervalsCSS is the style sheet of [Intervals]. Shape says what colour says: a dot is filled if its interval decides.
const IntervalsCSS = `.strip{display:block;position:relative}
.strip>svg{position:absolute;left:0;top:0;width:100%;height:100%;overflow:visible}
.axis{display:block;width:100%;overflow:visible}
.strip rect{fill:var(--region,#dbe7dc)}
.strip .zone{fill:none;stroke:var(--soft);stroke-dasharray:2 2}
.strip .border{stroke:var(--soft);stroke-width:1}
.strip .interval{stroke:currentColor;stroke-width:3}
.strip .joint{stroke:currentColor;stroke-width:1}
.strip .look{stroke:var(--soft);stroke-width:1.2}
.strip circle{fill:currentColor;stroke:currentColor;stroke-width:1.5}
.strip .open{fill:var(--bg)}
.strip .printed{fill:var(--bg);stroke:var(--ink);stroke-width:1.2}
.axis line{stroke:var(--soft)}
.axis text{fill:var(--soft);font-size:11px;text-anchor:middle}
.scale{container-type:inline-size}
@container (max-width:13rem){.axis .spare{display:none}}
@container (max-width:9rem){.axis .inner{display:none}}
`

type stripWriter struct{ lo, hi float64 }

// at is the place of v along the axis, in percent; the edge if it is beyond.
func (s stripWriter) at(v float64) float64 {
	return math.Round(1e4*min(max((v-s.lo)/(s.hi-s.lo), 0), 1)) / 100
}

func percent(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) + "%" }

func (s stripWriter) strip(r *IntervalRow) template.HTML {
	var b strings.Builder
	height := stripHeight + lookHeight*len(r.Looks)
	y := float64(height)/2 - stripHeight/2 // from the middle
	// across draws a horizontal line, nothing if its ends are not known.
	across := func(class string, ci stats.Interval, y float64) {
		if !math.IsNaN(ci.Lo) {
			fmt.Fprintf(&b, `<line class="%s" x1="%s" x2="%s" y1="%g" y2="%[4]g"/>`, class, percent(s.at(ci.Lo)), percent(s.at(ci.Hi)), y)
		}
	}
	// shape draws a path around a place.
	shape := func(class string, v float64, d string) {
		fmt.Fprintf(&b, `<svg x="%s" y="%g" overflow="visible"><path class="%s" d="%s"/></svg>`, percent(s.at(v)), y, class, d)
	}
	fmt.Fprintf(&b, `<span class="strip" style="min-height:%dpx"><svg role="img" aria-label="%s">`, height-stripMargin, html.EscapeString(r.Alt))
	from, to := s.at(r.Region.Lo), s.at(r.Region.Hi)
	fmt.Fprintf(&b, `<rect x="%s" width="%s" height="100%%"/>`, percent(from), percent(math.Round(100*(to-from))/100))
	if r.Margin > 0 {
		from, to := s.at(r.Border-r.Margin), s.at(r.Border+r.Margin)
		fmt.Fprintf(&b, `<rect class="zone" x="%s" width="%s" height="100%%"/>`, percent(from), percent(math.Round(100*(to-from))/100))
	}
	for _, v := range []float64{r.Region.Lo, r.Region.Hi} {
		if !math.IsInf(v, 0) {
			fmt.Fprintf(&b, `<line class="border" x1="%[1]s" x2="%[1]s" y1="0" y2="100%%"/>`, percent(s.at(v)))
		}
	}
	b.WriteString(`<svg y="50%" overflow="visible">`)
	for i, look := range r.Looks {
		across("look", look, float64(lookHeight*(i+1))-float64(height)/2)
	}
	across("joint", r.Joint, y)
	across("interval", r.Interval, y)
	if !math.IsNaN(r.Printed) {
		switch {
		case r.Printed < s.lo:
			shape("printed", s.lo, "M1 0l6-4v8z")
		case r.Printed > s.hi:
			shape("printed", s.hi, "M-1 0l-6-4v8z")
		default:
			shape("printed", r.Printed, "M0-5l5 5-5 5-5-5z")
		}
	}
	if !math.IsNaN(r.Value) {
		class := ""
		if !r.Settled {
			class = ` class="open"`
		}
		fmt.Fprintf(&b, `<circle%s cx="%s" cy="%g" r="3.6"/>`, class, percent(s.at(r.Value)), y)
	}
	b.WriteString(`</svg></svg></span>`)
	return template.HTML(b.String())
}

// spare is the class of a label that a narrow axis does without: every second one, or, on a very narrow axis, all but two.
func spare(i, n int) string {
	switch {
	case i%2 == 1 && n > 2:
		return ` class="spare"`
	case i > 0 && i+2 < n:
		return ` class="inner"`
	}
	return ""
}

// axis is a line with two to five labels.
func (s stripWriter) axis() template.HTML {
	var b strings.Builder
	fmt.Fprintf(&b, `<div class="scale"><svg class="axis" height="%d" aria-hidden="true"><line x1="0" x2="100%%" y1="0.5" y2="0.5"/>`, axisHeight)
	ticks := multiples(s.lo, s.hi, nice((s.hi-s.lo)/4)) // few: a strip may be narrow
	if len(ticks) < 2 {
		ticks = multiples(s.lo, s.hi, nice((s.hi-s.lo)/5))
	}
	for i, t := range ticks {
		fmt.Fprintf(&b, `<line x1="%[1]s" x2="%[1]s" y1="0" y2="4"/><text x="%[1]s" y="14"%[3]s>%[2]s</text>`, percent(s.at(t.Value)),
			strings.ReplaceAll(t.Label, "-", "−"), spare(i, len(ticks)))
	}
	b.WriteString(`</svg></div>`)
	return template.HTML(b.String())
}

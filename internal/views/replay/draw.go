package replay

import (
	"fmt"
	"html"
	"html/template"
	"math"
	"strings"
)

// HTML returns the figure of the first method's first run, with the data of all for the page's script.
func (v *View) HTML() template.HTML {
	d, m := &v.data, &v.data.Methods[0]
	r := &m.Runs[0]
	in := &d.Instances[r.Instance]
	var b strings.Builder
	write := func(format string, args ...any) { fmt.Fprintf(&b, format, args...) }
	text := html.EscapeString
	bottom := top + d.Frame[3]

	write("<figure id=\"%s\" class=\"replay\">\n", text(v.ID))
	write(`<div class="art"><svg viewBox="0 0 %d %d" role="img" aria-label="%s">`, left+width+6, bottom+24,
		text(v.Title+": where a method asked in a run, and what it recommended, up to the step that the text below tells"))
	ends := in.Range
	if len(d.Lo) == 2 {
		ends = [2]float64{d.Lo[1], d.Hi[1]}
		address := ""
		if in.Ground != "" {
			address = ` href="` + in.Ground + `"`
		}
		write(`<image class="ground" x="%d" y="%d" width="%d" height="%d" preserveAspectRatio="none"%s/>`, left, top, width, d.Frame[3], address)
	} else {
		write(`<path class="ground" transform="translate(%d %d) scale(%g %g)" d="%s"/>`, left, bottom, float64(width)/unit, -float64(d.Frame[3])/unit,
			in.Ground)
	}
	write(`<rect class="frame" x="%d" y="%d" width="%d" height="%d"/>`, left, top, width, d.Frame[3])
	for i, anchor := range []string{"start", "middle", "end"} {
		write(`<text x="%d" y="%d" text-anchor="%s">%s</text>`, left+i*width/2, bottom+15, anchor, number(between(d.Lo[0], d.Hi[0], float64(i)/2), shownDigits))
	}
	for i, down := range []int{0, 4, 8} {
		write(`<text class="end" x="%d" y="%d" text-anchor="end">%s</text>`, left-6, bottom-i*d.Frame[3]/2+down,
			number(between(ends[0], ends[1], float64(i)/2), shownDigits))
	}
	write("<g class=\"moves\">%s</g></svg></div>\n", d.moves(r, len(r.Steps)))
	write("<p class=\"answer\">%s</p>\n", text(d.words(m, r, len(r.Steps))))
	write("<script type=\"application/json\" class=\"runs\">%s</script>\n", v.JSON)
	write(`<figcaption>Where each method asked on %s. Light points came first, dark ones last. A large point won its latest comparison, a small one did not. `+
		`◆ is the recommended point, with a line through the earlier ones%s. <span class="ground">%s</span> Runs are numbered as their records are, from 0.`,
		text(v.Title), map[bool]string{true: "; ★ is the optimum"}[in.Known], text(in.About))
	if v.Runs < v.Of {
		write(" Here are the first %d of %d runs of each method.", v.Runs, v.Of)
	}
	for _, note := range v.Notes {
		write(" %s.", text(note))
	}
	write("</figcaption>\n</figure>")
	return template.HTML(b.String())
}

func between(lo, hi, u float64) float64 { return lo + float64(u*(hi-lo)) }

// words says what happened in a step of a run, as replay.js does.
func (d *data) words(m *method, r *run, step int) string {
	known := map[bool]string{true: "regret", false: "f ="}[d.Instances[r.Instance].Known]
	point := func(i int) string {
		var x []string
		for k, lo := range d.Lo {
			grain := math.Pow(10, math.Floor(math.Log10(d.Hi[k]-lo)-3)) // a thousandth of the box, or less
			at := math.Floor(between(lo, d.Hi[k], float64(r.Places[2*i+k])/unit)/grain + 0.5)
			x = append(x, number(at*grain, 6))
		}
		return fmt.Sprintf("(%s) with %s %s", strings.Join(x, ", "), known, number(r.Values[i], shownDigits))
	}
	s := r.Steps[step-1]
	var others []string
	for k, i := range s[2:] {
		if k != s[1] {
			others = append(others, point(i))
		}
	}
	answer := "no preference between "
	if s[1] >= 0 {
		answer = point(s[2+s[1]]) + " was preferred to "
	}
	return fmt.Sprintf("%s, run %d, step %d of %d: %s%s. Recommended: %s.",
		m.Label, r.Run, step, len(r.Steps), answer, strings.Join(others, " and "), point(s[0]))
}

// moves draws a run up to a step, as replay.js does.
func (d *data) moves(r *run, step int) string {
	var b strings.Builder
	write := func(format string, args ...any) { fmt.Fprintf(&b, format, args...) }
	spot := func(p []int) string {
		return fmt.Sprintf("%.1f %.1f", float64(left)+float64(p[0]*d.Frame[2])/unit, float64(top+d.Frame[3])-float64(p[1]*d.Frame[3])/unit)
	}
	at := func(i int) string { return spot(r.Places[2*i : 2*i+2]) }

	last := map[int]float64{} // radius of the points that were asked, by their latest comparison
	trail := ""
	for _, s := range r.Steps[:step] {
		for k, i := range s[2:] {
			if last[i] = 2.6; k == s[1] {
				last[i] = 4.6
			}
		}
		trail += "L" + at(s[0])
	}
	now := r.Steps[step-1]
	write(`<path class="trail" d="M%s"/>`, trail[1:])
	var duel []string
	for _, i := range now[2:] {
		duel = append(duel, at(i))
	}
	write(`<path class="duel" d="M%s"/>`, strings.Join(duel, "L"))
	for i, t := range r.Asked {
		if last[i] > 0 {
			u := float64(t-1) / float64(max(1, len(r.Steps)-1))
			x, y, _ := strings.Cut(at(i), " ")
			write(`<circle cx="%s" cy="%s" r="%g" fill="hsl(%.0f 95%% %.0f%%)"><title>step %d</title></circle>`, x, y, last[i], 54-50*u, 76-48*u, t)
		}
	}
	in := &d.Instances[r.Instance]
	for k := 0; k < len(in.Best); k += 2 {
		write(`<path class="best" transform="translate(%s)" d="M0-8L2-2.5H8L3.2 1L5 7L0 3.4L-5 7L-3.2 1L-8-2.5H-2Z"/>`, spot(in.Best[k:k+2]))
	}
	write(`<path class="told" transform="translate(%s)" d="M0-6L6 0L0 6L-6 0Z"/>`, at(now[0]))
	return b.String()
}

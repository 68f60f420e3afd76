package figure

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"popbench/internal/check"
	"popbench/internal/math/stats"
)

var nan = math.NaN()

// What tests of charts of records need: the package that makes these imports this one.
var (
	OddCharts = oddCharts
	Readable  = readable
)

func TestEncodedPixels(t *testing.T) {
	small := <-rasters()
	defer func() { rasters() <- small }()
	small.RGBA = *image.NewRGBA(image.Rect(0, 0, 3, 2))
	for i := range small.Pix {
		small.Pix[i] = uint8(40*i) | uint8(i%4/3*255) // all differ, and are opaque
	}
	again := check.Must(png.Decode(bytes.NewReader(small.encode())))(t)
	for i := range 6 {
		x, y := i%3, i/3
		check.Equal(t, fmt.Sprintf("the pixel at %d, %d", x, y), color.RGBAModel.Convert(again.At(x, y)), color.Color(small.RGBAAt(x, y)))
	}
}

// A PNG shows that characters are missing which the font lacks: where they would stand there is ink.
func TestPNGOfMissingCharacters(t *testing.T) {
	ink := func(text string) (dark int) {
		f := &Figure{Width: 60, Height: 20, draw: func(c draw.Canvas) {
			c.FillText(style(12, color.Black, draw.XLeft, draw.YBottom), vg.Point{X: 2, Y: 2}, text)
		}}
		img := check.Must(png.Decode(bytes.NewReader(f.PNG())))(t)
		for x := range img.Bounds().Dx() {
			for y := range img.Bounds().Dy() {
				if r, _, _, _ := img.At(x, y).RGBA(); r < 1<<15 {
					dark++
				}
			}
		}
		return dark
	}
	known, box := ink("B"), ink("中")
	check.That(t, known > 100 && box > 100, "%d dark pixels of B, %d of a character that is missing", known, box)
	both := ink("B中")
	check.That(t, math.Abs(float64(both-known-box)) < 0.1*float64(both), "%d dark pixels of both, want about %d + %d", both, known, box)
}

// suboptimality is what most of these charts show.
var suboptimality = Quantity{What: "suboptimality of the recommended point", Better: "lower is better", Mean: true, About: "Suboptimality on %[1]s, mean over %[2]s; %[3]s: its 95\u00a0%% interval."}

func line(label string, style int, values ...float64) Line {
	l := Line{Label: label, Style: style}
	for _, v := range values {
		l.Points = append(l.Points, stats.Summarize([]float64{v, v * 1.1, v * 0.7}))
	}
	return l
}

// oddCharts returns charts that are hard to draw.
func oddCharts() map[string]*Chart {
	sub := func(log bool, steps int, lines ...Line) *Chart {
		return &Chart{Name: "odd", Problem: "odd", Title: "Odd", Quantity: suboptimality, Steps: steps, Log: log, Lines: lines}
	}
	charts := map[string]*Chart{}
	for _, log := range []bool{false, true} {
		name := func(s string) string { return fmt.Sprintf("%s, log %v", s, log) }
		charts[name("zero")] = sub(log, 3, line("a", 0, 0, 0, 0))
		charts[name("constant")] = sub(log, 3, line("a", 0, 2, 2, 2))
		charts[name("one step")] = sub(log, 1, line("a", 0, 2))
		charts[name("negative")] = sub(log, 3, line("a", 0, 1, -0.1, -0.2))
		charts[name("to zero")] = sub(log, 3, line("a", 0, 1, 1e-9, 0))
		charts[name("tiny")] = sub(log, 2, line("a", 0, 1e-12, 2e-12))
		charts[name("huge")] = sub(log, 2, line("a", 0, 1e12, 5e11))
		many := sub(log, 4)
		for i := range 13 {
			many.Lines = append(many.Lines, line(fmt.Sprintf("algorithm %d", i), i, 1, 1, 1, 1+float64(i)/100))
		}
		charts[name("many lines")] = many
		long := sub(log, 2, line("an algorithm β₀ = 0.1 with a very long label that cannot fit", 0, 1, 2))
		long.Baselines = []Baseline{{Label: "random point", Level: 0}}
		long.Marks = []Mark{{Label: "paper: POP-BO", Style: -1, Value: -0.3}}
		charts[name("labels and marks")] = long
		single := sub(log, 2, Line{Label: "one run", Points: []stats.Summary{stats.Summarize([]float64{3}), stats.Summarize([]float64{1})}})
		charts[name("one run")] = single
	}
	return charts
}

func TestOddChartsAreDrawn(t *testing.T) {
	for name, c := range oddCharts() {
		t.Run(name, func(t *testing.T) {
			for _, f := range []*Figure{c.Figure(), Overview("odd", []*Chart{c, c, c})} {
				check.Lacks(t, "numbers that are none", string(f.SVG()), "NaN", "Inf")
			}
			c.Figure().PDF() // does not panic
			lo, hi := valueRange(c)
			marker := linearTicks
			if c.Log {
				marker = logTicks
			}
			labelled := 0
			for _, tick := range marker(lo, hi) {
				check.That(t, tick.Value >= lo*(1-1e-9)-1e-300 && tick.Value <= hi*(1+1e-9), "a tick at %g is outside [%g, %g]", tick.Value, lo, hi)
				if !tick.IsMinor() {
					labelled++
				}
			}
			check.That(t, labelled >= 2 && labelled <= 13, "[%g, %g] has %d labelled ticks", lo, hi, labelled)
		})
	}
}

// T has slope 1 on logarithmic axes, although it starts below all regrets.
func TestLineOfT(t *testing.T) {
	c := Chart{Quantity: Quantity{What: "cumulative regret", Better: "lower is better", Sum: true}, Steps: 100, Log: true, LogSteps: true, Lines: []Line{line("a", 0, 5, 9, 12)},
		Baselines: []Baseline{{Label: "T", Slope: 1, Power: 1}}}
	p := newPanel(&c, tickSize)
	rise := p.Y.Norm(c.Baselines[0].At(100)) - p.Y.Norm(c.Baselines[0].At(1))
	want := math.Log(100) / math.Log(p.Y.Max/p.Y.Min)
	check.That(t, math.Abs(rise-want) <= 1e-12, "T rises by %g of the axis, want %g", rise, want)
}

// A logarithmic axis has all means, of which an interval may reach down to where it has no place.
func TestLogarithmicAxisHasTheMeans(t *testing.T) {
	lo, hi := valueRange(&Chart{Log: true, Lines: []Line{line("a", 0, 5, 0.01, 12)}})
	check.That(t, 0 < lo && lo <= 0.01 && hi >= 12, "the axis from %g to %g is not around 0.01 to 12", lo, hi)
}

// minPrint is the minimum size of text, in points, that is easy to read in print.
const minPrint = 6.5

// For any number of panels, the complete legend of an overview is beside them.
func TestOverviewLegend(t *testing.T) {
	for _, log := range []bool{false, true} {
		c := oddCharts()[fmt.Sprintf("many lines, log %v", log)]
		c.Baselines = []Baseline{{Label: "random point", Level: 1}, {Label: "best of 31 random", Level: 0.5}}
		for n := 2; n <= 9; n++ {
			f := Overview("odd", slices.Repeat([]*Chart{c}, n))
			boxes := readable(t, f)
			entries := 0
			for _, b := range boxes {
				if strings.HasPrefix(b.text, "algorithm ") || strings.Contains(b.text, "random") {
					entries++
				}
			}
			// The box of the whole legend, from its title down, contains no tick label.
			title := boxes[slices.IndexFunc(boxes, func(b box) bool { return strings.HasPrefix(b.text, "Suboptimality") })]
			title.x1, title.y0 = f.Width.Points(), 0
			for _, b := range boxes {
				check.That(t, b.text != "4" || !b.overlaps(title), "%d panels: the legend lies on the axes of a panel", n)
			}
			check.That(t, entries == 15, "%d panels: the legend has %d entries, want 15", n, entries)
		}
	}
}

var textElement = regexp.MustCompile(`(<g transform="rotate\(90\)"> )?<text x="([^"]*)" y="([^"]*)"[^>]*?font-size:([0-9.]+)px[^>]*>([^<]*)</text>`)

// box is the position of a text in a figure, with y upwards.
type box struct {
	x0, x1, y0, y1, size float64
	text                 string
}

func (b box) overlaps(c box) bool { return b.x0 < c.x1 && c.x0 < b.x1 && b.y0 < c.y1 && c.y0 < b.y1 }

// readable returns the texts of a figure, none of which is cut off or lies on another.
func readable(t *testing.T, f *Figure) []box {
	t.Helper()
	boxes := texts(t, f)
	for i, b := range boxes {
		check.That(t, b.x0 >= 0 && b.x1 <= float64(f.Width) && b.y0 >= 0 && b.y1 <= float64(f.Height),
			"%s: %q is cut off: %+v, the figure has %v × %v", f.Name, b.text, b, f.Width, f.Height)
		for _, c := range boxes[:i] {
			check.That(t, !b.overlaps(c), "%s: %q lies on %q", f.Name, b.text, c.text)
		}
	}
	return boxes
}

func texts(t *testing.T, f *Figure) (boxes []box) {
	t.Helper()
	for _, m := range textElement.FindAllStringSubmatch(strings.ReplaceAll(string(f.SVG()), "\n", " "), -1) {
		x, _ := strconv.ParseFloat(m[2], 64)
		y, _ := strconv.ParseFloat(m[3], 64)
		size, _ := strconv.ParseFloat(m[4], 64)
		w := float64(style(vg.Length(size), ink, 0, 0).Width(m[5]))
		b := box{x, x + w, -y, -y + 0.7*size, size, m[5]}
		if m[1] != "" { // from below to above
			b.x0, b.x1, b.y0, b.y1 = y-0.7*size, y, x, x+w
		}
		boxes = append(boxes, b)
	}
	check.Ensure(t, !(len(boxes) < 10), "%s: the texts were not found: %v", f.Name, boxes)
	return boxes
}

// CoverNothing checks that no text of a single figure overlaps its data or another text.
func CoverNothing(t *testing.T, c *Chart) {
	t.Helper()
	f := c.Figure()
	boxes := readable(t, f)
	right := 0.0 // of the axes: the last step's tick label is centred on it
	for _, b := range boxes {
		if b.text == strconv.Itoa(c.Steps) && b.y0 < 30 {
			right = (b.x0 + b.x1) / 2
		}
	}
	check.That(t, right > 0, "%s: the last step has no label", f.Name)
	for _, b := range boxes {
		for _, l := range c.Lines {
			check.That(t, b.text != l.Label || b.x0 >= right, "%s: %q lies on the data", f.Name, b.text)
		}
	}
}

// FitsInPrint checks that the texts of a figure are tall enough if it is that wide, in points.
func FitsInPrint(t *testing.T, f *Figure, width float64) {
	t.Helper()
	for _, b := range texts(t, f) {
		tall := b.size * width / f.Width.Points()
		check.That(t, tall >= minPrint, "%s: %q is %.1f points tall in print", f.Name, b.text, tall)
	}
}

func TestSpread(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for i := 0; i < 2000 && !t.Failed(); i++ {
		labels := make([]label, 1+r.IntN(9))
		for i := range labels {
			labels[i].want = vg.Length(200 * r.Float64())
			if r.IntN(3) == 0 {
				labels[i].want = 100
			}
		}
		spread(labels, 6, 194)
		for i, a := range labels {
			check.That(t, a.y >= 6-1e-9 && a.y <= 194+1e-9, "label %d is at %g, outside 6 to 194", i, a.y)
			for _, b := range labels[:i] {
				gap := math.Abs(float64(a.y - b.y))
				check.That(t, gap >= lineSpace-1e-9, "two labels are %g apart", gap)
				check.That(t, a.want == b.want || (a.want < b.want) == (a.y < b.y), "labels that want %g and %g are at %g and %g", a.want, b.want, a.y, b.y)
			}
		}
	}
	alone := []label{{want: 50}, {want: 150}}
	spread(alone, 6, 194)
	check.That(t, alone[0].y == 50 && alone[1].y == 150, "labels with room are moved to %g and %g", alone[0].y, alone[1].y)
}

// Series differ in dash and in marker, as long as there are colours.
func TestStylesDifferWithoutColour(t *testing.T) {
	for i := range palette {
		for j := range i {
			check.That(t, fmt.Sprint(dashes[i]) != fmt.Sprint(dashes[j]) && markers[i] != markers[j] && palette[i] != palette[j],
				"series %d and %d look the same", i, j)
		}
	}
}

// The outlines of a text are as wide as the text, and Greek letters have outlines.
func TestOutlines(t *testing.T) {
	for _, text := range []string{"paper: POP-BO", "β₀ = 0.1", "95\u00a0% − ±"} {
		face := font.DefaultCache.Lookup(sans(11), 11)
		lo, hi := vg.Length(math.Inf(1)), vg.Length(math.Inf(-1))
		for _, c := range outlines(face, vg.Point{X: 7, Y: 3}, text) {
			if c.Type != vg.CloseComp {
				lo, hi = min(lo, c.Pos.X), max(hi, c.Pos.X)
			}
		}
		want := 7 + face.Width(text)
		check.That(t, lo >= 7 && lo <= 9 && math.Abs(float64(hi-want)) <= 2, "%q goes from %g to %g, want 7 to %g", text, lo, hi, want)
	}
}

// gonum's PDF canvas multiplies a colour by its alpha twice. Ours must not.
func TestPDFColours(t *testing.T) {
	r, g, b, a := straight(color.NRGBAModel.Convert(bandColor(1, 1)).(color.NRGBA)).RGBA()
	check.Equal(t, "a transparent vermillion", [4]uint32{r >> 8, g >> 8, b >> 8, a >> 8}, [4]uint32{213, 94, 0, bandAlpha})
}

func TestGrid(t *testing.T) {
	for n, want := range map[int][2]int{2: {2, 1}, 3: {3, 1}, 4: {4, 1}, 5: {3, 2}, 6: {3, 2}, 8: {4, 2}, 12: {4, 3}} {
		cols, rows := grid(n)
		check.Equal(t, fmt.Sprint("grid of ", n), [2]int{cols, rows}, want)
	}
}

// Shades go on from light to dark or the other way, and can be seen on the ground of a page.
func TestGrades(t *testing.T) {
	dark := luminance(color.NRGBA{0x16, 0x18, 0x1c, 255})
	for ground, of := range map[float64][shades]color.NRGBA{1: grades, dark: gradesOnDark} {
		before := luminance(of[0])
		first, last := before, luminance(of[len(of)-1])
		for i, c := range of {
			now := luminance(c)
			check.That(t, i == 0 || (now-before)*(last-first) > 0, "%s does not go on from %.3f to %.3f", hex(c), first, last)
			ratio := (max(now, ground) + 0.05) / (min(now, ground) + 0.05)
			check.That(t, ratio >= 2.7, "%s has a contrast of %.2f with its ground", hex(c), ratio)
			before = now
		}
	}
	// The ends are those of the scale, and the values in between differ.
	for n := 2; n <= shades; n++ {
		seen := map[int]bool{}
		for k := range n {
			seen[gradeOf(k, n)] = true
		}
		check.That(t, len(seen) == n && seen[0] && seen[shades-1], "%d values have the shades %v", n, seen)
	}
}

// Every colour of an inline figure has one for dark pages.
func TestColoursOnDarkPages(t *testing.T) {
	c := &Chart{Name: "all", Title: "All", Quantity: suboptimality, Steps: 3}
	for i := range palette {
		c.Lines = append(c.Lines, line(fmt.Sprint(i), i, 1, 2, 3))
	}
	for k := range shades {
		c.Lines = append(c.Lines, line(fmt.Sprint("shade ", k), Graded(k, shades), 1, 2, 3))
	}
	svg := string(c.Figure().Inline())
	used := map[string]bool{}
	for _, m := range regexp.MustCompile(`var\((--fig-[a-z0-9]+),`).FindAllStringSubmatch(svg, -1) {
		used[m[1]] = true
	}
	_, dark, _ := strings.Cut(string(InlineCSS), "prefers-color-scheme:dark")
	for name := range used {
		check.Contains(t, "style of dark pages", dark, name+":#")
	}
	want := len(palette) + shades
	check.That(t, len(used) >= want, "the figure has %d colours, want %d at least", len(used), want)
}

// Labels that are too long are cut where they still differ.
func TestCutLabelsDiffer(t *testing.T) {
	for name, label := range map[string]string{
		"at the end": "A method with many settings, version %d", "in the middle": "Variant number %d, which has a long name",
		"at the beginning": "%d is the number of this variant of a method", "behind the beginning": "My %d is a variant of a method of ours",
	} {
		texts := []string{fmt.Sprintf(label, 1), fmt.Sprintf(label, 2), "short"}
		got := fitAll(texts, labelSize, maxLabel)
		check.That(t, got[0] != got[1] && got[2] == "short", "%s: %q", name, got)
	}
}

// luminance is that of WCAG 2.
func luminance(c color.NRGBA) float64 {
	linear := func(v uint8) float64 {
		s := float64(v) / 255
		if s <= 0.04045 {
			return s / 12.92
		}
		return math.Pow((s+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(c.R) + 0.7152*linear(c.G) + 0.0722*linear(c.B)
}

// No two of many lines look the same, and intervals of many are bars.
func TestManyLines(t *testing.T) {
	looks := map[string]int{}
	var lines []Line
	for i := range 40 {
		m := seriesMarker(i)
		look := fmt.Sprintf("%s %T", hex(m.Color.(color.NRGBA)), m.Shape)
		k, ok := looks[look]
		check.That(t, !ok, "lines %d and %d look the same: %s", k, i, look)
		looks[look] = i
		l := Line{Label: fmt.Sprint("line ", i), Style: i}
		for range 12 {
			l.Points = append(l.Points, stats.Summary{N: 9, Mean: float64(i + 1), CI: stats.Interval{Lo: float64(i) + 0.5, Hi: float64(i) + 1.5}})
		}
		lines = append(lines, l)
	}
	c := &Chart{Name: "many", Title: "Many", Quantity: suboptimality, Steps: 12, Lines: lines}
	many := c.Figure()
	check.Lacks(t, "many lines", string(many.SVG()), "fill-opacity:0.1")
	check.Contains(t, "caption of many lines", many.Caption.String(), "bars at some steps: its 95")
	want := lineSpace * vg.Length(len(lines))
	check.That(t, many.Height >= want, "the figure is %g high, the names need %g", many.Height, want)
	c.Lines = lines[:3]
	few := c.Figure()
	check.Contains(t, "few lines", string(few.SVG()), "fill-opacity:0.18")
	check.Contains(t, "caption of few lines", few.Caption.String(), "; band: its 95")
}

// Logarithmic axes of a decade or less have labels between the powers of ten.
func TestLogTicksBetweenDecades(t *testing.T) {
	labels := func(lo, hi float64) string {
		var all []string
		for _, tick := range logTicks(lo, hi) {
			if tick.Label != "" {
				all = append(all, tick.Label)
			}
		}
		return strings.Join(all, " ")
	}
	check.Equal(t, "half a decade", labels(0.3, 1.2), "0.5 1")
	check.Equal(t, "a decade", labels(2, 20), "2 5 10 20")
	check.Equal(t, "two decades", labels(0.03, 3), "0.05 0.1 0.2 0.5 1 2")
	check.Equal(t, "four decades", labels(0.001, 10), "0.001 0.01 0.1 1 10")
}

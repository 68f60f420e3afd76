package figure

import (
	"bytes"
	"flag"
	"fmt"
	"image/color"
	"image/png"
	"math"
	"math/rand/v2"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"

	"popbench/internal/report"
	"popbench/internal/report/reporttest"
	"popbench/internal/stats"
)

var update = flag.Bool("update", false, "write the golden files")

func charts(t *testing.T, o reporttest.Options) []report.Chart {
	t.Helper()
	r, err := report.Collect(reporttest.Results(o))
	if err != nil {
		t.Fatal(err)
	}
	return report.Charts(report.NewTable(r), report.Curves(r))
}

// encode returns the figure in every format.
func encode(t *testing.T, f *Figure) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	for name, of := range map[string]func() ([]byte, error){"svg": f.SVG, "png": f.PNG, "pdf": f.PDF} {
		data, err := of()
		if err != nil {
			t.Fatal(err)
		}
		out[name] = data
	}
	return out
}

func TestGoldenSVG(t *testing.T) {
	c := charts(t, reporttest.Options{Problems: []string{"branin"}, Runs: 5, Steps: 6})[1]
	got, err := Single(&c).SVG()
	if err != nil {
		t.Fatal(err)
	}
	const path = "testdata/branin-suboptimality.svg"
	if *update {
		if err := os.WriteFile(path, got, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs; go test ./internal/figure -update, then look at it", path)
	}
}

func TestSameBytes(t *testing.T) {
	o := reporttest.Options{Problems: []string{"beale", "branin"}, Runs: 4, Steps: 5}
	draw := func() map[string][]byte {
		overviews, singles := All(charts(t, o))
		if len(overviews) != 2 || len(singles) != 4 {
			t.Fatalf("%d overviews and %d figures, want 2 and 4", len(overviews), len(singles))
		}
		all := map[string][]byte{}
		for _, f := range []*Figure{overviews[1], singles[1]} {
			for ext, data := range encode(t, f) {
				all[f.Name+"."+ext] = data
			}
		}
		return all
	}
	first, second := draw(), draw()
	for name, data := range first {
		if !bytes.Equal(data, second[name]) {
			t.Errorf("%s differs when it is drawn again", name)
		}
		if strings.HasSuffix(name, ".pdf") && bytes.Count(data, []byte("Date (D:20000101000000)")) != 2 {
			t.Errorf("%s has dates that vary", name)
		}
	}
}

func TestPNGIsForSharpScreens(t *testing.T) {
	c := charts(t, reporttest.Options{Problems: []string{"branin"}, Runs: 2, Steps: 2})[0]
	f := Single(&c)
	img, err := png.Decode(bytes.NewReader(encode(t, f)["png"]))
	if err != nil {
		t.Fatal(err)
	}
	if want := int(math.Round(f.Width.Points() / 72 * 192)); img.Bounds().Dx() != want {
		t.Errorf("the PNG is %d pixels wide, want %d", img.Bounds().Dx(), want)
	}
	if r, g, b, _ := img.At(1, 1).RGBA(); r != 0xffff || g != 0xffff || b != 0xffff {
		t.Error("the ground is not white")
	}
}

func line(label string, style int, values ...float64) report.Line {
	l := report.Line{Label: label, Style: style}
	for _, v := range values {
		l.Points = append(l.Points, stats.Summarize([]float64{v, v * 1.1, v * 0.7}, 50))
	}
	return l
}

// oddCharts are hard to draw.
func oddCharts() map[string]*report.Chart {
	sub := func(log bool, steps int, lines ...report.Line) *report.Chart {
		return &report.Chart{Name: "odd", Problem: "odd", Title: "Odd", Metric: report.Suboptimality, Steps: steps, Log: log, Lines: lines}
	}
	charts := map[string]*report.Chart{}
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
		long.Baselines = []report.Baseline{{Label: "random point", Level: 0}}
		long.Marks = []report.Mark{{Label: "paper: POP-BO", Style: -1, Value: -0.3}}
		charts[name("labels and marks")] = long
		single := sub(log, 2, report.Line{Label: "one run", Points: []stats.Summary{stats.Summarize([]float64{3}, 1), stats.Summarize([]float64{1}, 1)}})
		charts[name("one run")] = single
	}
	return charts
}

func TestOddChartsAreDrawn(t *testing.T) {
	for name, c := range oddCharts() {
		t.Run(name, func(t *testing.T) {
			for _, f := range []*Figure{Single(c), Overview("odd", []*report.Chart{c, c, c})} {
				data, err := f.SVG()
				if err != nil {
					t.Fatal(err)
				}
				if bytes.Contains(data, []byte("NaN")) || bytes.Contains(data, []byte("Inf")) {
					t.Error("the figure has a number that is not one")
				}
			}
			if _, err := Single(c).PDF(); err != nil {
				t.Error(err)
			}
			lo, hi := valueRange(c)
			var marker plot.Ticker = linearTicks{}
			if c.Log {
				marker = logTicks{}
			}
			labelled := 0
			for _, tick := range marker.Ticks(lo, hi) {
				if tick.Value < lo*(1-1e-9)-1e-300 || tick.Value > hi*(1+1e-9) {
					t.Errorf("a tick at %g is outside [%g, %g]", tick.Value, lo, hi)
				}
				if !tick.IsMinor() {
					labelled++
				}
			}
			if labelled < 2 || labelled > 13 {
				t.Errorf("[%g, %g] has %d labelled ticks", lo, hi, labelled)
			}
		})
	}
}

var textElement = regexp.MustCompile(`<text x="([^"]*)" y="([^"]*)"[^>]*?font-size:([0-9.]+)px[^>]*>([^<]*)</text>`)

// No text of a single figure lies on its data or on another text.
func TestLabelsCoverNothing(t *testing.T) {
	all := charts(t, reporttest.Options{Runs: 4, Steps: 8, Algorithms: []string{"popbo", "dts", "sgp", "qeubo"}})
	for i := range all {
		f := Single(&all[i])
		data, err := f.SVG()
		if err != nil {
			t.Fatal(err)
		}
		type box struct {
			x0, x1, y0, y1 float64
			text           string
		}
		var boxes []box
		right := 0.0 // of the axes: the last step's tick label is centred on it
		for _, m := range textElement.FindAllStringSubmatch(strings.ReplaceAll(string(data), "\n", " "), -1) {
			x, _ := strconv.ParseFloat(m[1], 64)
			y, _ := strconv.ParseFloat(m[2], 64)
			size, _ := strconv.ParseFloat(m[3], 64)
			w := float64(style(vg.Length(size), ink, 0, 0).Width(m[4]))
			boxes = append(boxes, box{x, x + w, -y, -y + 0.7*size, m[4]})
			if m[4] == "8" && -y < 30 {
				right = x + w/2
			}
		}
		if len(boxes) < 10 || right == 0 {
			t.Fatalf("%s: the texts were not found: %v", f.Name, boxes)
		}
		for j, b := range boxes {
			if b.x0 < 0 || b.x1 > float64(f.Width) || b.y0 < 0 || b.y1 > float64(f.Height) {
				t.Errorf("%s: %q is cut off", f.Name, b.text)
			}
			for _, l := range all[i].Lines {
				if b.text == l.Label && b.x0 < right {
					t.Errorf("%s: %q lies on the data", f.Name, b.text)
				}
			}
			for _, c := range boxes[:j] {
				if b.x0 < c.x1 && c.x0 < b.x1 && b.y0 < c.y1 && c.y0 < b.y1 {
					t.Errorf("%s: %q lies on %q", f.Name, b.text, c.text)
				}
			}
		}
	}
}

func TestSpread(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 2000 {
		labels := make([]label, 1+r.IntN(9))
		for i := range labels {
			labels[i].want = vg.Length(200 * r.Float64())
			if r.IntN(3) == 0 {
				labels[i].want = 100
			}
		}
		spread(labels, 6, 194)
		for i, a := range labels {
			if a.y < 6-1e-9 || a.y > 194+1e-9 {
				t.Fatalf("label %d is at %g, outside 6 to 194", i, a.y)
			}
			for _, b := range labels[:i] {
				if gap := math.Abs(float64(a.y - b.y)); gap < lineSpace-1e-9 {
					t.Fatalf("two labels are %g apart", gap)
				}
				if a.want != b.want && (a.want < b.want) != (a.y < b.y) {
					t.Fatalf("labels that want %g and %g are in the other order, at %g and %g", a.want, b.want, a.y, b.y)
				}
			}
		}
	}
	alone := []label{{want: 50}, {want: 150}}
	spread(alone, 6, 194)
	if alone[0].y != 50 || alone[1].y != 150 {
		t.Errorf("labels with room are moved to %g and %g", alone[0].y, alone[1].y)
	}
}

// Without colour, the first six series differ in dash and in marker.
func TestStylesDifferWithoutColour(t *testing.T) {
	for i := range palette {
		for j := range i {
			if fmt.Sprint(dashes[i]) == fmt.Sprint(dashes[j]) || markers[i] == markers[j] || palette[i] == palette[j] {
				t.Errorf("series %d and %d look the same", i, j)
			}
		}
	}
}

func TestInlineNeedsNothing(t *testing.T) {
	c := charts(t, reporttest.Options{Problems: []string{"branin"}, Runs: 2, Steps: 3})[1]
	svg, err := Single(&c).Inline()
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"http", "xmlns", "<?xml", ` width="`, "url("} {
		if strings.Contains(svg, bad) {
			t.Errorf("the inline figure has %q", bad)
		}
	}
	if !strings.HasPrefix(svg, `<svg viewBox="0 0 360 240" role="img" aria-label="Line chart of the suboptimality`) {
		t.Errorf("the inline figure starts %.120q", svg)
	}
	if left := regexp.MustCompile(`[:,]#[0-9A-F]{6}[^)]`).FindString(svg); left != "" {
		t.Errorf("a colour is not a property: %q", left)
	}
}

// The outlines of a text are as wide as the text, and Greek letters have some.
func TestOutlines(t *testing.T) {
	for _, text := range []string{"paper: POP-BO", "β₀ = 0.1", "95\u00a0% − ±"} {
		face := font.DefaultCache.Lookup(sans(11), 11)
		lo, hi := vg.Length(math.Inf(1)), vg.Length(math.Inf(-1))
		for _, c := range outlines(face, vg.Point{X: 7, Y: 3}, text) {
			if c.Type != vg.CloseComp {
				lo, hi = min(lo, c.Pos.X), max(hi, c.Pos.X)
			}
		}
		if want := face.Width(text); lo < 7 || lo > 9 || math.Abs(float64(hi-7-want)) > 2 {
			t.Errorf("%q goes from %g to %g, want 7 to %g", text, lo, hi, 7+want)
		}
	}
}

// gonum's PDF canvas multiplies a colour by its alpha twice; ours must not.
func TestPDFColours(t *testing.T) {
	c := straight(color.NRGBAModel.Convert(bandColor(1)).(color.NRGBA))
	r, g, b, a := c.RGBA()
	if r>>8 != 213 || g>>8 != 94 || b>>8 != 0 || a>>8 != bandAlpha {
		t.Errorf("a transparent vermillion is %d, %d, %d, %d", r>>8, g>>8, b>>8, a>>8)
	}
}

func TestGrid(t *testing.T) {
	for n, want := range map[int][2]int{2: {2, 1}, 3: {3, 1}, 4: {4, 1}, 6: {3, 2}, 8: {4, 2}, 12: {4, 3}} {
		if cols, rows := grid(n); cols != want[0] || rows != want[1] {
			t.Errorf("grid(%d) = %d × %d, want %v", n, cols, rows, want)
		}
	}
	for n := 1; n < 40; n++ {
		if cols, rows := grid(n); cols*rows < n {
			t.Errorf("grid(%d) = %d × %d has too few cells", n, cols, rows)
		}
	}
}

package figure_test

import (
	"bytes"
	"encoding/binary"
	"image/color"
	"image/png"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/internal/math/stats"
	"popbench/internal/outcome"
	"popbench/internal/page/figure"
	"popbench/internal/views/report"
	"popbench/internal/views/report/reporttest"
	"popbench/record"
)

var nan = math.NaN()

func charts(t *testing.T, o reporttest.Options) []*figure.Chart {
	t.Helper()
	r := check.Must(outcome.Collect(reporttest.Results(o)))(t)
	return report.Charts(outcome.NewTable(r), outcome.Curves(r))
}

// Every kind of figure, with values that are missing and names that are too long.
func TestGoldens(t *testing.T) {
	branin := charts(t, reporttest.Options{Problems: []string{"branin"}, Runs: 5, Steps: 6})[1]
	_, growth, beliefs := gp(t, reporttest.Options{Problems: []string{"gp1"}, Runs: 1, Steps: 3, Snapshots: []int{1, 3}})
	odd, logarithmic := figure.OddCharts()["labels and marks, log false"], figure.OddCharts()["to zero, log true"]
	logarithmic.Baselines = []figure.Baseline{{Label: "far below", Level: 1e-40}} // which only its label shows
	trend := &figure.Trend{Name: "trend", Title: "Time", What: "ms", Axis: "version", Ticks: []string{"v1", "v2", "v3", "v4", "v5"}}
	trend.Add("New", 0, func(i int) float64 { return []float64{1, 2, nan, 2, 1}[i] }) // a gap remains a gap
	trend.Add("Gone", 1, func(int) float64 { return nan })                            // which has no name either
	long := strings.Repeat("long ", 20)
	r := outcome.NewTable(check.Must(outcome.Collect(reporttest.Swept()))(t))
	mould := charts(t, reporttest.Options{Problems: []string{"mould"}, Runs: 2, Steps: 4, Paper: "none", Unknown: []string{"mould"}})[1]
	for _, f := range []*figure.Figure{
		branin.Figure(), mould.Figure(), logarithmic.Figure(), growth[0].Figure(), beliefs[0].Figure(), trend.Figure(), figure.Overview("overview", []*figure.Chart{odd, odd}),
		figure.Thumb("thumb", []*figure.Chart{odd, logarithmic}), figure.Doses("doses", report.DoseCharts(r, r.Headline, nil)),
		(&figure.Differences{Name: "differences", Title: "Differences", Margin: 0.1, Rows: []figure.DifferenceRow{
			{Label: "a", Value: -0.2, CI: stats.Interval{Lo: -0.3, Hi: 0.1}, Problems: []float64{-0.5, 0.1}}, {Label: long, Value: 3, CI: stats.Interval{Lo: nan, Hi: nan}}}}).Figure(),
		(&figure.Differences{Name: "no-difference", Title: "No difference", Higher: true, Rows: []figure.DifferenceRow{{Label: "a"}}}).Figure(),
		(&figure.Shares{Name: "shares", Title: "Shares", To: 5, Lines: []figure.ShareLine{{Label: "a", Values: []float64{1, 1, 4, math.Inf(1)}}, {Label: long, Style: 1, Values: []float64{math.Inf(1)}}}}).Figure(),
		(&figure.Shares{Name: "log-shares", Title: "Logarithmic", From: 1, To: 8, Log: true, Lines: []figure.ShareLine{{Label: "a", Values: []float64{1, 1, 4}}}}).Figure(),
		(&figure.Ranks{Name: "ranks", Title: "Ranks", Labels: []string{"a", long, "c"}, Ranks: []float64{1.2, 2, 2.8}, Critical: 1.1, Alike: [][2]int{{0, 1}, {1, 2}},
			Marks: []bool{false, true, false}, Intervals: []stats.Interval{{Lo: 1, Hi: 1.5}, {Lo: nan, Hi: nan}, {Lo: 2, Hi: 3}}}).Figure(),
	} {
		svg := string(f.SVG())
		check.Lacks(t, f.Name, svg, "NaN", "Inf")
		check.Golden(t, f.Name+".svg", svg)
		check.Equal(t, f.Name+": dates that do not vary", bytes.Count(f.PDF(), []byte("Date (D:20000101000000)")), 2)
	}
}

func TestPNGIsForPrint(t *testing.T) {
	c := charts(t, reporttest.Options{Problems: []string{"branin"}, Runs: 2, Steps: 2})[0]
	f := c.Figure()
	data := f.PNG()
	img := check.Must(png.Decode(bytes.NewReader(data)))(t) // which checks every checksum
	want := int(math.Round(f.Width.Points() / 72 * 300))
	check.That(t, img.Bounds().Dx() == want, "the PNG is %d pixels wide, want %d", img.Bounds().Dx(), want)
	// The resolution stands after the header and before the pixels, in pixels per metre.
	at := bytes.Index(data, []byte("pHYs"))
	check.Ensure(t, at == 8+25+4 && !(at > bytes.Index(data, []byte("IDAT"))), "the resolution is at byte %d", at)
	for _, from := range []int{at + 4, at + 8} {
		dpi := float64(binary.BigEndian.Uint32(data[from:])) * 0.0254
		check.That(t, math.Abs(dpi-300) <= 0.02, "the PNG has %g pixels per inch", dpi)
	}
	check.Equal(t, "unit of the resolution", data[at+12], 1)
	check.Equal(t, "the ground", color.NRGBAModel.Convert(img.At(1, 1)), color.Color(color.NRGBA{255, 255, 255, 255}))
}

// gp returns a suite with drawn 1-D functions, which has all kinds of figures.
func gp(t *testing.T, o reporttest.Options) (coverage, growth []*figure.Chart, beliefs []*figure.BeliefChart) {
	t.Helper()
	o.Paper, o.Norm = "gp-1d", 5
	r := check.Must(outcome.Collect(reporttest.Results(o)))(t)
	table := outcome.NewTable(r)
	return report.CoverageCharts(table, outcome.Curves(r)), report.GrowthCharts(table), report.BeliefCharts(r)
}

func TestBeliefLayouts(t *testing.T) {
	for _, panels := range [][]int{{1}, {1, 2}, {1, 2, 3}, {1, 2, 3, 4, 5}} {
		_, _, beliefs := gp(t, reporttest.Options{Problems: []string{"gp1"}, Runs: 1, Steps: 5, Snapshots: panels})
		figure.Readable(t, beliefs[0].Figure())
	}
	// A constant function.
	b := &outcome.Belief{Step: 1, Belief: &record.Belief{X: []float64{0, 1}, Utility: []float64{2, 2}, Estimate: []float64{2, 2}, Lower: []float64{2, 2}, Upper: []float64{2, 2}}}
	flat := (&figure.BeliefChart{Name: "flat", Title: "Flat", Algorithm: "a", Lo: 0, Hi: 1, Panels: []*outcome.Belief{b}}).Figure()
	check.Lacks(t, "a flat function", string(flat.SVG()), "NaN")
}

// Figures are readable at the width at which the paper prints them.
func TestReadableInPrint(t *testing.T) {
	const column, page = 8.5 / 2.54 * 72, 17.5 / 2.54 * 72 // points
	o := reporttest.Options{Runs: 2, Steps: 6, Algorithms: []string{"popbo", "dts"}, Snapshots: []int{2, 4, 6}}
	all := charts(t, o)
	coverage, growth, beliefs := gp(t, o)
	fits := func(f *figure.Figure, width float64) {
		t.Helper()
		figure.FitsInPrint(t, f, width)
	}
	fits(all[0].Figure(), column)
	fits(growth[0].Figure(), column)
	fits(coverage[0].Figure(), column)
	fits(figure.Overview("overview", report.OfMetric(all, outcome.CumulativeRegret)), page)
	fits(figure.Together("overview-coverage", coverage), page)
	fits(beliefs[0].Figure(), page)
}

// No text of a single figure overlaps its data or another text.
func TestLabelsCoverNothing(t *testing.T) {
	o := reporttest.Options{Runs: 4, Steps: 8, Algorithms: []string{"popbo", "dts", "sgp", "qeubo"}}
	all := charts(t, o)
	o.Problems = []string{"gp1"}
	coverage, growth, _ := gp(t, o)
	for _, c := range slices.Concat(all, coverage, growth) {
		figure.CoverNothing(t, c)
	}
}

func TestInlineNeedsNothing(t *testing.T) {
	c := charts(t, reporttest.Options{Problems: []string{"branin"}, Runs: 2, Steps: 3})[1]
	svg := string(c.Figure().Inline())
	check.Lacks(t, "the inline figure", svg, "http", "xmlns", "<?xml", ` width="`, "url(")
	check.That(t, strings.HasPrefix(svg, `<svg viewBox="0 0 360 240" role="img" aria-label="Line chart of the suboptimality`),
		"the inline figure starts %.120q", svg)
	check.Equal(t, "a colour that is not a property", regexp.MustCompile(`[:,]#[0-9A-F]{6}[^)]`).FindString(svg), "")
}

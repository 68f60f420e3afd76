package report

import (
	"fmt"
	"testing"

	"popbench/internal/check"
	"popbench/internal/outcome"
	"popbench/internal/views/report/reporttest"
)

// What a report says of a curve: whether it is between √T and T, and how it grows.
func TestWhatIsSaidOfGrowth(t *testing.T) {
	check.Sequential(t)
	said := func(g *outcome.Growth, c *outcome.GrowthCurve) [3]string {
		return [3]string{between(c).String(), answers(g, c, within), answers(g, c, near)}
	}
	for p, want := range map[float64][3]string{
		0.6: {"yes, after every step", "yes over 1–50, yes over 25–50", "below over 1–50, below over 25–50"},
		0.8: {"yes, after every step", "yes over 1–50, yes over 25–50", "above over 1–50, above over 25–50"},
		1.2: {"no: above T after 49 steps, the last 50", "above over 1–50, above over 25–50", "above over 1–50, above over 25–50"},
		0.3: {"no: below √T after 49 steps, the last 50", "below over 1–50, below over 25–50", "below over 1–50, below over 25–50"},
	} {
		g := outcome.NewGrowth(mustCollect(t, reporttest.Powers(p, p)))
		check.Equal(t, fmt.Sprintf("of t^%g", p), said(g, g.Curves[0]), want)
		check.Equal(t, "of the paper's curve", said(g, g.Curves[len(g.Curves)-1]),
			[3]string{"no: above T after step 2", "yes over 1–50, below over 25–50", "below over 1–50, below over 25–50"})
	}
	g := outcome.NewGrowth(mustCollect(t, reporttest.Powers(0.7, 0.8)))
	check.Equal(t, "from t^0.7 to t^0.8", answers(g, g.Curves[0], near), "no clear difference over 1–50, no clear difference over 25–50")
	g = outcome.NewGrowth(mustCollect(t, reporttest.Results(reporttest.Options{Problems: []string{"gp1", "gp2"}, Paper: "gp-1d", Runs: 1, Steps: 12})))
	check.Equal(t, "the name of a curve with two problems", curveName(g, g.Curves[0]), "gp1, POP-BO")
	check.Equal(t, "of one run", answers(g, g.Curves[0], within), "")
	check.Lacks(t, "the text", textOf(t, documentOf(t, reporttest.Options{Problems: []string{"gp1"}, Paper: "gp-1d", Runs: 6, Steps: 12})), "NaN")
}

func TestOrderWithinAHalfAndOne(t *testing.T) {
	for want, intervals := range map[string][][2]float64{
		"yes":       {{0.5, 1}, {0.6, 0.7}},
		"below":     {{0.2, 0.49}},
		"above":     {{1.01, 1.2}},
		"not clear": {{0.4, 0.5}, {0.4, 0.6}, {0.9, 1.01}, {1, 1.2}, {0.4, 1.2}},
	} {
		for _, i := range intervals {
			check.Equal(t, fmt.Sprint("order ", i), within(i[0], i[1]), want)
		}
	}
}

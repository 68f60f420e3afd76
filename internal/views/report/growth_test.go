package report

import (
	"fmt"
	"math"
	"testing"

	"popbench/internal/check"
	"popbench/internal/outcome"
	"popbench/internal/views/report/reporttest"
)

// The slopes of the paper's curve are those computed elsewhere from its numbers.
func TestPaperOrders(t *testing.T) {
	var want struct {
		Slopes map[string]float64 `json:"log_log_slopes"`
		R50    float64            `json:"R_50"`
		Three  float64            `json:"T_to_3_4_at_50"`
	}
	check.Read(t, "testdata/growth_reference.json", &want)
	g := outcome.NewGrowth(mustCollect(t, powers(0.5, 0.5)))
	p := &g.Curves[len(g.Curves)-1]
	names := map[string]string{"1–50": "ols_1_50", "2–50": "ols_2_50", "1–10": "ols_1_10", "10–50": "ols_10_50", "25–50": "ols_25_50", "ends of 1–50": "endpoint_1_50", "ends of 10–50": "endpoint_10_50"}
	check.Equal(t, "ranges", len(g.Ranges), len(want.Slopes))
	check.Equal(t, "the last curve is the paper's", p.Paper, true)
	for i, r := range g.Ranges {
		close(t, r.String(), p.Orders[i].Value, want.Slopes[names[r.String()]])
		check.That(t, math.IsNaN(p.Orders[i].CI.Lo), "the paper's curve has an interval: %+v", p.Orders[i])
	}
	last := p.Regret[49].Value
	check.That(t, last == want.R50 && last <= want.Three, "R_50 is %v, want %v, below %v", last, want.R50, want.Three)
	check.Equal(t, "of the paper's curve it is said", saidOf(g, p),
		[3]string{"no: above T after step 2", "yes over 1–50, below over 25–50", "below over 1–50, below over 25–50"})
}

// saidOf is what a report says of a curve: whether it is between √T and T, and how it grows.
func saidOf(g *outcome.Growth, c *outcome.GrowthCurve) [3]string {
	return [3]string{between(c).String(), answers(g, c, within), answers(g, c, near)}
}

// powers are runs with R_t = scale·t^p, p going from lo to hi over ten runs, for
// 50 steps.
func powers(lo, hi float64) *reporttest.Folder {
	in := reporttest.Results(reporttest.Options{Problems: []string{"gp1"}, Paper: "gp-1d", Runs: 10, Steps: 50})
	for i, rec := range in.Records {
		p := lo + (hi-lo)*float64(i)/9
		before := 0.0
		for k := range rec.Steps {
			r := 3 * math.Pow(float64(k+1), p)
			s := &rec.Steps[k]
			s.Utility[1] = *rec.Header.Problem.Optimum - (r - before)
			before = r
		}
	}
	return in
}

func TestGrowth(t *testing.T) {
	check.Sequential(t)
	in := powers(0.4, 0.8)
	g := outcome.NewGrowth(mustCollect(t, in))
	c := &g.Curves[0]
	check.Equal(t, "curve", fmt.Sprint(len(g.Curves), c.Algorithm, c.Runs), fmt.Sprint(2, "POP-BO", 10))
	for k, v := range c.Regret {
		var want float64
		for i := range 10 {
			want += math.Pow(float64(k+1), 0.4+0.4*float64(i)/9) / 10
		}
		close(t, "R_t / R_1", v.Value, want)
		check.That(t, k <= 0 || v.CI.Lo < v.Value && v.Value < v.CI.Hi, "after step %d: %+v", k+1, v)
	}
	// The interval of the slope is about that of the mean of the exponents, whose
	// standard error is 0.04.
	if o := c.Orders[0]; !(o.CI.Lo > 0.5 && o.CI.Lo < o.Value-0.04 && o.CI.Hi > o.Value+0.03 && o.CI.Hi < 0.75) {
		t.Errorf("order %+v", o)
	}
	check.Equal(t, "between", between(c).String(), "yes, after every step")
	// All runs alike: the order is theirs, without doubt.
	for p, want := range map[float64][3]string{
		0.6: {"yes, after every step", "yes over 1–50, yes over 25–50", "below over 1–50, below over 25–50"},
		0.8: {"yes, after every step", "yes over 1–50, yes over 25–50", "above over 1–50, above over 25–50"},
		1.2: {"no: above T after 49 steps, the last 50", "above over 1–50, above over 25–50", "above over 1–50, above over 25–50"},
		0.3: {"no: below √T after 49 steps, the last 50", "below over 1–50, below over 25–50", "below over 1–50, below over 25–50"},
	} {
		t.Run(fmt.Sprintf("t^%g", p), func(t *testing.T) {
			g := outcome.NewGrowth(mustCollect(t, powers(p, p)))
			c := &g.Curves[0]
			for i, o := range c.Orders {
				check.That(t, math.Abs(o.Value-p)+math.Abs(o.CI.Lo-p)+math.Abs(o.CI.Hi-p) <= 1e-9,
					"t^%g over %v: order %+v", p, g.Ranges[i], o)
			}
			check.Equal(t, "it is said", saidOf(g, c), want)
		})
	}
	g = outcome.NewGrowth(mustCollect(t, powers(0.7, 0.8)))
	check.Equal(t, "from t^0.7 to t^0.8", answers(g, &g.Curves[0], near), "no clear difference over 1–50, no clear difference over 25–50")
}

// Fewer steps than the paper's, one run, regret from zero, another suite.
func TestGrowthOfOddResults(t *testing.T) {
	check.Sequential(t)
	in := powers(0.6, 0.6)
	for _, rec := range in.Records {
		rec.Header.Budget, rec.Steps = 12, rec.Steps[:12]
	}
	g := outcome.NewGrowth(mustCollect(t, in))
	for i, r := range g.Ranges {
		o := g.Curves[0].Orders[i]
		check.That(t, math.IsNaN(o.Value) == (r.To > 12), "%v of 12 steps: %+v", r, o)
	}
	check.Lacks(t, "the text", textOf(t, Document(outcome.NewTable(mustCollect(t, in)), nil)), "NaN")

	in = powers(0.6, 0.6)
	in.Records = in.Records[:1]
	g = outcome.NewGrowth(mustCollect(t, in))
	check.That(t, math.IsNaN(g.Curves[0].Orders[0].CI.Lo), "one run: %+v", g.Curves[0].Orders[0])
	check.Equal(t, "said of one run", answers(g, &g.Curves[0], within), "")

	in = powers(0.6, 0.6)
	in.Records = in.Records[:2] // of which a quarter of the resamples have the first only
	in.Records[0].Steps[0].Utility[1] = *in.Records[0].Header.Problem.Optimum
	v := outcome.NewGrowth(mustCollect(t, in)).Curves[0].Regret[4]
	check.That(t, !math.IsNaN(v.Value) && math.IsNaN(v.CI.Hi), "a run that starts at the optimum: %+v", v)

	in = powers(0.6, 0.6)
	for _, rec := range in.Records {
		rec.Steps[0].Utility[1] = *rec.Header.Problem.Optimum
	}
	check.Equal(t, "curves of regret from zero, of which only the paper's is left", len(outcome.NewGrowth(mustCollect(t, in)).Curves), 1)
	g = outcome.NewGrowth(mustCollect(t, reporttest.Results(reporttest.Options{Problems: []string{"gp1", "gp2"}, Paper: "gp-1d", Runs: 3, Steps: 5})))
	check.Equal(t, "the name of a curve with two problems", curveName(g, &g.Curves[0]), "gp1, POP-BO")
	none := outcome.NewGrowth(mustCollect(t, reporttest.Results(reporttest.Options{Runs: 2, Steps: 2})))
	check.That(t, none == nil, "the paper has no curve of the test functions")
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

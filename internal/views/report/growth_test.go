package report

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"testing"

	"popbench/internal/check"
	"popbench/internal/outcome"
	"popbench/internal/page/document"
	"popbench/internal/views/charting"
	"popbench/internal/views/report/reporttest"
)

// The slopes of the paper's curve are those computed elsewhere from its numbers.
func TestPaperOrders(t *testing.T) {
	data := check.Must(os.ReadFile("testdata/growth_reference.json"))(t)
	var want struct {
		Slopes map[string]float64 `json:"log_log_slopes"`
		R50    float64            `json:"R_50"`
		Three  float64            `json:"T_to_3_4_at_50"`
	}
	check.OK(t, json.Unmarshal(data, &want))
	g := outcome.NewGrowth(mustCollect(t, powers(0.5, 0.5)))
	p := &g.Curves[len(g.Curves)-1]
	names := map[string]string{"1–50": "ols_1_50", "2–50": "ols_2_50", "1–10": "ols_1_10", "10–50": "ols_10_50", "25–50": "ols_25_50", "ends of 1–50": "endpoint_1_50", "ends of 10–50": "endpoint_10_50"}
	if len(g.Ranges) != len(names) || len(want.Slopes) != len(names) || !p.Paper {
		t.Fatalf("ranges %v, want those of %v", g.Ranges, want.Slopes)
	}
	for i, r := range g.Ranges {
		if w, ok := want.Slopes[names[r.String()]]; !ok || math.Abs(p.Orders[i].Value-w) > 1e-12 || !math.IsNaN(p.Orders[i].CI.Lo) {
			t.Errorf("%v: %+v, want %v", r, p.Orders[i], w)
		}
	}
	last := p.Regret[49].Value
	check.That(t, last == want.R50 && last <= want.Three, "R_50 is %v, want %v, below %v", last, want.R50, want.Three)
	if above, below := p.Outside(); len(above) != 1 || above[0] != 2 || below != nil {
		t.Errorf("the paper's curve is above t after %v and below √t after %v", above, below)
	}
	for _, c := range []struct{ got, want string }{
		{between(p).String(), "no: above T after step 2"},
		{answers(g, p, within), "yes over 1–50, below over 25–50"},
		{answers(g, p, near), "below over 1–50, below over 25–50"},
	} {
		check.Equal(t, "of the paper's curve it is said", c.got, c.want)
	}
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
	r := mustCollect(t, in)
	g := outcome.NewGrowth(r)
	if len(g.Curves) != 2 || g.Curves[0].Algorithm != "POP-BO" || g.Curves[0].Runs != 10 {
		t.Fatalf("curves %+v", g.Curves)
	}
	c := &g.Curves[0]
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
			got := [3]string{between(c).String(), answers(g, c, within), answers(g, c, near)}
			check.That(t, got == want, "t^%g: %q, want %q", p, got, want)
		})
	}
	if g := outcome.NewGrowth(mustCollect(t, powers(0.7, 0.8))); answers(g, &g.Curves[0], near) != "no clear difference over 1–50, no clear difference over 25–50" {
		t.Errorf("from t^0.7 to t^0.8: %q", answers(g, &g.Curves[0], near))
	}
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
	table := outcome.NewTable(mustCollect(t, in))
	text := string(rendered(t, func(w io.Writer) error { return document.WriteText(w, Document(table, nil)) }))
	check.Lacks(t, "the text", text, "NaN")

	in = powers(0.6, 0.6)
	in.Records = in.Records[:1]
	g = outcome.NewGrowth(mustCollect(t, in))
	if c := &g.Curves[0]; !math.IsNaN(c.Orders[0].CI.Lo) || answers(g, c, within) != "" {
		t.Errorf("one run: %+v, %q", c.Orders[0], answers(g, c, within))
	}

	in = powers(0.6, 0.6)
	in.Records = in.Records[:2] // of which a quarter of the resamples have the first only
	in.Records[0].Steps[0].Utility[1] = *in.Records[0].Header.Problem.Optimum
	v := outcome.NewGrowth(mustCollect(t, in)).Curves[0].Regret[4]
	check.That(t, !math.IsNaN(v.Value) && math.IsNaN(v.CI.Hi), "a run that starts at the optimum: %+v", v)

	in = powers(0.6, 0.6)
	for _, rec := range in.Records {
		rec.Steps[0].Utility[1] = *rec.Header.Problem.Optimum
	}
	if g := outcome.NewGrowth(mustCollect(t, in)); len(g.Curves) != 1 {
		t.Errorf("regret from zero: %+v", g.Curves)
	}
	if g := outcome.NewGrowth(mustCollect(t, reporttest.Results(reporttest.Options{Runs: 2, Steps: 2}))); g != nil {
		t.Error("the paper has no curve of the test functions")
	}
}

func TestGrowthCharts(t *testing.T) {
	in := reporttest.Results(reporttest.Options{Problems: []string{"gp1", "gp2"}, Algorithms: []string{"popbo", "dts"}, Paper: "gp-1d", Runs: 3, Steps: 5})
	table := outcome.NewTable(mustCollect(t, in))
	charts := charting.Growth(table)
	if len(charts) != 2 {
		t.Fatalf("%d charts, want 2: %+v", len(charts), charts)
	}
	check.Equal(t, "name", charts[1].Name, "gp2-growth")
	check.Equal(t, "steps", charts[1].Steps, 50)
	check.Equal(t, "the growth is logarithmic", charts[1].Log, true)
	check.Equal(t, "the steps are logarithmic", charts[1].LogSteps, true)
	check.Equal(t, "lines", labels(charts[1]), "POP-BO, paper: POP-BO")
	if charts[0].Lines[1].Style != charts[1].Lines[1].Style || charts[0].Lines[0].Style == charts[0].Lines[1].Style {
		t.Error("the same curve looks different in two charts, or two look the same")
	}
	for i, want := range []float64{50, math.Sqrt(50)} {
		close(t, "reference", charts[0].Baselines[i].At(50), want)
	}
	check.Contains(t, "caption", charts[0].Caption().String(), "mean over 3 runs")
	check.Equal(t, "the name of a curve with two problems", curveName(table.Growth, &table.Growth.Curves[0]), "gp1, POP-BO")
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

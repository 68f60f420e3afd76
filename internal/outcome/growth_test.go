package outcome_test

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
	g := outcome.NewGrowth(mustCollect(t, reporttest.Powers(0.5, 0.5)))
	p := g.Curves[len(g.Curves)-1]
	names := map[string]string{"1–50": "ols_1_50", "2–50": "ols_2_50", "1–10": "ols_1_10", "10–50": "ols_10_50", "25–50": "ols_25_50", "ends of 1–50": "endpoint_1_50", "ends of 10–50": "endpoint_10_50"}
	check.Equal(t, "ranges", len(g.Ranges), len(want.Slopes))
	check.Equal(t, "the last curve is the paper's", p.Paper, true)
	for i, r := range g.Ranges {
		check.Close(t, r.String(), p.Orders[i].Value, want.Slopes[names[r.String()]])
		check.That(t, math.IsNaN(p.Orders[i].CI.Lo), "the paper's curve has an interval: %+v", p.Orders[i])
	}
	last := p.Regret[49].Value
	check.That(t, last == want.R50 && last <= want.Three, "R_50 is %v, want %v, below %v", last, want.R50, want.Three)
}

func TestGrowth(t *testing.T) {
	g := outcome.NewGrowth(mustCollect(t, reporttest.Powers(0.4, 0.8)))
	c := g.Curves[0]
	check.Equal(t, "curve", fmt.Sprint(len(g.Curves), c.Algorithm, c.Runs), fmt.Sprint(2, "POP-BO", 10))
	for k, v := range c.Regret {
		var want float64
		for i := range 10 {
			want += math.Pow(float64(k+1), 0.4+0.4*float64(i)/9) / 10
		}
		check.Close(t, "R_t / R_1", v.Value, want)
		check.That(t, k <= 0 || v.CI.Lo < v.Value && v.Value < v.CI.Hi, "after step %d: %+v", k+1, v)
	}
	// The interval of the slope is about that of the mean of the exponents, whose standard error is 0.04.
	o := c.Orders[0]
	check.That(t, o.CI.Lo > 0.5 && o.CI.Lo < o.Value-0.04 && o.CI.Hi > o.Value+0.03 && o.CI.Hi < 0.75, "order %+v", o)
	for _, p := range []float64{0.3, 0.8, 1.2} { // all runs alike: the order is theirs, without doubt
		g := outcome.NewGrowth(mustCollect(t, reporttest.Powers(p, p)))
		for i, o := range g.Curves[0].Orders {
			check.That(t, math.Abs(o.Value-p)+math.Abs(o.CI.Lo-p)+math.Abs(o.CI.Hi-p) <= 1e-9, "t^%g over %v: order %+v", p, g.Ranges[i], o)
		}
	}
}

// Fewer steps than the paper's, one run, regret from zero, another suite.
func TestGrowthOfOddResults(t *testing.T) {
	of := func(change func(*reporttest.Folder)) *outcome.Growth {
		in := reporttest.Powers(0.6, 0.6)
		change(in)
		return outcome.NewGrowth(mustCollect(t, in))
	}
	start := func(in *reporttest.Folder, run int) {
		in.Records[run].Steps[0].Utility[1] = *in.Records[run].Header.Problem.Optimum
	}
	g := of(func(in *reporttest.Folder) {
		for _, rec := range in.Records {
			rec.Header.Budget, rec.Steps = 12, rec.Steps[:12]
		}
	})
	for i, r := range g.Ranges {
		o := g.Curves[0].Orders[i]
		check.That(t, math.IsNaN(o.Value) == (r.To > 12), "%v of 12 steps: %+v", r, o)
	}
	g = of(func(in *reporttest.Folder) { in.Records = in.Records[:1] })
	check.That(t, math.IsNaN(g.Curves[0].Orders[0].CI.Lo), "one run: %+v", g.Curves[0].Orders[0])
	g = of(func(in *reporttest.Folder) {
		in.Records = in.Records[:2] // of which a quarter of the resamples have the first only
		start(in, 0)
	})
	v := g.Curves[0].Regret[4]
	check.That(t, !math.IsNaN(v.Value) && math.IsNaN(v.CI.Hi), "a run that starts at the optimum: %+v", v)
	g = of(func(in *reporttest.Folder) {
		for i := range in.Records {
			start(in, i)
		}
	})
	check.Equal(t, "curves of regret from zero, of which only the paper's is left", len(g.Curves), 1)
	none := outcome.NewGrowth(mustCollect(t, reporttest.Results(reporttest.Options{Runs: 2, Steps: 2})))
	check.That(t, none == nil, "the paper has no curve of the test functions")
}

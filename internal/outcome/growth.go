package outcome

import (
	"fmt"
	"math"

	"popbench/internal/math/stats"
	"popbench/internal/paper"
	"popbench/internal/words"
)

// Growth is how the cumulative regret grows with t, as the paper reads it off a figure with logarithmic axes: for each group
// of its method the mean of R_t over the runs divided by the mean of R_1, next to the paper's own curve.
type Growth struct {
	Ranges []Range
	Curves []*GrowthCurve // the paper's last
	Source string         // of the paper's curve
}

// Range is steps From to To, over which an order is read off: by least squares, or from its ends alone.
type Range struct {
	From, To int
	Ends     bool
}

// GrowthCurve is a curve of R_t / R_1 and its order: p of R_t ∝ t^p.
type GrowthCurve struct {
	Problem, Title, Algorithm string     // "" for the paper's, but Algorithm
	Paper                     bool       // it is the paper's own curve, known without its runs and so without intervals
	Runs                      int        // 0 for the paper's
	Regret                    []Estimate // R_t / R_1 after step t = 1, 2, …; the first is 1
	Orders                    []Estimate // by range
}

// Estimate is a number with its 95 % interval; NaN where either is missing.
type Estimate struct {
	Value float64
	CI    stats.Interval
}

// exactly is a number without an interval.
func exactly(v float64) Estimate { return Estimate{v, stats.NoInterval()} }

// NewGrowth compares with the paper's curve; nil if it prints none for this suite.
func NewGrowth(r *Results) *Growth {
	p := r.PaperGrowth
	if p == nil {
		return nil
	}
	g := &Growth{Source: p.Source}
	for _, f := range p.Fits {
		g.Ranges = append(g.Ranges, Range{f[0], f[1], false})
	}
	for _, e := range p.Ends {
		g.Ranges = append(g.Ranges, Range{e[0], e[1], true})
	}
	for _, group := range r.Groups {
		m, ok := r.Experiment.Method(group.Algorithm.Name)
		if !ok || m != p.Method || group.BestFound != nil || group.Imported != nil { // noteGrowth and noteImported say so
			continue
		}
		if c := group.growthCurve(g.Ranges, r.Steps); c != nil {
			g.Curves = append(g.Curves, c)
		}
	}
	g.Curves = append(g.Curves, paperCurve(p, g.Ranges))
	return g
}

// noteGrowth says which problems are not compared with the paper's curve: what the optimum exceeds the best value found by
// is missing in every step, and changes the order.
func (r *Results) noteGrowth() {
	for _, p := range r.Problems() {
		if r.PaperGrowth != nil && p.BestFound != nil {
			r.Notes = append(r.Notes, fmt.Sprintf("The growth of the regret on %s is not compared with the paper's: the optimum is unknown.", p.Name()))
		}
	}
}

func paperCurve(p *paper.Growth, ranges []Range) *GrowthCurve {
	return &GrowthCurve{Algorithm: "paper: " + p.Method, Paper: true, Regret: words.Each(p.Regret, exactly),
		Orders: words.Each(ranges, func(r Range) Estimate { return exactly(r.order()(p.Regret)) })}
}

// growthCurve is the group's curve; nil if its regret starts from zero.
func (g *Group) growthCurve(ranges []Range, steps int) *GrowthCurve {
	columns := g.columns(steps, (*Run).cumulative)
	if len(g.Runs) == 0 || !(stats.Mean(columns[0]) > 0) {
		return nil
	}
	var of []func(means [][]float64) float64
	for t := range columns {
		of = append(of, func(m [][]float64) float64 {
			if m[0][0] <= 0 {
				return math.NaN() // runs that start at the optimum
			}
			return m[0][t] / m[0][0]
		})
	}
	for _, r := range ranges {
		order := r.order()
		of = append(of, func(m [][]float64) float64 { return order(m[0]) }) // a factor does not change the order
	}
	all := words.Each(stats.ResampleAll([]stats.Stratum{columns}, stats.Resamples, of...), estimate)
	return &GrowthCurve{Problem: g.Problem.Name, Title: g.Name(), Algorithm: g.Algorithm.Label, Runs: len(g.Runs),
		Regret: all[:len(columns)], Orders: all[len(columns):]}
}

// exponent is the order of the mean regret over all steps; NaN without runs.
func (g *Group) exponent(steps int) float64 {
	return Range{From: 1, To: steps}.order()(words.Each(g.columns(steps, (*Run).cumulative), stats.Mean))
}

// estimate is a function of means over runs.
func estimate(r *stats.Resampled) Estimate { return Estimate{r.Value, r.Interval(stats.Level)} }

// order returns the function that is a curve's order over the range; NaN if the curve ends before the range does.
func (r Range) order() func(curve []float64) float64 {
	var t []float64
	for s := r.From; s <= r.To; s++ {
		t = append(t, float64(s))
	}
	over := func(curve []float64) []float64 { return curve[r.From-1 : r.To] }
	if r.Ends {
		t = []float64{float64(r.From), float64(r.To)}
		over = func(curve []float64) []float64 { return []float64{curve[r.From-1], curve[r.To-1]} }
	}
	slope := stats.LogLogSlope(t)
	return func(curve []float64) float64 {
		if r.To > len(curve) {
			return math.NaN()
		}
		return slope(over(curve))
	}
}

// String is "1–50", with "ends of" before it.
func (r Range) String() string {
	text := fmt.Sprintf("%d–%d", r.From, r.To)
	if r.Ends {
		return "ends of " + text
	}
	return text
}

// Outside are the steps after which R_t / R_1 is above t or below √t.
func (c *GrowthCurve) Outside() (above, below []int) {
	for i, v := range c.Regret[1:] { // at t = 1 all three are 1
		switch t := float64(i + 2); {
		case v.Value > t:
			above = append(above, i+2)
		case v.Value < math.Sqrt(t):
			below = append(below, i+2)
		}
	}
	return above, below
}

// Telling are the ranges that say most of the order: the first, over all steps, and of the ranges by least squares that the
// curve covers the one that begins last.
func (g *Growth) Telling(c *GrowthCurve) (list []int) {
	last := 0
	for i, r := range g.Ranges {
		if !r.Ends && r.To <= len(c.Regret) && r.From > g.Ranges[last].From {
			last = i
		}
	}
	if !math.IsNaN(c.Orders[0].Value) {
		list = append(list, 0)
	}
	if last > 0 {
		list = append(list, last)
	}
	return list
}

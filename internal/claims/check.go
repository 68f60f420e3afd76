package claims

import (
	"math"
	"slices"

	"popbench/internal/math/stats"
	"popbench/internal/page/document"
	"popbench/internal/paper"
)

// Ratio is mean a over mean b, on one problem.
func Ratio(p Place, a, b Quantity, r Region) Check {
	return Check{
		What:    a.Text() + " / " + b.Text(),
		Samples: []Sample{{p, []Quantity{a, b}}},
		Region:  r,
	}.over(func(m [][]float64) float64 { return m[0][0] }, func(m [][]float64) float64 { return m[0][1] })
}

// over sets the statistic to top / bottom, two linear functions of means; a nil bottom is 1.
func (c Check) over(top, bottom func(row [][]float64) float64) Check {
	c.Top, c.Bottom, c.Of = top, bottom, top
	if bottom != nil {
		c.Of = func(m [][]float64) float64 { return top(m) / bottom(m) }
	}
	return c
}

// Among makes the statistic the rank-th smallest of the members' statistics.
func (c Check) Among(rank int, members ...Check) Check {
	c.Rank, c.Members = rank, members
	return c
}

// linear says that the statistic is linear in the numbers that differ from run to run.
func (c Check) linear() Check {
	c.Top = c.Of
	return c
}

// Gap is mean a minus mean b, two suboptimalities on one problem, in units of a random point's
// suboptimality.
func Gap(p Place, a, b Quantity, r Region) Check {
	return Check{
		What:    "(" + a.Text() + " − " + b.Text() + ") / $U$",
		Samples: []Sample{{p, []Quantity{a, b, random(a.Label)}}},
		Region:  r,
	}.over(func(m [][]float64) float64 { return m[0][0] - m[0][1] }, func(m [][]float64) float64 { return m[0][2] })
}

// share is a mean suboptimality in units of a random point's suboptimality.
func share(p Place, a Quantity, r Region) Check {
	return Check{
		What:    a.Text() + " / $U$",
		Samples: []Sample{{p, []Quantity{a, random(a.Label)}}},
		Region:  r,
	}.over(func(m [][]float64) float64 { return m[0][0] }, func(m [][]float64) float64 { return m[0][1] })
}

// Mean is the mean of a quantity.
func Mean(p Place, a Quantity, r Region) Check {
	return Check{
		What:    a.Text(),
		Samples: []Sample{{p, []Quantity{a}}},
		Region:  r,
	}.over(func(m [][]float64) float64 { return m[0][0] }, nil)
}

// Order is p in R_t ∝ t^p, read off as the paper does: the least-squares slope, in log-log
// scale, of the mean cumulative regret at the steps from to to.
func Order(pl Place, label string, from, to int, r Region) Check {
	c := Check{What: document.Textf(`slope of log $R_t$(%s), $t = %d{\dots}%d$`, label, from, to), Region: r}
	s := Sample{Place: pl}
	var t []float64
	for k := from; k <= to; k++ {
		t = append(t, float64(k))
		s.Quantities = append(s.Quantities, Regret(label, k))
	}
	c.Samples = []Sample{s}
	c.Of = func(m [][]float64) float64 { return stats.LogLogSlope(t, m[0]) }
	c.Smooth = true
	return c
}

// trend is the slope, against x, of a statistic of the algorithms with the given labels,
// averaged over the problems of a suite. The runs on each problem are a sample. of returns the
// quantities for a label, and at computes the statistic from their means.
func trend(what document.Text, suite string, problems, labels []string, x []float64, of func(label string) []Quantity, at func(m []float64) float64,
	r Region) Check {
	c := Check{What: what, Region: r, Smooth: true}
	width := 0
	for _, p := range problems {
		s := Sample{Place: Place{suite, p}}
		for _, label := range labels {
			q := of(label)
			width = len(q)
			s.Quantities = append(s.Quantities, q...)
		}
		c.Samples = append(c.Samples, s)
	}
	y := make([]float64, len(labels))
	c.Of = func(m [][]float64) float64 {
		clear(y)
		for _, means := range m {
			for i := range y {
				y[i] += at(means[i*width:(i+1)*width]) / float64(len(m))
			}
		}
		return stats.Slope(x, y)
	}
	return c
}

// Quotient is the ratio of the means of two algorithms, or its geometric mean over several problems.
func Quotient(of func(label string) Quantity, a, b string, r Region, problems ...Place) Check {
	c := Check{What: document.Textf("%s: %s / %s", of(a).Name, a, b), Region: r}
	for _, p := range problems {
		c.Samples = append(c.Samples, Sample{p, []Quantity{of(a), of(b)}})
	}
	if len(problems) == 1 {
		return c.over(func(m [][]float64) float64 { return m[0][0] }, func(m [][]float64) float64 { return m[0][1] })
	}
	c.Smooth = true
	c.Of = func(m [][]float64) float64 {
		sum := 0.0
		for _, means := range m {
			sum += math.Log(means[0] / means[1])
		}
		return math.Exp(sum / float64(len(m)))
	}
	return c
}

// Excess is the difference of the means of two algorithms, for numbers that may be zero.
func Excess(of func(label string) Quantity, a, b string, r Region, p Place) Check {
	return Check{
		What:    document.Textf("%s: %s − %s", of(a).Name, a, b),
		Samples: []Sample{{p, []Quantity{of(a), of(b)}}},
		Region:  r,
	}.over(func(m [][]float64) float64 { return m[0][0] - m[0][1] }, nil)
}

// against is the ratio of the means of one algorithm on two problems.
func against(of func(label string) Quantity, label string, a, b Place, r Region) Check {
	return Check{
		What:    document.Textf("%s of %s: %s / %s", of(label).Name, label, a.Problem, b.Problem),
		Samples: []Sample{{a, []Quantity{of(label)}}, {b, []Quantity{of(label)}}},
		Region:  r,
	}.over(func(m [][]float64) float64 { return m[0][0] }, func(m [][]float64) float64 { return m[1][0] })
}

// Unit returns the unit of the check's margin: 1 for suboptimalities in units of a random point, else the border.
func (c *Check) Unit(border float64) float64 {
	for _, s := range c.Samples {
		if slices.ContainsFunc(s.Quantities, func(q Quantity) bool { return q.Name == Unit }) {
			return 1
		}
	}
	return math.Abs(border)
}

// with returns a check for each element of a list, such as labels.
func with[T any](list []T, of func(T) Check) (checks []Check) {
	for _, v := range list {
		checks = append(checks, of(v))
	}
	return checks
}

// note says how a check differs from those above it.
func (c Check) note(text document.Text) Check {
	c.Note = text
	return c
}

// prints adds the paper's number to the check.
func (c Check) prints(v float64) Check {
	c.Printed = func([][]float64) float64 { return v }
	return c
}

// printsMeans adds the same statistic of the paper's means to the check. change receives a copy
// of our means and replaces those that the paper prints; the unit of suboptimality remains ours.
// It returns false if the paper does not print them.
func (c Check) printsMeans(change func(means [][]float64) bool) Check {
	of := c.Of
	c.Printed = func(means [][]float64) float64 {
		means = slices.Clone(means)
		for s := range means {
			means[s] = slices.Clone(means[s])
		}
		if !change(means) {
			return math.NaN()
		}
		return of(means)
	}
	return c
}

// tableFinal returns a mean from the paper's table of final suboptimality.
func tableFinal(problem, method string) float64 {
	v, ok := paper.Lookup("test-functions").Value(problem, method)
	if !ok {
		panic("verify: the paper's table has no " + method + " on " + problem)
	}
	return v.Mean
}

// printsCurve adds the same statistic of the paper's curve of cumulative regret to the check.
// from is the first step that the statistic uses.
func (c Check) printsCurve(from int) Check {
	curve := paper.LookupGrowth("gp-1d").Regret
	return c.printsMeans(func(m [][]float64) bool {
		copy(m[0], curve[from-1:])
		return true
	})
}

// secondLowest returns the second lowest of several values.
func secondLowest(x []float64) float64 {
	s := slices.Sorted(slices.Values(x))
	return s[1]
}

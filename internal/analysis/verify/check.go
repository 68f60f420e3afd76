package verify

import (
	"math"
	"slices"

	"popbench/internal/analysis/document"
	"popbench/internal/analysis/paper"
	"popbench/internal/math/stats"
)

// ratio is mean a over mean b, on one problem.
func ratio(p place, a, b quantity, r Region) Check {
	return Check{
		What:    a.text() + " / " + b.text(),
		samples: []sample{{p, []quantity{a, b}}},
		Region:  r,
	}.over(func(m [][]float64) float64 { return m[0][0] }, func(m [][]float64) float64 { return m[0][1] })
}

// over sets the statistic to top / bottom, two linear functions of means; a nil bottom is 1.
func (c Check) over(top, bottom func(row [][]float64) float64) Check {
	c.top, c.bottom, c.of = top, bottom, top
	if bottom != nil {
		c.of = func(m [][]float64) float64 { return top(m) / bottom(m) }
	}
	return c
}

// among says that the statistic is that of the members with the rank in ascending order, 1 the smallest.
func (c Check) among(rank int, members ...Check) Check {
	c.rank, c.members = rank, members
	return c
}

// linear says that the statistic is linear in the numbers that differ from run to run.
func (c Check) linear() Check {
	c.top = c.of
	return c
}

// gap is mean a minus mean b, two suboptimalities on one problem, in units of a random point's
// suboptimality.
func gap(p place, a, b quantity, r Region) Check {
	return Check{
		What:    "(" + a.text() + " − " + b.text() + ") / $U$",
		samples: []sample{{p, []quantity{a, b, random(a.label)}}},
		Region:  r,
	}.over(func(m [][]float64) float64 { return m[0][0] - m[0][1] }, func(m [][]float64) float64 { return m[0][2] })
}

// share is a mean suboptimality in the same units.
func share(p place, a quantity, r Region) Check {
	return Check{
		What:    a.text() + " / $U$",
		samples: []sample{{p, []quantity{a, random(a.label)}}},
		Region:  r,
	}.over(func(m [][]float64) float64 { return m[0][0] }, func(m [][]float64) float64 { return m[0][1] })
}

// mean is the mean of a quantity.
func mean(p place, a quantity, r Region) Check {
	return Check{
		What:    a.text(),
		samples: []sample{{p, []quantity{a}}},
		Region:  r,
	}.over(func(m [][]float64) float64 { return m[0][0] }, nil)
}

// order is p in R_t ∝ t^p, read off as the paper does: the least-squares slope, in log-log
// scale, of the mean cumulative regret at the steps from to to.
func order(pl place, label string, from, to int, r Region) Check {
	c := Check{What: document.Textf(`slope of log $R_t$(%s), $t = %d{\dots}%d$`, label, from, to), Region: r}
	s := sample{place: pl}
	var t []float64
	for k := from; k <= to; k++ {
		t = append(t, float64(k))
		s.quantities = append(s.quantities, regret(label, k))
	}
	c.samples = []sample{s}
	c.of = func(m [][]float64) float64 { return stats.LogLogSlope(t, m[0]) }
	c.smooth = true
	return c
}

// trend is the slope, against x, of a statistic of the algorithms with the given labels,
// averaged over the problems of a suite. The runs on each problem are a sample. of returns the
// quantities for a label, and at computes the statistic from their means.
func trend(what document.Text, suite string, problems, labels []string, x []float64, of func(label string) []quantity, at func(m []float64) float64, r Region) Check {
	c := Check{What: what, Region: r, smooth: true}
	width := 0
	for _, p := range problems {
		s := sample{place: place{suite, p}}
		for _, label := range labels {
			q := of(label)
			width = len(q)
			s.quantities = append(s.quantities, q...)
		}
		c.samples = append(c.samples, s)
	}
	y := make([]float64, len(labels))
	c.of = func(m [][]float64) float64 {
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

// quotient is the ratio of the means of two algorithms, or its geometric mean over several problems.
func quotient(of func(label string) quantity, a, b string, r Region, problems ...place) Check {
	c := Check{What: document.Textf("%s: %s / %s", of(a).name, a, b), Region: r}
	for _, p := range problems {
		c.samples = append(c.samples, sample{p, []quantity{of(a), of(b)}})
	}
	if len(problems) == 1 {
		return c.over(func(m [][]float64) float64 { return m[0][0] }, func(m [][]float64) float64 { return m[0][1] })
	}
	c.smooth = true
	c.of = func(m [][]float64) float64 {
		sum := 0.0
		for _, means := range m {
			sum += math.Log(means[0] / means[1])
		}
		return math.Exp(sum / float64(len(m)))
	}
	return c
}

// excess is the difference of the means of two algorithms, for numbers that may be zero.
func excess(of func(label string) quantity, a, b string, r Region, p place) Check {
	return Check{
		What:    document.Textf("%s: %s − %s", of(a).name, a, b),
		samples: []sample{{p, []quantity{of(a), of(b)}}},
		Region:  r,
	}.over(func(m [][]float64) float64 { return m[0][0] - m[0][1] }, nil)
}

// against is the ratio of the means of one algorithm on two problems.
func against(of func(label string) quantity, label string, a, b place, r Region) Check {
	return Check{
		What:    document.Textf("%s of %s: %s / %s", of(label).name, label, a.problem, b.problem),
		samples: []sample{{a, []quantity{of(label)}}, {b, []quantity{of(label)}}},
		Region:  r,
	}.over(func(m [][]float64) float64 { return m[0][0] }, func(m [][]float64) float64 { return m[1][0] })
}

// unit returns the unit of the check's margin: 1 for suboptimalities in units of a random point, else the border.
func (c *Check) unit(border float64) float64 {
	for _, s := range c.samples {
		if slices.ContainsFunc(s.quantities, func(q quantity) bool { return q.name == unit }) {
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
	c.printed = func([][]float64) float64 { return v }
	return c
}

// printsMeans adds the same statistic of the paper's means to the check. change receives a copy
// of our means and replaces those that the paper prints; the unit of suboptimality remains ours.
// It returns false if the paper does not print them.
func (c Check) printsMeans(change func(means [][]float64) bool) Check {
	of := c.of
	c.printed = func(means [][]float64) float64 {
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

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
		of:      func(m [][]float64) float64 { return m[0][0] / m[0][1] },
		Region:  r,
	}
}

// gap is mean a minus mean b, two suboptimalities on one problem, in the unit of
// a random point's.
func gap(p place, a, b quantity, r Region) Check {
	return Check{
		What:    "(" + a.text() + " − " + b.text() + ") / $U$",
		samples: []sample{{p, []quantity{a, b, random(a.label)}}},
		of:      func(m [][]float64) float64 { return (m[0][0] - m[0][1]) / m[0][2] },
		Region:  r,
	}
}

// share is a mean suboptimality in that unit.
func share(p place, a quantity, r Region) Check {
	return Check{
		What:    a.text() + " / $U$",
		samples: []sample{{p, []quantity{a, random(a.label)}}},
		of:      func(m [][]float64) float64 { return m[0][0] / m[0][1] },
		Region:  r,
	}
}

// mean of a quantity.
func mean(p place, a quantity, r Region) Check {
	return Check{
		What:    a.text(),
		samples: []sample{{p, []quantity{a}}},
		of:      func(m [][]float64) float64 { return m[0][0] },
		Region:  r,
	}
}

// order is p of R_t ∝ t^p: the least-squares slope in log-log of the mean
// cumulative regret over steps from to to, as the paper reads it off a figure.
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
	return c
}

// trend is the slope, against x, of a statistic of the algorithms with the given
// labels, averaged over the problems of a suite. Each problem's runs are a sample,
// whose quantities of are given for each label; at gets their means.
func trend(what document.Text, suite string, problems, labels []string, x []float64, of func(label string) []quantity, at func(m []float64) float64, r Region) Check {
	c := Check{What: what, Region: r}
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

// with are checks for each of several labels, or the like.
func with[T any](list []T, of func(T) Check) (checks []Check) {
	for _, v := range list {
		checks = append(checks, of(v))
	}
	return checks
}

// note says in what a check is another than those above it.
func (c Check) note(text document.Text) Check {
	c.Note = text
	return c
}

// prints puts the paper's number beside the check's.
func (c Check) prints(v float64) Check {
	c.printed = func([][]float64) float64 { return v }
	return c
}

// printsMeans puts the same statistic of the paper's means beside the check's.
// It is given the means of the runs, changes what the paper prints in these, and
// may only do so with a copy: the unit of suboptimality stays ours.
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

// tableFinal is the paper's table of the suboptimality of the final report.
func tableFinal(problem, method string) float64 {
	v, ok := paper.Lookup("test-functions").Value(problem, method)
	if !ok {
		panic("verify: the paper's table has no " + method + " on " + problem)
	}
	return v.Mean
}

// printsCurve puts the same statistic of the paper's curve of the cumulative
// regret beside the check's, from being the first step it looks at.
func (c Check) printsCurve(from int) Check {
	curve := paper.LookupGrowth("gp-1d").Regret
	return c.printsMeans(func(m [][]float64) bool {
		copy(m[0], curve[from-1:])
		return true
	})
}

// secondLowest of several values.
func secondLowest(x []float64) float64 {
	s := slices.Sorted(slices.Values(x))
	return s[1]
}

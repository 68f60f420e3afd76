package claims

import (
	"math"
	"slices"

	"popbench/internal/math/stats"
	"popbench/internal/page/document"
	"popbench/internal/paper"
	"popbench/internal/words"
)

// ratio is a check of top / bottom, two linear functions of means; a nil bottom is 1.
func ratio(what document.Text, r Region, top, bottom func(m [][]float64) float64, samples ...Sample) Check {
	c := Check{What: what, Region: r, Samples: samples, Top: top, Bottom: bottom, Of: top}
	if bottom != nil {
		c.Of = func(m [][]float64) float64 { return top(m) / bottom(m) }
	}
	return c
}

// mean is the mean of a quantity of a sample.
func mean(sample, quantity int) func(m [][]float64) float64 {
	return func(m [][]float64) float64 { return m[sample][quantity] }
}

// less is the difference of two functions of means.
func less(a, b func(m [][]float64) float64) func(m [][]float64) float64 {
	return func(m [][]float64) float64 { return a(m) - b(m) }
}

// Ratio is mean a over mean b, on one problem.
func Ratio(p Place, a, b Quantity, r Region) Check {
	return ratio(a.Text()+" / "+b.Text(), r, mean(0, 0), mean(0, 1), p.sample(a, b))
}

// Gap is mean a minus mean b, two suboptimalities on one problem, in units of a random point's suboptimality.
func Gap(p Place, a, b Quantity, r Region) Check {
	return ratio("("+a.Text()+" − "+b.Text()+") / $U$", r, less(mean(0, 0), mean(0, 1)), mean(0, 2), p.sample(a, b, random(a.Label)))
}

// share is a mean suboptimality in units of a random point's suboptimality.
func share(p Place, a Quantity, r Region) Check {
	return ratio(a.Text()+" / $U$", r, mean(0, 0), mean(0, 1), p.sample(a, random(a.Label)))
}

// Mean is the mean of a quantity.
func Mean(p Place, a Quantity, r Region) Check {
	return ratio(a.Text(), r, mean(0, 0), nil, p.sample(a))
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

// Order is p in R_t ∝ t^p, read off as the paper does: the least-squares slope, in log-log
// scale, of the mean cumulative regret at the steps from to to.
func Order(pl Place, label string, from, to int, r Region) Check {
	var t []float64
	s := pl.sample()
	for k := from; k <= to; k++ {
		t = append(t, float64(k))
		s.Quantities = append(s.Quantities, Regret(label, k))
	}
	slope := stats.LogLogSlope(t)
	return Check{What: document.Textf(`slope of log $R_t$(%s), $t = %d{\dots}%d$`, label, from, to), Region: r, Samples: []Sample{s}, Smooth: true,
		Of: func(m [][]float64) float64 { return slope(m[0]) }}
}

// trend is the slope, against x, of a statistic of the algorithms with the given labels,
// averaged over the problems of a suite. The runs on each problem are a sample. of returns the
// quantities for a label, and at computes the statistic from their means.
func trend(what document.Text, suite string, problems, labels []string, x []float64, of func(label string) []Quantity, at func(m []float64) float64,
	r Region) Check {
	all := slices.Concat(words.Each(labels, of)...)
	width := len(all) / len(labels)
	c := Check{What: what, Region: r, Smooth: true, Samples: on(places(suite, problems...), all...)}
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

// behind is by how much, in units of a random point's suboptimality, an algorithm is above the k-th lowest of the others on
// one problem. It is at most 0 if the algorithm is among the first k.
func behind(p Place, of func(label string) Quantity, label string, others []string, k int, ordinal document.Text) Check {
	return Check{
		What:    "(" + of(label).Text() + " − " + ordinal + " " + of(label).Name + " of the others) / $U$",
		Samples: []Sample{p.sample(append([]Quantity{random(label), of(label)}, words.Each(others, of)...)...)},
		Of:      func(m [][]float64) float64 { return (m[0][1] - lowest(k, m[0][2:])) / m[0][0] },
		Region:  AtMost(0),
	}.Among(len(others)+1-k, with(others, func(other string) Check { return Gap(p, of(label), of(other), AtMost(0)) })...)
}

// lowest is the k-th lowest number.
func lowest(k int, x []float64) float64 { return slices.Sorted(slices.Values(x))[k-1] }

// averaged is the mean over problems of a statistic of their quantities.
func averaged(what document.Text, r Region, problems []Place, of func(m []float64) float64, q ...Quantity) Check {
	return Check{What: what, Region: r, Samples: on(problems, q...), Of: func(m [][]float64) (sum float64) {
		for _, means := range m {
			sum += of(means) / float64(len(m))
		}
		return sum
	}}
}

// Quotient is the ratio of the means of two algorithms, or its geometric mean over several problems.
func Quotient(of func(label string) Quantity, a, b string, r Region, problems ...Place) Check {
	what, samples := document.Textf("%s: %s / %s", of(a).Name, a, b), on(problems, of(a), of(b))
	if len(problems) == 1 {
		return ratio(what, r, mean(0, 0), mean(0, 1), samples...)
	}
	return Check{What: what, Region: r, Samples: samples, Smooth: true, Of: func(m [][]float64) float64 {
		sum := 0.0
		for _, means := range m {
			sum += math.Log(means[0] / means[1])
		}
		return math.Exp(sum / float64(len(m)))
	}}
}

// Excess is the difference of the means of two algorithms, for numbers that may be zero.
func Excess(of func(label string) Quantity, a, b string, r Region, p Place) Check {
	return ratio(document.Textf("%s: %s − %s", of(a).Name, a, b), r, less(mean(0, 0), mean(0, 1)), nil, p.sample(of(a), of(b)))
}

// against is the ratio of the means of one algorithm on two problems.
func against(of func(label string) Quantity, label string, a, b Place, r Region) Check {
	return ratio(document.Textf("%s of %s: %s / %s", of(label).Name, label, a.Problem, b.Problem), r, mean(0, 0), mean(1, 0),
		a.sample(of(label)), b.sample(of(label)))
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
func with[T any](list []T, of func(T) Check) []Check { return words.Each(list, of) }

// note says how a check differs from those above it.
func (c Check) note(text document.Text) Check {
	c.Note = text
	return c
}

func (c Check) prints(v float64) Check {
	c.Printed = func([][]float64) float64 { return v }
	return c
}

// printsMeans adds the same statistic of the paper's means to the check. change receives a copy of our means and replaces
// those that the paper prints; the unit of suboptimality remains ours.
func (c Check) printsMeans(change func(means [][]float64)) Check {
	of := c.Of
	c.Printed = func(means [][]float64) float64 {
		means = slices.Clone(means)
		for s := range means {
			means[s] = slices.Clone(means[s])
		}
		change(means)
		return of(means)
	}
	return c
}

// printsTable adds the same statistic of the paper's table of final suboptimality to the check.
func (c Check) printsTable() Check {
	return c.printsMeans(func(m [][]float64) {
		for i, s := range c.Samples {
			for j, q := range s.Quantities {
				if q.Name != Unit {
					m[i][j] = tableFinal(s.Problem, q.Label)
				}
			}
		}
	})
}

func tableFinal(problem, method string) float64 {
	v, ok := paper.Lookup("test-functions").Value(problem, method)
	if !ok {
		panic("claims: the paper's table has no " + method + " on " + problem)
	}
	return v.Mean
}

// printsCurve adds the same statistic of the paper's curve of cumulative regret to the check.
// from is the first step that the statistic uses.
func (c Check) printsCurve(from int) Check {
	curve := paper.LookupGrowth("gp-1d").Regret
	return c.printsMeans(func(m [][]float64) { copy(m[0], curve[from-1:]) })
}

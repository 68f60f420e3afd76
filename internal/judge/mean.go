package judge

import (
	"errors"
	"fmt"
	"math"

	"popbench/internal/claims"
	"popbench/internal/math/sequential"
	"popbench/internal/math/stats"
)

// test is a statistic as a mean over runs: a check, or a member of a check that chooses among several.
type test struct{ *claims.Check }

// testsOf returns the check's statistics as means over runs: itself, or its members. The error says why there is no mean.
func testsOf(c *claims.Check) ([]test, error) {
	if c.Members != nil {
		var all []test
		for i := range c.Members {
			all = append(all, test{&c.Members[i]})
		}
		return all, nil
	}
	if c.Top == nil && !c.Smooth {
		return nil, fmt.Errorf("%s is no smooth function of means over runs", c.What)
	}
	return []test{{c}}, nil
}

func estimand(c *claims.Check) string {
	switch {
	case c.Members != nil:
		return fmt.Sprintf("rank %d of %d", c.Rank, len(c.Members))
	case c.Bottom != nil:
		return "E[a - c b], a / b the statistic"
	case c.Top != nil:
		return "mean"
	}
	return "jackknife pseudo-values"
}

// value returns the statistic of the numbers of one run, or of means. Only a test with a Top has a statistic of one run.
func (t test) value(row [][]float64) float64 {
	if t.Bottom == nil {
		return t.Top(row)
	}
	return t.Top(row) / t.Bottom(row)
}

// halves returns numerator and denominator of the statistic for each run. The strata have the same number of runs.
func (t test) halves(strata []stats.Stratum) (top, bottom []float64, err error) {
	row := stats.Means(strata)
	want := t.Of(row)
	n := len(strata[0][0])
	for i := range n {
		for s, columns := range strata {
			for j := range columns {
				row[s][j] = columns[j][i]
			}
		}
		top = append(top, t.Top(row))
		b := 1.0
		if t.Bottom != nil {
			b = t.Bottom(row)
		}
		bottom = append(bottom, b)
	}
	// The statistic of the means is the ratio of the means only if both halves are linear in what differs.
	got := stats.Mean(top) / stats.Mean(bottom)
	if !(math.Abs(got-want) <= 1e-9*max(1, math.Abs(want))) {
		return nil, nil, fmt.Errorf("%s is no mean over these runs: %g, of means %g", t.What, got, want)
	}
	return top, bottom, nil
}

// evidence returns what the runs say about the statistic.
func (t test) evidence(strata []stats.Stratum) (sequential.Evidence, error) {
	if t.Top == nil {
		return sequential.Describe(sequential.Jackknife(strata, t.Of)), nil
	}
	top, bottom, err := t.halves(strata)
	switch {
	case err != nil:
		return nil, err
	case t.Bottom == nil:
		return sequential.Describe(top), nil
	}
	return sequential.Ratio{A: top, B: bottom}, nil
}

// values returns a number for each run whose mean is the distance of the statistic from the border, to first order.
func (t test) values(strata []stats.Stratum, border float64) ([]float64, error) {
	if t.Top == nil {
		return sequential.Jackknife(strata, t.Of), nil
	}
	top, bottom, err := t.halves(strata)
	if err != nil {
		return nil, err
	}
	b := stats.Mean(bottom)
	for i := range top {
		top[i] = (top[i] - border*bottom[i]) / b
	}
	return top, nil
}

// errRatioVaries is the error of an exact test whose denominator differs between runs.
var errRatioVaries = errors.New("its denominator differs between runs, so that it has no exact interval")

// bounded returns the statistic of each run, whose mean is the statistic. It is for exact tests.
func (t test) bounded(strata []stats.Stratum) ([]float64, error) {
	if t.Top == nil {
		return nil, errRatioVaries
	}
	top, bottom, err := t.halves(strata)
	if err != nil {
		return nil, err
	}
	for i := range top {
		if bottom[i] != bottom[0] {
			return nil, errRatioVaries
		}
		top[i] /= bottom[i]
	}
	return top, nil
}

// exactTest has the values of a test in runs, one after the other, mapped to [0, 1] by bounds that hold for certain.
type exactTest struct {
	y     []float64
	bound float64                    // of the statistic, to both sides
	known map[float64]stats.Interval // by error probability
}

// newExactTest returns an error if a value is out of bounds, since then nothing is guaranteed.
func newExactTest(values []float64, bound float64) (exactTest, error) {
	y, err := sequential.Unit(values, -bound, bound)
	return exactTest{y, bound, map[float64]stats.Interval{}}, err
}

func (e exactTest) interval(alpha float64) stats.Interval {
	ci, ok := e.known[alpha]
	if !ok {
		all := sequential.Betting{Alpha: alpha}.Intervals(e.y)
		ci = all[len(all)-1]
		e.known[alpha] = ci
	}
	return stats.Interval{Lo: e.bound * (2*ci.Lo - 1), Hi: e.bound * (2*ci.Hi - 1)}
}

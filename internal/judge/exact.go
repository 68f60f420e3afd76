package judge

import (
	"popbench/internal/math/sequential"
	"popbench/internal/math/stats"
)

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

// interval returns the interval of the confidence sequence after all runs.
func (e exactTest) interval(alpha float64) stats.Interval {
	ci, ok := e.known[alpha]
	if !ok {
		all, err := sequential.Betting{Alpha: alpha}.Intervals(e.y)
		if err != nil {
			panic(err) // the values are in bounds, and alpha comes from a plan
		}
		ci = all[len(all)-1]
		e.known[alpha] = ci
	}
	return stats.Interval{Lo: e.bound * (2*ci.Lo - 1), Hi: e.bound * (2*ci.Hi - 1)}
}

package sequential

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"popbench/internal/check"
)

func TestBettingRefusesBadInput(t *testing.T) {
	for _, c := range []struct{ alpha, first, second float64 }{
		{0, 0.1, 0.2}, {1, 0.1, 0.2}, {math.NaN(), 0.1, 0.2}, {0.05, 0.1, 1.5}, {0.05, math.NaN(), 0.2},
	} {
		check.Panics(t, fmt.Sprint(c), func() { Betting{c.alpha}.Intervals([]float64{c.first, c.second}) }, "bets need values in [0, 1]")
	}
	check.Error(t, "a value out of bounds", check.Err(Unit([]float64{1, 2, 3.001}, 1, 3)), "value 3 is 3.001, outside its bounds [1, 3]")
	check.Same(t, "values in their bounds", check.Must(Unit([]float64{1, 2, 3}, 1, 3))(t), []float64{0, 0.5, 1})
}

// capitals returns the capitals against m after each of the values y.
func (b Betting) capitals(y []float64, m float64) []capital {
	all := make([]capital, len(y))
	c := capital{1, 1}
	for t, bet := range b.bets(y) {
		c = c.play(y[t], bet, m)
		all[t] = c
	}
	return all
}

// excludes reports whether the mean m is outside the interval after some of the values y.
func (b Betting) excludes(y []float64, m float64) bool {
	return slices.ContainsFunc(b.capitals(y, m), func(c capital) bool { return c.E() >= 1/b.Alpha })
}

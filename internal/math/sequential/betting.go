package sequential

import (
	"fmt"
	"math"

	"popbench/internal/math/stats"
)

// Betting is a confidence sequence for the mean of independent values in [0, 1]: at every time at once, and wherever one
// stops, it misses the mean with probability at most Alpha (Waudby-Smith & Ramdas, "Estimating means of bounded random
// variables by betting", Journal of the Royal Statistical Society B 86, 2024: the hedged capital with plug-in bets). Against
// a mean m two gamblers bet: one that the next value is above m, one that it is below. If m is the mean, neither expects to
// win, so that a large capital speaks against m. There are no settings to choose after the data are seen.
type Betting struct{ Alpha float64 }

const (
	share      = 0.5 // of the capital, for each of the gamblers
	truncation = 0.5 // the largest share of the capital that a value can cost
)

// Unit maps values with the bounds lo < hi to [0, 1]. A value out of bounds is an error: whoever stated the bounds was
// wrong, and then nothing is guaranteed.
func Unit(x []float64, lo, hi float64) ([]float64, error) {
	y := make([]float64, len(x))
	for i, v := range x {
		if !(v >= lo && v <= hi) {
			return nil, fmt.Errorf("value %d is %v, outside its bounds [%v, %v]", i+1, v, lo, hi)
		}
		y[i] = min(1, (v-lo)/(hi-lo))
	}
	return y, nil
}

// capital has the present capitals of the two gamblers against a mean, who began with 1 each.
type capital struct{ Up, Down float64 }

// bets returns the share of their capital that both gamblers bet on each value, for every mean:
// λ_t = √(2 ln(2/α)/(v_{t−1} t ln(t+1))), where v_{t−1} is the variance of the values before.
func (b Betting) bets(y []float64) []float64 {
	all := make([]float64, len(y))
	sum, squares := 0.5, 0.25
	for t, v := range y {
		n := float64(t + 1)
		all[t] = math.Sqrt(2 * math.Log(2/b.Alpha) / (squares * math.Log(n+1)))
		sum += v
		d := v - sum/(n+1)
		squares += d * d
	}
	return all
}

// play returns the capitals after a value v on which both gamblers bet.
func (c capital) play(v, bet, m float64) capital {
	c.Up *= 1 + min(bet, truncation/m)*(v-m)
	c.Down *= 1 - min(bet, truncation/(1-m))*(v-m)
	return c
}

// E returns the evidence against m: it exceeds 1/α with probability at most α if m is the mean, and its mean is then at
// most 1 wherever one stops. So E is an e-value.
func (c capital) E() float64 { return max(share*c.Up, (1-share)*c.Down) }

// grid is the number of parts into which Intervals divides an interval to find means that survive.
const grid = 64

// Intervals returns the confidence interval after each of the values y in [0, 1]: the smallest one with all means whose
// capital is below 1/α, intersected with the intervals before. An intersection that would be empty is left out. It panics if
// a value is out of [0, 1], or if Alpha is not between 0 and 1.
func (b Betting) Intervals(y []float64) []stats.Interval {
	if _, err := Unit(y, 0, 1); err != nil || !(b.Alpha > 0 && b.Alpha < 1) {
		panic("sequential: bets need values in [0, 1], and an alpha between 0 and 1")
	}
	bets := b.bets(y)
	all := make([]stats.Interval, len(y))
	ci := stats.Interval{Lo: 0, Hi: 1}
	for t := range y {
		// excess is positive for means that do not survive.
		excess := func(m float64) float64 {
			c := capital{1, 1}
			for i, v := range y[:t+1] {
				c = c.play(v, bets[i], m)
			}
			return math.Log(c.E() * b.Alpha)
		}
		ci = stats.Interval{Lo: survivor(excess, ci.Lo, ci.Hi), Hi: survivor(excess, ci.Hi, ci.Lo)}
		all[t] = ci
	}
	return all
}

// survivor returns the first mean on the way from one end to the other whose excess is negative; from if no mean has one.
func survivor(excess func(m float64) float64, from, to float64) float64 {
	if excess(from) < 0 {
		return from
	}
	last := from
	for i := 1; i <= grid; i++ {
		m := from + (to-from)*float64(i)/grid
		if excess(m) < 0 {
			return root(excess, last, m)
		}
		last = m
	}
	return from
}

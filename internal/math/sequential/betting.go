package sequential

import (
	"fmt"
	"math"

	"popbench/internal/math/stats"
)

// Bet is a rule for the share of the capital that is bet on the next value.
type Bet int

const (
	// PlugIn bets as much for every mean m: λ_t = √(2 ln(2/α)/(v_{t−1} t ln(t+1))).
	PlugIn Bet = iota
	// AGRAPA maximises the expected growth of the capital approximately: λ_t(m) = d/(v_{t−1} + d²), d = μ_{t−1} − m. It bets
	// on one side only, that of μ_{t−1}.
	AGRAPA
)

// Betting is a confidence sequence for the mean of independent values in [0, 1]: at every time at once, and wherever one
// stops, it misses the mean with probability at most Alpha (Waudby-Smith & Ramdas, "Estimating means of bounded random
// variables by betting", Journal of the Royal Statistical Society B 86, 2024). Against a mean m two gamblers bet: one that
// the next value is above m, one that it is below. If m is the mean, neither expects to win, so that a large capital speaks
// against m.
type Betting struct {
	Bet        Bet
	Hedged     bool    // the capital is max(Theta K⁺, (1−Theta) K⁻), else K⁺ K⁻ (AGRAPA only)
	Theta      float64 // share of the gambler on larger values, between 0 and 1
	Truncation float64 // largest share of the capital that a value can cost, between 0 and 1
	Alpha      float64
}

// HedgedPlugIn is the sequence of a guaranteed verdict, which has no settings to choose after the data are seen.
func HedgedPlugIn(alpha float64) Betting {
	return Betting{Bet: PlugIn, Hedged: true, Theta: 0.5, Truncation: 0.5, Alpha: alpha}
}

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

// Capital is what the two gamblers against a mean have made of 1.
type Capital struct{ Up, Down float64 }

// forecast is what the earlier values say about the next one: mean, variance, and the bet of PlugIn.
type forecast struct{ mean, spread, bet float64 }

// forecasts returns those of all values.
func (b Betting) forecasts(y []float64) []forecast {
	all := make([]forecast, len(y))
	sum, squares := 0.5, 0.25
	for t, v := range y {
		n := float64(t + 1)
		f := forecast{mean: sum / n, spread: squares / n}
		f.bet = math.Sqrt(2 * math.Log(2/b.Alpha) / (squares * math.Log(n+1)))
		all[t] = f
		sum += v
		d := v - sum/(n+1)
		squares += d * d
	}
	return all
}

// play returns the capitals after a value v at which both gamblers knew the forecast f.
func (b Betting) play(c Capital, v float64, f forecast, m float64) Capital {
	up, down := f.bet, f.bet
	if b.Bet == AGRAPA {
		d := f.mean - m
		bet := d / (f.spread + d*d)
		up, down = max(0, bet), max(0, -bet)
	}
	c.Up *= 1 + min(up, b.Truncation/m)*(v-m)
	c.Down *= 1 - min(down, b.Truncation/(1-m))*(v-m)
	return c
}

// E returns the evidence against m: it exceeds 1/α with probability at most α if m is the mean, and its mean is then at
// most 1 wherever one stops. So E is an e-value.
func (b Betting) E(c Capital) float64 {
	if b.Hedged {
		return max(b.Theta*c.Up, (1-b.Theta)*c.Down)
	}
	return c.Up * c.Down
}

// check returns an error unless the settings are valid and y lies in [0, 1].
func (b Betting) check(y []float64) error {
	switch {
	case b.Bet != PlugIn && b.Bet != AGRAPA:
		return fmt.Errorf("bet %d does not exist", int(b.Bet))
	case b.Bet == PlugIn && !b.Hedged:
		return fmt.Errorf("the plug-in bet has to be hedged")
	case !(b.Theta > 0 && b.Theta < 1):
		return fmt.Errorf("theta is %v; it has to be between 0 and 1", b.Theta)
	case !(b.Truncation > 0 && b.Truncation < 1):
		return fmt.Errorf("truncation is %v; it has to be between 0 and 1", b.Truncation)
	case !(b.Alpha > 0 && b.Alpha < 1):
		return fmt.Errorf("alpha is %v; it has to be between 0 and 1", b.Alpha)
	}
	_, err := Unit(y, 0, 1)
	return err
}

// grid is the number of parts into which Intervals divides an interval to find means that survive.
const grid = 64

// Intervals returns the confidence interval after each of the values y in [0, 1]: the smallest one with all means whose
// capital is below 1/α, intersected with the intervals before. An intersection that would be empty is left out. For PlugIn
// the means that survive are an interval. For AGRAPA they need not be, and one that lies between two points of the grid may
// be missed.
func (b Betting) Intervals(y []float64) ([]stats.Interval, error) {
	if err := b.check(y); err != nil {
		return nil, err
	}
	f := b.forecasts(y)
	all := make([]stats.Interval, len(y))
	ci := stats.Interval{Lo: 0, Hi: 1}
	for t := range y {
		// excess is positive for means that do not survive.
		excess := func(m float64) float64 {
			c := Capital{1, 1}
			for i, v := range y[:t+1] {
				c = b.play(c, v, f[i], m)
			}
			return math.Log(b.E(c) * b.Alpha)
		}
		ci = stats.Interval{Lo: survivor(excess, ci.Lo, ci.Hi), Hi: survivor(excess, ci.Hi, ci.Lo)}
		all[t] = ci
	}
	return all, nil
}

// survivor returns the first mean on the way from one end to the other whose excess is negative; from if there is none.
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

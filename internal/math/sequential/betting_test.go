package sequential

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"popbench/internal/check"
)

// The capitals decide as the intervals do: a mean leaves the interval when the capital against it reaches 1/α.
func TestCapitalAndIntervalsAgree(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 1))
	y := make([]float64, 120)
	for i := range y {
		y[i] = math.Pow(r.Float64(), 3)
	}
	b := HedgedPlugIn(0.05)
	all, err := b.Intervals(y)
	if err != nil {
		t.Fatal(err)
	}
	out := 0
	for _, m := range []float64{0, 0.05, 0.1, 0.2, 0.25, 0.3, 0.4, 0.6, 0.9, 1} {
		capital, err := b.Capital(y, m)
		if err != nil {
			t.Fatal(err)
		}
		gone := false
		for i, c := range capital {
			gone = gone || b.E(c) >= 1/b.Alpha
			if gone {
				out++
			}
			if in := all[i].Lo <= m && m <= all[i].Hi; in == gone {
				t.Errorf("after %d values %v is in %v, its capital %v", i+1, m, all[i], c)
			}
		}
	}
	if last := all[len(all)-1]; out < 100 || last.Hi-last.Lo > 0.2 {
		t.Errorf("%d of the intervals exclude a mean, the last is %v", out, last)
	}
}

func TestBettingRefusesBadInput(t *testing.T) {
	y := []float64{0.1, 0.2}
	for want, change := range map[string]func(*Betting){
		"bet 2 does not exist":                  func(b *Betting) { b.Bet = 2 },
		"the plug-in bet has to be hedged":      func(b *Betting) { b.Hedged = false },
		"theta is 1":                            func(b *Betting) { b.Theta = 1 },
		"truncation is 0":                       func(b *Betting) { b.Truncation = 0 },
		"alpha is 0":                            func(b *Betting) { b.Alpha = 0 },
		"value 2 is 1.5, outside its bounds [0": func(*Betting) { y[1] = 1.5 },
		"value 1 is NaN":                        func(*Betting) { y[0] = math.NaN() },
	} {
		y = []float64{0.1, 0.2}
		b := HedgedPlugIn(0.05)
		change(&b)
		_, err := b.Intervals(y)
		_, other := b.Capital(y, 0.5)
		for _, err := range []error{err, other} {
			check.That(t, err != nil && strings.HasPrefix(err.Error(), want), "got %v, want %q", err, want)
		}
	}
	if _, err := HedgedPlugIn(0.05).Capital(y, -0.1); err == nil {
		t.Error("a border out of bounds is no error")
	}
	if _, err := Unit([]float64{1, 2, 3.001}, 1, 3); err == nil || err.Error() != "value 3 is 3.001, outside its bounds [1, 3]" {
		t.Errorf("a value out of bounds: %v", err)
	}
	got, err := Unit([]float64{1, 2, 3}, 1, 3)
	nearEach(t, "unit", got, []float64{0, 0.5, 1}, 0)
	check.Equal(t, "error", err, nil)
}

// Capital returns the capitals against m after each of the values y. y and m lie in [0, 1]. The capital of one gambler
// alone, times Theta or 1−Theta, is an e-value against all means up to m (Up) or from m on (Down) if bets are PlugIn.
func (b Betting) Capital(y []float64, m float64) ([]Capital, error) {
	if err := b.check(y); err != nil {
		return nil, err
	}
	if !(m >= 0 && m <= 1) {
		return nil, fmt.Errorf("the border is %v in units of the bounds; it has to be between 0 and 1", m)
	}
	all := make([]Capital, len(y))
	c := Capital{1, 1}
	for t, f := range b.forecasts(y) {
		c = b.play(c, y[t], f, m)
		all[t] = c
	}
	return all, nil
}

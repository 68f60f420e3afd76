package sequential

import (
	"math"
	"testing"

	"popbench/internal/check"
	"popbench/internal/math/stats"
)

// However small α is, the exits without drift have the probability that is spent, and none is lost to rounding.
func TestSmallErrorRates(t *testing.T) {
	looks := []int{30, 60, 120, 240, 480}
	for _, alpha := range []float64{0.5, 0.05, 0.05 / 21, 0.05 / 42, 1e-8, 1e-12} {
		b := Design{alpha, 480}.Boundary(looks)
		near(t, "first z", b.Z[0]/stats.NormalTailQuantile(b.Spent[0]/2), 1, 1e-12)
		c := b.crossing(0)
		before := 0.0
		for k, spent := range b.Spent {
			near(t, "share of what is spent", (c.Up[k]+c.Down[k])/(spent-before), 1, 1e-10)
			before = spent
		}
		near(t, "runs", c.Runs, 480, 480*alpha)
	}
}

// What was decided at a look does not depend on looks after it.
func TestLaterLooksChangeNothing(t *testing.T) {
	d := Design{0.05, 480}
	looks := []int{30, 47, 60, 61, 300, 480, 500}
	all := d.Boundary(looks)
	for k := range looks {
		nearEach(t, "z", d.Boundary(looks[:k+1]).Z, all.Z[:k+1], 1e-9)
	}
	z := all.Z[6]
	check.That(t, math.IsInf(z, 1), "after the cap was reached: z is %v", z)
	c := all.crossing(0)
	total := 0.0
	for k := range looks {
		total += c.Up[k] + c.Down[k]
	}
	near(t, "exits in all", total, 0.05, 1e-12)
}

// Looks that are very close have narrow densities between them; the nodes have to follow.
func TestCloseLooks(t *testing.T) {
	d := Design{0.05, 480}
	near(t, "z at the cap, with a look just before", d.Boundary([]int{240, 479, 480}).Z[1], d.Boundary([]int{240, 479}).Z[1], 1e-12)
	c := d.Boundary([]int{238, 239, 240, 479, 480}).crossing(0)
	near(t, "exits up to 240", c.Up[0]+c.Up[1]+c.Up[2], stats.NormalTail(1.959963984540054*math.Sqrt2), 1e-10)
	few, more := d.Boundary([]int{240, 480}).Z, d.Boundary([]int{240, 479, 480}).Z
	check.That(t, few[1] < more[2], "a look more does not raise the last z: %v, %v", few, more)
}

func TestInvalidDesigns(t *testing.T) {
	check.OK(t, Design{0.05, 480}.Validate())
	for want, d := range map[string]Design{
		"alpha is 0; it has to be between 0 and 1":   {0, 480},
		"alpha is NaN; it has to be between 0 and 1": {math.NaN(), 480},
		"alpha is 1; it has to be between 0 and 1":   {1, 480},
		"the cap is 0 runs; it has to be 1 or more":  {0.05, 0},
	} {
		check.Error(t, "a design", d.Validate(), want)
		check.Panics(t, want, func() { d.Boundary([]int{30}) })
	}
	for _, looks := range [][]int{{30, 30}, {0}} {
		check.Panics(t, "looks in no order", func() { Design{0.05, 480}.Boundary(looks) })
	}
}

// exits is what happens under a boundary for one drift.
type exits struct {
	Up, Down []float64 // probability that the first exit is at this look, above or below
	Runs     float64   // expected number of runs; without an exit those of the last look
}

// crossing returns the probabilities of the first exits for the drift θ: E Z = θ√(n/cap).
func (b Boundary) crossing(drift float64) exits {
	w := newWalk(0, 0, drift/math.Sqrt(float64(b.Cap)))
	var c exits
	alive := 1.0
	for k, n := range b.Looks {
		up, down := w.exits(float64(n), b.inside(k))
		c.Up, c.Down = append(c.Up, up), append(c.Down, down)
		if k+1 == len(b.Looks) {
			c.Runs += alive * float64(n)
			break
		}
		c.Runs += (up + down) * float64(n)
		alive -= up + down
		w.advance(float64(n), float64(b.Looks[k+1]), b.inside(k))
	}
	return c
}

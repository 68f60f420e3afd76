package sequential

import (
	"math"
	"testing"

	"popbench/internal/check"
	"popbench/internal/math/stats"
)

// The boundaries for five equal looks: the form that is often printed, and the one that verdicts use.
func TestFiveEqualLooks(t *testing.T) {
	looks := []int{100, 200, 300, 400, 500}
	for form, want := range map[Spending][]float64{
		OBrienFleming:      {4.383, 3.100, 2.553, 2.254, 2.064},
		OBrienFlemingTwice: {4.877, 3.357, 2.680, 2.290, 2.031},
	} {
		nearEach(t, "z", Design{form, 0.05, 2, 500}.Boundary(looks).Z, want, 5.1e-4)
	}
}

// However small α is, the exits without drift have the probability that is spent, and none is lost to rounding.
func TestSmallErrorRates(t *testing.T) {
	looks := []int{30, 60, 120, 240, 480}
	for _, sides := range []int{1, 2} {
		for _, alpha := range []float64{0.5, 0.05, 0.05 / 21, 0.05 / 42, 1e-8, 1e-12} {
			b := Design{OBrienFleming, alpha, sides, 480}.Boundary(looks)
			near(t, "first z", b.Z[0]/(stats.NormalTailQuantile(b.Spent[0]/float64(sides))), 1, 1e-12)
			c := b.crossing(0)
			for k := range looks {
				spent := b.Spent[k]
				if k > 0 {
					spent -= b.Spent[k-1]
				}
				near(t, "share of what is spent", (c.Up[k]+c.Down[k])/spent, 1, 1e-10)
			}
			near(t, "runs", c.Runs, 480, 480*alpha)
		}
	}
	likely := Design{OBrienFleming, 0.8, 1, 480}.Boundary([]int{480})
	near(t, "z of a likely exit, which is negative", likely.Z[0], stats.NormalTailQuantile(0.8), 1e-12)
}

// What was decided at a look does not depend on looks after it.
func TestLaterLooksChangeNothing(t *testing.T) {
	d := Design{OBrienFleming, 0.05, 2, 480}
	looks := []int{30, 47, 60, 61, 300, 480, 500}
	all := d.Boundary(looks)
	for k := range looks {
		nearEach(t, "z", d.Boundary(looks[:k+1]).Z, all.Z[:k+1], 1e-9)
	}
	if z := all.Z[6]; !math.IsInf(z, 1) {
		t.Errorf("after the cap was reached: z is %v", z)
	}
	c := all.crossing(0)
	total := 0.0
	for k := range looks {
		total += c.Up[k] + c.Down[k]
	}
	near(t, "exits in all", total, 0.05, 1e-12)
}

// Looks that are very close have narrow densities between them; the nodes have to follow.
func TestCloseLooks(t *testing.T) {
	d := Design{OBrienFleming, 0.05, 2, 480}
	near(t, "z at the cap, with a look just before", d.Boundary([]int{240, 479, 480}).Z[1], d.Boundary([]int{240, 479}).Z[1], 1e-12)
	c := d.Boundary([]int{238, 239, 240, 479, 480}).crossing(0)
	near(t, "exits up to 240", c.Up[0]+c.Up[1]+c.Up[2], stats.NormalTail(1.959963984540054*math.Sqrt2), 1e-10)
	if few, more := d.Boundary([]int{240, 480}).Z, d.Boundary([]int{240, 479, 480}).Z; few[1] >= more[2] {
		t.Errorf("a look more does not raise the last z: %v, %v", few, more)
	}
}

func TestInvalidDesigns(t *testing.T) {
	valid := Design{OBrienFleming, 0.05, 2, 480}
	if err := valid.Validate(); err != nil {
		t.Errorf("a valid design: %v", err)
	}
	for want, change := range map[string]func(*Design){
		"spending function 7 does not exist":         func(d *Design) { d.Spending = 7 },
		"alpha is 0; it has to be between 0 and 1":   func(d *Design) { d.Alpha = 0 },
		"alpha is NaN; it has to be between 0 and 1": func(d *Design) { d.Alpha = math.NaN() },
		"sides is 3; it has to be 1 or 2":            func(d *Design) { d.Sides = 3 },
		"the cap is 0 runs; it has to be 1 or more":  func(d *Design) { d.Cap = 0 },
		"alpha is 1; it has to be between 0 and 1":   func(d *Design) { d.Alpha = 1 },
	} {
		d := valid
		change(&d)
		if err := d.Validate(); err == nil || err.Error() != want {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	for what, f := range map[string]func(){
		"equal looks": func() { valid.Boundary([]int{30, 30}) },
		"look at 0":   func() { valid.Boundary([]int{0}) },
		"no sides":    func() { Design{Alpha: 0.05, Cap: 480}.Boundary([]int{30}) },
	} {
		check.That(t, panics(f), "%s: no panic", what)
	}
}

func panics(f func()) (did bool) {
	defer func() { did = recover() != nil }()
	f()
	return false
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

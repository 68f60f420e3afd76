package progress

import (
	"fmt"
	"math"
	"time"
)

// Group is the runs of an algorithm on a problem of a suite, which cost about the same.
type Group struct {
	Name      string
	Algorithm string
	Steps     int     // of a run
	Left      int     // runs that are still to do
	Seconds   float64 // that a run took earlier; 0 if this is not known
}

// group is a Group with what its runs took since then.
type group struct {
	Group
	done    int
	seconds float64
}

// cost is what a run of the group takes in seconds, 0 if this is not known.
func (g *group) cost() float64 {
	if g.done > 0 && g.seconds > 0 {
		return g.seconds / float64(g.done)
	}
	return g.Seconds
}

// forecast estimates how long the remaining runs take. Runs of one suite may cost a thousand times those of another, so it
// weighs every run by what others of its group took, now or earlier. Where there are none, it takes the seconds of a step of
// the same algorithm elsewhere, or of all algorithms.
type forecast struct {
	workers int
	suites  map[string][]*group
	done    int     // runs
	seconds float64 // that they took together
}

// expect sets what is left of a suite.
func (f *forecast) expect(suite string, groups []Group) {
	all := make([]*group, len(groups))
	for i, g := range groups {
		all[i] = &group{Group: g}
	}
	f.suites[suite] = all
}

// add counts a run that is done.
func (f *forecast) add(suite, name string, seconds float64) {
	f.done++
	f.seconds += seconds
	for _, g := range f.suites[suite] {
		if g.Name == name {
			g.Left--
			g.done++
			g.seconds += seconds
		}
	}
}

// left is the number of runs that are still to do.
func (f *forecast) left() (n int) {
	for _, groups := range f.suites {
		for _, g := range groups {
			n += g.Left
		}
	}
	return n
}

// toGo is the time until all runs are done, if it can be told; passed is the time since the first of them began.
func (f *forecast) toGo(passed time.Duration) (time.Duration, bool) {
	type mean struct{ sum, n float64 }
	rates, overall := map[string]mean{}, mean{} // seconds of a step
	for _, groups := range f.suites {
		for _, g := range groups {
			if c := g.cost(); c > 0 {
				rate, m := c/float64(max(g.Steps, 1)), rates[g.Algorithm]
				rates[g.Algorithm] = mean{m.sum + rate, m.n + 1}
				overall = mean{overall.sum + rate, overall.n + 1}
			}
		}
	}
	if overall.n == 0 { // nothing is measured; all runs count the same
		if f.done == 0 {
			return 0, false
		}
		return time.Duration(float64(passed) / float64(f.done) * float64(f.left())), true
	}
	var seconds float64
	for _, groups := range f.suites {
		for _, g := range groups {
			c := g.cost()
			if c == 0 {
				m := rates[g.Algorithm]
				if m.n == 0 {
					m = overall
				}
				c = m.sum / m.n * float64(max(g.Steps, 1))
			}
			seconds += c * float64(g.Left)
		}
	}
	pace := 1 / float64(f.workers) // seconds that pass for one of a run
	if f.seconds > 0 {             // the runs of the other workers are half done, on average
		pace = passed.Seconds() / (f.seconds + float64(f.workers-1)/2*f.seconds/float64(f.done))
	}
	return time.Duration(seconds * pace * float64(time.Second)), true
}

// about is a time to go in words, as precise as an estimate is.
func about(d time.Duration) string {
	switch minutes := math.Ceil(d.Minutes()); {
	case d < 5*time.Second:
		return "a few seconds to go"
	case d < 55*time.Second:
		return fmt.Sprintf("about %g s to go", 10*math.Ceil(d.Seconds()/10))
	case minutes < 90:
		return fmt.Sprintf("about %g min to go", minutes)
	default:
		tens := math.Ceil(minutes / 10)
		if rest := math.Mod(tens, 6) * 10; rest > 0 {
			return fmt.Sprintf("about %g h %g min to go", math.Floor(tens/6), rest)
		}
		return fmt.Sprintf("about %g h to go", tens/6)
	}
}

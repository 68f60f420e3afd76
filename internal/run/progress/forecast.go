package progress

import (
	_ "embed"
	"fmt"
	"math"
	"strings"
	"sync"
	"time"

	"popbench/record"
)

// Group is the runs of an algorithm on a problem of a suite, which cost about the same.
type Group struct {
	Name string
	Work
	Left    int     // runs that are still to do
	Seconds float64 // that a run took earlier; 0 if this is not known

	done  int     // runs since then
	spent float64 // seconds that these took
}

// forecast estimates how long the remaining runs take. Runs of one suite may cost a thousand times as much as runs of
// another, so it weighs every run by what other runs of its group took. Before a group has any, it takes what such runs took
// earlier or elsewhere, times how much slower this machine has been so far.
type forecast struct {
	workers int
	suites  map[string][]Group
	done    int     // runs
	steps   int     // that they made
	seconds float64 // that they took
	known   float64 // seconds of those runs that have a usual time
	usual   float64 // usual times of these: earlier or elsewhere
}

func (f *forecast) add(suite, name string, seconds float64) {
	f.done++
	for i := range f.suites[suite] {
		if g := &f.suites[suite][i]; g.Name == name {
			g.Left--
			g.done++
			g.spent += seconds
			f.steps += g.Steps
			f.seconds += seconds
			if g.Seconds > 0 {
				f.known += seconds
				f.usual += g.Seconds
			}
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
	if f.done > 0 && f.seconds == 0 { // nothing is measured; all runs count the same
		return time.Duration(float64(passed) / float64(f.done) * float64(f.left())), true
	}
	const trust = 0.2 // seconds for which this machine counts as one of those elsewhere
	slower := (f.known + trust) / (f.usual + trust)
	workers := float64(f.workers)
	var seconds float64
	for _, groups := range f.suites {
		sum, longest := 0.0, 0.0
		for _, g := range groups {
			var cost float64
			switch {
			case g.done > 0:
				cost = g.spent / float64(g.done)
			case g.Seconds > 0:
				cost = slower * g.Seconds
			case f.done > 0:
				cost = f.seconds / float64(max(f.steps, 1)) * float64(g.Steps)
			default:
				return 0, false
			}
			sum += cost * float64(g.Left)
			if g.Left > 0 {
				longest = max(longest, cost)
			}
		}
		seconds += sum/workers + longest*(1-1/workers)/2 // the other workers wait while the last run of the suite ends
	}
	return time.Duration(seconds * float64(time.Second)), true
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

// Work is what decides how long a run takes. Arms is 0 on a box.
type Work struct {
	Algorithm, Disclosed   string
	Dimension, Arms, Steps int
}

// WorkOf is the work of a run with that header.
func WorkOf(h *record.Header) Work {
	w := Work{h.Algorithm.Name, string(h.Algorithm.Disclosed), len(h.Problem.Lo), 0, h.Budget}
	if h.Problem.Arms != nil {
		w.Arms = h.Problem.Arms.Count
	}
	return w
}

// costsText says how long runs of the field took, from results/field: a Work and its seconds a line. After a new
// measurement, go test ./internal/run/progress -run Costs -update writes it.
//
//go:embed costs.txt
var costsText string

var costs = sync.OnceValue(func() map[Work]float64 {
	all := map[Work]float64{}
	for line := range strings.Lines(costsText) {
		var w Work
		var seconds float64
		if _, err := fmt.Sscan(line, &w.Algorithm, &w.Disclosed, &w.Dimension, &w.Arms, &w.Steps, &seconds); err != nil {
			panic("costs.txt: " + line + err.Error()) // it is part of the program
		}
		all[w] = seconds
	}
	return all
})

// usual estimates how long a run takes by known runs of the same algorithm with the most similar work; 0 if none is known. A
// step costs more the more answers there are, so that times grow faster than numbers of steps.
func usual(w Work) (seconds float64) {
	const growth = 1.5
	least := math.Inf(1)
	for c, s := range costs() {
		if c.Algorithm != w.Algorithm || (c.Arms > 0) != (w.Arms > 0) {
			continue
		}
		away := apart(c.Dimension, w.Dimension) + apart(c.Arms, w.Arms) + apart(c.Steps, w.Steps)
		if c.Disclosed != w.Disclosed {
			away++
		}
		s *= math.Pow(float64(w.Steps)/float64(c.Steps), growth)
		if away < least || away == least && s < seconds {
			least, seconds = away, s
		}
	}
	return seconds
}

// apart is the logarithm of the ratio of the larger to the smaller of two numbers, of which 0 counts as 1.
func apart(a, b int) float64 { return math.Abs(math.Log(float64(max(a, 1)) / float64(max(b, 1)))) }

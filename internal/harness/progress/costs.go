package progress

import (
	_ "embed"
	"fmt"
	"math"
	"strings"

	"popbench/record"
)

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
// measurement, go test ./internal/harness/progress -run Costs -update writes it.
//
//go:embed costs.txt
var costsText string

var costs = func() map[Work]float64 {
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
}()

// usual estimates how long a run takes by known runs of the same algorithm with the most similar work; 0 if none is known. A
// step costs more the more answers there are, so that times grow faster than numbers of steps.
func usual(w Work) (seconds float64) {
	const growth = 1.5
	least := math.Inf(1)
	for c, s := range costs {
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

// Package verify holds the claims that the paper makes of its experiments
// against records: each claim is a statistic, a region in which the paper says
// it lies, and, from the records, a confidence interval. It reads records and
// nothing else.
//
//	Read → Evidence → Judge → Verdicts → Document, WriteJSON
//
// A claim that does not hold is said not to hold, and one that the runs are too
// few for is undecided: nothing here is tuned to the outcome. What "slightly" or
// "competitive" means as a number was taken from the paper's own words before
// there were results, and is part of the claim (see Slight and Half).
package verify

import (
	"math"
	"strconv"

	"popbench/internal/analysis/document"
	"popbench/internal/math/stats"
)

// Claim is a statement of the paper about its experiments.
type Claim struct {
	ID    string
	Where string        // section, and the figure or table by its label in the paper's source
	Short document.Text // a few words
	Says  document.Text // what the paper says, in our words
	Read  document.Text // how that became numbers
	// Parts must all be true for the claim to hold. Beside are shown with them
	// and decide nothing: other settings, other objectives, other statistics.
	Parts, Beside []Check
	Known         []document.Text // why our numbers may differ from the paper's
}

// Check is a statistic and where the paper says it lies.
type Check struct {
	What    document.Text // the statistic, as a formula
	Note    document.Text // in what it is another check than those above it; "" of most
	samples []sample
	of      func(means [][]float64) float64 // by sample and quantity
	Region  Region
	// printed is the same statistic of the numbers that the paper prints, nil if
	// it prints none. It gets the means as well, for what is ours in it.
	printed func(means [][]float64) float64
}

// Region is where a claim says that a number lies: between Lo and Hi, which may
// be infinite. The ends are part of it if Closed.
type Region struct {
	Lo, Hi float64
	Closed bool
}

func below(v float64) Region        { return Region{Lo: math.Inf(-1), Hi: v} }
func above(v float64) Region        { return Region{Lo: v, Hi: math.Inf(1)} }
func atLeast(v float64) Region      { return Region{Lo: v, Hi: math.Inf(1), Closed: true} }
func atMost(v float64) Region       { return Region{Lo: math.Inf(-1), Hi: v, Closed: true} }
func between(lo, hi float64) Region { return Region{Lo: lo, Hi: hi, Closed: true} }

// contains reports whether all of the interval is in the region.
func (r Region) contains(ci stats.Interval) bool {
	if r.Closed {
		return ci.Lo >= r.Lo && ci.Hi <= r.Hi
	}
	return ci.Lo > r.Lo && ci.Hi < r.Hi
}

// misses reports whether none of the interval is in the region.
func (r Region) misses(ci stats.Interval) bool {
	if r.Closed {
		return ci.Hi < r.Lo || ci.Lo > r.Hi
	}
	return ci.Hi <= r.Lo || ci.Lo >= r.Hi
}

// String is "< 1", "≥ 0.5", "1.7 to 2.1".
func (r Region) String() string {
	sign := func(open, closed string) string {
		if r.Closed {
			return closed + " "
		}
		return open + " "
	}
	g := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	switch {
	case math.IsInf(r.Lo, -1):
		return sign("<", "≤") + g(r.Hi)
	case math.IsInf(r.Hi, 1):
		return sign(">", "≥") + g(r.Lo)
	}
	return g(r.Lo) + " to " + g(r.Hi)
}

// Slight is the largest difference in suboptimality that counts as slight, and
// up to which a worse method is comparable or competitive, as a share of the
// suboptimality of a random point. The paper never says; but it calls 0.92
// against 0.59 on Bukin "slightly worse" and its method's results "better or
// comparable" there, and a random point is 2.47 away from that optimum.
const Slight = 0.134

// Half of the way from a random point to the optimum is what separates fast,
// good and significant from limited and drastically slower: no words of the
// paper say where the border is, and this one leans to neither side.
const Half = 0.5

// decimal is a number of the paper as it prints it, with one decimal at least.
func decimal(v float64) string {
	if v == math.Trunc(v) {
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

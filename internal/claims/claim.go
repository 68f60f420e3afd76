// Package claims has the claims of papers about their experiments. A claim is a statistic and the region in which the paper
// says it lies; package judge decides whether records agree.
//
// Nothing here is tuned to the results. A claim that does not hold is reported as such, and a claim with too few runs is
// undecided. The numbers behind "slightly" and "competitive" come from the paper's own words. They were fixed before there
// were results, and are part of the claim (see Slight and Half).
package claims

import (
	"math"
	"strconv"

	"popbench/internal/math/stats"
	"popbench/internal/outcome"
	"popbench/internal/page/document"
)

// Claim is a statement of the paper about one of its experiments.
type Claim struct {
	ID    string
	Where string // section, and figure or table
	// Ours says that the statement was not read in the paper: it is a finding about its program, or what its
	// comparisons suggest. It is never called the paper's.
	Ours   bool
	Short  document.Text   // a few words
	Says   document.Text   // what the paper says, in our words
	Read   document.Text   // how we turned that into numbers
	Parts  []Check         // all must hold for the claim to hold
	Beside []Check         // shown with them, without effect on the verdict: other settings, objectives, statistics
	Known  []document.Text // why our numbers may differ from the paper's
}

// Check is a statistic and the region in which the paper says it lies.
type Check struct {
	What    document.Text // the statistic, as a formula
	Note    document.Text // how it differs from the checks above it; "" for most
	Samples []Sample
	// Published are runs that others published, which are resampled like ours.
	Published []stats.Stratum
	Of        func(means [][]float64) float64 // by sample, then by published stratum, and quantity
	// Top and Bottom say that the statistic is a mean, or a ratio of two means with a positive denominator: Of(means) =
	// Top(means) / Bottom(means), where both are linear in the numbers that differ from run to run. A nil Bottom is 1.
	Top, Bottom func(row [][]float64) float64
	// Members are checks; this check's statistic is the Rank-th smallest of theirs.
	Members []Check
	Rank    int
	Smooth  bool // Of is another smooth function of means, such as a slope
	Region  Region
	// Printed computes the statistic from the numbers that the paper prints; nil if it prints none. It also receives our
	// means, for quantities that the paper does not print.
	Printed func(means [][]float64) float64
}

// Region is the range of a number in a claim: from Lo to Hi, which may be infinite. It includes
// the ends if Closed.
type Region struct {
	Lo, Hi float64
	Closed bool
}

func Below(v float64) Region        { return Region{Lo: math.Inf(-1), Hi: v} }
func Above(v float64) Region        { return Region{Lo: v, Hi: math.Inf(1)} }
func AtLeast(v float64) Region      { return Region{Lo: v, Hi: math.Inf(1), Closed: true} }
func AtMost(v float64) Region       { return Region{Lo: math.Inf(-1), Hi: v, Closed: true} }
func Between(lo, hi float64) Region { return Region{Lo: lo, Hi: hi, Closed: true} }

// Contains reports whether the whole interval is in the region.
func (r Region) Contains(ci stats.Interval) bool {
	if r.Closed {
		return ci.Lo >= r.Lo && ci.Hi <= r.Hi
	}
	return ci.Lo > r.Lo && ci.Hi < r.Hi
}

// Misses reports whether no part of the interval is in the region.
func (r Region) Misses(ci stats.Interval) bool {
	if r.Closed {
		return ci.Hi < r.Lo || ci.Lo > r.Hi
	}
	return ci.Hi <= r.Lo || ci.Lo >= r.Hi
}

// Borders returns the finite ends of a region.
func (r Region) Borders() (all []float64) {
	for _, v := range []float64{r.Lo, r.Hi} {
		if !math.IsInf(v, 0) {
			all = append(all, v)
		}
	}
	return all
}

// Border returns the finite end of the region that is nearest to a value.
func (r Region) Border(v float64) float64 {
	if math.IsInf(r.Lo, 0) || !math.IsInf(r.Hi, 0) && math.Abs(v-r.Hi) <= math.Abs(v-r.Lo) {
		return r.Hi
	}
	return r.Lo
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

// Slight is the largest difference in suboptimality that counts as slight, and up to which a
// worse method counts as comparable or competitive, as a share of the suboptimality of a random
// point. The paper does not define it. On Bukin, however, it calls 0.92 "slightly worse" than
// 0.59 and its method's results "better or comparable", and a random point has 2.47 there.
const Slight = outcome.Slight

// Half of the way from a random point to the optimum separates "fast", "good" and "significant"
// from "limited" and "drastically slower". The paper does not say where the border is; this one
// favours neither side.
const Half = 0.5

// decimal formats a number as the paper prints it, with at least one decimal.
func decimal(v float64) string {
	if v == math.Trunc(v) {
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// Package sequential has the statistics of decisions that are looked at more than once: runs are added in batches until a
// mean, a ratio of means or a probability is clearly on one side of a border.
//
// A [Design] spends the error rate over the looks (Lan & DeMets, Biometrika 70, 1983), and [Design.Boundary] returns the
// critical values of the looks that were taken, for the statistic Z_k after n_k runs. The Z_k are jointly normal
// with variance 1 and covariance √(n_j/n_k), j < k, and means θ√(n_k/cap) for the drift θ. Each [Evidence], about a
// mean or a ratio, says which borders a critical value rejects. [Betting] needs no such approximation: it gives confidence
// sequences for means of bounded values.
//
// References: Jennison & Turnbull, "Group Sequential Methods", 2000 (recursive integration, repeated intervals, conditional
// power, ordering by stages).
package sequential

import (
	"math"

	"popbench/internal/math/stats"
)

// spent returns the error rate that may be spent up to information τ: α(τ) = 2 − 2Φ(z_{α/2}/√τ), the function of Lan &
// DeMets after O'Brien and Fleming, with full relative precision however small it is; α for τ >= 1 and 0 for τ <= 0.
func spent(alpha, tau float64) float64 {
	switch {
	case tau >= 1:
		return alpha
	case tau <= 0:
		return 0
	}
	return 2 * stats.NormalTail(stats.NormalTailQuantile(alpha/2)/math.Sqrt(tau))
}

// Design is the plan of a group-sequential test with two sides, which stops for |Z| >= z.
type Design struct {
	Alpha float64 // the error rate in total, of both sides
	Cap   int     // the number of runs at which all of Alpha is spent
}

// Boundary is a design with the looks taken so far. A later look does not change the values of earlier ones.
type Boundary struct {
	Design
	Looks []int     // runs at each look, increasing
	Z     []float64 // critical value of each look; +Inf where nothing is left to spend
	Spent []float64 // error rate spent up to each look
}

// Boundary returns the critical values for looks after the given numbers of runs, which increase. The looks may be any, if
// they do not depend on what was seen: they may leave out planned ones, add others, or end before the cap, and then a part
// of α is not spent. The first look at or after the cap spends what is left, and any later one has z = +Inf. The z of a
// look solves
//
//	P(the first exit is at this look | drift 0) = α(τ_k) − α(τ_{k−1}),  τ = n/cap.
//
// Boundary panics if Alpha is not between 0 and 1, if Cap is below 1, or if the looks do not increase.
func (d Design) Boundary(looks []int) Boundary {
	if !(d.Alpha > 0 && d.Alpha < 1 && d.Cap >= 1) {
		panic("sequential: a design needs an alpha between 0 and 1, and a cap of one run or more")
	}
	b := Boundary{Design: d, Looks: looks}
	w := newWalk(0, 0, 0)
	before, used := 0, 0.0
	for k, n := range looks {
		if n <= before {
			panic("sequential: the numbers of runs at the looks have to increase")
		}
		before = n
		total := spent(d.Alpha, float64(n)/float64(d.Cap))
		z := w.critical(float64(n), total-used)
		used = total
		b.Z, b.Spent = append(b.Z, z), append(b.Spent, used)
		if k+1 < len(looks) {
			w.advance(float64(n), float64(looks[k+1]), b.inside(k))
		}
	}
	return b
}

// inside returns the values of Z at look k at which the runs go on.
func (b Boundary) inside(k int) region { return region{-b.Z[k], b.Z[k]} }

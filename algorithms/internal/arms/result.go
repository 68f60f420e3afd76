package arms

import (
	"math"

	"popbench/algorithms/internal/confset"
)

// Estimate is an estimate of the utilities with its certificate: the minimum is in [Objective - Gap, Objective]. The status
// is Stopped if the stopping rule of [Descent] held.
type Estimate struct {
	Status    confset.Status
	F         []float64 // the utilities, length K, up to a constant that no duel shows; valid until the next fit
	Weights   []float64 // w with F = G w, except for Error, so w·k(x) is the utility of any point x; length K; valid like F
	Objective float64   // at F
	Gap       float64   // to the bound of the dual problem at q = σ(h), computed without cancellation
	Norm      float64   // what is penalised or bounded: ‖f‖ of the kernel, or ‖α‖ in Published and Descent
	// Error bounds the distance from the minimiser in the norm of Norm. It is +Inf for Ball.
	Error      float64
	Lambda     float64 // the ridge on ½Norm² beside the sum of losses; in Ball the multiplier, 0 if the ball does not bind
	Iterations int     // Newton systems, or steps of Descent
}

// tieTol is how close values are that tie, relative to the larger of 1 and the best.
const tieTol = 1e-9

// Slack returns the difference from the best value below which a value ties with it.
func Slack(best float64) float64 {
	if math.IsInf(best, -1) {
		return 0
	}
	return float64(tieTol * max(1, math.Abs(best)))
}

// Range says that a value is in [Lower, Upper]. The value is solved for, or Lower is -Inf.
type Range struct {
	Lower, Upper float64
	Solved       bool
}

// Search solves for values until no other can be the largest, or tie with it: always for the one with the largest bound.
// solve encloses the value at an index, or shows that it is below cutoff; it may lower other bounds, and clear Solved to be
// called again. Search returns the largest Lower, or least if that is larger.
func Search(all []Range, least float64, solve func(at int, cutoff float64)) float64 {
	for {
		top := -1
		for at := range all {
			if !all[at].Solved && (top < 0 || all[at].Upper > all[top].Upper) {
				top = at
			}
		}
		cutoff := least - Slack(least)
		if top < 0 || all[top].Upper < cutoff {
			return least
		}
		all[top].Solved = true
		solve(top, cutoff)
		least = max(least, all[top].Lower)
	}
}

// Largest returns the arms among the given ones, or all if among is nil, whose utility is the largest, to within 1e-9 of the
// larger of 1 and the norm.
func (e Estimate) Largest(among []int) (equal []int) {
	if among == nil {
		for i := range e.F {
			among = append(among, i)
		}
	}
	top := math.Inf(-1)
	for _, i := range among {
		top = max(top, e.F[i])
	}
	for _, i := range among {
		if e.F[i] >= top-float64(tieTol*max(1, e.Norm)) {
			equal = append(equal, i)
		}
	}
	return equal
}

func checkPositive(what string, v float64) {
	if !(v > 0) || math.IsInf(v, 1) {
		panic("arms: the " + what + " must be positive and finite")
	}
}

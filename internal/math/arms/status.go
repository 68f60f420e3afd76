package arms

import (
	"fmt"
	"math"
)

// Status says how an estimate ended.
type Status int

const (
	// Unsolved: the status of a zero Estimate; no fit ends with it.
	Unsolved Status = iota
	// Converged: to the tolerance of the estimator.
	Converged
	// Stopped: the stopping rule of [Descent] held. F is the result of the published programs, and not the minimiser.
	Stopped

	// With one of the following the estimate must not be used.

	// IterationLimit: the method ran out of iterations.
	IterationLimit
	// LossOfPrecision: rounding hides any further progress. Gap and Error still hold.
	LossOfPrecision
)

var statusNames = [...]string{"not solved", "converged", "stopped", "iteration limit", "loss of precision"}

func (s Status) String() string {
	if s < 0 || int(s) >= len(statusNames) {
		return fmt.Sprintf("Status(%d)", int(s))
	}
	return statusNames[s]
}

// OK reports whether the estimate may be used.
func (s Status) OK() bool { return s == Converged || s == Stopped }

// Estimate is an estimate of the utilities with its certificate. Bound <= minimum <= Objective, and Gap bounds
// Objective - minimum.
type Estimate struct {
	Status    Status
	F         []float64 // the utilities, length K, up to a constant that no duel shows; valid until the next fit
	Weights   []float64 // w with F = G w, except for Error, so w·k(x) is the utility of any point x; length K; valid like F
	Objective float64   // at F
	Bound     float64   // of the dual problem at q = σ(h)
	Gap       float64   // Objective - Bound, computed without cancellation
	Norm      float64   // what is penalised or bounded: ‖f‖ of the kernel, or ‖α‖ in Published and Descent
	// Error bounds the distance from the minimiser in the norm of Norm. It is +Inf for Ball.
	Error      float64
	Lambda     float64 // the ridge on ½Norm² beside the sum of losses; in Ball the multiplier, 0 if the ball does not bind
	Iterations int     // Newton systems, or steps of Descent
}

func checkLambda(lambda float64) {
	if !(lambda > 0) || math.IsInf(lambda, 1) {
		panic("arms: the ridge λ must be positive and finite")
	}
}

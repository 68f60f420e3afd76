package convex

// Tol is the default tolerance on the duality gap, relative to the scale of the
// problem: max(1, B sqrt(ρ)) for a maximum, max(1, |ℓ|) for the MLE. Solves aim
// at a hundredth of it.
//
// The rounding of ℓ adds up to maxNoise of the scale to the gap of a maximum. The
// effect shows when β is below 1e-5. Below 1e-8 the confidence set can be too thin
// even for that, and a solve fails.
const Tol = 1e-9

// Values without a stated source were chosen by experiment, to solve the tests'
// random problems (TestSweep with testdata/hard.json, TestBackward) and chains of
// duels in the fewest Newton systems.

// Newton's method.
const (
	goal           = 0.01  // a solve is over at a gap of this part of the tolerance; f errs by the order of its root
	mleGoal        = 1e-4  // the same of the MLE: its error is one of every level
	nearGoal       = 1e4   // within the tolerance, a solve also ends below so many tolerances …
	stagnation     = 0.5   // … when a step leaves more than this part of the gap
	maxNewton      = 60    // Newton systems of one attempt; a cold start takes 4 to 15, a warm one 1 to 4
	maxMove        = 1.5   // largest change of u in a step, against 1 + relativeU|u|: the reach of ℓ's quadratic model
	relativeU      = 0.5   // see maxMove
	offPath        = 0.3   // a damped step first restores stationarity, if that moves u by this part of maxMove
	maxRise        = 4.0   // largest relative rise of ν in a step …
	maxFall        = 0.8   // … and fall of ν and κ
	maxLogRise     = 2.5   // largest rise of log κ against log ν in a step …
	growth         = 0.25  // … and of |log κ| more
	chordFall      = 0.1   // a low-rank factor serves again after a step that left no more than this of the gap
	otherChordFall = 0.3   // the same of a factor of another solve
	modeGoal       = 1e-20 // Evidence ends at this squared residual, relative to max(1, ‖f‖²)
	modeFall       = 0.03  // a factor serves Evidence again after a step that left no more than this of the squared residual
)

// Cold starts.
const (
	bisectTol = 1e-2 // accuracy of the multiple of the estimate that lies on the level …
	bisectMax = 30   // … and bisections for it
	coldShare = 0.7  // ν starts at this part of its greatest value, and κ as for at least this part of B
)

// The low-rank Gram matrix; docs/performance.md has what was tried.
const (
	reduceFrom          = 100     // with fewer differences a dense factor costs less
	surrogateFrom       = 300     // with fewer differences evaluations cost little beside Newton systems
	differencesPerPivot = 3       // at least; with fewer a dense factor costs less
	rankTol             = 1e-4    // largest ‖g_i - Pg_i‖² of the surrogate, relative to the largest ‖g_i‖² …
	looseTol            = 3e-2    // … and what it may be where that takes more than
	enoughPivots        = 160     // so many pivots, for what they cost, or than differencesPerPivot allows
	rankNoise           = 0x1p-40 // relative squared norms below this, the square of 1e-6, are rounding
)

// Rounding and cancellation.
const (
	ulp         = 0x1p-52 // of 1 in double precision
	lostNorm    = 1e-8    // norms below this part of the largest are lost in the rounding of their squares
	llNoise     = 0x1p-48 // relative error of ℓ: that of some sixteen operations
	uNoise      = 0x1p-53 // relative error of the terms that make u: half an ulp
	leastBeta   = 4       // least β that can be told from 0, in errors of ℓ
	maxNoise    = 1e-6    // most that rounding of ℓ may excuse in a gap, of the scale
	maxCancel   = 2e3     // most that the terms of f may be larger than B, before the barrier method takes over
	cutNoise    = 0x1p-49 // of a cut's bound, in B‖h‖: that of some eight operations
	normNoise   = 1e-9    // most that rounding may change the squared norm of a cut's gradient, relative to it
	leastAcross = 1e-12   // least ρ - cᵀKc of a relaxation, of ρ
)

// The barrier method; the line search is Armijo's (Boyd and Vandenberghe, Convex
// Optimization, Sec. 9.2).
const (
	maxBarrier  = 300     // Newton systems of one run
	leastTau    = 1e-18   // the last τ, of the scale
	tauFall     = 0.1     // τ falls to this part of itself …
	centred     = 0.01    // … at a squared Newton decrement of this part of τ
	armijo      = 0.1     // least rise of a step, of what the gradient promises
	leastStep   = 1e-12   // shortest step tried, of Newton's
	hiddenRise  = 1e-11   // rounding hides a rise of this part of 1 + |barrier function| …
	hiddenLoss  = 0.1     // … and a step may then lose this part of it
	ridgeTries  = 20      // multiples of the identity tried on a Hessian that looks indefinite …
	ridgeStart  = 0x1p-54 // … from a quarter of an ulp of its trace
	ridgeGrowth = 8       // … each so many times the last
	backShare   = 0.5     // a start for a maximum leaves at least this part of β …
	leastBack   = 1e-30   // … or is this close to the estimate
)

// The likelihood: where each branch holds.
const (
	softplusLinear = 36      // above, e^{-x} is below half an ulp of x
	productMax     = 1e100   // a product is folded into its logarithm well before it overflows
	expMax         = 300     // up to here e^{±x} and products of two neither overflow nor underflow
	leastLogLik    = -1e-280 // above, ℓ underflows, but not its logarithm
	maxKP          = 1e300   // of κp, so that it is finite and a zero g_i stays one
	seriesMass     = 1e-6    // below, (1 - sqrt(1-q))/q cancels, and two terms of its series are exact
)

// The max–min problem.
const (
	maxMinNewton   = 20   // Newton steps over the weights
	maxMinHalvings = 3    // of a step that does not lower the gap
	jacobianWidth  = 1e-4 // of the weights' differences that give the Jacobian
	widthShrink    = 0.03 // where a step does not halve the gap: φ bends sharply where x is hardly better than a y_j
	weightRidge    = 1e-9 // of the Jacobian's norm: it is singular where weights are not unique
	descentGradTol = 1e-9 // of the descent that takes over
	leastWeights   = 1e-6 // least sum of its weights
)

// limits are the settings that tests change.
type limits struct {
	newton, barrier, reduceFrom, surrogateFrom int
}

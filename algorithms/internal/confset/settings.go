package confset

// Tol is the default tolerance on the duality gap, relative to the scale of the problem: max(1, B sqrt(ρ)) for
// a maximum, max(1, |ℓ|) for the MLE. Solves aim at a hundredth of it.
//
// The rounding of ℓ adds up to maxNoise of the scale to the gap of a maximum. The effect shows when β is below
// 1e-5; above, in 14 of the first 60,000 problems of TestSweep, by up to 5e-8 of the scale. Below 1e-8 the confidence
// set can be too thin even for that, and a solve fails.
const Tol = 1e-9

// Values without a stated source were chosen by experiment: they solve the tests' random problems (TestSweep
// with testdata/hard.json) and chains of duels in the fewest Newton systems.

// Newton's method.
const (
	goal             = 0.01  // a solve ends at a gap of this fraction of the tolerance; f errs by the order of its root
	mleGoal          = 1e-4  // the same for the MLE, whose error enters every level
	nearGoal         = 1e4   // a converged solve also ends below this multiple of the tolerance …
	stagnation       = 0.5   // … when a step leaves more than this fraction of the gap
	maxNewton        = 60    // Newton systems of one attempt; a cold start needs 4 to 15, a warm one 1 to 4
	maxMove          = 1.5   // largest change of u in a step, over 1 + relativeU|u|: beyond it ℓ's quadratic model fails
	relativeU        = 0.5   // see maxMove
	offPath          = 0.3   // if restoring stationarity moves u by this fraction of maxMove, a damped step does only that
	maxRise          = 4.0   // largest relative rise of ν in a step …
	maxFall          = 0.8   // … and fall of ν and κ
	maxLogRise       = 2.5   // largest rise of log κ beyond the rise of log ν in a step …
	growth           = 0.25  // … plus this multiple of |log κ|
	chordFall        = 0.1   // a low-rank factor is used again after a step that left less than this fraction of the gap
	otherChordFall   = 0.3   // the same for a factor of another solve
	reducedChordFall = 0.5   // both in coordinates, where a step costs little compared with a factor
	modeGoal         = 1e-20 // Evidence stops at this squared residual, relative to max(1, ‖f‖²)
	modeFall         = 0.03  // Evidence reuses a factor after a step that left at most this fraction of the squared residual
)

// Cold starts.
const (
	bisectTol = 1e-2 // accuracy of the multiple of the MLE that lies on the level …
	bisectMax = 30   // … and number of bisections for it, at most
	coldShare = 0.7  // ν starts at this fraction of its greatest value, and κ as for at least this fraction of B
)

// The low-rank Gram matrix. From 40 differences on it gains nothing. A surrogate from 150 on lowered the advantage by 1e-3
// in 2 of 15 steps, and a remainder of 0.3 by up to 0.5 %.
const (
	reduceFrom          = 100     // with fewer differences, a dense factor costs less
	surrogateFrom       = 300     // with fewer differences, evaluations cost little compared with Newton systems
	differencesPerPivot = 3       // at least; with fewer, a dense factor costs less
	rankTol             = 1e-4    // largest ‖g_i - Pg_i‖² of the surrogate, relative to the largest ‖g_i‖² …
	looseTol            = 3e-2    // … and its limit where that would take more pivots than
	enoughPivots        = 160     // this number, because of their cost, or than differencesPerPivot allows
	rankNoise           = 0x1p-40 // relative squared norms below this, the square of 1e-6, are rounding
)

// Rounding and cancellation.
const (
	ulp         = 0x1p-52 // of 1 in double precision
	coldMargin  = 1e-6    // a cut excludes a function that is outside by this fraction of B
	lostNorm    = 1e-8    // norms below this fraction of the largest are lost in the rounding of their squares
	llNoise     = 0x1p-48 // relative error of ℓ: about sixteen operations
	uNoise      = 0x1p-53 // relative error of the terms of u: half an ulp
	leastBeta   = 4       // least β that can be distinguished from 0, in multiples of the error of ℓ
	maxNoise    = 1e-6    // largest allowance for rounding of ℓ in a gap, relative to the scale
	maxCancel   = 2e3     // largest ratio of the terms of f to B before the barrier method takes over
	cutNoise    = 0x1p-49 // error of a cut's bound, relative to B‖h‖: about eight operations
	normNoise   = 1e-9    // largest relative effect of rounding on the squared norm of a cut's gradient
	leastAcross = 1e-12   // least ρ - cᵀKc of a relaxation, relative to ρ
)

// The barrier method; the line search is Armijo's (Boyd and Vandenberghe,
// "Convex Optimization", Sec. 9.2).
const (
	maxBarrier  = 300     // Newton systems of one run
	leastTau    = 1e-18   // the last τ, relative to the scale
	tauFall     = 0.1     // τ is multiplied by this …
	centred     = 0.01    // … at a squared Newton decrement below this fraction of τ
	armijo      = 0.1     // least rise of a step, as a fraction of what the gradient promises
	leastStep   = 1e-12   // shortest step tried, as a fraction of the Newton step
	hiddenRise  = 1e-11   // rounding hides a rise below this fraction of 1 + |barrier function| …
	hiddenLoss  = 0.1     // … and a step may then lose this fraction of that
	ridgeTries  = 20      // number of multiples of the identity tried on a Hessian that looks indefinite …
	ridgeStart  = 0x1p-54 // … starting at a quarter of an ulp of its trace
	ridgeGrowth = 8       // … each this multiple of the last
	backShare   = 0.5     // a start for a maximum uses less than this fraction of β …
	leastBack   = 1e-30   // … or is this close to the MLE
)

// The likelihood: the range of each branch.
const (
	softplusLinear = 36      // above, e^{-x} is below half an ulp of x
	productMax     = 1e100   // products are turned into logarithms well before they overflow
	expMax         = 300     // up to here e^{±x} and products of two neither overflow nor underflow
	leastLogLik    = -1e-280 // above it ℓ may underflow, but not log(-ℓ)
	maxKP          = 1e300   // largest κp, so that it is finite and its product with a zero g_i is zero
	seriesMass     = 1e-6    // below, (1 - sqrt(1-q))/q cancels, and two terms of its series are exact
)

// The max–min problem.
const (
	maxMinNewton   = 20   // Newton steps over the weights
	maxMinHalvings = 3    // halvings of a step that does not lower the gap, at most
	jacobianWidth  = 1e-4 // finite difference of the weights, for the Jacobian
	widthShrink    = 0.03 // on jacobianWidth, if a step does not halve the gap: φ bends sharply if x hardly beats a y_j
	weightRidge    = 1e-9 // ridge, relative to the Jacobian's norm: the Jacobian is singular where weights are not unique
	descentGradTol = 1e-9 // gradient tolerance of the descent that takes over
	leastWeights   = 1e-6 // least sum of the descent's weights
)

// limits are the settings that tests change.
type limits struct {
	newton, barrier, reduceFrom, surrogateFrom int
}

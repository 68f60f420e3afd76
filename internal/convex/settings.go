package convex

// Tol is the default tolerance on the duality gap, relative to the scale of the
// problem: max(1, B sqrt(ρ)) for a maximum, max(1, |ℓ|) for the MLE. Solves aim
// at a hundredth of it.
//
// The rounding of ℓ adds up to 1e-6 of the scale to the gap of a maximum. The
// effect shows when β is below 1e-5. Below 1e-8 the confidence set can be too
// thin even for that, and a solve fails.
const Tol = 1e-9

// Where nothing else is said, the values below were chosen by experiment on the
// problems of the tests: the sweep of random ones (TestSweep, testdata/hard.json),
// those with a known solution (TestBackward) and chains of duels.

// Newton's method.
const (
	// A solve is over when the gap is this part of the tolerance. The error of f is
	// of the order of the root of the gap.
	goal = 0.01
	// The same for the MLE, whose error shifts the level of every later solve.
	mleGoal = 1e-4
	// A solve whose gap is within the tolerance also ends when the gap stagnates:
	// it is not above nearGoal tolerances, and more than stagnation of the last.
	nearGoal   = 1e4
	stagnation = 0.5

	// Newton systems of one attempt. A cold start takes 4 to 15, a warm one 1 to 4.
	maxNewton = 60

	// Damping: the largest change of u in a step, measured against 1 + relativeU|u|.
	// The logistic function is close to its quadratic model over this distance.
	maxMove   = 1.5
	relativeU = 0.5
	// A step that has to be damped moves towards the stationary f for the present ν
	// and κ alone, if that is farther than this part of maxMove.
	offPath = 0.3

	maxRise    = 4.0  // largest relative rise of ν in a step
	maxFall    = 0.8  // largest relative fall of ν and κ in a step
	maxLogRise = 2.5  // largest rise of log κ beyond that of log ν in a step …
	growth     = 0.25 // … and this part of |log κ| more

	// A low-rank factor serves again after a step that left no more than this part
	// of the gap.
	chordFall = 0.1

	// Evidence ends when the squared residual is below this part of ‖f‖²: f is then
	// accurate to a relative 1e-12.
	modeGoal = 1e-24
)

// Cold starts of Maximize.
const (
	// The multiple of the estimate that lies on the level is bisected to this
	// accuracy, in at most so many halvings.
	bisectTol = 1e-2
	bisectMax = 30
	// ν and κ start from this part of the values at the other end of the path: κ
	// at least from that of a ball of radius coldShare B.
	coldShare = 0.7
)

// The low-rank approximation of the Gram matrix, see docs/performance.md.
const (
	// With at least reduceFrom differences, Newton systems are solved in a low-rank
	// basis if a small enough one exists. Below, dense factors cost less.
	reduceFrom = 200
	// A basis has at most one pivot to so many differences; a larger one would cost
	// as much as the dense factor.
	differencesPerPivot = 3
	// The surrogate has as many pivots as it takes until no ‖g_i - Pg_i‖² is above
	// rankTol of the largest ‖g_i‖². From enoughPivots on, for what they cost, and
	// at the limit above, looseTol is enough.
	rankTol      = 1e-4
	looseTol     = 3e-2
	enoughPivots = 160
	// What is below this part of the largest ‖g_i‖², or of ‖h‖², is rounding: the
	// square of 1e-6.
	rankNoise = 0x1p-40
)

// Rounding and cancellation.
const (
	ulp = 0x1p-52 // of 1 in double precision
	// Norms of the g below this part of the largest are lost in the rounding of
	// their squares: the root of the 1e-16 of double precision.
	lostNorm = 1e-8
	// The error of ℓ: an ulp (2⁻⁵²) of each of some sixteen operations, relative to
	// |ℓ|, and half an ulp of the sums that make u.
	llNoise = 0x1p-48
	uNoise  = 0x1p-53
	// A β below this many errors of ℓ is taken to be that.
	leastBeta = 4
	// The part of the scale of a maximum that the rounding of ℓ may excuse in a gap.
	maxNoise = 1e-6
	// The terms of f may be this much larger than B. Above, the barrier method takes
	// over, whose coordinates do not cancel.
	maxCancel = 2e3
	// Relaxation.Solve takes ρ - cᵀKc to be at least this part of ρ.
	leastAcross = 1e-12
)

// The barrier method (Boyd and Vandenberghe, Convex Optimization, Sec. 11.3).
const (
	maxBarrier = 300   // Newton systems of one run
	leastTau   = 1e-18 // the last τ, relative to the scale
	tauFall    = 0.1   // τ falls to this part of itself …
	centred    = 0.01  // … when the squared Newton decrement is below this part of it

	// Line search: halve until the rise is this part of the linear model's, but no
	// further than leastStep (Armijo's rule, Boyd and Vandenberghe, Sec. 9.2).
	armijo    = 0.1
	leastStep = 1e-12
	// A predicted rise below this part of 1 + |the barrier function| is hidden by
	// rounding; a step may then lose hiddenLoss of that.
	hiddenRise = 1e-11
	hiddenLoss = 0.1

	// A Hessian that looks indefinite gets the identity times ridgeStart of its
	// trace, a quarter of an ulp, and ridgeGrowth times more at each of so many tries.
	ridgeTries  = 20
	ridgeStart  = 0x1p-54
	ridgeGrowth = 8

	// Where ℓ of the estimate in these coordinates misses its level by rounding, the
	// MLE is solved again from this multiple, inside the ball.
	inwards = 0.9
	// The way back from the ray to zero: until the likelihood leaves this part of β,
	// or the step is below leastBack.
	backShare = 0.5
	leastBack = 1e-30
)

// The likelihood: where each branch holds.
const (
	softplusLinear = 36      // e^{-x} is below half an ulp of x
	softplusExp    = -37     // log1p(y) = y to the last bit
	productMax     = 1e100   // the product of 1 + e_i is folded into its logarithm before it overflows
	expMax         = 300     // e^{±x} has no overflow or underflow, nor have products of two
	leastLogLik    = -1e-280 // above, -ℓ underflows and log(-ℓ) is summed in log-space
	maxKP          = 1e300   // limit of κp, so that 0·κp stays 0 where g_i = 0
	seriesMass     = 1e-6    // below, (1 - sqrt(1-q))/q cancels and its series takes over
)

// The max–min problem.
const (
	maxMinNewton = 20 // Newton steps over the weights
	// The Jacobian is from differences of weights of this width. It shrinks where a
	// step does not halve the gap: φ bends sharply where x is hardly a better point
	// than a competitor.
	jacobianWidth  = 1e-4
	widthShrink    = 0.03
	maxMinHalvings = 3    // of a Newton step that does not lower the gap
	weightRidge    = 1e-9 // subtracted from the Jacobian, relative to 1 + its norm; it is singular where weights are not unique
	descentGradTol = 1e-9 // of the descent that takes over
	leastWeights   = 1e-6 // the sum of weights in the descent may not vanish
)

// limits are the settings that tests change.
type limits struct {
	newton, barrier, reduceFrom int
}

var defaultLimits = limits{maxNewton, maxBarrier, reduceFrom}

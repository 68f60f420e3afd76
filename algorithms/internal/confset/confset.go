// Package confset solves POP-BO's concave problems over an RKHS ball. These are the maximum likelihood
// estimate (MLE; Eq. MLE_prob) and the maximum of a linear functional ⟨f, h⟩ over the likelihood-ratio
// confidence set (Eq. generic_inner_prob). The optimistic advantage and the pointwise confidence bounds
// are special cases of the latter.
//
// # Form
//
// The likelihood depends on f only through the differences u_i = ⟨f, g_i⟩, one for each beaten point, with
// g_i = k(winner, ·) - k(loser, ·). With the Gram matrix G = (⟨g_i, g_j⟩), c = (⟨g_i, h⟩) and ρ = ⟨h, h⟩ the
// problem is
//
//	max ⟨f, h⟩   s.t.   ‖f‖² <= B²,   ℓ(u) >= ℓ_MLE - β,   f in span{g_1..g_n, h}
//
// At its optimum, with p the gradient of ℓ and two scalars ν, κ >= 0,
//
//	f = ν h + κ Σ p_i g_i,   u = ν c + κ G p(u),   ‖f‖ = B,   ℓ(u) = ℓ_MLE - β
//
// with the multipliers μ = 1/2ν of the norm and λ = κ/ν of the likelihood. The MLE is the solution with
// ν = 0 and without the level. MaxMin is the minimum of such maxima over h: the value of a batch.
//
// # Method
//
// Newton's method on the coefficients of f, ν and κ needs one Cholesky factor per step, of M = I + RᵀGR with
// R Rᵀ = κW, W = -∇²ℓ. G itself is never factored, so repeated points do no harm. A barrier method in an
// orthonormal basis of the span takes over in three cases: Newton's method fails; the terms of its f cancel;
// the norm is not active, so that ν and κ are infinite. The constants of both methods are in settings.go.
//
// # Many differences
//
// With at least 100 differences M is factored for projections Pg_i on the span of a few of the g_i, if few
// are enough. κ‖g_i - Pg_i‖² is then small, so the steps converge fast, though only linearly. They
// converge to the solution for the g_i themselves, because every evaluation uses the dense G. If they do not
// converge, dense steps take over. A Surrogate has the Pg_i in place of the g_i, and works in coordinates of their span:
// it finds where the MLE's solve starts, and from 300 differences on where to solve.
//
// # Certificate
//
// Every result has a feasible value, an upper bound from weak duality, and their difference. ℓ is concave, so
// its tangent at any f_0 gives a halfspace that contains the level set. The maximum over ball and halfspace
// is in closed form, and no multipliers for f_0 give a better bound. As a Cut, the halfspace bounds the
// maxima for all other h as well. The bounds allow for the rounding of ℓ. They hold for the Gram matrix
// as given: it cannot tell a component of h across the g, or a norm of a g, below 1e-8 of the largest from
// zero.
//
// Symbols: n differences; u, G, c, rho, p, W, R as above; v = κGp, z = νc. nu and kappa are kept as logarithms
// because kappa exceeds 1e14 on separable data.
package confset

import "fmt"

// Status says how a solve ended.
type Status int

const (
	// Unsolved: the status of a zero Result; no solve ends with it.
	Unsolved Status = iota

	// Converged: Newton's method reached the tolerance.
	Converged
	// Free: the likelihood constraint is not active; f = B h/‖h‖, exactly.
	Free
	// Recovered: Newton's method failed and the barrier method reached the
	// tolerance.
	Recovered
	// Stopped: a published program's stopping rule held; the result is that program's, not the optimum.
	Stopped

	// With one of the following the result must not be used as a solution. Except with Undefined,
	// Value and Bound still enclose the optimum.

	// Bounded: the bound fell to the cutoff of SetCutoff, and the solve ended there.
	Bounded
	// IterationLimit: the last method tried ran out of steps, see settings.go.
	IterationLimit
	// LossOfPrecision: rounding hides any further progress.
	LossOfPrecision
	// Infeasible: the barrier method found no function strictly inside all constraints. If β is
	// near the rounding of ℓ, no such function exists.
	Infeasible
	// Undefined: the input has a NaN. Value is -Inf, Bound and Gap are +Inf.
	Undefined
)

var statusNames = [...]string{"not solved", "converged", "free", "recovered", "stopped", "bounded", "iteration limit", "loss of precision", "infeasible", "undefined"}

func (s Status) String() string {
	if s < 0 || int(s) >= len(statusNames) {
		return fmt.Sprintf("Status(%d)", int(s))
	}
	return statusNames[s]
}

// OK reports whether the result may be used.
func (s Status) OK() bool { return Converged <= s && s <= Stopped }

// ended reports whether a solve ended as intended.
func (s Status) ended() bool { return s.OK() || s == Bounded }

// Result is the outcome of a solve.
type Result struct {
	Status Status
	Value  float64 // attained by a feasible f
	Bound  float64 // no feasible f does better
	Gap    float64 // Bound - Value, never negative
	// LogKappa is log κ of the package comment: -Inf for a Free result, +Inf if the norm is not active.
	LogKappa float64
	Newton   int // Newton systems factored
}

// Work counts what a Solver has done. The counts do not vary between runs.
type Work struct {
	Solves   int // solves asked for
	Newton   int // Newton systems factored, including those of the barrier method
	Dense    int // of these, systems of Newton's method on all n differences, n³/3 operations each
	Retries  int // solves that needed another start or another method
	Failures int // solves whose result is not OK
}

// Plus returns the sum of two counts.
func (w Work) Plus(o Work) Work {
	return Work{w.Solves + o.Solves, w.Newton + o.Newton, w.Dense + o.Dense, w.Retries + o.Retries, w.Failures + o.Failures}
}

// Since returns the work done after an earlier count.
func (w Work) Since(o Work) Work {
	return Work{w.Solves - o.Solves, w.Newton - o.Newton, w.Dense - o.Dense, w.Retries - o.Retries, w.Failures - o.Failures}
}

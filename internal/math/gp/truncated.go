package gp

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"popbench/internal/math/fmath"
	"popbench/internal/math/linalg"
	"popbench/internal/math/rng"
	"popbench/internal/math/wide"
)

// TruncatedNormal draws exactly from the standard normal distribution truncated to values above lower, which
// must not be NaN or +Inf.
//
// If lower is below 0, plain rejection keeps at least every second draw. Otherwise candidates lower + Exp(α)/α
// with the best rate α = (lower + √(lower²+4))/2 are kept with probability exp(-(z-α)²/2), at least 0.76 of
// them (Robert, "Simulation of truncated normal variables", Statistics and Computing 5, 1995, Prop. 2.3).
// Neither needs a distribution function, so no tail is too far.
func TruncatedNormal(lower float64, r *rand.Rand) float64 {
	if lower < 0 {
		for {
			if z := rng.Normal(r); z > lower {
				return z
			}
		}
	}
	rate := (lower + fmath.Hypot(lower, 2)) / 2
	for {
		excess := rng.Exponential(r) / rate
		// z - α without cancellation of two large numbers: α - lower = 1/α.
		miss := excess - 1/rate
		if rng.Exponential(r) > float64(miss*miss)/2 {
			return lower + excess
		}
	}
}

// Orthant draws from N(0, Σ) truncated to the negative orthant v < 0, by two Markov chains that have exactly this
// stationary distribution.
//
// [Orthant.Move] is Hamiltonian Monte Carlo, whose motion is known in closed form (Pakman and Paninski, "Exact
// Hamiltonian Monte Carlo for truncated multivariate Gaussians", J. Comp. Graph. Stat. 23, 2014). With a
// velocity s ~ N(0, Σ) the point moves on v cos t + s sin t for a quarter turn. Where coordinate j becomes 0 it
// is reflected: s ← s - 2 (s_j/Σ_jj) Σ e_j. Without walls the result would be an independent draw; strong
// correlations do not slow the chain down. It needs columns of Σ and a factor to draw s, but no inverse.
//
// The walls form a cone, which simplifies the motion: divided by cos t and in T = tan t it is the straight line
// v + sT. So a move is a ball that flies from v and is reflected by the walls for ever. The new point, at t =
// π/2, is its last velocity. A reflection costs O(n), a move O(n²) plus its reflections.
//
// [Orthant.Sweep] is Gibbs sampling: it draws each coordinate given all others. If the others nearly determine
// it, the chain is slow: for repeated duels of one pair of options with noise of deviation 0.01, its steps are of
// the order 0.01.
//
// The zero value is ready for Reset. An Orthant is not safe for concurrent use.
type Orthant struct {
	n     int
	sigma []float64 // Σ, n×n, owned by the caller
	l     []float64 // its Cholesky factor, with zeros above the diagonal
	V     []float64 // state of the chain, length n, with no coordinate above 0; the next step overwrites it
	x, s  []float64 // position and velocity of the ball

	precision []float64 // Σ⁻¹ after the first Sweep; before, of length 0
	pull      []float64 // Σ⁻¹ v

	Work OrthantWork
}

// Reset makes the sampler one of N(0, Σ), for sigma n×n, row-major and symmetric; it keeps sigma until the next
// Reset and does not change it. v starts in the orthant near its corner 0, where the density is largest.
func (o *Orthant) Reset(sigma []float64, n int) error {
	if len(sigma) != n*n {
		panic(fmt.Sprintf("gp: the covariances of %d values are %d numbers, not %d", n, len(sigma), n*n))
	}
	o.n, o.sigma = n, sigma
	o.l, o.V, o.x, o.s = linalg.Resize(o.l, n*n), linalg.Resize(o.V, n), linalg.Resize(o.x, n), linalg.Resize(o.s, n)
	o.precision = o.precision[:0]
	o.Work = OrthantWork{}
	copy(o.l, sigma)
	if !linalg.Cholesky(o.l, n, n, 0) {
		return errors.New("gp: the covariances of the truncated values are not positive definite; raise the noise")
	}
	for i := range n {
		clear(o.l[i*n+i+1 : (i+1)*n]) // for products
	}
	// The smallest pivot is the smallest standard deviation of a value given those before it.
	near := math.Inf(1)
	for i := range n {
		near = min(near, o.l[i*n+i])
	}
	for i := range o.V {
		o.V[i] = -near
	}
	return nil
}

// OrthantWork counts the work of a chain since Reset. A bounce is a reflection by a wall.
type OrthantWork struct {
	Moves, Bounces int
	// Refused moves exceeded the limit of reflections, so the chain stayed where it was. The way back would
	// exceed it too, so the stationary distribution does not change.
	Refused int
}

// Move takes one step of Hamiltonian Monte Carlo.
func (o *Orthant) Move(r *rand.Rand) {
	n := o.n
	o.Work.Moves++
	for i := range o.x {
		o.x[i] = rng.Normal(r)
	}
	linalg.MulLower(o.s, wide.Matrix{Data: o.l, Stride: n}, o.x)
	copy(o.x, o.V)
	bounces, limited := wide.Fly(o.x, o.s, o.sigma, 1000*(n+10))
	o.Work.Bounces += bounces
	if limited {
		o.Work.Refused++
		return
	}
	o.V, o.s = o.s, o.V
}

// Sweep draws each coordinate in turn given the others: truncated normal with precision p = (Σ⁻¹)_jj and mean
// v_j - (Σ⁻¹v)_j/p.
//
// Only Sweep needs an inverse, so that a coordinate's update costs O(n). The first Sweep after Reset computes
// it from the factor, as accurately as solves are: the relative error is the condition number of Σ times 1e-16.
// For duels with noise of deviation 0.01 and n = 100 that is below 1e-9.
func (o *Orthant) Sweep(r *rand.Rand) {
	o.Work.Moves++
	n := o.n
	if len(o.precision) == 0 {
		o.invert()
	}
	// Computed afresh in every sweep, so that the rounding of the updates does not accumulate.
	linalg.Mul(o.pull, 1, o.precision, n, o.V)
	for j, v := range o.V {
		p := o.precision[j*n : (j+1)*n]
		sd := 1 / math.Sqrt(p[j])
		mean := v - o.pull[j]/p[j]
		o.V[j] = min(mean-float64(sd*TruncatedNormal(mean/sd, r)), 0)
		wide.AddScaled(o.pull, o.V[j]-v, p)
	}
}

func (o *Orthant) invert() {
	n := o.n
	o.precision, o.pull = linalg.Resize(o.precision, n*n), linalg.Resize(o.pull, n)
	clear(o.precision)
	for j := range n {
		o.precision[j*n+j] = 1
	}
	identity := wide.Matrix{Data: o.precision, Stride: n}
	wide.SolveL(o.l, n, n, identity, n)
	wide.SolveLT(o.l, n, n, identity, n)
}

// LogProb estimates log P(v < 0) from the given number of draws, with the standard error of the estimate, by
// separation of variables (Genz, "Numerical computation of multivariate normal probabilities", J. Comp. Graph.
// Stat. 1, 1992). With v = L z, each z_i in turn is drawn from the normal distribution below the bound set by
// the earlier ones. The product of the probabilities of these intervals has the mean P.
func (o *Orthant) LogProb(draws int, r *rand.Rand) (logP, stdErr float64) {
	n := o.n
	z, weight := o.x, make([]float64, draws)
	for k := range weight {
		for i := range n {
			row := o.l[i*n : i*n+i+1]
			// z_i < -bound, so -z_i is a normal number above bound.
			bound := wide.Dot(row[:i], z[:i]) / row[i]
			z[i] = -TruncatedNormal(bound, r)
			logP, _, _, _ := probit(-bound)
			weight[k] += logP
		}
	}
	top := slices.Max(weight)
	var sum, sum2 float64
	for _, w := range weight {
		e := fmath.Exp(w - top)
		sum, sum2 = sum+e, sum2+float64(e*e)
	}
	m := float64(draws)
	mean := sum / m
	return top + fmath.Log(mean), math.Sqrt(max(sum2/m-float64(mean*mean), 0)/m) / mean
}

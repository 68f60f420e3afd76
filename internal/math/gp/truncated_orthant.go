package gp

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"popbench/internal/math/fmath"
	"popbench/internal/math/linalg"
	"popbench/internal/math/rng"
	"popbench/internal/math/wide"
)

// Orthant draws from N(0, Σ) truncated to the negative orthant v < 0, by two
// Markov chains that both leave exactly that distribution in place.
//
// [Orthant.Move] is Hamiltonian Monte Carlo, whose motion is known in closed form
// (Pakman and Paninski, "Exact Hamiltonian Monte Carlo for truncated multivariate
// Gaussians", J. Comp. Graph. Stat. 23, 2014): with a velocity s ~ N(0, Σ) the
// point moves on v cos t + s sin t for a quarter of a turn, and where coordinate j
// reaches 0 it bounces off, s ← s - 2 (s_j/Σ_jj) Σ e_j. Without walls that would be
// an independent draw; correlations, however strong, do not slow it down. It needs
// columns of Σ and a factor to draw s, no inverse.
//
// The walls being those of a cone, the motion is simpler still: divided by cos t
// and in T = tan t it is the straight line v + sT, so a move is a billiard ball
// shot from v that flies, bouncing, for ever; and the new point, where t = π/2, is
// its last velocity. A bounce costs O(n), a move O(n²) and its bounces.
//
// [Orthant.Sweep] is Gibbs sampling, each coordinate drawn given all others. Where
// those nearly determine it the chain crawls: for the duels of one pair of options
// compared with noise of deviation 0.01, in steps of a hundredth.
//
// The zero value is ready for Reset. Not for concurrent use.
type Orthant struct {
	n     int
	sigma []float64 // Σ, n×n; the caller's
	l     []float64 // its Cholesky factor, in the lower triangle
	v     []float64 // where the chain is
	x, s  []float64 // position and velocity of the ball

	precision []float64 // Σ⁻¹, once Sweep has been called; else of length 0
	pull      []float64 // Σ⁻¹ v

	work OrthantWork
}

// Reset makes the sampler one of N(0, Σ) for sigma, n×n, row-major, symmetric,
// kept until the next Reset and not changed; and puts v at a place in the orthant
// near its corner 0, where the density is greatest.
func (o *Orthant) Reset(sigma []float64, n int) error {
	if len(sigma) != n*n {
		panic(fmt.Sprintf("gp: the covariances of %d values are %d numbers, not %d", n, len(sigma), n*n))
	}
	o.n, o.sigma = n, sigma
	o.l, o.v, o.x, o.s = linalg.Resize(o.l, n*n), linalg.Resize(o.v, n), linalg.Resize(o.x, n), linalg.Resize(o.s, n)
	o.precision = o.precision[:0]
	o.work = OrthantWork{}
	copy(o.l, sigma)
	if !linalg.Cholesky(o.l, n, n, 0, 0) {
		return errors.New("gp: the covariances of the truncated values are not positive definite; raise the noise")
	}
	// The least pivot is a standard deviation of which none is smaller given the
	// values before.
	near := math.Inf(1)
	for i := range n {
		near = min(near, o.l[i*n+i])
	}
	for i := range o.v {
		o.v[i] = -near
	}
	return nil
}

// V is where the chain is, length n, no coordinate above 0. It must not be
// changed, and the next step of the chain does.
func (o *Orthant) V() []float64 { return o.v }

// OrthantWork counts what a chain did since Reset.
type OrthantWork struct {
	Moves, Bounces int
	// Refused moves took more bounces than they are given; the chain stayed where
	// it was. The way back would take as many, so that what it samples is the same.
	Refused int
}

// Work returns the counts.
func (o *Orthant) Work() OrthantWork { return o.work }

// Move takes one step of Hamiltonian Monte Carlo.
func (o *Orthant) Move(r *rand.Rand) {
	n := o.n
	o.work.Moves++
	for i := range o.s {
		o.s[i] = rng.Normal(r)
	}
	if n == 0 {
		return
	}
	for i := n - 1; i >= 0; i-- {
		o.s[i] = wide.Dot(o.l[i*n:i*n+i+1], o.s)
	}
	copy(o.x, o.v)
	for limit := o.work.Bounces + 1000*(n+10); ; o.work.Bounces++ {
		wall, time := o.nextWall()
		if wall < 0 {
			o.v, o.s = o.s, o.v
			return
		}
		if o.work.Bounces == limit {
			o.work.Refused++
			return
		}
		speed := o.s[wall]
		wide.AddScaled(o.x, time, o.s)
		wide.AddScaled(o.s, -2*speed/o.sigma[wall*n+wall], o.sigma[wall*n:(wall+1)*n])
		// What rounding makes of these would hit the wall again at once.
		o.x[wall], o.s[wall] = 0, -speed
	}
}

// nextWall returns the coordinate that the ball brings to 0 next, and after what
// time; -1 if none is on its way there.
func (o *Orthant) nextWall() (wall int, time float64) {
	wall, time = -1, math.Inf(1)
	x := o.x[:len(o.s)]
	for i, s := range o.s {
		// Few walls come sooner than the first so far, but half of all speeds are
		// positive: in this order the processor predicts the branch.
		if -x[i] < time*s && s > 0 {
			wall, time = i, -x[i]/s
		}
	}
	return wall, max(time, 0) // rounding may have put it beyond the wall
}

// Sweep draws each coordinate in turn given the others: normal with precision
// p = (Σ⁻¹)_jj and mean v_j - (Σ⁻¹v)_j/p, truncated.
//
// It is the one place that needs an inverse, for a coordinate's update to cost
// O(n). The first Sweep after Reset makes it from the factor, column by column, as
// accurate as solves are: the relative error is the condition number of Σ times
// 1e-16, for duels with noise of deviation 0.01 and n = 100 below 1e-9.
func (o *Orthant) Sweep(r *rand.Rand) {
	o.work.Moves++
	n := o.n
	if len(o.precision) == 0 {
		o.invert()
	}
	// Afresh in every sweep, so that the updates' rounding does not add up.
	mulSym(o.pull, o.precision, o.v, n)
	for j, v := range o.v {
		p := o.precision[j*n : (j+1)*n]
		sd := 1 / math.Sqrt(p[j])
		mean := v - o.pull[j]/p[j]
		o.v[j] = min(mean-float64(sd*TruncatedNormal(mean/sd, r)), 0)
		wide.AddScaled(o.pull, o.v[j]-v, p)
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

// LogProb estimates log P(v < 0), the log probability of all that the orthant
// stands for, from the given number of draws, with the standard error of the
// estimate: by separation of variables (Genz, "Numerical computation of
// multivariate normal probabilities", J. Comp. Graph. Stat. 1, 1992). With v = L z
// each z_i in turn is drawn from the normal distribution below the bound that those
// before leave it; the product of the probabilities of these intervals has the
// mean P.
func (o *Orthant) LogProb(draws int, r *rand.Rand) (logP, stdErr float64) {
	n := o.n
	z, weight := o.x, make([]float64, draws)
	for k := range weight {
		for i := range n {
			row := o.l[i*n : i*n+i+1]
			// z_i < -bound, so that its negative is a normal number above it.
			bound := wide.Dot(row[:i], z[:i]) / row[i]
			z[i] = -TruncatedNormal(bound, r)
			_, _, p := TruncatedNormalMoments(bound)
			weight[k] += p
		}
	}
	top := math.Inf(-1)
	for _, w := range weight {
		top = max(top, w)
	}
	var sum, sum2 float64
	for _, w := range weight {
		e := fmath.Exp(w - top)
		sum, sum2 = sum+e, sum2+float64(e*e)
	}
	m := float64(draws)
	mean := sum / m
	return top + fmath.Log(mean), math.Sqrt(max(sum2/m-float64(mean*mean), 0)/m) / mean
}

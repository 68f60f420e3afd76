package gp

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/lapack/gonum"
)

// Orthant draws from N(0, Σ) truncated to the negative orthant v < 0, by two
// Markov chains that both leave exactly that distribution in place.
//
// [Orthant.Move] is Hamiltonian Monte Carlo, whose motion is known in closed form
// (Pakman and Paninski, "Exact Hamiltonian Monte Carlo for truncated multivariate
// Gaussians", J. Comp. Graph. Stat. 23, 2014): with a velocity s ~ N(0, Σ) the
// point moves on v cos t + s sin t for a quarter of a turn, and where coordinate j
// reaches 0 it bounces off, s ← s - 2 (s_j/Σ_jj) Σ e_j. Without walls a quarter of
// a turn is an independent draw, so correlations, however strong, do not slow it
// down. It needs columns of Σ and a factor to draw s, no inverse. A bounce costs
// O(n), a move O(n²) and its bounces.
//
// [Orthant.Sweep] is Gibbs sampling, each coordinate drawn given all others. Where
// those nearly determine it the chain crawls: for the duels of one pair of options
// judged with noise of deviation 0.01, in steps of a hundredth.
//
// The zero value is ready for Reset. Not for concurrent use.
type Orthant struct {
	n     int
	sigma []float64 // Σ, n×n; the caller's
	l     []float64 // its Cholesky factor, in the lower triangle
	v, s  []float64 // position and velocity
	old   []float64

	precision []float64 // Σ⁻¹, once Sweep has been called; else of length 0
	pull      []float64 // Σ⁻¹ v

	moves, bounces, refused int
}

// Reset makes the sampler one of N(0, Σ) for sigma, n×n, row-major, symmetric,
// kept until the next Reset and not changed; and puts v at a place in the orthant
// near its corner 0, where the density is greatest.
func (o *Orthant) Reset(sigma []float64, n int) error {
	if len(sigma) != n*n {
		panic(fmt.Sprintf("gp: the covariances of %d values are %d numbers, not %d", n, len(sigma), n*n))
	}
	o.n, o.sigma = n, sigma
	o.l, o.v, o.s, o.old = sized(o.l, n*n), sized(o.v, n), sized(o.s, n), sized(o.old, n)
	o.precision = o.precision[:0]
	o.moves, o.bounces, o.refused = 0, 0, 0
	copy(o.l, sigma)
	if n > 0 && !(gonum.Implementation{}).Dpotrf(blas.Lower, n, o.l, n) {
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
func (o *Orthant) Work() OrthantWork { return OrthantWork{o.moves, o.bounces, o.refused} }

// Move takes one step of Hamiltonian Monte Carlo.
func (o *Orthant) Move(r *rand.Rand) {
	n := o.n
	o.moves++
	for i := range o.s {
		o.s[i] = r.NormFloat64()
	}
	if n == 0 {
		return
	}
	bl.Dtrmv(blas.Lower, blas.NoTrans, blas.NonUnit, n, o.l, n, o.s, 1)
	copy(o.old, o.v)
	limit := o.bounces + 1000*(n+10)
	for left := math.Pi / 2; ; {
		// Coordinate i reaches 0 when tan t = -v_i/s_i, within the quarter of a turn
		// if it is on its way up.
		wall, tangent := -1, math.Inf(1)
		for i, si := range o.s {
			if si > 0 && -o.v[i] < tangent*si {
				wall, tangent = i, -o.v[i]/si
			}
		}
		t := math.Atan(tangent)
		if wall < 0 || t >= left {
			sin, cos := math.Sincos(left)
			o.rotate(cos, sin)
			return
		}
		cos := 1 / math.Sqrt(1+tangent*tangent)
		o.rotate(cos, tangent*cos)
		left -= t
		if o.bounces++; o.bounces == limit {
			o.refused++
			copy(o.v, o.old)
			return
		}
		speed := o.s[wall]
		bl.Daxpy(n, -2*speed/o.sigma[wall*n+wall], o.sigma[wall*n:(wall+1)*n], 1, o.s, 1)
		// What rounding makes of these would hit the wall again at once.
		o.v[wall], o.s[wall] = 0, -speed
	}
}

// rotate moves on by the angle of the given cosine and sine.
func (o *Orthant) rotate(cos, sin float64) {
	s := o.s[:len(o.v)]
	for i, v := range o.v {
		o.v[i] = min(float64(v*cos)+float64(s[i]*sin), 0)
		s[i] = float64(s[i]*cos) - float64(v*sin)
	}
}

// Sweep draws each coordinate in turn given the others: normal with precision
// p = (Σ⁻¹)_jj and mean v_j - (Σ⁻¹v)_j/p, truncated.
//
// It is the one place that needs an inverse, for a coordinate's update to cost
// O(n). The first Sweep after Reset makes it from the factor, column by column, as
// accurate as solves are: the relative error is the condition number of Σ times
// 1e-16, for duels with noise of deviation 0.01 and n = 100 below 1e-9.
func (o *Orthant) Sweep(r *rand.Rand) {
	o.moves++
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
		o.v[j] = min(mean-sd*TruncatedNormal(mean/sd, r), 0)
		bl.Daxpy(n, o.v[j]-v, p, 1, o.pull, 1)
	}
}

func (o *Orthant) invert() {
	n := o.n
	o.precision, o.pull = sized(o.precision, n*n), sized(o.pull, n)
	copy(o.precision, o.l)
	if n == 0 {
		return
	}
	if !(gonum.Implementation{}).Dpotri(blas.Lower, n, o.precision, n) {
		panic("gp: a Cholesky factor with a zero on its diagonal") // Reset would have refused it
	}
	for i := range n {
		for j := range i {
			o.precision[j*n+i] = o.precision[i*n+j]
		}
	}
}

package gpsample

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"popbench/internal/math/rng"
	"popbench/kernel"
	"popbench/space"
)

// maxKnots limits the factorisation of K to about a second and 32 MB.
const maxKnots = 2000

// Draw returns the minimum-norm interpolant of a Gaussian process with mean zero and kernel c at
// random knots (1 to 2000), which are independent and uniform in the box. It draws the coordinates
// of the knots from r, then one normal number for each knot taken (see the package comment).
func Draw(c kernel.Config, box space.Box, knots int, r *rand.Rand) (*Function, error) {
	k, err := validate(c, box, knots, r)
	if err != nil {
		return nil, err
	}
	f := factorise(k, sample(box, knots, r), 0)
	return f.function(c, box.Bounds(), normals(f.len(), r)), nil
}

// The constants of the authors' program.
const (
	authorsBase   = 3    // points per dimension of its base grid
	authorsJitter = 1e-6 // added to the diagonal of every kernel matrix, whatever the variance
	authorsMaxDim = 6    // 3^6 = 729 base points
)

// DrawAuthorsCode draws a function as the program published with the paper does (popbo/util.py:
// try_sample_gp_func, on SafeOpt's sample_gp_function). It samples the Gaussian process on a base
// grid of 3 points per dimension, both ends included, interpolates, evaluates that interpolant at
// random knots and interpolates again. The program adds 1e-6 to the diagonal of every kernel
// matrix, so interpolants miss their values by 1e-6 α_i. If the lengthscale is short compared with
// the grid, as in the program's 1-D experiment, the result is not a sample of the Gaussian process:
// it is a bump at each of 3 points, seen through 10 knots.
//
// The base grid has 3^d points, which limits d to 6. DrawAuthorsCode draws the coordinates of the
// knots from r, then the 3^d normal numbers.
func DrawAuthorsCode(c kernel.Config, box space.Box, knots int, r *rand.Rand) (*Function, error) {
	k, err := validate(c, box, knots, r)
	if err != nil {
		return nil, err
	}
	d := box.Dim()
	if d > authorsMaxDim {
		return nil, fmt.Errorf("gpsample: the authors' code needs a base grid of 3^%d points, too many to factor; use at most %d dimensions, or Draw",
			d, authorsMaxDim)
	}
	x := sample(box, knots, r)
	base := factorise(k, box.Grid(authorsBase), authorsJitter)
	g := base.function(c, box, normals(base.len(), r))
	return throughAuthorsCode(c, k, box.Bounds(), x, g.Value), nil
}

// throughAuthorsCode is the last step of the program: it interpolates g at the knots x, with
// jitter.
func throughAuthorsCode(c kernel.Config, k kernel.Kernel, box space.Box, x []float64, g func([]float64) float64) *Function {
	f := factorise(k, x, authorsJitter)
	d := box.Dim()
	y := make([]float64, f.len())
	for i := range y {
		y[i] = g(f.knots[i*d : i*d+d])
	}
	return f.function(c, box, f.whiten(y))
}

// Interpolate returns the function of smallest norm that has the given values at the knots, which
// are points of the box.
func Interpolate(c kernel.Config, box space.Box, knots [][]float64, values []float64) (*Function, error) {
	k, err := newKernel(c, box, len(knots))
	if err != nil {
		return nil, err
	}
	if len(values) != len(knots) {
		return nil, fmt.Errorf("gpsample: got %d values for %d knots; give one for each", len(values), len(knots))
	}
	for i, x := range knots {
		if err := box.Check(fmt.Sprintf("knots[%d]", i), x); err != nil {
			return nil, fmt.Errorf("gpsample: %w", err)
		}
		if math.IsNaN(values[i]) || math.IsInf(values[i], 0) {
			return nil, fmt.Errorf("gpsample: values[%d] = %g is not finite", i, values[i])
		}
	}
	fac := factorise(k, slices.Concat(knots...), 0)
	y := make([]float64, fac.len())
	for i, knot := range fac.index {
		y[i] = values[knot]
	}
	f := fac.function(c, box.Bounds(), fac.whiten(y))

	// If a function of about this norm has the values, the reproducing property bounds the error at
	// the knots left out by tol. The factor 2 is for the norm.
	tol := 2 * f.norm * f.supremum() * math.Sqrt(determined)
	for i, x := range knots {
		if got := f.Value(x); math.Abs(got-values[i]) > tol {
			return nil, fmt.Errorf("gpsample: values[%d] = %g contradicts knots that determine the value at knots[%d] to be %g; leave one of them out",
				i, values[i], i, got)
		}
	}
	return f, nil
}

func validate(c kernel.Config, box space.Box, knots int, r *rand.Rand) (kernel.Kernel, error) {
	if r == nil {
		return nil, errors.New("gpsample: rand is nil; a function is drawn from a random stream")
	}
	return newKernel(c, box, knots)
}

func newKernel(c kernel.Config, box space.Box, knots int) (kernel.Kernel, error) {
	if err := box.Validate(); err != nil {
		return nil, fmt.Errorf("gpsample: %w", err)
	}
	if knots < 1 || knots > maxKnots {
		return nil, fmt.Errorf("gpsample: knots = %d must be between 1 and %d", knots, maxKnots)
	}
	k, err := c.New(box.Dim())
	if err != nil {
		return nil, fmt.Errorf("gpsample: %w", err)
	}
	return k, nil
}

// sample returns n uniform points of the box, row-major.
func sample(box space.Box, n int, r *rand.Rand) []float64 {
	d := box.Dim()
	x := make([]float64, n*d)
	for i := 0; i < len(x); i += d {
		box.Sample(x[i:i+d], r)
	}
	return x
}

func normals(n int, r *rand.Rand) []float64 {
	w := make([]float64, n)
	for i := range w {
		w[i] = rng.Normal(r)
	}
	return w
}

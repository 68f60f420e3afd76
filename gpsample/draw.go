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

// maxKnots keeps the factor of K below a second and 32 MB.
const maxKnots = 2000

// Draw returns the minimum-norm interpolant of values that a Gaussian process of
// mean zero with the kernel takes at random knots, independent and uniform in the
// box (1 to 2000 of them). It draws the knots' coordinates from r, then one
// normal number for each knot taken (see the package).
func Draw(c kernel.Config, box space.Box, knots int, r *rand.Rand) (*Function, error) {
	k, err := check(c, box, knots, r)
	if err != nil {
		return nil, err
	}
	f := factorise(k, sample(box, knots, r), 0)
	return f.function(c, clone(box), normals(f.len(), r)), nil
}

// The constants of the authors' program.
const (
	authorsBase   = 3    // points per dimension of its base grid
	authorsJitter = 1e-6 // on every kernel matrix, whatever the variance
	authorsMaxDim = 6    // 3^6 = 729 base points
)

// DrawAuthorsCode returns what the program published with the paper draws
// (popbo/util.py: try_sample_gp_func, on SafeOpt's sample_gp_function): values of
// the Gaussian process on a base grid of 3 points a dimension, both ends
// included; their interpolant at random knots; and the interpolant of these. All
// kernel matrices have 1e-6 added to their diagonal, so interpolants pass beside
// their values, by 1e-6 α_i. Where the lengthscale is short against the grid, as
// in the program's 1-D experiment, that is no sample of the Gaussian process: the
// function is a bump at each of 3 points, seen through 10 knots.
//
// The base grid has 3^d points, which limits it to 6 dimensions. It draws the
// knots' coordinates from r, then the 3^d normal numbers.
func DrawAuthorsCode(c kernel.Config, box space.Box, knots int, r *rand.Rand) (*Function, error) {
	k, err := check(c, box, knots, r)
	if err != nil {
		return nil, err
	}
	d := box.Dim()
	if d > authorsMaxDim {
		return nil, fmt.Errorf("gpsample: the authors' code has a base grid of 3^%d points, too many to factor; it goes to %d dimensions, Draw to any", d, authorsMaxDim)
	}
	x := sample(box, knots, r)
	base := factorise(k, box.Grid(authorsBase), authorsJitter)
	g := base.function(c, box, normals(base.len(), r))
	return throughAuthorsCode(c, k, clone(box), x, g.Value), nil
}

// throughAuthorsCode is the last step of the program: the interpolant, with its
// jitter, of g at the knots x.
func throughAuthorsCode(c kernel.Config, k kernel.Kernel, box space.Box, x []float64, g func([]float64) float64) *Function {
	f := factorise(k, x, authorsJitter)
	d := box.Dim()
	y := make([]float64, f.len())
	for i := range y {
		y[i] = g(f.knots[i*d : i*d+d])
	}
	return f.function(c, box, f.whiten(y))
}

// Interpolate returns the function of smallest norm that takes the values at the
// knots (points of the box, one value each).
func Interpolate(c kernel.Config, box space.Box, knots [][]float64, values []float64) (*Function, error) {
	k, err := checkKernel(c, box, len(knots))
	if err != nil {
		return nil, err
	}
	if len(values) != len(knots) {
		return nil, fmt.Errorf("gpsample: values has %d for %d knots; give one for each", len(values), len(knots))
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
	f := fac.function(c, clone(box), fac.whiten(y))

	// By the reproducing property the values at knots left out are off by no more
	// than this, had a function of about this norm taken them; twice is for the norm.
	tol := 2 * f.norm * f.supremum() * math.Sqrt(determined)
	for i, x := range knots {
		if got := f.Value(x); math.Abs(got-values[i]) > tol {
			return nil, fmt.Errorf("gpsample: values[%d] = %g contradicts knots as near as rounding to knots[%d], by which it is %g; leave one of them out", i, values[i], i, got)
		}
	}
	return f, nil
}

// check says what is wrong with the arguments of a draw, if anything is.
func check(c kernel.Config, box space.Box, knots int, r *rand.Rand) (kernel.Kernel, error) {
	if r == nil {
		return nil, errors.New("gpsample: rand is nil; a function is drawn from a random stream")
	}
	return checkKernel(c, box, knots)
}

func checkKernel(c kernel.Config, box space.Box, knots int) (kernel.Kernel, error) {
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

func clone(b space.Box) space.Box {
	return space.Box{Lo: slices.Clone(b.Lo), Hi: slices.Clone(b.Hi)}
}

package gpsample

import (
	"math"
	"slices"
	"testing"

	"popbench/internal/check"
	"popbench/space"
)

// The instance of the authors' demonstration notebook (numpy.random.seed(3)): ten knots, the first
// ten numbers of numpy's generator times 10; the weights of the base function on 0, 5 and 10,
// recovered from the ten values that the notebook prints; and the results of the notebook and of an
// independent program.
var (
	seed3Knots = []float64{
		5.507979025745755, 7.081478226181048, 2.909047389129443, 5.10827605197663, 8.929469543476547,
		8.962930889334381, 1.2558531046383625, 2.0724287813818676, 0.5146720330082988, 4.4080984365063647,
	}
	seed3Values = []float64{
		2.53142993, 0.31744681, 0.2812075, 2.86324211, -0.50206966,
		-0.52029319, -1.32332505, -0.30103314, -2.55538644, 2.41711339,
	}
	seed3BaseWeights = []float64{-0.3241563770878914, 0.32000970472851975, -0.09919365387261095}
)

const (
	seed3Norm             = 1.3604015230
	seed3GridMax          = 2.8385826532
	seed3Max              = 2.8781028219
	seed3ArgMax           = 5.0068
	seed3X1, seed3Regret1 = 5.803113505661815, 0.7644216892 // against the grid's maximum
	seed3X2, seed3Regret2 = 5.723481155255953, 0.6295616664
)

func TestAuthorsNotebook(t *testing.T) {
	c, box := seHalf(9, 1), space.Cube(1, 0, 10)
	k := check.Must(c.New(1))(t)
	near := func(what string, got, want, tol float64) {
		t.Helper()
		check.Near(t, got, want, tol, "%s", what)
	}

	// The base function, made from its normal numbers as in a draw.
	base := factorise(k, box.Grid(authorsBase), authorsJitter)
	w := make([]float64, 3) // w = Lᵀ α
	for i := range w {
		for j := i; j < 3; j++ {
			w[i] += base.l[j*3+i] * seed3BaseWeights[base.index[j]]
		}
	}
	g := base.function(c, box, w)
	for i, x := range seed3Knots {
		near("the base function at a knot", g.Value([]float64{x}), seed3Values[i], 5e-9)
	}

	f := throughAuthorsCode(c, k, box, seed3Knots, g.Value)
	near("the norm with the jitter", f.NormBound()/1.1, seed3Norm, 1e-9)
	grid := math.Inf(-1)
	for i := range 30 {
		grid = max(grid, f.Value([]float64{10 * float64(i) / 29}))
	}
	near("the maximum over 30 points", grid, seed3GridMax, 1e-9)
	near("the regret at x1", grid-f.Value([]float64{seed3X1}), seed3Regret1, 1e-9)
	near("the regret at x2", grid-f.Value([]float64{seed3X2}), seed3Regret2, 1e-9)

	m := f.Maximum()
	near("the maximum", m.Value, seed3Max, 1e-9)
	near("its place", m.X[0], seed3ArgMax, 5e-5)
	check.That(t, m.Excess <= 1e-8, "the maximum may be exceeded by %g", m.Excess)

	// The printed values give the same function, including the jitter.
	at := func(x []float64) float64 { return seed3Values[slices.Index(seed3Knots, x[0])] }
	near("the maximum from the printed values", throughAuthorsCode(c, k, box, seed3Knots, at).Maximum().Value, seed3Max, 2e-9)
}

// The jitter makes the norm that the program computes larger than the function's, usually by less than 0.5 %.
func TestAuthorsNorm(t *testing.T) {
	r := stream(3)
	for range 50 {
		f := check.Must(DrawAuthorsCode(seHalf(9, 1), space.Cube(1, 0, 10), 10, r))(t)
		check.Near(t, f.Norm()/math.Sqrt(squaredNorm(t, f)), 1, 1e-6, "the norm by that of its definition")
		check.Near(t, f.NormBound()/(1.1*f.Norm()), 1.05, 0.05, "the program's norm by the function's")
	}
}

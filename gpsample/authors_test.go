package gpsample

import (
	"math"
	"slices"
	"testing"

	"popbench/internal/check"
	"popbench/space"
)

// notebook is testdata/notebook.json, the instance of the authors' demonstration notebook (numpy.random.seed(3)): ten knots,
// the first ten numbers of numpy's generator times 10; the weights of the base function on 0, 5 and 10, recovered from the
// ten values that the notebook prints; and the results of the notebook and of an independent program, with regret against
// the grid's maximum.
type notebook struct {
	Knots, Values, Weights                        []float64
	Norm, Grid, Max, At, X1, Regret1, X2, Regret2 float64
}

func TestAuthorsNotebook(t *testing.T) {
	var want notebook
	check.Read(t, "testdata/notebook.json", &want)
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
			w[i] += base.l[j*3+i] * want.Weights[base.index[j]]
		}
	}
	g := base.function(c, box, w)
	for i, x := range want.Knots {
		near("the base function at a knot", g.Value([]float64{x}), want.Values[i], 5e-9)
	}

	f := throughAuthorsCode(c, k, box, want.Knots, g.Value)
	near("the norm with the jitter", f.NormBound()/1.1, want.Norm, 1e-9)
	grid := math.Inf(-1)
	for i := range 30 {
		grid = max(grid, f.Value([]float64{10 * float64(i) / 29}))
	}
	near("the maximum over 30 points", grid, want.Grid, 1e-9)
	near("the regret at x1", grid-f.Value([]float64{want.X1}), want.Regret1, 1e-9)
	near("the regret at x2", grid-f.Value([]float64{want.X2}), want.Regret2, 1e-9)

	m := f.Maximum()
	near("the maximum", m.Value, want.Max, 1e-9)
	near("its place", m.X[0], want.At, 5e-5)
	check.That(t, m.Excess <= 1e-8, "the maximum may be exceeded by %g", m.Excess)

	// The printed values give the same function, including the jitter.
	at := func(x []float64) float64 { return want.Values[slices.Index(want.Knots, x[0])] }
	near("the maximum from the printed values", throughAuthorsCode(c, k, box, want.Knots, at).Maximum().Value, want.Max, 2e-9)
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

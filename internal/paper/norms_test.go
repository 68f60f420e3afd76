package paper_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"popbench/internal/check"
	"popbench/internal/paper"
	"popbench/kernel"
	"popbench/problems"
)

// The bounds follow from the problems: the minimum over c of (y + c)'(K + εI)⁻¹(y + c), with
// values y at points of the box, is at most ‖f + c‖² for any c. The jitter ε = 1e-8 only
// lowers it.
func TestNormsAreRigorous(t *testing.T) {
	seen := 0
	for _, name := range problems.Names() {
		n, ok := paper.NormOf(name)
		if !ok {
			continue
		}
		seen++
		spec := check.Must(problems.Lookup(name))(t)
		p := check.Must(spec.Instance(problems.Standardise, nil))(t)
		k := check.Must(kernel.Config{Family: n.Kernel, Variance: n.Variance, Lengthscale: []float64{n.Lengthscale}}.New(p.Box.Dim()))(t)
		grid, d := p.Box.Grid(20), p.Box.Dim()
		points := make([][]float64, len(grid)/d)
		for i := range points {
			points[i] = grid[i*d : i*d+d]
		}
		y := mat.NewVecDense(len(points), nil)
		one := mat.NewVecDense(len(points), nil)
		gram := mat.NewSymDense(len(points), nil)
		for i := range points {
			y.SetVec(i, p.Value(points[i]))
			one.SetVec(i, 1)
			for j := range i + 1 {
				gram.SetSym(i, j, k.Eval(points[i], points[j]))
			}
			gram.SetSym(i, i, gram.At(i, i)+1e-8)
		}
		var chol mat.Cholesky
		if !chol.Factorize(gram) {
			t.Fatalf("%s: the kernel matrix cannot be factored", n.Problem)
		}
		var ky, k1 mat.VecDense
		chol.SolveVecTo(&ky, y) // an error is a warning about the condition number
		chol.SolveVecTo(&k1, one)
		got := math.Sqrt(mat.Dot(y, &ky) - math.Pow(mat.Dot(one, &ky), 2)/mat.Dot(one, &k1))
		check.That(t, got >= n.AtLeast && got < 1.001*n.AtLeast,
			"%s: the norm is at least %.6g, stated is %g", n.Problem, got, n.AtLeast)
		check.That(t, n.AtLeast > n.Bound, "%s: %g does not exceed the bound %g", n.Problem, n.AtLeast, n.Bound)
	}
	check.Equal(t, "test functions with a norm", seen, 11)
	if _, ok := paper.NormOf("gp1"); ok {
		t.Error("a norm of a problem that is not in the authors' program")
	}
}

package linalg

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"popbench/internal/check"
	"popbench/internal/math/wide"
)

// definite returns a random positive definite n×n matrix.
func definite(n int, r *rand.Rand) []float64 {
	a, m := make([]float64, n*n), make([]float64, n*n)
	for i := range a {
		a[i] = r.NormFloat64()
	}
	for i := range n {
		for j := range n {
			m[i*n+j] = wide.Dot(a[i*n:(i+1)*n], a[j*n:])
		}
		m[i*n+i]++
	}
	return m
}

func vector(n int, r *rand.Rand) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = r.NormFloat64()
	}
	return v
}

// grown returns the growing factor of m.
func grown(t *testing.T, m []float64, n int) *Growing {
	t.Helper()
	g := new(Growing)
	for i := range n {
		if !g.Append(slices.Clone(m[i*n:i*n+i]), m[i*n+i], 0) {
			t.Fatalf("row %d of a positive definite matrix was refused", i)
		}
	}
	return g
}

// L Lᵀ is the matrix, the additional rows are solved for, and the growing factor is the same.
func TestFactorsReproduceTheMatrix(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{0, 1, 2, 7, 40} {
		for _, floor := range []float64{0, 1e-9} {
			const extra, pad = 2, 3
			m, stride := definite(n, r), n+pad
			x := [extra][]float64{vector(n, r), vector(n, r)}
			a := make([]float64, (n+extra)*stride)
			for i := range n {
				copy(a[i*stride:], m[i*n:i*n+i+1])
			}
			for i := range extra {
				copy(a[(n+i)*stride:], x[i])
			}
			if !Cholesky(a, stride, n, extra, floor) {
				t.Fatalf("n = %d: a positive definite matrix was refused", n)
			}
			g := grown(t, m, n)
			var logDet float64
			for i := range n {
				row := a[i*stride : i*stride+i+1]
				logDet += math.Log(g.Diagonal(i) * g.Diagonal(i))
				for j := range i + 1 {
					if got := wide.Dot(a[j*stride:j*stride+j+1], row); math.Abs(got-m[i*n+j]) > 1e-10 {
						t.Errorf("n = %d, floor %g: (L Lᵀ)[%d, %d] = %g, want %g", n, floor, i, j, got, m[i*n+j])
					}
					if math.Abs(g.Row(i)[j]-row[j]) > 1e-10 {
						t.Errorf("n = %d: L[%d, %d] = %g from Growing, %g from Cholesky", n, i, j, g.Row(i)[j], row[j])
					}
				}
			}
			check.Near(t, LogDet(a, stride, n), logDet, 1e-10, "n = %d: log determinant", n)
			for i := range extra {
				g.Solve(x[i])
				for j, v := range x[i] {
					check.Near(t, a[(n+i)*stride+j], v, 1e-9, "n = %d: additional row %d[%d], a solve gives", n, i, j)
				}
			}
		}
	}
}

func TestPivots(t *testing.T) {
	a := []float64{4, 0, 2, 1 - 1e-13}
	check.That(t, !Cholesky(slices.Clone(a), 2, 2, 0, 0), "an indefinite matrix has a factor")
	check.That(t, Cholesky(a, 2, 2, 0, 0.25) && a[3] == 0.5, "pivot %g with a floor of 0.25, want 0.5", a[3])
	check.That(t, !Cholesky([]float64{math.NaN()}, 1, 1, 0, 1), "NaN has a factor")
	var g Growing
	check.That(t, g.Append(nil, 4, 0), "the first row of a factor is refused")
	check.That(t, !g.Append([]float64{2}, 1, 0), "a row with pivot 0 is accepted")
	check.That(t, !g.Append([]float64{2}, math.NaN(), 1), "a row with pivot NaN is accepted")
	if g.Len() != 1 {
		t.Fatalf("%d rows after refused ones, want 1", g.Len())
	}
	if !g.Append([]float64{2}, 1, 0.25) || !slices.Equal(g.Row(1), []float64{1, 0.5}) {
		t.Errorf("row %g with a floor of 0.25, want 1 and 0.5", g.Row(1))
	}
}

// Factor gives the same factor as its rows one by one, and AddSquare adds or subtracts XᵀX.
func TestFactorAtOnce(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	for _, n := range []int{0, 1, 7, 8, 9, 20} {
		m := definite(n, r)
		want := grown(t, m, n)
		var g Growing
		if !g.Factor(slices.Clone(m), n, n) || g.Len() != n {
			t.Fatalf("%d rows: no factor", n)
		}
		l, square := make([]float64, n*n), make([]float64, n*n)
		g.Unpack(l, n)
		AddSquare(wide.Matrix{Data: square, Stride: n}, true, wide.Matrix{Data: l, Stride: n}, n)
		for i := range n {
			for j := range i + 1 {
				check.Near(t, g.Row(i)[j], want.Row(i)[j], 1e-12, "%d rows: L_%d%d, row by row", n, i, j)
				var sum float64
				for k := range n {
					sum += l[k*n+i] * l[k*n+j]
				}
				if got := square[i*n+j]; math.Abs(got+sum) > 1e-12 {
					t.Errorf("%d rows: -(LᵀL)_%d%d = %g, want %g", n, i, j, got, -sum)
				}
			}
		}
		if n > 0 && (g.Factor(make([]float64, n*n), n, n) || g.Len() != 0) {
			t.Errorf("%d rows: zeros have a factor of %d", n, g.Len())
		}
	}
}

// Solves with L and Lᵀ, and products with L⁻¹, invert the matrix; leading rows invert its leading part.
func TestSolvesInvert(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 1))
	const n = 9
	m := definite(n, r)
	g := grown(t, m, n)
	l, inverse := wide.Matrix{Data: make([]float64, n*n), Stride: n}, wide.Matrix{Data: make([]float64, n*(n+2)), Stride: n + 2}
	g.Unpack(l.Data, n)
	InvertLower(inverse, l, n)
	for _, part := range []int{n, 4} {
		want := vector(part, r)
		v := make([]float64, part)
		for i := range v {
			v[i] = wide.Dot(want, m[i*n:])
		}
		byInverse := make([]float64, part)
		for i := range part {
			row := inverse.Data[i*inverse.Stride:][:i+1]
			wide.AddScaled(byInverse[:i+1], wide.Dot(row, v), row)
		}
		g.Solve(v)
		g.SolveTransposed(v)
		for i := range want {
			if math.Abs(v[i]-want[i]) > 1e-9 || math.Abs(byInverse[i]-want[i]) > 1e-9 {
				t.Errorf("%d rows: x[%d] = %g by solves, %g by the inverse, want %g", part, i, v[i], byInverse[i], want[i])
			}
		}
	}
}

// Whichever rows are removed, the updated factor equals one computed from scratch.
func TestRemove(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	n := 12
	m := definite(n, r)
	for g := grown(t, m, n); n > 0; {
		row := r.IntN(n)
		g.Remove(row)
		var rest []float64
		for i := range n {
			for j := range n {
				if i != row && j != row {
					rest = append(rest, m[i*n+j])
				}
			}
		}
		n, m = n-1, rest
		fresh := grown(t, m, n)
		if g.Len() != n {
			t.Fatalf("%d rows, want %d", g.Len(), n)
		}
		for i := range n {
			for j, want := range fresh.Row(i) {
				if got := g.Row(i)[j]; math.Abs(got-want) > 1e-9 {
					t.Fatalf("%d rows left, row %d removed: factor[%d, %d] = %g, from scratch %g", n, row, i, j, got, want)
				}
			}
		}
	}
}

func TestNoAllocation(t *testing.T) {
	check.Sequential(t) // the race detector empties pools at random
	r := rand.New(rand.NewPCG(3, 1))
	const n = 40
	m := definite(n, r)
	g, a, row := grown(t, m, n), make([]float64, n*n), make([]float64, n)
	g.Remove(3)
	if allocs := testing.AllocsPerRun(10, func() {
		copy(a, m)
		Cholesky(a, n, n, 0, 0)
		g.Truncate(n / 2)
		g.Append(row[:n/2], 1, 0)
		g.Solve(row[:n/2])
		g.Remove(2)
		row = Resize(row[:0], n)
	}); allocs != 0 {
		t.Errorf("%g allocations", allocs)
	}
}

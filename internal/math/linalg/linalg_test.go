package linalg

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"popbench/internal/check"
	"popbench/internal/math/wide"
)

// definite returns a random positive definite n×n matrix.
func definite(n int, r *rand.Rand) []float64 {
	a, m := vector(n*n, r), make([]float64, n*n)
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
		check.That(t, g.Append(slices.Clone(m[i*n:i*n+i]), m[i*n+i], 0), "row %d of a positive definite matrix was refused", i)
	}
	return g
}

// checkFactor compares the rows of a factor of m with gonum's.
func checkFactor(t *testing.T, what string, row func(i int) []float64, m []float64, n int) (l *mat.TriDense, logDet float64) {
	t.Helper()
	l = new(mat.TriDense)
	if n == 0 {
		return l, 0
	}
	var c mat.Cholesky
	check.That(t, c.Factorize(mat.NewSymDense(n, m)), "gonum: not positive definite")
	c.LTo(l)
	for i := range n {
		for j, v := range row(i)[:i+1] {
			check.Near(t, v, l.At(i, j), 1e-9, "%s, n = %d: L[%d, %d], gonum's", what, n, i, j)
		}
	}
	return l, c.LogDet()
}

// Products overwrite what the vector had, also where there are no terms.
func TestMul(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 1))
	for _, size := range [][2]int{{1, 1}, {5, 9}, {17, 3}, {4, 0}} {
		m, n := size[0], size[1]
		a, x, y := mat.NewDense(m, n+1, vector(m*(n+1), r)), vector(n, r), vector(m, r)
		got, gotT := vector(m, r), vector(n, r)
		Mul(got, 3, a.RawMatrix().Data, n+1, x)
		MulT(gotT, 3, a.RawMatrix().Data, n+1, y)
		for i := range m {
			var want float64
			for j := range n {
				want += 3 * a.At(i, j) * x[j]
			}
			check.Near(t, got[i], want, 1e-13, "%d×%d: element %d of A x", m, n, i)
		}
		for j := range n {
			var want float64
			for i := range m {
				want += 3 * a.At(i, j) * y[i]
			}
			check.Near(t, gotT[j], want, 1e-13, "%d×%d: element %d of Aᵀx", m, n, j)
		}
	}
}

// All ways to factor give gonum's factor and its inverse; AddSquare and AddUpper add or subtract XᵀX.
func TestFactors(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{0, 1, 2, 7, 8, 9, 20, 40} {
		for _, floor := range []float64{0, 1e-9} {
			const pad = 3
			m, stride := definite(n, r), n+pad
			a := make([]float64, n*stride)
			for i := range n {
				copy(a[i*stride:], m[i*n:i*n+i+1])
			}
			check.That(t, Cholesky(a, stride, n, floor), "n = %d: a positive definite matrix was refused", n)
			l, logDet := checkFactor(t, "Cholesky", func(i int) []float64 { return a[i*stride:] }, m, n)
			check.Near(t, LogDet(a, stride, n), logDet, 1e-10, "n = %d: log determinant", n)
			g := grown(t, m, n)
			checkFactor(t, "Growing", g.Row, m, n)
			if n == 0 {
				continue
			}
			check.That(t, g.Factor(slices.Clone(m), n, n) && g.Len() == n, "%d rows: no factor", n)
			checkFactor(t, "Factor", g.Row, m, n)
			full, inverse, square := make([]float64, n*n), make([]float64, n*n), make([]float64, n*n)
			for i := range inverse { // what was there must not matter
				inverse[i] = 7
			}
			g.Unpack(full, n)
			factor := wide.Matrix{Data: full, Stride: n}
			InvertLower(wide.Matrix{Data: inverse, Stride: n}, factor, n)
			v, got, gotT := vector(n, r), vector(n, r), vector(n, r)
			solved, solvedT := slices.Clone(v), slices.Clone(v)
			SolveLower(a, stride, solved)
			SolveLowerTransposed(a, stride, solvedT)
			MulLower(got, wide.Matrix{Data: inverse, Stride: n}, v)
			MulLowerT(gotT, wide.Matrix{Data: inverse, Stride: n}, v)
			for i := range n {
				check.Near(t, got[i], solved[i], 1e-9, "n = %d: element %d of L⁻¹v by the inverse, by a solve", n, i)
				check.Near(t, gotT[i], solvedT[i], 1e-9, "n = %d: element %d of L⁻ᵀv by the inverse, by a solve", n, i)
			}
			AddSquare(wide.Matrix{Data: square, Stride: n}, true, factor, n)
			upper := make([]float64, n*n)
			AddUpper(wide.Matrix{Data: upper, Stride: n}, false, factor, factor, n, n)
			var one, product mat.Dense
			one.Mul(l, mat.NewDense(n, n, inverse))
			product.Mul(l.T(), l)
			for i := range n {
				one.Set(i, i, one.At(i, i)-1)
				for j := range i + 1 {
					check.Near(t, square[i*n+j], -product.At(i, j), 1e-9, "n = %d: -(LᵀL)[%d, %d]", n, i, j)
					check.Near(t, upper[j*n+i], product.At(i, j), 1e-9, "n = %d: (LᵀL)[%d, %d]", n, j, i)
				}
			}
			check.Near(t, mat.Norm(&one, 1), 0, 1e-10, "n = %d: L L⁻¹ - I", n)
			check.That(t, !g.Factor(make([]float64, n*n), n, n) && g.Len() == 0, "n = %d: zeros have a factor of %d", n, g.Len())
		}
	}
}

func TestPivots(t *testing.T) {
	a := []float64{4, 0, 2, 1 - 1e-13}
	check.That(t, !Cholesky(slices.Clone(a), 2, 2, 0), "an indefinite matrix has a factor")
	check.That(t, Cholesky(a, 2, 2, 0.25) && a[3] == 0.5, "pivot %g with a floor of 0.25, want 0.5", a[3])
	check.That(t, !Cholesky([]float64{math.NaN()}, 1, 1, 1), "NaN has a factor")
	var g Growing
	check.That(t, g.Append(nil, 4, 0), "the first row of a factor is refused")
	check.That(t, !g.Append([]float64{2}, 1, 0), "a row with pivot 0 is accepted")
	check.That(t, !g.Append([]float64{2}, math.NaN(), 1), "a row with pivot NaN is accepted")
	check.Equal(t, "rows after refused ones", g.Len(), 1)
	check.That(t, g.Append([]float64{2}, 1, 0.25) && slices.Equal(g.Row(1), []float64{1, 0.5}), "row %g with a floor of 0.25, want 1 and 0.5", g.Row(1))
}

// TestSemidefinite: LLᵀ is a matrix of low rank whose pivots are rounding, a negative eigenvalue of 1e-7 is made up for, and
// zeros have a factor.
func TestSemidefinite(t *testing.T) {
	const n, stride = 60, 64
	for _, lift := range []float64{1, -1e-7, 0} {
		a := make([]float64, n*stride)
		for i := range n {
			for j := range i + 1 {
				switch d := float64(i-j) / n; {
				case lift == 1:
					a[i*stride+j] = math.Exp(-4 * d * d)
				case i == j:
					a[i*stride+j] = lift
				}
			}
		}
		l := slices.Clone(a)
		CholeskyOfSemidefinite(l, stride, n, 1e-13)
		for i := range n {
			for j := range i + 1 {
				got := wide.Dot(l[i*stride:i*stride+j+1], l[j*stride:j*stride+j+1])
				check.Near(t, got, a[i*stride+j], 1e-12-10*min(lift, 0), "%g: element %d, %d", lift, i, j)
			}
		}
	}
}

// Solves with L and then Lᵀ invert the matrix; leading rows invert its leading part.
func TestSolvesInvert(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 1))
	const n = 9
	m := definite(n, r)
	g := grown(t, m, n)
	for _, part := range []int{n, 4} {
		want, v := vector(part, r), make([]float64, part)
		for i := range v {
			v[i] = wide.Dot(want, m[i*n:])
		}
		g.Solve(v)
		g.SolveTransposed(v)
		for i := range want {
			check.Near(t, v[i], want[i], 1e-9, "%d rows: x[%d]", part, i)
		}
	}
}

// Whichever rows are removed, the updated factor is that of the rest.
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
		check.Equal(t, "rows", g.Len(), n)
		checkFactor(t, "Remove", g.Row, m, n)
	}
}

func TestNoAllocation(t *testing.T) {
	check.Sequential(t) // the race detector empties pools at random
	r := rand.New(rand.NewPCG(3, 1))
	const n = 40
	m := definite(n, r)
	g, a, row := grown(t, m, n), make([]float64, n*n), make([]float64, n)
	g.Remove(3)
	check.Equal(t, "allocations", testing.AllocsPerRun(10, func() {
		copy(a, m)
		Cholesky(a, n, n, 0)
		g.Truncate(n / 2)
		g.Append(row[:n/2], 1, 0)
		g.Solve(row[:n/2])
		g.Remove(2)
		row = Resize(row[:0], n)
	}), 0)
}

func TestSolveGeneral(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for n := range 12 {
		a, want := vector(n*n, r), vector(n, r)
		if n > 1 {
			a[0] = 0 // the first pivot needs a row exchange
		}
		x := make([]float64, n)
		for i := range x {
			x[i] = wide.Dot(a[i*n:(i+1)*n], want)
		}
		check.That(t, SolveGeneral(slices.Clone(a), x), "%d rows: singular", n)
		for i, v := range want {
			check.Near(t, x[i], v, 1e-10, "%d rows: x[%d]", n, i)
		}
	}
	for name, a := range map[string][]float64{"zero": {0, 0, 0, 0}, "a row twice": {1, 0.1, 3, 0.3}, "NaN": {math.NaN(), 1, 1, 2}} {
		check.That(t, !SolveGeneral(a, []float64{1, 2}), "%s: a singular matrix has a solution", name)
	}
}

// CᵀC equals A in the rows of the pivots and leaves Rest of the diagonal elsewhere. With the largest pivot first,
// Rest becomes small after as many pivots as the rank of A.
func TestPivoted(t *testing.T) {
	const n, rank = 30, 6
	r := rand.New(rand.NewPCG(3, 3))
	b := vector(n*rank, r) // A = BBᵀ + 1e-6 I
	a := make([]float64, n*n)
	diagonal := make([]float64, n)
	for i := range n {
		for j := range n {
			a[i*n+j] = wide.Dot(b[i*rank:(i+1)*rank], b[j*rank:])
		}
		a[i*n+i] += 1e-6
		diagonal[i] = a[i*n+i]
	}
	for _, rounded := range []bool{false, true} {
		p := NewPivoted(slices.Clone(diagonal))
		p.Rounded = rounded
		for range rank + 3 {
			i, rest := p.Largest()
			check.That(t, rest == slices.Max(p.Rest) && p.Rest[i] == rest && !slices.Contains(p.Pivot, i),
				"the largest of %v is not %g at %d", p.Rest, rest, i)
			check.That(t, rest < 1e-4 == (len(p.Pivot) >= rank), "%g is left after %d pivots", rest, len(p.Pivot))
			p.Append(i, a[i*n:(i+1)*n])
			c := p.C[(len(p.Pivot)-1)*n+i]
			check.That(t, rounded || c == math.Sqrt(rest), "the pivot of %g has the root %g", rest, c)
			for i := range n {
				for j := range n {
					var got float64
					for k := range p.Pivot {
						got += p.C[k*n+i] * p.C[k*n+j]
					}
					if i == j {
						got += p.Rest[i]
					}
					if i == j || slices.Contains(p.Pivot, i) || slices.Contains(p.Pivot, j) {
						check.Near(t, got, a[i*n+j], 1e-12, "after %d pivots element %d, %d", len(p.Pivot), i, j)
					}
				}
			}
			for k, j := range p.Pivot {
				check.That(t, p.Rest[j] == 0, "%g is left at the pivot %d", p.Rest[j], j)
				for l := k + 1; l < len(p.Pivot) && !rounded; l++ {
					check.That(t, p.C[l*n+j] == 0, "row %d has %g at the earlier pivot %d", l, p.C[l*n+j], j)
				}
			}
		}
	}
}

// Mirror leaves the lower triangle and copies it, with rows that are longer than the matrix.
func TestMirror(t *testing.T) {
	for n := range 40 {
		const stride = 41
		a := make([]float64, n*stride)
		for i := range a {
			a[i] = float64(i)
		}
		Mirror(wide.Matrix{Data: a, Stride: stride}, n)
		for i := range n {
			for j := range stride {
				want := i*stride + j
				if i < j && j < n {
					want = j*stride + i
				}
				check.Equal(t, fmt.Sprint(n, i, j), a[i*stride+j], float64(want))
			}
		}
	}
}

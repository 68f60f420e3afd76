package gp

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"popbench/internal/check"
	"popbench/internal/math/wide"
	"popbench/kernel"
)

// (G + variance I) a = y and log|G + variance I|, also if G is singular.
func TestRegress(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, rank := range []int{3, 12} {
		for _, variance := range []float64{2e-4, 1, 50} {
			const n = 12
			g := randomGram(n, rank, 2, r)
			y := make([]float64, n)
			for i := range y {
				y[i] = r.NormFloat64()
			}
			var p Posterior
			p.Regress(g, y, variance)
			for i := range y {
				got := wide.Dot(g[i*n:(i+1)*n], p.Alpha) + variance*p.Alpha[i]
				check.Near(t, got, y[i], 1e-9, "rank %d, variance %g: row %d of (G + variance I) a", rank, variance, i)
			}
		}
	}
	// With one value the mean is y g/(g+s), the variance g s/(g+s).
	const g, s, y = 2.5, 0.3, -1.4
	var p Posterior
	p.Regress([]float64{g}, []float64{y}, s)
	k := []float64{g}
	check.Near(t, p.Mean(k), y*g/(g+s), 1e-15, "mean")
	p.Whiten(k, k)
	check.Near(t, g-k[0]*k[0], g*s/(g+s), 1e-15, "variance")
	check.Near(t, p.LogDet+math.Log(s), math.Log(g+s), 1e-15, "log determinant")
}

// The variance of Bound, a product with the inverse of the factor, is that of Moments, a solve, as far as rounding allows,
// however small the noise is.
func TestBoundHasTheVarianceOfMoments(t *testing.T) {
	const n, d = 80, 2
	for _, noise := range []float64{1, 1e-4, 1e-8, 1e-12} {
		r := rand.New(rand.NewPCG(3, 4))
		x, y := make([]float64, n*d), make([]float64, n)
		for i := range x {
			x[i] = r.Float64()
		}
		for i := range y {
			y[i] = r.NormFloat64()
		}
		k := seHalf(t, 1, []float64{0.5, 0.5})
		g := NewRegression(k, noise, false)
		check.OK(t, g.Condition(k, x, y))
		for range 50 {
			p := []float64{r.Float64(), r.Float64()}
			_, want := g.Moments(p)
			deviation := g.Bound(p, nil, 1) - g.Bound(p, nil, 0)
			check.Near(t, deviation*deviation, want, 1e-15/math.Sqrt(noise)+1e-14, "noise %g: the variance at %v", noise, p)
		}
	}
}

// The evidence is gonum's, restricted if the mean is unknown, with the gradient of differences. Values added one by one give
// the same posterior as all at once.
func TestRegressionEvidence(t *testing.T) {
	const n, d, noise = 7, 2, 0.1
	r := rand.New(rand.NewPCG(3, 4))
	x, y, one := make([]float64, n*d), make([]float64, n), mat.NewVecDense(n, slices.Repeat([]float64{1}, n))
	for i := range x {
		x[i] = 2 * r.Float64()
	}
	for i := range y {
		y[i] = 3 + r.NormFloat64()
	}
	for _, constant := range []bool{false, true} {
		fit := func(logs []float64) *Regression {
			k := seHalf(t, math.Exp(logs[2]), []float64{math.Exp(logs[0]), math.Exp(logs[1])})
			g := NewRegression(k, noise, constant)
			check.OK(t, g.Condition(k, x, y))
			return g
		}
		at := []float64{-0.5, 0.3, 0.7}
		check.Gradient(t, fmt.Sprintf("evidence, constant %t,", constant), func(logs, grad []float64) float64 {
			g := fit(logs)
			if grad != nil {
				g.AddEvidenceGrad(grad)
			}
			return g.Evidence()
		}, at, 1e-5, 1e-7)
		all, k := fit(at), mat.NewSymDense(n, nil)
		for i := range n {
			for j := range i + 1 {
				k.SetSym(i, j, all.Kernel.Eval(all.Point(i), all.Point(j)))
			}
			k.SetSym(i, i, k.At(i, i)+noise)
		}
		var c mat.Cholesky
		check.That(t, c.Factorize(k), "gonum has no factor")
		var solved, rest mat.VecDense // K⁻¹ 1, and K⁻¹ (y - mean)
		check.OK(t, c.SolveVecTo(&solved, one))
		oneOne, mean, want := mat.Dot(&solved, one), 0.0, -0.5*c.LogDet()-0.5*n*math.Log(2*math.Pi)
		if constant {
			mean = mat.Dot(&solved, mat.NewVecDense(n, y)) / oneOne
			want += 0.5*math.Log(2*math.Pi) - 0.5*math.Log(oneOne)
		}
		rest.AddScaledVec(mat.NewVecDense(n, y), -mean, one)
		residual := mat.VecDenseCopyOf(&rest)
		check.OK(t, c.SolveVecTo(&rest, &rest))
		check.Near(t, all.Evidence(), want-0.5*mat.Dot(residual, &rest), 1e-10, "constant %t: evidence, gonum's", constant)

		single := NewRegression(all.Kernel, noise, constant)
		for i, v := range y {
			check.OK(t, single.Add(all.Point(i), []float64{v}))
		}
		for _, x := range [][]float64{{0.2, 0.4}, all.Point(3)} {
			m, v := single.Moments(x)
			wantM, wantV := all.Moments(x)
			check.Near(t, m, wantM, 1e-12, "constant %t: mean at %g one by one, at once", constant, x)
			check.Near(t, v, wantV, 1e-12, "constant %t: variance at %g one by one, at once", constant, x)
		}
	}
}

// However many points there are, and whichever were there before, the kernel and its slopes have the bits of single rows.
func TestTriangleHasTheBitsOfRows(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 1))
	for _, d := range []int{1, 2, 7, 60} {
		k := check.Must(kernel.Config{Family: "matern52", Variance: 2, Lengthscale: []float64{0.7}}.New(d))(t)
		g := NewRegression(k, 0.1, true)
		var x []float64
		for _, n := range []int{0, 1, 5, 3, 20, 21, 60, 4} {
			if n == 3 || n == 4 { // other points
				x = nil
			}
			for len(x) < n*d {
				x = append(x, r.NormFloat64())
			}
			values := g.triangle(k, x[:n*d], n)
			for i := range n {
				row, slopes := make([]float64, i+1), make([]float64, i+1)
				k.RowSlopes(row, slopes, x[i*d:(i+1)*d], x[:(i+1)*d])
				check.Same(t, "a row", values[:i+1], row)
				check.Same(t, "its slopes", g.rowSlopes(i), slopes)
				values = values[i+1:]
			}
		}
	}
}

// A regression that starts again has the bits of a new one, and points that are tracked follow it.
func TestRestart(t *testing.T) {
	kernels := make([]kernel.Kernel, 2)
	for i, l := range []float64{0.7, 2} {
		kernels[i] = check.Must(kernel.Config{Family: "matern52", Variance: 2, Lengthscale: []float64{l}}.New(1))(t)
	}
	x, y, at := []float64{0.1, 0.9, 2}, []float64{1, 3, 2}, []float64{0.5, 1.5}
	g, tracked := NewRegression(kernels[0], 0.1, true), NewTracked(at, 2)
	check.OK(t, g.Add([]float64{5, 6}, []float64{2, 1}))
	tracked.Follow(g)
	for _, k := range []kernel.Kernel{kernels[1], kernels[0]} {
		fresh := NewRegression(k, 0.1, true)
		check.OK(t, fresh.Add(x, y))
		check.OK(t, g.Restart(k, x, y))
		tracked.Follow(g)
		got, want := make([]float64, 2), make([]float64, 2)
		tracked.Bounds(got, 2)
		again := NewTracked(at, 2)
		again.Follow(fresh)
		again.Bounds(want, 2)
		check.Same(t, "bounds", got, want)
		m, v := g.Moments(at[:1])
		mean, variance := fresh.Moments(at[:1])
		check.That(t, m == mean && v == variance, "mean %g and variance %g, want %g and %g", m, v, mean, variance)
	}
}

// If one of several values cannot be added, nothing changes.
func TestAddIsAllOrNothing(t *testing.T) {
	k := check.Must(kernel.Config{Family: "se-half", Variance: 1, Lengthscale: []float64{1}}.New(1))(t)
	g := NewRegression(k, 1e-17, true)
	check.OK(t, g.Add([]float64{3}, []float64{2}))
	mean, variance := g.Moments([]float64{1})
	check.Equal(t, "a repeated point without noise", g.Add([]float64{5, 3}, []float64{7, 2}), ErrSingular)
	m, v := g.Moments([]float64{1})
	check.That(t, m == mean && v == variance && g.Len() == 1, "%d values, mean %g and variance %g; want 1, %g and %g", g.Len(), m, v, mean, variance)
	up := g.Bound([]float64{1}, make([]float64, 1), 2)
	check.That(t, math.Abs(up-mean-2*math.Sqrt(variance)) <= 1e-12, "bound %g, want %g", up, mean+2*math.Sqrt(variance))
}

// The tracked moments are those of the regression, whether values come one at a time, together, or with another regression.
func TestTrackedFollowsTheRegression(t *testing.T) {
	const d, some = 2, 2*points + 5
	k := check.Must(kernel.Config{Family: "matern52", Variance: 2, Lengthscale: []float64{1, 2}}.New(d))(t)
	r := rand.New(rand.NewPCG(1, 1))
	random := func(n int) []float64 {
		x := make([]float64, n*d)
		for i := range x {
			x[i] = 4 * r.Float64()
		}
		return x
	}
	x := random(some)
	tracked := NewTracked(x, some)
	for _, constant := range []bool{true, false} {
		g := NewRegression(k, 0.1, constant)
		for _, more := range []int{0, 3, 1, 1, 4} {
			at, y := random(more), make([]float64, more)
			for i := range y {
				y[i] = 3 + wide.Dot(at[i*d:(i+1)*d], at[i*d:])
			}
			check.OK(t, g.Add(at, y))
			tracked.Follow(g)
			means, bounds := make([]float64, some), make([]float64, some)
			tracked.Bounds(means, 0)
			tracked.Bounds(bounds, 1.5)
			for i := range some {
				mean, variance := g.Moments(x[i*d : (i+1)*d])
				bound := mean + 1.5*math.Sqrt(variance)
				check.Near(t, means[i], mean, 1e-10, "constant %t, %d values: mean %d", constant, g.Len(), i)
				check.Near(t, bounds[i], bound, 1e-10, "constant %t, %d values: bound %d", constant, g.Len(), i)
				check.Near(t, g.Bound(x[i*d:(i+1)*d], nil, 1.5), bound, 1e-10, "constant %t, %d values: bound at point %d", constant, g.Len(), i)
			}
		}
	}
}

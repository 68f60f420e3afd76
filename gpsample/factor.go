package gpsample

import (
	"math"
	"slices"

	"popbench/kernel"
	"popbench/space"
)

// determined is a conditional variance, relative to the largest prior variance. Below it, the value
// at a knot counts as determined by the earlier knots. The rounding error of that variance is about
// 1e-15.
const determined = 1e-12

// factor is the Cholesky factor L of K + jitter·I over the knots taken.
type factor struct {
	kernel kernel.Kernel
	jitter float64
	index  []int     // indices of the knots taken among those given, in the order of the rows of L
	knots  []float64 // their coordinates, len(index)×d
	l      []float64 // rows of L, each of length len(index); the upper part is unused
}

// factorise factors K + jitter·I over n points, pts being n×d. It pivots completely: each step
// takes the point of largest conditional variance, until the rest are determined.
func factorise(k kernel.Kernel, pts []float64, jitter float64) *factor {
	d := k.Dim()
	n := len(pts) / d
	at := func(i int) []float64 { return pts[i*d : i*d+d] }

	order := make([]int, n)
	left := make([]float64, n) // conditional variances
	rows := make([]float64, n*n)
	var top float64
	for i := range n {
		order[i] = i
		left[i] = k.Eval(at(i), at(i)) + jitter
		top = max(top, left[i])
	}
	m := 0
	for ; m < n; m++ {
		p := m
		for i := m + 1; i < n; i++ {
			if left[order[i]] > left[order[p]] {
				p = i
			}
		}
		order[m], order[p] = order[p], order[m]
		pivot := order[m]
		if !(left[pivot] > determined*top) {
			break
		}
		row := rows[pivot*n : pivot*n+n]
		row[m] = math.Sqrt(left[pivot])
		for _, i := range order[m+1:] {
			r := rows[i*n : i*n+n]
			r[m] = (k.Eval(at(i), at(pivot)) - dot(r[:m], row[:m])) / row[m]
			left[i] -= float64(r[m] * r[m])
		}
	}

	f := &factor{kernel: k, jitter: jitter, index: order[:m:m]}
	for _, i := range f.index {
		f.knots = append(f.knots, at(i)...)
		f.l = append(f.l, rows[i*n:i*n+m]...)
	}
	return f
}

func (f *factor) len() int { return len(f.index) }

// whiten returns w = L⁻¹ y for values y at the knots taken.
func (f *factor) whiten(y []float64) []float64 {
	n := f.len()
	w := make([]float64, n)
	for i := range w {
		row := f.l[i*n : i*n+n]
		w[i] = (y[i] - dot(row[:i], w)) / row[i]
	}
	return w
}

// function returns the function with weights α = L⁻ᵀ w. Its squared norm is αᵀKα = ‖w‖² - jitter
// ‖α‖², and its norm bound is 1.1 ‖w‖.
func (f *factor) function(c kernel.Config, box space.Box, w []float64) *Function {
	n := f.len()
	alpha := slices.Clone(w)
	for i := n - 1; i >= 0; i-- {
		row := f.l[i*n : i*n+n]
		alpha[i] /= row[i]
		for j := range i {
			alpha[j] -= float64(alpha[i] * row[j])
		}
	}
	norm2 := dot(w, w)
	return &Function{
		config: c.WithLengthscale(c.Lengthscale), kernel: f.kernel, box: box,
		knots: f.knots, alpha: alpha,
		norm:  math.Sqrt(max(norm2-float64(f.jitter*dot(alpha, alpha)), 0)),
		bound: boundFactor * math.Sqrt(norm2),
	}
}

// dot returns the sum of a[i] b[i] over the length of a, in order.
func dot(a, b []float64) float64 {
	var s float64
	for i, x := range a {
		s += float64(x * b[i])
	}
	return s
}

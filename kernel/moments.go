package kernel

import (
	"math"
	"slices"
)

// Moments returns m2 and m4 of the expansion of a stationary kernel in the scaled distance t,
//
//	κ(t) = v (1 - m2 t²/2 + m4 t⁴/24 - ...),
//
// or +Inf where κ has too few derivatives at 0. They are the second and fourth moments of its spectrum. By the
// reproducing property they bound the derivatives of functions of the RKHS in t along any line:
// |df/dt| <= ‖f‖ sqrt(v m2) and |d²f/dt²| <= ‖f‖ sqrt(v m4). Both are 0 for linear, which has no scale and whose second
// derivatives are 0.
func (c Config) Moments() (m2, m4 float64) {
	switch c.Family {
	case "se-half":
		return 1, 3
	case "se-paper":
		return 2, 12
	case "linear":
		return 0, 0
	}
	nu := c.smoothness()
	m2, m4 = math.Inf(1), math.Inf(1)
	if nu > 1 {
		m2 = nu / (nu - 1)
	}
	if nu > 2 {
		m4 = 3 * nu * nu / ((nu - 1) * (nu - 2))
	}
	return m2, m4
}

// Supremum returns sup sqrt(k(x, x)) over the box from lo to hi. All kernels attain it at a corner: a stationary kernel
// everywhere, the linear kernel at the corner farthest from the origin. Without a kernel it is 0.
func Supremum(k Kernel, lo, hi []float64) float64 {
	if k == nil {
		return 0
	}
	corner := slices.Clone(lo)
	for j, v := range hi {
		if math.Abs(v) > math.Abs(corner[j]) {
			corner[j] = v
		}
	}
	return math.Sqrt(k.Eval(corner, corner))
}

// AboveCorners returns a number a such that every function f of the RKHS is, within a cell, at most a‖f‖ above its
// greatest value at the cell's corners. The cell has the least corner lo and the middle mid; k is the kernel of the
// settings. Without a kernel or lengthscale, a is +Inf.
//
// a is the lesser of two bounds. Interpolating f from the corners, one coordinate after another, errs by
// |∂²f/∂x_j²| (mid_j - lo_j)²/2 in each. And no point is farther from its nearest corner than the middle is: f exceeds
// its value at that corner by at most ‖f‖ times the kernel's distance ‖k(x,·) - k(y,·)‖ =
// sqrt(k(x,x) - 2k(x,y) + k(y,y)).
func (c Config) AboveCorners(k Kernel, lo, mid []float64) float64 {
	if c.Family == "linear" {
		return 0
	}
	if k == nil || len(c.Lengthscale) == 0 {
		return math.Inf(1)
	}
	var bend float64
	for j, m := range mid {
		t := (m - lo[j]) / c.Lengthscale[min(j, len(c.Lengthscale)-1)]
		bend += float64(t * t / 2)
	}
	v := c.Variance
	_, m4 := c.Moments()
	drop := max(v-k.Eval(lo, mid), 0) + float64(0x1p-48*v) // plus its rounding
	if math.IsInf(m4, 1) {
		return math.Sqrt(2 * drop) // bend may be 0, and 0 times infinity is no bound
	}
	return min(bend*math.Sqrt(v*m4), math.Sqrt(2*drop))
}

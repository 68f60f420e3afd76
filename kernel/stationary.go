package kernel

import (
	"fmt"
	"math"

	"popbench/internal/math/wide"
)

// stationary is a kernel k(x, y) = v φ(s) of the squared distance s = Σ_j (scale_j (x_j - y_j))². The scale includes
// the constant before r in the profile (√5 for Matérn 5/2, 1/√2 for exp(-r²/2)). So every profile is a function of s or
// a = √s alone:
//
//	gaussian      φ = exp(-s)
//	matern12      φ = exp(-a)
//	matern32      φ = (1 + a) exp(-a)
//	matern52      φ = (1 + a + a²/3) exp(-a)
//
// (Rasmussen and Williams, "Gaussian Processes for Machine Learning", 2006, Eqs. 4.9, 4.14 and 4.17).
type stationary struct {
	profile  profile
	variance float64   // v
	scale    []float64 // length d
	scale2   []float64 // length d, squares of scale
	bessel   *besselProfile
}

type profile int

const (
	gaussian profile = iota
	matern12
	matern32
	matern52
	maternNu
)

var _ Kernel = (*stationary)(nil)

// newStationary returns the kernel v φ(r c) in d dimensions, where r is the distance after division by the lengthscales
// (one, or d of them).
func newStationary(p profile, c, variance float64, lengthscale []float64, d int) *stationary {
	k := &stationary{profile: p, variance: variance, scale: make([]float64, d), scale2: make([]float64, d)}
	for j := range d {
		k.scale[j] = c / lengthscale[min(j, len(lengthscale)-1)]
		k.scale2[j] = k.scale[j] * k.scale[j]
	}
	return k
}

// newMatern returns the Matérn kernel of smoothness nu, in closed form if there is one.
func newMatern(nu, variance float64, lengthscale []float64, d int) *stationary {
	p := maternNu
	switch nu {
	case 0.5:
		p = matern12
	case 1.5:
		p = matern32
	case 2.5:
		p = matern52
	}
	k := newStationary(p, math.Sqrt(2*nu), variance, lengthscale, d)
	if p == maternNu {
		k.bessel = newBesselProfile(nu)
	}
	return k
}

func (k *stationary) Dim() int { return len(k.scale) }

// Points are processed in blocks whose distances fit a buffer on the stack. Each loop over a block does one thing,
// without branches or calls.
const block = 64

func (k *stationary) Eval(x, y []float64) float64 {
	checkLengths(k.Dim(), len(x), 1, len(y))
	var dst, s [1]float64
	wide.SquaredDistances(s[:], x, k.scale, y)
	if s[0] == 0 {
		return k.variance // as values does
	}
	k.values(dst[:], s[:])
	return dst[0]
}

func (k *stationary) Row(dst, x, pts []float64) {
	d := k.Dim()
	checkLengths(d, len(x), len(dst), len(pts))
	if k.gaussian(dst, x, pts) {
		return
	}
	var buf [block]float64
	for len(dst) > 0 {
		n := min(len(dst), block)
		a := buf[:n]
		wide.SquaredDistances(a, x, k.scale, pts)
		k.values(dst[:n], a)
		dst, pts = dst[n:], pts[n*d:]
	}
}

// gaussian does what Row does, without a buffer, and returns true, if the kernel is Gaussian and no point is far.
func (k *stationary) gaussian(dst, x, pts []float64) bool {
	if k.profile != gaussian {
		return false
	}
	wide.SquaredDistances(dst, x, k.scale, pts)
	return wide.ExpNeg(dst, k.variance, dst)
}

func (k *stationary) RowSlopes(dst, slopes, x, pts []float64) {
	d := k.Dim()
	checkLengths(d, len(x), len(dst), len(pts))
	slopes = slopes[:len(dst)]
	if k.gaussian(dst, x, pts) {
		for i, v := range dst {
			slopes[i] = -2 * v
		}
		return
	}
	var buf [block]float64
	for len(dst) > 0 {
		n := min(len(dst), block)
		a := buf[:n]
		wide.SquaredDistances(a, x, k.scale, pts)
		k.valuesSlopes(dst[:n], slopes[:n], a)
		dst, slopes, pts = dst[n:], slopes[n:], pts[n*d:]
	}
}

func (k *stationary) GradSlopes(dst, x, pts, slopes, w []float64) {
	k.sumSlopes(dst, x, pts, slopes, w, false)
	for j, s := range k.scale2 {
		dst[j] *= s
	}
}

// sumSlopes sets dst to the sum of the differences x - p_i, or of their squares, weighted by slopes and w.
func (k *stationary) sumSlopes(dst, x, pts, slopes, w []float64, squares bool) {
	d := k.Dim()
	checkLengths(d, len(x), len(w), len(pts))
	checkGradient(d, len(dst))
	clear(dst)
	slopes = slopes[:len(w)]
	var buf [block]float64
	for len(w) > 0 {
		n := min(len(w), block)
		g := buf[:n]
		wide.Product(g, 1, slopes, w)
		if squares {
			wide.AddSquares(dst, x, pts[:n*d], g)
		} else {
			wide.AddDifferences(dst, x, pts[:n*d], g)
		}
		w, slopes, pts = w[n:], slopes[n:], pts[n*d:]
	}
}

func (k *stationary) GradSum(dst, x, pts, w []float64) {
	d := k.Dim()
	checkLengths(d, len(x), len(w), len(pts))
	checkGradient(d, len(dst))
	clear(dst)
	var bufA, bufV, bufG [block]float64
	for len(w) > 0 {
		n := min(len(w), block)
		a, g := bufA[:n], bufG[:n]
		wide.SquaredDistances(a, x, k.scale, pts)
		if k.bessel != nil { // its values cost as much as its slopes
			k.bessel.slopes(g, a, k.variance)
		} else {
			k.valuesSlopes(bufV[:n], g, a)
		}
		wide.Product(g, 1, g, w)
		wide.AddDifferences(dst, x, pts[:n*d], g)
		w, pts = w[n:], pts[n*d:]
	}
	for j, s := range k.scale2 {
		dst[j] *= s
	}
}

func (k *stationary) GradDiag(dst, x []float64) {
	checkLengths(k.Dim(), len(x), 0, 0)
	checkGradient(k.Dim(), len(dst))
	clear(dst)
}

// values sets dst = v φ(s) for the squared distances s, which it overwrites.
func (k *stationary) values(dst, s []float64) {
	v := k.variance
	switch k.profile {
	case gaussian:
		scaledExpNeg(dst, v, s)
		return
	case matern12:
		for i, si := range s {
			s[i] = math.Sqrt(si)
			dst[i] = v
		}
	case matern32:
		for i, si := range s {
			a := math.Sqrt(si)
			s[i] = a
			dst[i] = v + float64(v*a)
		}
	case matern52:
		if wide.Matern52(dst, nil, v, s) {
			return
		}
		for i, si := range s {
			a := math.Sqrt(si)
			s[i] = a
			dst[i] = v * (1 + a + float64(si*(1./3)))
		}
	case maternNu:
		k.bessel.values(dst, s, v)
		return
	}
	mulExpNeg(dst, nil, s)
}

// valuesSlopes sets value as values does, and slope = 2 v dφ/ds with the same exponential. The gradient of k in x_j is slope
// times scale_j² (x_j - y_j).
func (k *stationary) valuesSlopes(value, slope, s []float64) {
	v := k.variance
	switch k.profile {
	case gaussian:
		scaledExpNeg(value, v, s)
		wide.Scaled(slope, -2, value)
		return
	case matern12:
		for i, si := range s {
			a := math.Sqrt(si)
			s[i], value[i], slope[i] = a, v, -v/a
			if si == 0 {
				slope[i] = 0
			}
		}
	case matern32:
		for i, si := range s {
			a := math.Sqrt(si)
			s[i], value[i], slope[i] = a, v+float64(v*a), -v
		}
	case matern52:
		if wide.Matern52(value, slope, v, s) {
			return
		}
		for i, si := range s {
			a := math.Sqrt(si)
			s[i], value[i], slope[i] = a, v*(1+a+float64(si*(1./3))), -v*(1+a)*(1./3)
		}
	case maternNu:
		copy(slope, s)
		k.bessel.values(value, s, v)
		copy(s, slope)
		k.bessel.slopes(slope, s, v)
		return
	}
	mulExpNeg(value, slope, s)
}

func checkLengths(d, x, n, pts int) {
	if x != d || pts != n*d {
		panic(fmt.Sprintf("kernel: x has %d coordinates and %d points have %d in all; the kernel has dimension %d", x, n, pts, d))
	}
}

func checkGradient(d, dst int) {
	if dst != d {
		panic(fmt.Sprintf("kernel: the gradient has length %d; the kernel has dimension %d", dst, d))
	}
}

// Stationary is a kernel v φ(r) of the distance r after dividing each coordinate by its lengthscale. All families of
// Config except linear are stationary.
type Stationary interface {
	Kernel
	// GradLogSlopes sets dst, of length d, to the gradient of Σ_i w[i] k(x, p_i) in the logarithms of the lengthscales,
	// for the len(w) points p_i of pts. RowSlopes must have been called with the same x and pts. It does not allocate.
	// For one lengthscale common to all coordinates, add the components up.
	GradLogSlopes(dst, x, pts, slopes, w []float64)
}

var _ Stationary = (*stationary)(nil)

// k is a function of s = Σ_j (scale_j (x_j - p_j))², and scale_j is inversely proportional to the lengthscale l_j:
// ∂k/∂log l_j = -2 v φ'(s) (scale_j (x_j - p_j))².
func (k *stationary) GradLogSlopes(dst, x, pts, slopes, w []float64) {
	k.sumSlopes(dst, x, pts, slopes, w, true)
	for j, s := range k.scale2 {
		dst[j] *= -s
	}
}

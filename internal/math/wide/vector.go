package wide

import (
	"math"

	"popbench/internal/math/fmath"
)

// lanes is the number of partial sums of Dot.
const lanes = 16

// ExpMax is a number up to which e^-x is a normal number.
const ExpMax = 708

// Where there are kernels, they do what the loops below do. For few elements a call of a kernel costs more.

// Dot returns Σ a_i b_i over the length of a.
func Dot(a, b []float64) float64 {
	switch {
	case len(a) < lanes:
		return dotShort(a, b)
	case !avx2:
		return dotLong(a, b)
	}
	b = b[:len(a)]
	return dotAVX2(&a[0], &b[0], len(a))
}

func dotShort(a, b []float64) float64 {
	b = b[:len(a)]
	var s float64
	for i, x := range a {
		s += float64(x * b[i])
	}
	return s
}

func dotLong(a, b []float64) float64 {
	var s [lanes]float64
	for ; len(a) >= lanes; a, b = a[lanes:], b[lanes:] {
		a, b := (*[lanes]float64)(a), (*[lanes]float64)(b)
		for i := range s {
			s[i] = math.FMA(a[i], b[i], s[i])
		}
	}
	for i, x := range a {
		s[i] = math.FMA(x, b[i], s[i])
	}
	for half := lanes / 2; half >= 1; half /= 2 {
		for i := range half {
			s[i] += s[i+half]
		}
	}
	return s[0]
}

// AddScaled adds c x to y, over the length of y.
func AddScaled(y []float64, c float64, x []float64) {
	x = x[:len(y)]
	if avx2 && len(y) >= 8 {
		addScaledAVX2(&y[0], c, &x[0], len(y))
		return
	}
	for i, v := range x {
		y[i] = math.FMA(c, v, y[i])
	}
}

// Scale multiplies x by c.
func Scale(x []float64, c float64) { Scaled(x, c, x) }

// Scaled sets dst to c x.
func Scaled(dst []float64, c float64, x []float64) {
	x = x[:len(dst)]
	if avx2 && len(x) > 0 {
		scaleAVX2(&dst[0], c, &x[0], len(x))
		return
	}
	for i, v := range x {
		dst[i] = c * v
	}
}

// Fly moves a ball from x with velocity s from wall to wall, until it reaches none. Wall i is where x_i is 0; the ball
// is there after the time -x_i/s_i if s_i > 0. It bounces at the wall reached first, of several at that with the least
// i: s changes by -2 (s_i/Σ_ii) times row i of sigma, which is Σ, n×n. Fly returns the number of bounces, and whether
// their limit came before the end.
func Fly(x, s, sigma []float64, limit int) (bounces int, limited bool) {
	n := len(x)
	s, sigma = s[:n], sigma[:n*n]
	if avx2 && n > 0 {
		var lanes [4]int
		left, wall := flyAVX2(&x[0], &s[0], &sigma[0], n, limit, &lanes)
		return limit - left, wall >= 0
	}
	wall, time := nextWall(x, s)
	for ; wall >= 0 && bounces < limit; bounces++ {
		speed, row := s[wall], sigma[wall*n:(wall+1)*n]
		c := -2 * speed / row[wall]
		for i, v := range row {
			x[i] = math.FMA(time, s[i], x[i])
			s[i] = math.FMA(c, v, s[i])
		}
		last := wall
		wall, time = nextWall(x, s)
		x[last], s[last] = 0, -speed // which rounding may have missed
	}
	return bounces, wall >= 0
}

// nextWall returns the i with the least -x_i/s_i among those with s_i > 0, of equal ones the first, and that time, or 0 if
// rounding has put the ball beyond the wall. i is -1 if there is none.
func nextWall(x, s []float64) (next int, time float64) {
	next, least := -1, math.Inf(1)
	for i, v := range s {
		// Few quotients are less than the least so far. A product tells nearly all of them, and the processor predicts
		// the branch.
		p := float64(least * v)
		if !(-x[i] > p+float64(0x1p-50*math.Abs(p))) && v > 0 {
			if t := -x[i] / v; t < least {
				next, least = i, t
			}
		}
	}
	return next, max(least, 0)
}

// Product sets dst_i to (c a_i) b_i, both products rounded; dst may be a or b.
func Product(dst []float64, c float64, a, b []float64) {
	a, b = a[:len(dst)], b[:len(dst)]
	if avx2 && len(dst) > 0 {
		productAVX2(&dst[0], c, &a[0], &b[0], len(dst))
		return
	}
	for i, v := range a {
		dst[i] = float64(c*v) * b[i]
	}
}

// AddProduct adds (c a_i) b_i to dst_i. The product in brackets is rounded.
func AddProduct(dst []float64, c float64, a, b []float64) {
	a, b = a[:len(dst)], b[:len(dst)]
	if avx2 && len(dst) > 0 {
		addProductAVX2(&dst[0], c, &a[0], &b[0], len(dst))
		return
	}
	for i, v := range a {
		dst[i] = math.FMA(float64(c*v), b[i], dst[i])
	}
}

// Combine sets dst_i to c a_i + e b_i. The first product is rounded; dst may be a or b.
func Combine(dst []float64, c float64, a []float64, e float64, b []float64) {
	a, b = a[:len(dst)], b[:len(dst)]
	if avx2 && len(dst) > 0 {
		combineAVX2(&dst[0], c, &a[0], e, &b[0], len(dst))
		return
	}
	for i, v := range a {
		dst[i] = math.FMA(e, b[i], float64(c*v))
	}
}

// CombineTo adds m t_i to y_i and sets dst_i to w t_i, where t_i is c a_i + e b_i as Combine computes it. dst may be a or b.
func CombineTo(dst []float64, c float64, a []float64, e float64, b, y []float64, m, w float64) {
	a, b, y = a[:len(dst)], b[:len(dst)], y[:len(dst)]
	if avx2 && len(dst) > 0 {
		combineToAVX2(&dst[0], c, &a[0], e, &b[0], &y[0], m, w, len(dst))
		return
	}
	for i, v := range a {
		t := math.FMA(e, b[i], float64(c*v))
		y[i] = math.FMA(m, t, y[i])
		dst[i] = w * t
	}
}

// Log1p sets dst_i to fmath.Log1p(x_i), bit for bit, for x_i that are not negative, finite or NaN; dst may be x.
func Log1p(dst, x []float64) {
	x = x[:len(dst)]
	if avx2 && len(dst) >= 2 {
		log1pAVX2(&dst[0], &x[0], len(x))
		return
	}
	for i, v := range x {
		dst[i] = fmath.Log1p(v)
	}
}

// ExpNeg sets dst_i to c fmath.Exp(-x_i), bit for bit, and reports whether all x_i are at most ExpMax; dst may be x.
func ExpNeg(dst []float64, c float64, x []float64) bool {
	x = x[:len(dst)]
	if avx2 && len(dst) >= 2 {
		return expNegAVX2(&dst[0], c, &x[0], len(x)) == 0
	}
	near := true
	for i, v := range x {
		near = near && v <= ExpMax
		dst[i] = c * fmath.Exp(-v)
	}
	return near
}

// Matern52 sets value_i to v (1 + a + s_i/3) e^-a and, unless slope is nil, slope_i to -v (1 + a)/3 e^-a, a = √s_i, and
// reports whether all a are at most ExpMax. Otherwise both are undefined.
func Matern52(value, slope []float64, v float64, s []float64) bool {
	s = s[:len(value)]
	if slope != nil {
		slope = slope[:len(value)]
	}
	switch {
	case len(value) == 0 || !avx2:
	case slope == nil:
		return matern52AVX2(&value[0], v, &s[0], len(s)) == 0
	default:
		return matern52SlopesAVX2(&value[0], &slope[0], v, &s[0], len(s)) == 0
	}
	for i, si := range s {
		a := math.Sqrt(si)
		if !(a <= ExpMax) {
			return false
		}
		e := fmath.Exp(-a)
		value[i] = float64(v*(1+a+float64(si*(1./3)))) * e
		if slope != nil {
			slope[i] = float64(-v*(1+a)*(1./3)) * e
		}
	}
	return true
}

// MeanRows sets row k of four numbers of dst to the mean of n rows, those with the numbers drawn[kn] to drawn[kn+n-1]. They
// are added in this order.
func MeanRows(dst []float64, rows *[256][4]float64, drawn []uint8, n int) {
	drawn = drawn[:n*len(dst)/4]
	if n <= 0 {
		panic("wide: the mean of no rows")
	}
	if done := len(dst) &^ 15; avx2 && done > 0 {
		meansAVX2(&dst[0], rows, &drawn[0], n, done/4)
		dst, drawn = dst[done:], drawn[done/4*n:]
	}
	for ; len(dst) > 0; dst, drawn = dst[4:], drawn[n:] {
		var s0, s1, s2, s3 float64
		for _, i := range drawn[:n] {
			row := &rows[i]
			s0 += row[0]
			s1 += row[1]
			s2 += row[2]
			s3 += row[3]
		}
		dst[0], dst[1], dst[2], dst[3] = s0/float64(n), s1/float64(n), s2/float64(n), s3/float64(n)
	}
}

// WeightedSums sets dst[c*stride+k] to the sum of all values of column c times their weights in sum k. The values are in
// pairs, and so are their weights: for eight sums at a time, those of the first pair, and so on.
func WeightedSums(dst []int32, stride int, weights []uint8, values [][8][2]int16) {
	blocks := len(weights) / (16 * len(values))
	if dst = dst[:7*stride+8*blocks]; avx2 && blocks > 0 {
		weightedSumsAVX2(&dst[0], 4*stride, &weights[0], &values[0], len(values), blocks)
		return
	}
	for k := range 8 * blocks {
		for c := range 8 {
			sum, at := &dst[c*stride+k], k/8*len(values)*16+k%8*2
			*sum = 0
			for i := range values {
				*sum += int32(weights[at+16*i])*int32(values[i][c][0]) + int32(weights[at+16*i+1])*int32(values[i][c][1])
			}
		}
	}
}

// Within returns the first i for which x_i is from least to least+most, or the length of x.
func Within(x []int32, least int32, most uint32) (i int) {
	if full := len(x) &^ 7; avx2 && full > 0 {
		i = withinAVX2(&x[0], int(least), int(most), full)
	}
	for i < len(x) && uint32(x[i]-least) > most {
		i++
	}
	return i
}

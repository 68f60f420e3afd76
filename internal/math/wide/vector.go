package wide

// Dot returns Σ a_i b_i over the length of a.
func Dot(a, b []float64) float64 {
	if len(a) < lanes {
		return dotShort(a, b)
	}
	return dotLong(a, b[:len(a)])
}

// AddScaled adds c x to y, over the length of y.
func AddScaled(y []float64, c float64, x []float64) {
	x = x[:len(y)]
	if len(y) < 8 { // a call of the kernel costs more
		addScaledPlain(y, c, x)
		return
	}
	addScaled(y, c, x)
}

// Scale multiplies x by c.
func Scale(x []float64, c float64) {
	if len(x) > 0 {
		scale(x, c)
	}
}

// Reflect adds time s to x, and then c row to s. It returns the i with the least -x_i/s_i among those with s_i > 0, of equal
// ones the first; -1 if there is none.
func Reflect(x, s []float64, time, c float64, row []float64) int {
	s, row = s[:len(x)], row[:len(x)]
	if len(x) == 0 {
		return -1
	}
	return reflect(x, s, time, c, row)
}

// Product sets dst_i to (c a_i) b_i, both products rounded; dst may be a or b.
func Product(dst []float64, c float64, a, b []float64) {
	a, b = a[:len(dst)], b[:len(dst)]
	if len(dst) > 0 {
		product(dst, c, a, b)
	}
}

// AddProduct adds (c a_i) b_i to dst_i. The product in brackets is rounded.
func AddProduct(dst []float64, c float64, a, b []float64) {
	a, b = a[:len(dst)], b[:len(dst)]
	if len(dst) > 0 {
		addProduct(dst, c, a, b)
	}
}

// Log sets dst_i to fmath.Log(x_i), bit for bit, for x_i that are positive normal numbers or NaN; dst may be x.
func Log(dst, x []float64) {
	x = x[:len(dst)]
	if len(dst) < 2 {
		logPlain(dst, x)
		return
	}
	logarithm(dst, x)
}

// Log1p sets dst_i to fmath.Log1p(x_i), bit for bit, for x_i from 0 to 1 or NaN; dst may be x.
func Log1p(dst, x []float64) {
	x = x[:len(dst)]
	if len(dst) < 2 {
		log1pPlain(dst, x)
		return
	}
	log1p(dst, x)
}

// ExpNeg sets dst_i to c fmath.Exp(-x_i), bit for bit, and reports whether all x_i are at most ExpMax; dst may be x.
func ExpNeg(dst []float64, c float64, x []float64) bool {
	x = x[:len(dst)]
	if len(dst) < 2 { // a call of the kernel costs more
		return expNegPlain(dst, c, x)
	}
	return expNeg(dst, c, x)
}

// SquaredDistances sets dst_i to Σ_j (scale_j (x_j - p_ij))², over the length of x and in its order, every product rounded.
// p_i is row i of points.
func SquaredDistances(dst, x, scale, points []float64) {
	d, n := len(x), len(dst)
	scale, points = scale[:d], points[:n*d]
	if done := n &^ 3; done > 0 && d > 0 {
		squaredDistances(dst[:done], x, scale, points)
		dst, points = dst[done:], points[done*d:]
	}
	distancesPlain(dst, x, scale, points)
}

// MeanRows sets row k of dst to the mean of n rows, those with the numbers drawn[kn] to drawn[kn+n-1]. They are added in
// this order.
func MeanRows(dst [][4]float64, rows *[256][4]float64, drawn []uint8, n int) {
	drawn = drawn[:n*len(dst)]
	done := len(dst) &^ 3
	if n <= 0 {
		panic("wide: the mean of no rows")
	}
	if done > 0 {
		meanRows(dst[:done], rows, drawn, n)
	}
	meanRowsPlain(dst[done:], rows, drawn[done*n:], n)
}

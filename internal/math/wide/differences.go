package wide

// AddDifferences adds Σ_i g_i (x - p_i) to dst, over the length of g and in its order, every product rounded. p_i is row i
// of pts.
func AddDifferences(dst, x, pts, g []float64) {
	d := len(x)
	dst, pts = dst[:d], pts[:len(g)*d]
	if avx2 && len(pts) > 0 {
		differencesAVX2(&dst[0], &x[0], &pts[0], &g[0], d, len(g))
		return
	}
	for j, xj := range x {
		sum, at := dst[j], j
		for _, gi := range g {
			sum += float64(gi * (xj - pts[at]))
			at += d
		}
		dst[j] = sum
	}
}

// AddSquares is AddDifferences with the squares of the differences, rounded.
func AddSquares(dst, x, pts, g []float64) {
	d := len(x)
	dst, pts = dst[:d], pts[:len(g)*d]
	if avx2 && len(pts) > 0 {
		squaresAVX2(&dst[0], &x[0], &pts[0], &g[0], d, len(g))
		return
	}
	for j, xj := range x {
		sum, at := dst[j], j
		for _, gi := range g {
			t := xj - pts[at]
			sum += float64(gi * float64(t*t))
			at += d
		}
		dst[j] = sum
	}
}

// SquaredDistances sets dst_i to Σ_j (scale_j (x_j - p_ij))², over the length of x and in its order, every product rounded.
// p_i is row i of points.
func SquaredDistances(dst, x, scale, points []float64) {
	d, n := len(x), len(dst)
	scale, points = scale[:d], points[:n*d]
	if done := n &^ 3; avx2 && done > 0 && d > 0 {
		distancesAVX2(&dst[0], &x[0], &scale[0], &points[0], d, done)
		dst, points = dst[done:], points[done*d:]
	}
	clear(dst)
	for j, xj := range x {
		c, at := scale[j], j
		for i, sum := range dst {
			t := c * (xj - points[at])
			dst[i] = sum + float64(t*t)
			at += d
		}
	}
}

package wide

// AddDifferences adds Σ_i g_i (x - p_i) to dst, over the length of g and in its order, every product rounded. p_i is row i
// of pts.
func AddDifferences(dst, x, pts, g []float64) {
	dst, pts = dst[:len(x)], pts[:len(g)*len(x)]
	switch {
	case len(x) == 1:
		x0, sum := x[0], dst[0]
		for i, gi := range g {
			sum += float64(gi * (x0 - pts[i]))
		}
		dst[0] = sum
	case len(x) == 2:
		x0, x1, sum0, sum1 := x[0], x[1], dst[0], dst[1]
		for i, gi := range g {
			p := pts[2*i : 2*i+2 : 2*i+2]
			sum0 += float64(gi * (x0 - p[0]))
			sum1 += float64(gi * (x1 - p[1]))
		}
		dst[0], dst[1] = sum0, sum1
	case avx2 && len(g) > 0 && len(x) > 0:
		differencesAVX2(&dst[0], &x[0], &pts[0], &g[0], len(x), len(g))
	default:
		d := len(x)
		i := 0
		for ; i+4 <= len(g); i += 4 { // a sum stays in a register for four points, in the same order
			p := pts[i*d : (i+4)*d]
			p0, p1, p2, p3 := p[:d], p[d:2*d], p[2*d:3*d], p[3*d:4*d]
			g0, g1, g2, g3 := g[i], g[i+1], g[i+2], g[i+3]
			for j, xj := range x {
				sum := dst[j] + float64(g0*(xj-p0[j]))
				sum += float64(g1 * (xj - p1[j]))
				sum += float64(g2 * (xj - p2[j]))
				dst[j] = sum + float64(g3*(xj-p3[j]))
			}
		}
		for ; i < len(g); i++ {
			p, gi := pts[i*d:i*d+d], g[i]
			for j, xj := range x {
				dst[j] += float64(gi * (xj - p[j]))
			}
		}
	}
}

// AddSquares is AddDifferences with the squares of the differences, rounded.
func AddSquares(dst, x, pts, g []float64) {
	dst, pts = dst[:len(x)], pts[:len(g)*len(x)]
	if len(x) == 2 {
		x0, x1, sum0, sum1 := x[0], x[1], dst[0], dst[1]
		for i, gi := range g {
			p := pts[2*i : 2*i+2 : 2*i+2]
			t0, t1 := x0-p[0], x1-p[1]
			sum0 += float64(gi * float64(t0*t0))
			sum1 += float64(gi * float64(t1*t1))
		}
		dst[0], dst[1] = sum0, sum1
		return
	}
	if avx2 && len(g) > 0 && len(x) > 0 {
		squaresAVX2(&dst[0], &x[0], &pts[0], &g[0], len(x), len(g))
		return
	}
	d := len(x)
	i := 0
	for ; i+4 <= len(g); i += 4 { // as in AddDifferences
		p := pts[i*d : (i+4)*d]
		p0, p1, p2, p3 := p[:d], p[d:2*d], p[2*d:3*d], p[3*d:4*d]
		g0, g1, g2, g3 := g[i], g[i+1], g[i+2], g[i+3]
		for j, xj := range x {
			t0, t1, t2, t3 := xj-p0[j], xj-p1[j], xj-p2[j], xj-p3[j]
			sum := dst[j] + float64(g0*float64(t0*t0))
			sum += float64(g1 * float64(t1*t1))
			sum += float64(g2 * float64(t2*t2))
			dst[j] = sum + float64(g3*float64(t3*t3))
		}
	}
	for ; i < len(g); i++ {
		p, gi := pts[i*d:i*d+d], g[i]
		for j, xj := range x {
			t := xj - p[j]
			dst[j] += float64(gi * float64(t*t))
		}
	}
}

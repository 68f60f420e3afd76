package kernel

// squaredDistances sets dst[i] = Σ_j (scale[j] (x[j] - p_i[j]))² for the len(dst) points p_i of pts (row-major, rows
// of length len(x)).
func squaredDistances(dst, x, pts, scale []float64) {
	switch len(x) {
	case 1:
		x0, s0 := x[0], scale[0]
		pts = pts[:len(dst)]
		for i, p := range pts {
			t := s0 * (x0 - p)
			dst[i] = t * t
		}
	case 2:
		x0, x1, s0, s1 := x[0], x[1], scale[0], scale[1]
		for i := range dst {
			p := pts[2*i : 2*i+2 : 2*i+2]
			t0, t1 := s0*(x0-p[0]), s1*(x1-p[1])
			dst[i] = float64(t0*t0) + float64(t1*t1)
		}
	case 3:
		x0, x1, x2, s0, s1, s2 := x[0], x[1], x[2], scale[0], scale[1], scale[2]
		for i := range dst {
			p := pts[3*i : 3*i+3 : 3*i+3]
			t0, t1, t2 := s0*(x0-p[0]), s1*(x1-p[1]), s2*(x2-p[2])
			dst[i] = float64(t0*t0) + float64(t1*t1) + float64(t2*t2)
		}
	case 4:
		x0, x1, x2, x3, s0, s1, s2, s3 := x[0], x[1], x[2], x[3], scale[0], scale[1], scale[2], scale[3]
		for i := range dst {
			p := pts[4*i : 4*i+4 : 4*i+4]
			t0, t1, t2, t3 := s0*(x0-p[0]), s1*(x1-p[1]), s2*(x2-p[2]), s3*(x3-p[3])
			dst[i] = float64(t0*t0) + float64(t1*t1) + float64(t2*t2) + float64(t3*t3)
		}
	default:
		d := len(x)
		scale = scale[:d]
		i := 0
		for ; i+4 <= len(dst); i += 4 { // four independent sums, so that none waits for another
			p := pts[i*d : (i+4)*d]
			p0, p1, p2, p3 := p[:d], p[d:2*d], p[2*d:3*d], p[3*d:4*d]
			var s0, s1, s2, s3 float64
			for j, xj := range x {
				c := scale[j]
				t0, t1, t2, t3 := c*(xj-p0[j]), c*(xj-p1[j]), c*(xj-p2[j]), c*(xj-p3[j])
				s0 += float64(t0 * t0)
				s1 += float64(t1 * t1)
				s2 += float64(t2 * t2)
				s3 += float64(t3 * t3)
			}
			dst[i], dst[i+1], dst[i+2], dst[i+3] = s0, s1, s2, s3
		}
		for ; i < len(dst); i++ {
			p := pts[i*d : i*d+d]
			var s float64
			for j, xj := range x {
				t := scale[j] * (xj - p[j])
				s += float64(t * t)
			}
			dst[i] = s
		}
	}
}

// addDifferences adds Σ_i g[i] (x - p_i) to dst, for the len(g) points p_i of pts.
func addDifferences(dst, x, pts, g []float64) {
	switch len(x) {
	case 1:
		x0, sum := x[0], dst[0]
		pts = pts[:len(g)]
		for i, gi := range g {
			sum += float64(gi * (x0 - pts[i]))
		}
		dst[0] = sum
	case 2:
		x0, x1, sum0, sum1 := x[0], x[1], dst[0], dst[1]
		for i, gi := range g {
			p := pts[2*i : 2*i+2 : 2*i+2]
			sum0 += float64(gi * (x0 - p[0]))
			sum1 += float64(gi * (x1 - p[1]))
		}
		dst[0], dst[1] = sum0, sum1
	default:
		d := len(x)
		dst = dst[:d]
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

// addSquares adds Σ_i g[i] (x - p_i)², coordinate by coordinate, to dst, for the len(g) points p_i of pts.
func addSquares(dst, x, pts, g []float64) {
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
	d := len(x)
	dst = dst[:d]
	i := 0
	for ; i+4 <= len(g); i += 4 { // as in addDifferences
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

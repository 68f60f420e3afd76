package kernel

// Stationary is a kernel v φ(r) of the distance r after each coordinate is divided
// by its lengthscale. All families of Config but linear are stationary.
type Stationary interface {
	Kernel
	// GradLogLengthscale sets dst, of length d, to the gradient of
	// Σ_i w[i] k(x, p_i), for the len(w) points p_i of pts, in the logarithms of
	// the lengthscales. It does not allocate. For one lengthscale common to all
	// coordinates add its components up.
	GradLogLengthscale(dst, x, pts, w []float64)
}

var _ Stationary = (*stationary)(nil)

// k is a function of s = Σ_j (scale_j (x_j - p_j))², and scale_j goes with one
// over the lengthscale: ∂k/∂log l_j = -2 v φ'(s) (scale_j (x_j - p_j))².
func (k *stationary) GradLogLengthscale(dst, x, pts, w []float64) {
	d := k.Dim()
	checkLengths(d, len(x), len(w), len(pts))
	checkGradient(d, len(dst))
	clear(dst)
	var bufA, bufG [block]float64
	for len(w) > 0 {
		n := min(len(w), block)
		a, g := bufA[:n], bufG[:n]
		squaredDistances(a, x, pts[:n*d], k.scale)
		k.slopes(g, a)
		for i, wi := range w[:n] {
			g[i] *= wi
		}
		addSquares(dst, x, pts[:n*d], g)
		w, pts = w[n:], pts[n*d:]
	}
	for j, s := range k.scale2 {
		dst[j] *= -s
	}
}

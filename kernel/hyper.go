package kernel

// Stationary is a kernel v φ(r) of the distance r after each coordinate is divided
// by its lengthscale. All families of Config but linear are stationary.
type Stationary interface {
	Kernel
	// GradLogSlopes sets dst, of length d, to the gradient of Σ_i w[i] k(x, p_i), for the
	// len(w) points p_i of pts, in the logarithms of the lengthscales, after RowSlopes
	// with the same x and pts. It does not allocate. For one lengthscale common to all
	// coordinates add its components up.
	GradLogSlopes(dst, x, pts, slopes, w []float64)
}

var _ Stationary = (*stationary)(nil)

// k is a function of s = Σ_j (scale_j (x_j - p_j))², and scale_j goes with one
// over the lengthscale: ∂k/∂log l_j = -2 v φ'(s) (scale_j (x_j - p_j))².
func (k *stationary) GradLogSlopes(dst, x, pts, slopes, w []float64) {
	k.sumSlopes(dst, x, pts, slopes, w, true)
	for j, s := range k.scale2 {
		dst[j] *= -s
	}
}

package kernel

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

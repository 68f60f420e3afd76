// Package kernel has covariance functions k(x, x') on R^d and their gradients.
//
//	k, err := kernel.Config{Family: "se-half", Variance: 1, Lengthscale: []float64{0.3}}.New(d)
//	v := k.Eval(x, y)
//
// The family says what a lengthscale means. With r the distance after dividing each coordinate by its lengthscale,
// the squared exponential is either se-half, exp(-r²/2) as in GPy and the authors' code, or se-paper, exp(-r²) as the
// paper prints it.
package kernel

// Kernel is a positive semi-definite covariance function. Implementations are immutable and safe for concurrent use.
// Points are rows of length Dim; slices of another length are a caller's bug and panic.
type Kernel interface {
	// Dim returns d, the length of a point.
	Dim() int
	// Eval returns k(x, y).
	Eval(x, y []float64) float64
	// Row sets dst[i] = k(x, p_i) for the len(dst) points p_i of pts, row-major. It does not allocate.
	Row(dst, x, pts []float64)
	// RowSlopes is Row, and sets slopes, of the same length, to what GradSlopes needs.
	RowSlopes(dst, slopes, x, pts []float64)
	// GradSlopes is GradSum after RowSlopes with the same x and pts, at no more than a third of its cost.
	GradSlopes(dst, x, pts, slopes, w []float64)
	// GradSum sets dst to Σ_i w[i] ∂k(x, p_i)/∂x, for the len(w) points of pts. It does not allocate. Where k is not
	// differentiable (Matérn 1/2 at x = p_i) the term counts as zero.
	GradSum(dst, x, pts, w []float64)
	// GradDiag sets dst to ∂k(x, y)/∂x at y = x: zero for a stationary kernel.
	GradDiag(dst, x []float64)
}

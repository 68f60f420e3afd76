package problems

import (
	"popbench/internal/math/linalg"
	"popbench/kernel"
	"popbench/space"
)

const feedbackSource = "Kayal et al. (2025), Bayesian optimization from human feedback: near-optimal regret bounds, ICML; from the program published with it, "

// The test function of Kayal et al.: the posterior mean of a Gaussian process with noise variance 0.05, given the ten
// observations in their program, times five. Their program multiplies differences of utility by five.
var feedback = []*Spec{
	greatest("bohf_rkhs", "BOHF's function (RBF)",
		"two hills on a line, the lower one almost as high: utilities from -2 to 5",
		feedbackSource+"kernel RBF, its default",
		space.Cube(1, 0, 1), feedbackMean("se-half"), Optimum{Value: 4.866576784897348, X: [][]float64{{0.35248051961645387}}, How: byIntervals}),
	greatest("bohf_rkhs_matern52", "BOHF's function (Matérn)",
		"two hills on a line, the lower one almost as high: utilities from -2 to 5",
		feedbackSource+"kernel Matérn with smoothness 5/2, which it takes as an argument",
		space.Cube(1, 0, 1), feedbackMean("matern52"), Optimum{Value: 4.843354416546154, X: [][]float64{{0.3441583971280956}}, How: byIntervals}),
}

// feedbackMean returns 5 k(x, X)ᵀ (K + 0.05 I)⁻¹ y, where X are ten even points of [0, 1] and y the observations there.
func feedbackMean(family string) func(x []float64) float64 {
	k, knots, weights := feedbackWeights(family)
	return func(x []float64) float64 {
		var s float64
		for i, w := range weights {
			s += float64(w * k.Eval(x, knots[i:i+1]))
		}
		return s
	}
}

// feedbackWeights returns k, X and 5 (K + 0.05 I)⁻¹ y.
func feedbackWeights(family string) (k kernel.Kernel, knots, weights []float64) {
	k, err := kernel.Config{Family: family, Variance: 1, Lengthscale: []float64{0.1}}.New(1)
	if err != nil {
		panic(err)
	}
	weights = []float64{-0.5, 0, 0.5, 1, 0.7, 0.2, 0.2, 0.5, 0.95, 0.7}
	n := len(weights)
	knots = make([]float64, n)
	for i := range knots {
		knots[i] = float64(i) / float64(n-1)
	}
	gram := make([]float64, n*n)
	for i := range n {
		k.Row(gram[i*n:(i+1)*n], knots[i:i+1], knots)
		gram[i*n+i] += 0.05
	}
	if !linalg.Cholesky(gram, n, n, 0) {
		panic("problems: the kernel matrix of ten distinct points is singular")
	}
	linalg.SolveLower(gram, n, weights)
	linalg.SolveLowerTransposed(gram, n, weights)
	for i := range weights {
		weights[i] *= 5
	}
	return k, knots, weights
}

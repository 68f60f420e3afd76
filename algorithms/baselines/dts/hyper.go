package dts

import (
	"math"
	"slices"

	"popbench/internal/math/gp"
	"popbench/internal/math/search"
	"popbench/kernel"
)

// variancePrior is the prior of qEUBO's public code, which has the same link (Astudillo et al., AISTATS 2023).
var variancePrior = gp.Parameter{Prior: gp.Gamma{Shape: 2, Rate: 0.15}, Lo: 0.01, Hi: 1000}

// Fit sets lengthscales and variance of the kernel exp(-r²/2) on [0,1]^d to the maximum of evidence times
// prior, found from the current ones and from the priors' mode, and computes the posterior.
func (m *model) Fit() gp.MAP {
	hyper := m.hyper()
	starts := [][]float64{hyper.Logs(m.kernel.Kernel), hyper.Mode()}
	if m.lengthscale != lengthscalePrior {
		starts = append(starts, hyper.ModeStarts()[1:]...)
	}
	best := hyper.Fit(starts...)
	hyper.Density(best.Logs, nil) // leaves the model at the best posterior
	return best
}

// hyper returns the MAP fit of the hyper-parameters.
func (m *model) hyper() *gp.Hyper {
	n, d := m.duels.len(), m.duels.d
	dG := make([]float64, n*n)
	prior := gp.KernelPrior{Kernel: m.kernel.Kernel, Widths: slices.Repeat([]float64{1}, d), Lengthscale: m.lengthscale, Variance: variancePrior}
	fit := gp.NewHyper(prior, search.Settings{MaxIter: 50, Step: 0.1, GradTol: 1e-5, ValueTol: 1e-10}, func(k kernel.Config, grad []float64) float64 {
		m.setKernel(k)
		fit := m.Condition()
		if fit.Status != gp.Converged {
			m.work.Failures++
			return math.NaN()
		}
		if grad != nil {
			for j := range d {
				m.duels.gramSlope(m.kernel, dG, m.k, j)
				grad[j] += fit.EvidenceGrad(dG)
			}
			grad[d] += fit.EvidenceGrad(m.g)
		}
		return fit.Evidence
	})
	fit.EvidenceLast = true
	return fit
}

// modalKernel returns the kernel at the modes of the priors.
func modalKernel(lengthscale gp.Parameter, d int) kernel.Config {
	l, v := lengthscale.Prior.Mode(), variancePrior.Prior.Mode()
	return kernel.Config{Family: "se-half", Variance: v, Lengthscale: slices.Repeat([]float64{l}, d)}
}

package gpucb

import (
	"fmt"
	"math"

	"popbench/internal/gp"
	"popbench/internal/search"
	"popbench/kernel"
	"popbench/space"
)

// Priors and ranges of the hyper-parameters: lengthscales in box widths, the
// variance in that of values.
var (
	lengthscalePrior = gp.Parameter{Prior: gp.Gamma{Shape: 3, Rate: 6}, Lo: 0.01, Hi: 10}
	variancePrior    = gp.Parameter{Prior: gp.Gamma{Shape: 2, Rate: 0.15}, Lo: 1e-3, Hi: 1e4}
)

const fitStarts = 2 // quasi-random ones, besides the priors' mode

// fitter chooses lengthscales and variance by their posterior density, the
// marginal likelihood times the priors: the maximum a posteriori estimate.
type fitter struct {
	prior  gp.KernelPrior
	model  *gp.Regression // of the last evaluation
	hyper  *gp.Hyper
	starts [][]float64 // logarithms of hyper-parameters

	x, y        []float64 // the values, n×d and n
	evaluations int       // of the density, in the last fit
}

// newFitter works in the memory of model, whose noise and kind of mean it takes.
func newFitter(cfg Config, box space.Box, model *gp.Regression) *fitter {
	f := &fitter{model: model}
	f.prior = gp.KernelPrior{Kernel: cfg.Kernel, Widths: box.Widths(), Lengthscale: lengthscalePrior, Variance: variancePrior}
	if cfg.Fit == "isotropic" {
		f.prior.Widths = []float64{box.MeanWidth()}
	}
	f.solve(search.Settings{GradTol: 1e-7, ValueTol: 1e-12, Step: 0.1, Strict: true})
	spread := search.NewCandidates(f.hyper.Box(), fitStarts, nil)
	f.starts = append(f.starts, f.hyper.Mode(), spread.At(0), spread.At(1))
	return f
}

// solve gives the fits their settings.
func (f *fitter) solve(s search.Settings) {
	f.hyper = gp.NewHyper(f.prior, s, f.evidence)
	f.hyper.ClimbedLogs = true
}

// fit returns the kernel of the greatest posterior density given values y at x
// (n×d). It is false where no climb converged.
func (f *fitter) fit(x, y []float64) (kernel.Config, bool) {
	f.x, f.y = x, y
	m := f.hyper.Fit(f.starts...)
	f.evaluations = m.Evaluations
	return m.Kernel, m.Status == search.Converged
}

// evidence is the log marginal likelihood with the kernel c, NaN where there is
// none. It adds its gradient to grad unless that is nil.
func (f *fitter) evidence(c kernel.Config, grad []float64) float64 {
	k, err := c.New(f.model.Kernel.Dim())
	if err != nil {
		panic(fmt.Sprintf("gpucb: kernel of a fit: %v", err)) // the range is finite
	}
	if f.model.Condition(k, f.x, f.y) != nil {
		return math.NaN()
	}
	if grad != nil {
		f.model.AddEvidenceGrad(grad)
	}
	return f.model.Evidence()
}

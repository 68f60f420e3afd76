package gpucb

import (
	"fmt"
	"math"

	"popbench/internal/math/gp"
	"popbench/internal/math/search"
	"popbench/kernel"
	"popbench/space"
)

// variancePrior is in units of squared values.
var variancePrior = gp.Parameter{Prior: gp.Gamma{Shape: 2, Rate: 0.15}, Lo: 1e-3, Hi: 1e4}

const fitStarts = 2 // quasi-random starts, besides the priors' mode and the current hyper-parameters

// restartEvery is the number of fits after which one uses all starts, not only the current hyper-parameters. Up
// to firstFits values every fit does. In 920 states of runs no density was lower than with all starts.
const restartEvery, firstFits = 5, 10

// Settings of the rough searches from all starts, and of the last one from the best of their ends. A rough
// search ends when it expects no gain above 1e-4 in the logarithm of the density. In 1,000 fits of runs the last one ended
// at most 2e-8 below one with GradTol 1e-7 and ValueTol 1e-12.
var (
	roughSearch = search.Settings{GradTol: 1e-7, ValueTol: 1e-4, Step: 0.1, Strict: true, Basin: 0.05}
	lastSearch  = search.Settings{GradTol: 1e-5, ValueTol: 1e-10, Step: 0.02, Strict: true}
)

// fitter computes the MAP fit of lengthscales and variance: it maximises the marginal likelihood times the
// priors.
type fitter struct {
	prior  gp.KernelPrior
	model  *gp.Regression // of the last evaluation
	rough  *gp.Hyper
	hyper  *gp.Hyper
	starts [][]float64 // logarithms of hyper-parameters
	every  int         // number of values from one fit to the next

	x, y        []float64 // the values, n×d and n
	evaluations int       // of the density, in the last fit
}

// newFitter returns a fitter that uses the memory of model, with its noise and kind of mean.
func newFitter(cfg Config, box space.Box, model *gp.Regression) *fitter {
	f := &fitter{model: model, every: cfg.RefitEvery}
	f.prior = gp.KernelPrior{Kernel: cfg.Kernel, Widths: box.Widths(), Lengthscale: cfg.lengthscale(box.Dim()), Variance: variancePrior}
	if cfg.Fit == "isotropic" {
		f.prior.Widths = []float64{box.MeanWidth()}
	}
	f.rough, f.hyper = f.hyperFit(roughSearch), f.hyperFit(lastSearch)
	spread := search.NewCandidates(f.hyper.Box, fitStarts, nil)
	f.starts = append(f.starts, f.hyper.Mode(), spread.At(0), spread.At(1))
	if cfg.hasPrior() {
		f.starts = append(f.starts, f.hyper.ModeStarts()[1:]...)
	}
	return f
}

func (f *fitter) hyperFit(s search.Settings) *gp.Hyper {
	h := gp.NewHyper(f.prior, s, f.evidence)
	h.SearchedLogs = true
	return h
}

// fit returns the kernel of the largest posterior density given values y at x (n×d). One start is now, the
// current kernel, since one more value seldom moves the maximum far. It returns false if no local search
// converged.
func (f *fitter) fit(now kernel.Config, x, y []float64) (kernel.Config, bool) {
	f.x, f.y, f.evaluations = x, y, 0
	start := f.hyper.Logs(now)
	if n := len(y); n > firstFits && n/f.every%restartEvery != 0 {
		m := f.hyper.Fit(start)
		f.evaluations = m.Evaluations
		if m.Status == search.Converged {
			return m.Kernel, true
		}
	}
	rough := f.rough.Fit(append([][]float64{start}, f.starts...)...)
	f.evaluations += rough.Evaluations
	if rough.Status == search.Undefined {
		return now, false
	}
	m := f.hyper.Fit(rough.Logs)
	f.evaluations += m.Evaluations
	return m.Kernel, m.Status == search.Converged
}

// evidence returns the log marginal likelihood with the kernel c, NaN if it has none. It adds the gradient to
// grad, unless that is nil.
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

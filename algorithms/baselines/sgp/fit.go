package sgp

import (
	"math"

	"popbench/internal/gp"
	"popbench/internal/search"
	"popbench/kernel"
	"popbench/space"
)

// fitter finds the lengthscales under which the duels are most likely, by
// Laplace's approximation with the link Φ(g/(√2 σ)): each option has noise of its
// own, of deviation σ.
type fitter struct {
	box    space.Box
	cfg    FitConfig
	kernel kernel.Config
	link   gp.Probit

	solver      gp.Solver
	gram, g     []float64
	sens        []float64 // Dᵀ (∂Evidence/∂G) D ∘ K, over the distinct points
	lengthscale []float64
	evaluations int
	failures    int
}

func newFitter(box space.Box, cfg Config) *fitter {
	return &fitter{
		box: box, cfg: cfg.Fit, kernel: cfg.Kernel,
		link:        gp.Probit{Scale: math.Sqrt2 * cfg.Noise},
		lengthscale: make([]float64, box.Dim()),
	}
}

// fit returns lengthscales of the duels, in the units of x, by local searches in
// their logarithms from the settings' start and from now, the ones in force. It
// returns now if every search failed.
func (f *fitter) fit(u *duels, now []float64) []float64 {
	d := f.box.Dim()
	logs := space.Cube(d, math.Log(f.cfg.Lo), math.Log(f.cfg.Hi))
	local := search.NewLocal(logs, search.Settings{GradTol: 1e-5, ValueTol: 1e-12})
	objective := func(x, grad []float64) float64 { return f.evidence(u, x, grad) }
	first, second := make([]float64, d), make([]float64, d)
	for j := range first {
		first[j] = math.Log(f.cfg.Start)
		second[j] = math.Log(now[j] / (f.box.Hi[j] - f.box.Lo[j]))
	}
	best, value := now, math.Inf(-1)
	for _, start := range [][]float64{first, second} {
		r := local.Maximize(objective, start)
		if r.Status != search.Undefined && r.Value > value {
			value = r.Value
			best = make([]float64, d)
			f.scale(best, r.X)
		}
	}
	return best
}

// scale sets dst to the lengthscales of the given logarithms of box widths.
func (f *fitter) scale(dst, logs []float64) {
	for j, v := range logs {
		dst[j] = math.Exp(v) * (f.box.Hi[j] - f.box.Lo[j])
	}
}

// evidence is the log marginal likelihood of the duels at the logarithms x of the
// lengthscales in box widths, NaN if the posterior's mode was not found, and its
// gradient unless grad is nil.
func (f *fitter) evidence(u *duels, x, grad []float64) float64 {
	f.evaluations++
	f.scale(f.lengthscale, x)
	k, err := f.kernel.WithLengthscale(f.lengthscale).New(len(x))
	if err != nil {
		panic(err) // the settings were checked, and the limits are finite
	}
	n, p := u.len(), u.distinct()
	f.gram, f.g = resize(f.gram, p*p), resize(f.g, n*n)
	u.gram(f.gram, k)
	u.differences(f.g, f.gram)
	fit := f.solver.Laplace(f.g, n, f.link, nil)
	if fit.Status != gp.Converged {
		f.failures++
		return math.NaN()
	}
	if grad != nil {
		f.gradient(u, fit.Sensitivity(), grad)
	}
	return fit.Evidence
}

// gradient sets grad to Σ_ab S_ab ∂K_ab/∂log l_j for S = Dᵀ sens D. For the
// squared exponential v exp(-c Σ_j (Δ_j/l_j)²) the derivative is 2c (Δ_j/l_j)² K.
func (f *fitter) gradient(u *duels, sens, grad []float64) {
	n, p := u.len(), u.distinct()
	f.sens = resize(f.sens, p*p)
	clear(f.sens)
	for i, w := range u.winner {
		l := u.loser[i]
		for j, v := range u.winner {
			s, m := sens[i*n+j], u.loser[j]
			f.sens[w*p+v] += s
			f.sens[w*p+m] -= s
			f.sens[l*p+v] -= s
			f.sens[l*p+m] += s
		}
	}
	factor := 2.0 // 2c
	if f.kernel.Family == "se-half" {
		factor = 1
	}
	clear(grad)
	for a := range p {
		x := u.point(a)
		for b := range a {
			y := u.point(b)
			s := 2 * factor * f.sens[a*p+b] * f.gram[a*p+b]
			for j := range grad {
				r := (x[j] - y[j]) / f.lengthscale[j]
				grad[j] += float64(s * r * r)
			}
		}
	}
}

// resize returns v with length n; what is in it is not defined.
func resize(v []float64, n int) []float64 {
	if cap(v) < n {
		return make([]float64, n, n+n/2)
	}
	return v[:n]
}

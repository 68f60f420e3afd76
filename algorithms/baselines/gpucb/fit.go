package gpucb

import (
	"fmt"
	"math"
	"slices"

	"popbench/internal/search"
	"popbench/kernel"
	"popbench/space"
)

// Priors of the hyper-parameters, Gamma(shape, rate), and the range in which they
// are sought: lengthscales in box widths, the variance in that of values.
const (
	lengthShape, lengthRate     = 3, 6
	varianceShape, varianceRate = 2, 0.15
	lengthLo, lengthHi          = 0.01, 10.0
	varianceLo, varianceHi      = 1e-3, 1e4
	fitStarts                   = 2 // by low discrepancy, besides the priors' mode
)

// fitter chooses lengthscales and variance by their posterior density, the
// marginal likelihood times the priors: the maximum a posteriori estimate. θ has
// the logarithms of the lengthscales, in box widths, and of the variance.
type fitter struct {
	family kernel.Config
	model  *regression // of the last θ
	width  []float64   // of the box; for one lengthscale the mean width, d times
	shared bool        // one lengthscale for all coordinates
	local  *search.Local
	starts [][]float64

	x, y        []float64 // the values, n×d and n
	inverse     []float64 // L⁻¹, lower triangle by rows
	grad        []float64 // scratch, length d
	row         []float64
	length      []float64
	evaluations int // of the density, in the last fit
}

// newFitter works in the memory of model, whose noise and kind of mean it takes.
func newFitter(cfg Config, box space.Box, model *regression) *fitter {
	d := box.Dim()
	f := &fitter{
		family: cfg.Kernel, model: model, shared: cfg.Fit == "isotropic",
		width: make([]float64, d), grad: make([]float64, d), length: make([]float64, d),
	}
	for j := range f.width {
		f.width[j] = box.Hi[j] - box.Lo[j]
		if f.shared {
			f.width[j] = box.MeanWidth()
		}
	}
	p := d + 1
	if f.shared {
		p = 2
	}
	theta := space.Cube(p, math.Log(lengthLo), math.Log(lengthHi))
	theta.Lo[p-1], theta.Hi[p-1] = math.Log(varianceLo), math.Log(varianceHi)
	mode := make([]float64, p)
	for j := range mode {
		mode[j] = math.Log((lengthShape - 1.) / lengthRate)
	}
	mode[p-1] = math.Log((varianceShape - 1.) / varianceRate)
	spread := make([]float64, fitStarts*p)
	search.QuasiRandom(spread, theta, nil)
	f.starts = append(f.starts, mode)
	for i := range fitStarts {
		f.starts = append(f.starts, spread[i*p:(i+1)*p])
	}
	f.local = search.NewLocal(theta, search.Settings{GradTol: 1e-7, ValueTol: 1e-12, Step: 0.1})
	return f
}

// fit returns the kernel of the greatest posterior density given values y at x
// (n×d). It is false where no climb converged.
func (f *fitter) fit(x, y []float64) (kernel.Config, bool) {
	f.x, f.y, f.evaluations = x, y, 0
	best, theta := math.Inf(-1), []float64(nil)
	for _, start := range f.starts {
		if r := f.local.Maximize(f.density, start); r.Status == search.Converged && r.Value > best {
			best, theta = r.Value, slices.Clone(r.X)
		}
	}
	if theta == nil {
		return kernel.Config{}, false
	}
	return f.config(theta), true
}

func (f *fitter) config(theta []float64) kernel.Config {
	for j, w := range f.width {
		f.length[j] = w * math.Exp(theta[min(j, len(theta)-2)])
	}
	c := f.family.WithLengthscale(f.length)
	if f.shared {
		c.Lengthscale = c.Lengthscale[:1]
	}
	c.Variance = math.Exp(theta[len(theta)-1])
	return c
}

// density is the logarithm of the posterior density at θ, but for a constant, and
// its gradient where grad is not nil; NaN where there is none. With an unknown
// mean the likelihood is that of the values' differences (restricted likelihood,
// Rasmussen and Williams 2006, Eq. 2.45).
func (f *fitter) density(theta, grad []float64) float64 {
	f.evaluations++
	c := f.config(theta)
	k, err := c.New(len(f.width))
	if err != nil {
		panic(fmt.Sprintf("gpucb: kernel of a fit: %v", err)) // θ is kept in range
	}
	g := f.model
	if g.learn(k, f.x, f.y) != nil {
		return math.NaN()
	}
	value := g.evidence()
	last := len(theta) - 1
	for j, t := range theta {
		shape, rate := float64(lengthShape), float64(lengthRate)
		if j == last {
			shape, rate = varianceShape, varianceRate
		}
		value += float64((shape-1)*t) - float64(rate*math.Exp(t))
		if grad != nil {
			grad[j] = shape - 1 - float64(rate*math.Exp(t))
		}
	}
	if grad != nil {
		f.addGradient(grad, g)
	}
	return value
}

// evidence is the logarithm of the marginal likelihood of the values.
func (g *regression) evidence() float64 {
	var v float64
	for i, w := range g.whiteY {
		r := w - float64(g.mean*g.whiteOne[i])
		v -= 0.5*float64(r*r) + math.Log(g.chol[i*(i+3)/2])
	}
	free := g.n
	if g.flat && g.n > 0 {
		v -= 0.5 * math.Log(g.oneOne)
		free--
	}
	return v - 0.5*float64(free)*math.Log(2*math.Pi)
}

// addGradient adds the gradient of the evidence: ½ Σ_ab S_ab ∂K_ab/∂θ with
//
//	S = α αᵀ - (K + σ²I)⁻¹ + ones onesᵀ / 1ᵀ(K + σ²I)⁻¹1
//
// (Rasmussen and Williams 2006, Eq. 5.9; the last term with an unknown mean only).
// ∂K/∂log v = K, and what S makes of K + σ²I has no sum left.
func (f *fitter) addGradient(grad []float64, g *regression) {
	f.invert(g.chol, g.n)
	k, last, d := g.k.(kernel.Stationary), len(grad)-1, g.d // linear kernels are not fitted
	scale := -float64(g.n)
	if g.flat && g.n > 0 {
		scale++
	}
	for a := range g.n {
		f.sensitivities(g, a)
		// Twice for the other triangle; the diagonal has no lengthscale.
		k.GradLogLengthscale(f.grad, g.x[a*d:(a+1)*d], g.x[:a*d], f.row[:a])
		for j, v := range f.grad {
			grad[min(j, last-1)] += v
		}
		scale += g.alpha[a]*(g.y[a]-g.mean) - g.noise*f.row[a]
	}
	grad[last] += 0.5 * scale
}

// sensitivities sets row to S_a0 … S_aa.
func (f *fitter) sensitivities(g *regression, a int) {
	f.row = sized(f.row, a+1)
	for b := range f.row {
		s := float64(g.alpha[a] * g.alpha[b])
		if g.flat {
			s += g.ones[a] * g.ones[b] / g.oneOne
		}
		for i := a; i < g.n; i++ { // (L⁻ᵀL⁻¹)_ab
			at := i * (i + 1) / 2
			s -= float64(f.inverse[at+a] * f.inverse[at+b])
		}
		f.row[b] = s
	}
}

// invert sets inverse to L⁻¹, row by row: the trace needs all of it.
func (f *fitter) invert(l []float64, n int) {
	f.inverse = sized(f.inverse, n*(n+1)/2)
	for i := range n {
		at := i * (i + 1) / 2
		row := f.inverse[at : at+i+1]
		clear(row)
		for j := range i {
			addScaled(row[:j+1], -l[at+j], f.inverse[j*(j+1)/2:])
		}
		row[i] = 1
		for j := range row {
			row[j] /= l[at+i]
		}
	}
}

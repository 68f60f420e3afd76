package popbo

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"popbench/algorithms"
	"popbench/internal/math/convex"
	"popbench/internal/math/fmath"
	"popbench/internal/math/search"
	"popbench/internal/math/wide"
	"popbench/kernel"
	"popbench/space"
)

// Range and resolution of the lengthscale fit, as multiples of box widths.
const (
	fitLo, fitHi = 0.01, 3.0
	fitGrid      = 20 // points of the grid of common lengthscales …
	fitLine      = 7  // … and of those along a coordinate
)

// fitKey is the same for settings that fit the same lengthscale to the same
// comparisons, whatever their norm bound, beta and rules.
func (c Config) fitKey() string {
	k := c.Kernel.WithLengthscale(nil) // the one set is not used
	return fmt.Sprintf("popbo %s %+v %v", c.FitLengthscale, k, c.Epsilon)
}

// fitLengthscale returns the lengthscale under which the pilot comparisons are most
// likely (App. "Selection of Hyperparameters"): one for all coordinates (isotropic;
// in the units of x) or one for each (ard).
//
// The paper does not say which likelihood. Here it is the marginal one, of f as
// a Gaussian process with the kernel (Laplace's approximation), as is usual for
// hyper-parameters. The likelihood at its maximiser over the RKHS ball would
// not do: the shorter the lengthscale, the more freely f fits every answer, and
// on 50 comparisons of the paper's test functions the fit runs to the shortest
// lengthscale in a third of the runs.
func fitLengthscale(cfg Config, box space.Box, pilot []algorithms.Comparison) ([]float64, error) {
	if len(pilot) == 0 {
		return nil, errors.New("fit_lengthscale needs pilot comparisons, and there are none; give pilot: N beside the settings, or a lengthscale and fit_lengthscale: none")
	}
	f := newLengthscaleFit(cfg, box, pilot)
	best := f.maximize()
	if f.failed != nil {
		return nil, f.failed
	}
	if best.Status == search.Undefined {
		return nil, fmt.Errorf("fit_lengthscale: no lengthscale between %g and %g box widths gave a likelihood", fitLo, fitHi)
	}
	return f.lengthscale(best.X), nil
}

// lengthscaleFit is the log marginal likelihood of pilot comparisons as a function of
// log lengthscales, in box widths: one for all coordinates or one for each.
type lengthscaleFit struct {
	kernel kernel.Config
	units  []float64 // of the lengthscales, in units of x
	dim    int       // d
	eps    float64   // ε_K
	local  *search.Local
	failed error // a lengthscale within the range has no kernel

	points   []float64 // n×d, each once
	win, los []int     // per difference, as of Model
	evidence *convex.Evidence
	k        kernel.Stationary // of the last value
	km       []float64         // K + ε_K I, n×n
	weights  []float64         // the derivative of the likelihood in it, n×n
	row      []float64         // length n
	slopes   []float64         // length n, of the kernel
	slope    []float64         // length d
}

func newLengthscaleFit(cfg Config, box space.Box, pilot []algorithms.Comparison) *lengthscaleFit {
	d := box.Dim()
	f := &lengthscaleFit{kernel: cfg.Kernel, units: box.Widths(), dim: d, eps: cfg.Epsilon, slope: make([]float64, d)}
	if cfg.FitLengthscale == "isotropic" {
		f.units = []float64{box.MeanWidth()}
	}
	f.local = search.NewLocal(space.Cube(len(f.units), fmath.Log(fitLo), fmath.Log(fitHi)), search.Settings{Step: 0.02, GradTol: 1e-6, ValueTol: 1e-10})
	var blocks []int
	for _, c := range pilot {
		for i, x := range c.Points {
			if i != c.Winner {
				f.win, f.los = append(f.win, f.index(c.Points[c.Winner])), append(f.los, f.index(x))
			}
		}
		blocks = append(blocks, len(c.Points)-1)
	}
	n := len(f.points) / d
	f.evidence = convex.NewEvidence(blocks)
	f.km, f.weights = make([]float64, n*n), make([]float64, n*n)
	f.row, f.slopes = make([]float64, n), make([]float64, n)
	return f
}

// index returns the index of a point, which it adds if it is new.
func (f *lengthscaleFit) index(x []float64) int {
	i := len(f.points)/f.dim - 1 // the newest is the likeliest
	for ; i >= 0; i-- {
		if slices.Equal(f.points[i*f.dim:(i+1)*f.dim], x) {
			return i
		}
	}
	f.points = append(f.points, x...)
	return len(f.points)/f.dim - 1
}

// maximize climbs from the best of a grid of lengthscales common to all coordinates.
// With one for each, it then looks for higher points to climb from: where f varies along
// one coordinate alone, and along each coordinate through the best so far, until
// there is none.
func (f *lengthscaleFit) maximize() search.Result {
	p := len(f.units)
	logs := make([]float64, p)
	f.scan(logs, logs, fitGrid, math.Inf(-1))
	best := f.local.MultiStart(f.objective, [][]float64{logs})
	if p == 1 {
		return best
	}
	improve := func(i int) bool {
		if !f.scan(logs, logs[i:i+1], fitLine, best.Value) {
			return false
		}
		r := f.local.MultiStart(f.objective, [][]float64{logs})
		if r.Value > best.Value {
			best = r
			return true
		}
		return false
	}
	for i := range logs {
		for j := range logs {
			logs[j] = fmath.Log(fitHi)
		}
		improve(i)
	}
	for i, without := 0, 0; without < p; i, without = (i+1)%p, without+1 {
		copy(logs, best.X)
		if improve(i) {
			without = -1
		}
	}
	return best
}

// scan looks for the best of a grid of values that coords, a part of logs, have in
// common. It sets them to it, and is true, if it is better than least. It begins with
// the longest lengthscale: a shorter one that is certain to be worse costs less.
func (f *lengthscaleFit) scan(logs, coords []float64, grid int, least float64) (better bool) {
	at := fmath.Log(fitHi)
	for i := range grid {
		t := float64(i) / float64(grid-1)
		v := float64((1-t)*fmath.Log(fitHi)) + float64(t*fmath.Log(fitLo))
		for j := range coords {
			coords[j] = v
		}
		if y := f.value(logs, least); y > least {
			at, least, better = v, y, true
		}
	}
	for j := range coords {
		coords[j] = at
	}
	return better
}

// lengthscale returns the lengthscales in units of x.
func (f *lengthscaleFit) lengthscale(logs []float64) []float64 {
	l := slices.Clone(f.units)
	for i, v := range logs {
		l[i] *= fmath.Exp(v)
	}
	return l
}

// value returns the log likelihood, -Inf where there is none. As of
// convex.Evidence.Value, one below least may be an upper bound.
func (f *lengthscaleFit) value(logs []float64, least float64) float64 {
	k, err := f.kernel.WithLengthscale(f.lengthscale(logs)).New(f.dim)
	if err != nil {
		f.failed = err
		return math.Inf(-1)
	}
	f.k = k.(kernel.Stationary) // Validate refuses others
	n, d, q := len(f.row), f.dim, len(f.win)
	for i := range n {
		row := f.km[i*n : i*n+i+1]
		k.Row(row, f.points[i*d:(i+1)*d], f.points[:(i+1)*d])
		row[i] += f.eps
		for j, v := range row[:i] {
			f.km[j*n+i] = v
		}
	}
	g := f.evidence.Gram()
	for i, w := range f.win {
		a, b := f.km[w*n:(w+1)*n], f.km[f.los[i]*n:(f.los[i]+1)*n]
		for j, v := range a {
			f.row[j] = v - b[j]
		}
		for j, w := range f.win[:i+1] {
			v := f.row[w] - f.row[f.los[j]]
			g[i*q+j], g[j*q+i] = v, v
		}
	}
	value, _ := f.evidence.Value(least)
	return value
}

// objective is a search.Objective: value with its gradient.
func (f *lengthscaleFit) objective(logs, grad []float64) float64 {
	value := f.value(logs, math.Inf(-1))
	if math.IsInf(value, -1) {
		return math.NaN()
	}
	// With G = D K Dᵀ the derivative in K is Dᵀ S D.
	n, d, q, s := len(f.row), f.dim, len(f.win), f.evidence.Sensitivity()
	clear(f.weights)
	for i, w := range f.win {
		clear(f.row)
		for j, v := range s[i*q : (i+1)*q] {
			f.row[f.win[j]] += v
			f.row[f.los[j]] -= v
		}
		wide.AddScaled(f.weights[w*n:(w+1)*n], 1, f.row)
		wide.AddScaled(f.weights[f.los[i]*n:(f.los[i]+1)*n], -1, f.row)
	}
	clear(grad)
	for i := range n { // twice for the other triangle; the diagonal has no lengthscale
		x, earlier := f.points[i*d:(i+1)*d], f.points[:i*d]
		f.k.RowSlopes(f.row[:i], f.slopes[:i], x, earlier)
		f.k.GradLogSlopes(f.slope, x, earlier, f.slopes[:i], f.weights[i*n:i*n+i])
		for j, v := range f.slope {
			grad[min(j, len(grad)-1)] += float64(2 * v)
		}
	}
	return value
}

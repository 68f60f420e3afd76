package popbo

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"popbench/algorithms"
	"popbench/algorithms/internal/confset"
	"popbench/internal/math/fmath"
	"popbench/internal/math/gp"
	"popbench/internal/math/linalg"
	"popbench/internal/math/search"
	"popbench/internal/math/wide"
	"popbench/kernel"
	"popbench/space"
)

// Range and resolution of the lengthscale fit. Lengthscales are multiples of box widths.
const (
	fitLo, fitHi = 0.01, 3.0
	priorHi      = 100.0 // in place of fitHi with a prior, which decides itself how long lengthscales are likely to be
	fitGrid      = 20    // points of the grid of lengthscales common to all coordinates
	fitLine      = 7     // points of a grid along one coordinate

	// A point of the grid between two whose log likelihoods are lower than the best by more than this, for each
	// comparison, is not evaluated. In log ℓ the likelihood of 248 pilots bends by at most 0.26 for each comparison; then a
	// point is higher than the better one beside it by at most ½ 0.26 h², where h = log(fitHi/fitLo)/(fitGrid-1).
	fitSlack = 0.012
)

// fitSearch has the settings of climbs in the logarithms of lengthscales.
var fitSearch = search.Settings{Step: 0.02, GradTol: 1e-6, ValueTol: 1e-10}

// parameter is what a fit varies: one lengthscale for all coordinates or one for each.
type parameter struct {
	gp.Parameter           // prior and range of each, in its unit
	units        []float64 // in units of x
}

func (c Config) parameter(box space.Box) parameter {
	p := parameter{gp.Parameter{Prior: gp.Gamma{Shape: 1}, Lo: fitLo, Hi: fitHi}, box.Widths()}
	if c.FitLengthscale == "isotropic" {
		p.units = []float64{box.MeanWidth()}
	}
	if prior := c.LengthscalePrior; c.hasPrior() {
		p.Prior, p.Hi = gp.NewPrior(string(prior.Family), prior.Shape, prior.Rate, box.Dim()), priorHi
		p.LogNorm = p.Prior.LogNorm()
	}
	return p
}

// all returns lengthscales of v units, in units of x.
func (p parameter) all(v float64) []float64 {
	l := slices.Clone(p.units)
	for i := range l {
		l[i] *= v
	}
	return l
}

// fitKey identifies the fit: settings with the same key fit the same lengthscale to the same
// comparisons. It does not depend on the norm bound, β or the rules.
func (c Config) fitKey() string {
	k := c.Kernel.WithLengthscale(nil) // the fit ignores the lengthscale of the settings
	key := fmt.Sprintf("popbo %s %+v %v", c.FitLengthscale, k, c.Epsilon)
	if c.hasPrior() {
		key += fmt.Sprintf(" %+v", c.LengthscalePrior)
	}
	return key
}

// fitLengthscale returns the lengthscale under which the pilot comparisons are most likely (App.
// "Selection of Hyperparameters"), in the units of x: one for all coordinates (isotropic) or one
// for each (ard).
//
// The paper does not name the likelihood. Here it is the marginal likelihood, with f a Gaussian
// process with the kernel (Laplace's approximation), as is usual for hyper-parameters. The maximum
// of the likelihood over the RKHS ball would not do: the shorter the lengthscale, the more freely f
// fits every comparison. On 50 comparisons of the paper's test functions that fit runs to the
// shortest lengthscale in a third of the runs. With a prior, the fit maximises likelihood × prior.
func fitLengthscale(cfg Config, box space.Box, pilot []algorithms.Comparison) ([]float64, error) {
	if len(pilot) == 0 {
		return nil, errors.New("fit_lengthscale needs pilot comparisons, and there are none; give a pilot beside the settings, or refit_every, or fit_lengthscale: none")
	}
	f := newLengthscaleFit(cfg, box, pilot)
	var l []float64
	var status search.Status
	if cfg.hasPrior() {
		best := f.mapFit()
		l, status = best.Kernel.Lengthscale, best.Status
	} else {
		best := f.maximize()
		l, status = f.lengthscale(best.X), best.Status
	}
	if f.failed != nil {
		return nil, f.failed
	}
	if status == search.Undefined {
		return nil, fmt.Errorf("fit_lengthscale: no lengthscale between %g and %g box widths has a likelihood", f.Lo, f.Hi)
	}
	return l, nil
}

// lengthscaleFit is the log marginal likelihood of comparisons as a function of the log
// lengthscales, in box widths: one for all coordinates or one for each.
type lengthscaleFit struct {
	parameter
	kernel kernel.Config
	prior  gp.Parameter // of the variance; the zero value if that is not fitted
	dim    int          // d
	eps    float64      // ε_K
	local  *search.Local
	failed error // set if a lengthscale within the range has no kernel

	points   []float64 // n×d, each once
	win, los []int     // per difference, as in Model
	evidence *confset.Evidence
	k        kernel.Stationary // the kernel of the last value
	km       []float64         // K + ε_K I, n×n
	weights  []float64         // derivative of the likelihood in km, n×n
	row      []float64         // length n
	slopes   []float64         // of the kernel after an objective, n×n, below the diagonal
	slope    []float64         // length d
}

func newLengthscaleFit(cfg Config, box space.Box, pilot []algorithms.Comparison) *lengthscaleFit {
	d := box.Dim()
	f := &lengthscaleFit{parameter: cfg.parameter(box), kernel: cfg.Kernel, dim: d, eps: cfg.Epsilon, slope: make([]float64, d)}
	if cfg.fitsVariance() {
		f.prior = gp.VarianceParameter(gp.Gamma(cfg.VariancePrior))
	}
	f.local = search.NewLocal(space.Cube(len(f.units), fmath.Log(fitLo), fmath.Log(fitHi)), fitSearch)
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
	f.evidence = confset.NewEvidence(blocks)
	f.km, f.weights, f.slopes = make([]float64, n*n), make([]float64, n*n), make([]float64, n*n)
	f.row = make([]float64, n)
	return f
}

// index returns the index of a point, which it adds if it is new.
func (f *lengthscaleFit) index(x []float64) int {
	if i := find(f.points, x); i >= 0 { // the newest is the likeliest match
		return i
	}
	f.points = append(f.points, x...)
	return len(f.points)/f.dim - 1
}

// mapFit returns the MAP fit: hyper-parameters of largest likelihood times prior, found by climbs from the prior's mode,
// from points around it, and from the given kernels.
func (f *lengthscaleFit) mapFit(from ...kernel.Config) gp.MAP {
	h := gp.NewHyper(gp.KernelPrior{Kernel: f.kernel, Widths: f.units, Lengthscale: f.Parameter, Variance: f.prior}, fitSearch, f.marginal)
	starts := h.ModeStarts()
	for _, k := range from {
		starts = append(starts, h.Logs(k))
	}
	return h.Fit(starts...)
}

// maximize climbs from the best of a grid of lengthscales common to all coordinates. With one
// lengthscale per coordinate, it then climbs from further starts where these are better: points
// where f varies along one coordinate only, then the best point moved along each coordinate, until
// no coordinate improves.
func (f *lengthscaleFit) maximize() search.Result {
	p := len(f.units)
	logs := make([]float64, p)
	f.start(logs)
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

// start sets logs to the best of a grid of lengthscales common to all coordinates. From one to the next the likelihood
// changes little, so every second comes first: from a middle one to the longest, and then to the shortest, because
// values that are certainly lower cost less.
func (f *lengthscaleFit) start(logs []float64) {
	var value [fitGrid]float64
	at, best, slack := 0, math.Inf(-1), float64(fitSlack*float64(len(f.win)))
	try := func(i int, below float64) {
		fitPoint(logs, i, fitGrid)
		if value[i] = f.value(f.at(logs), best-below, false); value[i] > best {
			at, best = i, value[i]
		}
	}
	const middle = fitGrid / 3 / 2 * 2
	for i := middle; i >= 0; i -= 2 {
		try(i, slack)
	}
	for i := middle + 2; i < fitGrid; i += 2 {
		try(i, slack)
	}
	for i := 1; i < fitGrid; i += 2 {
		if max(value[i-1], value[min(i+1, fitGrid-2)]) >= best-slack {
			try(i, 0)
		}
	}
	fitPoint(logs, at, fitGrid)
}

// fitPoint sets coords, the logarithms of some lengthscales, to point i of a grid. The first has the longest.
func fitPoint(coords []float64, i, grid int) {
	t := float64(i) / float64(grid-1)
	for j := range coords {
		coords[j] = float64((1-t)*fmath.Log(fitHi)) + float64(t*fmath.Log(fitLo))
	}
}

// scan evaluates a grid of values for coords, a part of logs; all of coords get the same value. If the
// best value is better than least, scan leaves it in coords and returns true. It starts from the longest
// lengthscale, because a shorter one that is certainly worse then costs less.
func (f *lengthscaleFit) scan(logs, coords []float64, grid int, least float64) (better bool) {
	at := 0
	for i := range grid {
		fitPoint(coords, i, grid)
		if y := f.value(f.at(logs), least, false); y > least {
			at, least, better = i, y, true
		}
	}
	fitPoint(coords, at, grid)
	return better
}

func (f *lengthscaleFit) lengthscale(logs []float64) []float64 {
	l := slices.Clone(f.units)
	for i, v := range logs {
		l[i] *= fmath.Exp(v)
	}
	return l
}

func (f *lengthscaleFit) at(logs []float64) kernel.Config {
	return f.kernel.WithLengthscale(f.lengthscale(logs))
}

// value returns the log likelihood with the kernel c, -Inf if it does not exist. A value below least may be an
// upper bound; see confset.Evidence.Value. With slopes it also sets those.
func (f *lengthscaleFit) value(c kernel.Config, least float64, slopes bool) float64 {
	k, err := c.New(f.dim)
	if err != nil {
		f.failed = err
		return math.Inf(-1)
	}
	f.k = k.(kernel.Stationary) // Validate refuses others
	n, d, q := len(f.row), f.dim, len(f.win)
	for i := range n {
		row, x, earlier := f.km[i*n:i*n+i+1], f.points[i*d:(i+1)*d], f.points[:(i+1)*d]
		if slopes {
			k.RowSlopes(row, f.slopes[i*n:i*n+i+1], x, earlier)
		} else {
			k.Row(row, x, earlier)
		}
		row[i] += f.eps
	}
	linalg.Mirror(wide.Matrix{Data: f.km, Stride: n}, n)
	g, of := f.evidence.Gram(), f.row
	for i, w := range f.win {
		a, b := f.km[w*n:(w+1)*n], f.km[f.los[i]*n:(f.los[i]+1)*n]
		copy(of, a)
		wide.AddScaled(of, -1, b)
		row, los := g[i*q:i*q+i+1], f.los[:i+1]
		for j, w := range f.win[:i+1] {
			row[j] = of[w] - of[los[j]]
		}
	}
	linalg.Mirror(wide.Matrix{Data: g, Stride: q}, q)
	value, _ := f.evidence.Value(least)
	return value
}

// objective returns value with its gradient, as a search.Objective.
func (f *lengthscaleFit) objective(logs, grad []float64) float64 {
	clear(grad)
	return f.marginal(f.at(logs), grad)
}

// marginal returns the log likelihood with the kernel c, NaN if it does not exist. It adds the gradient in the
// logarithms of the lengthscales to grad, unless that is nil.
func (f *lengthscaleFit) marginal(c kernel.Config, grad []float64) float64 {
	value := f.value(c, math.Inf(-1), grad != nil)
	if math.IsInf(value, -1) {
		return math.NaN()
	}
	if grad != nil {
		f.addGradient(grad)
	}
	return value
}

// addGradient adds the gradient of the last value, which must have been exact and with slopes, in the logarithms of the
// lengthscales, and of the variance if that is fitted.
func (f *lengthscaleFit) addGradient(grad []float64) {
	// With G = D K Dᵀ and S the derivative in G, the derivative in K is Dᵀ S D.
	n, d, q, p, s := len(f.row), f.dim, len(f.win), len(f.units), f.evidence.Sensitivity()
	add := func(to int, c float64) {
		used := to // elements of the row
		if len(grad) > p {
			used = n
		}
		wide.AddScaled(f.weights[to*n:to*n+used], c, f.row)
	}
	clear(f.weights)
	row, win, los := f.row, f.win, f.los[:q]
	for i, w := range win {
		clear(row)
		for j, v := range s[i*q : (i+1)*q] {
			row[win[j]] += v
			row[los[j]] -= v
		}
		add(w, 1)
		add(los[i], -1)
	}
	for i := range n { // below: times 2 for the upper triangle; the diagonal does not depend on lengthscales
		x, earlier := f.points[i*d:(i+1)*d], f.points[:i*d]
		f.k.GradLogSlopes(f.slope, x, earlier, f.slopes[i*n:i*n+i], f.weights[i*n:i*n+i])
		for j, v := range f.slope {
			grad[min(j, p-1)] += float64(2 * v)
		}
	}
	if len(grad) > p {
		for i := range n { // without ε_K on the diagonal, K is proportional to the variance
			grad[p] += wide.Dot(f.weights[i*n:(i+1)*n], f.km[i*n:(i+1)*n]) - float64(f.eps*f.weights[i*n+i])
		}
	}
}

// inForce returns the settings in force. A known norm bound replaces the settings' norm bound. A known kernel
// replaces the settings' kernel, and then nothing is fitted. Otherwise, if the settings ask for it, the
// lengthscale is fitted to the pilot comparisons, and inForce also returns the range of the fit. A lengthscale
// that will be fitted to comparisons of the run is the prior's mode at first.
func (c Config) inForce(s algorithms.Setup) (Config, *algorithms.Range, error) {
	box := s.Domain.Bounds()
	d := box.Dim()
	_, onArms := s.Domain.(*space.Arms)
	switch {
	case onArms && c.Batch > 1:
		return c, nil, algorithms.Undefined(fmt.Sprintf("batch = %d: on a finite set of arms it compares two points; give 1", c.Batch))
	case onArms: // both searches are exact
	case c.Search == "grid" && d > 2:
		return c, nil, fmt.Errorf("search = \"grid\" works in 1-D and 2-D only, and the box has %d dimensions; give joint", d)
	case c.Search == "grid" && d == 2 && c.Grid > maxGrid2:
		return c, nil, fmt.Errorf("grid = %d is a grid of %[1]d x %[1]d points; give at most %d in 2-D", c.Grid, maxGrid2)
	}
	if c.InitialDuels < 0 {
		c.InitialDuels = 4 * d
	}
	fits := c.FitLengthscale != "none" && s.Known.Kernel == nil
	c = c.with(s.Known)
	c.Kernel = c.Kernel.WithLengthscale(c.Kernel.Lengthscale)
	var fitted *algorithms.Range
	switch p := c.parameter(box); {
	case fits && c.RefitEvery > 0:
		c.Kernel.Lengthscale = p.all(p.Prior.Mode())
		if c.fitsVariance() {
			c.Kernel.Variance = gp.Gamma(c.VariancePrior).Mode()
		}
		return c, nil, nil
	case fits:
		l, err := s.Pilot.Fit(c.fitKey(), func() ([]float64, error) { return fitLengthscale(c, box, s.Pilot.Comparisons()) })
		if err != nil {
			return c, nil, err
		}
		c.Kernel, fitted = c.Kernel.WithLengthscale(l), &algorithms.Range{Lo: p.all(p.Lo), Hi: p.all(p.Hi)}
	}
	c.FitLengthscale, c.RefitEvery, c.LengthscalePrior, c.VariancePrior = "none", 0, algorithms.Prior{}, algorithms.Gamma{}
	return c, fitted, nil
}

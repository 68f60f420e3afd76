package gp

import (
	"fmt"
	"math"
	"slices"

	"popbench/internal/math/fmath"
	"popbench/internal/math/search"
	"popbench/kernel"
	"popbench/space"
)

// Parameter is a positive hyper-parameter with its prior and its range, Lo to Hi.
type Parameter struct {
	Prior   Prior
	LogNorm float64 // of the maximised density: Prior.LogNorm(), or 0 to leave the constant out
	Lo, Hi  float64
}

// VarianceParameter returns the parameter of a variance with a Gamma prior, with the range of BoTorch's PairwiseGP.
func VarianceParameter(prior Gamma) Parameter {
	return Parameter{Prior: prior, LogNorm: prior.LogNorm(), Lo: 0.01, Hi: 100}
}

// KernelPrior is the prior of the hyper-parameters of a kernel.
type KernelPrior struct {
	Kernel      kernel.Config // the family
	Widths      []float64     // units of the fitted lengthscales, one each
	Lengthscale Parameter     // of every lengthscale, in its unit
	Variance    Parameter     // the zero value to keep the variance of Kernel
}

// Hyper computes the MAP fit of a kernel's hyper-parameters: it maximises log evidence + log prior density over
// their logarithms, first the lengthscales in their units, then the variance. The density is over the
// hyper-parameters, not over their logarithms. It is not safe for concurrent use.
type Hyper struct {
	// EvidenceLast: sum the log priors, the last parameter's first, and then add the evidence. The order
	// decides the last bit.
	EvidenceLast bool
	// SearchedLogs: compute the log priors from the logarithms that the search varies, not from the logarithms
	// of the hyper-parameters, which differ by rounding.
	SearchedLogs bool

	prior         KernelPrior
	params        []Parameter
	evidence      func(k kernel.Config, grad []float64) float64
	Box           space.Box // the range of the logarithms
	local         *search.Local
	x, logs, grad []float64
}

// NewHyper returns a MAP fit by local searches with the given settings. Without a guess of the curvature they have that of
// the priors. evidence returns the log evidence with
// the kernel k, NaN if it has none. If grad is not nil, evidence adds the gradient in the logarithms of the
// hyper-parameters to it.
func NewHyper(prior KernelPrior, s search.Settings, evidence func(k kernel.Config, grad []float64) float64) *Hyper {
	params := slices.Repeat([]Parameter{prior.Lengthscale}, len(prior.Widths))
	if prior.Variance != (Parameter{}) {
		params = append(params, prior.Variance)
	}
	p := len(params)
	h := &Hyper{prior: prior, params: params, evidence: evidence, Box: space.Cube(p, 0, 1), x: make([]float64, p), logs: make([]float64, p),
		grad: make([]float64, p)}
	for i, v := range params {
		h.Box.Lo[i], h.Box.Hi[i] = fmath.Log(v.Lo), fmath.Log(v.Hi)
	}
	if s.Curvature == nil {
		s.Curvature = h.priorCurvature()
	}
	h.local = search.NewLocal(h.Box, s)
	return h
}

// priorCurvature returns the curvature of minus the log prior at its mode, a guess for a search; nil if that of one is
// unknown.
func (h *Hyper) priorCurvature() []float64 {
	p := len(h.params)
	curvature := make([]float64, p*p)
	for i, width := range h.Box.Widths() {
		c := h.params[i].Prior.curvature()
		if !(c > 0) {
			return nil
		}
		curvature[i*p+i] = c * width * width
	}
	return curvature
}

// Mode returns the logarithms of the priors' modes, a start of a search.
func (h *Hyper) Mode() []float64 {
	logs := make([]float64, len(h.params))
	for i, v := range h.params {
		logs[i] = fmath.Log(v.Prior.Mode())
	}
	return logs
}

// ModeStarts returns starts of a fit under a wide prior, which leaves several maxima of the density: the priors'
// mode, and modeStarts quasi-random points with lengthscales up to modeFactor times shorter or longer.
// results/paper/dimension-2026/README.md says how often fewer starts miss the largest maximum.
func (h *Hyper) ModeStarts() [][]float64 {
	mode, n := h.Mode(), len(h.prior.Widths)
	starts := [][]float64{mode}
	around := space.Cube(n, -fmath.Log(modeFactor), fmath.Log(modeFactor))
	shifts := search.NewCandidates(around, modeStarts, nil)
	for i := range modeStarts {
		start := slices.Clone(mode)
		for j, shift := range shifts.At(i) {
			start[j] += shift
		}
		starts = append(starts, start)
	}
	return starts
}

const modeStarts, modeFactor = 8, 5

// Logs returns the logarithms of a kernel's hyper-parameters.
func (h *Hyper) Logs(k kernel.Config) []float64 {
	logs := h.values(k)
	for i, v := range logs {
		logs[i] = fmath.Log(v)
	}
	return logs
}

func (h *Hyper) values(k kernel.Config) []float64 {
	return append(k.ToUnit(h.prior.Widths).Lengthscale, k.Variance)[:len(h.params)]
}

// MAP is a MAP fit.
type MAP struct {
	Kernel kernel.Config
	Logs   []float64 // of its hyper-parameters
	Value  float64   // log evidence + log prior
	Status search.Status
	// Gradient is the certificate: the largest component of the gradient in the logarithms that does not point
	// out of the range.
	Gradient    float64
	Curvature   []float64 // of minus Value, as in search.Settings: what the search has learnt; nil if nothing
	Evaluations int       // of the evidence
	Unfinished  int       // local searches that did not end at a maximum
}

// OK reports whether the fit ended at a maximum. search.NoProgress counts as one, since an evidence has a
// limited number of correct digits.
func (m MAP) OK() bool { return m.Status == search.Converged || m.Status == search.NoProgress }

// Fit starts a local search from each of the starts, which are logarithms, and returns the best maximum; of
// equal ones the first. It clips starts to the range. The status is search.Undefined if no start has an
// evidence.
func (h *Hyper) Fit(starts ...[]float64) MAP {
	r := h.local.MultiStart(h.Density, starts)
	return MAP{
		Kernel: h.kernel(r.X), Logs: r.X, Value: r.Value, Status: r.Status, Gradient: h.projected(r.X, r.Grad),
		Curvature: r.Curvature, Evaluations: r.Evaluations, Unfinished: r.Unfinished,
	}
}

// kernel sets x to the hyper-parameters and returns their kernel.
func (h *Hyper) kernel(logs []float64) kernel.Config {
	if len(logs) != len(h.params) {
		panic(fmt.Sprintf("gp: %d hyper-parameters, not %d", len(logs), len(h.params)))
	}
	for i, t := range logs {
		h.x[i] = fmath.Exp(t)
	}
	n := len(h.prior.Widths)
	k := h.prior.Kernel.WithLengthscale(h.x[:n]).FromUnit(h.prior.Widths)
	if n < len(h.x) {
		k.Variance = h.x[n]
	}
	return k
}

// Certify evaluates evidence and gradient at a fit again, after the caller has reduced the tolerance of the
// evidence. It leaves the model at that fit.
func (h *Hyper) Certify(m *MAP) {
	m.Value = h.Density(m.Logs, h.grad)
	m.Gradient = h.projected(m.Logs, h.grad)
}

// Density returns log evidence + log prior at the logarithms of hyper-parameters. If grad is not nil, it is set
// to the gradient in the logarithms. Density is a search.Objective.
func (h *Hyper) Density(logs, grad []float64) float64 {
	k := h.kernel(logs)
	if !h.SearchedLogs {
		for i, x := range h.x {
			h.logs[i] = fmath.Log(x)
		}
		logs = h.logs
	}
	if grad != nil {
		for i, v := range h.params {
			grad[i] = v.Prior.slope(h.x[i], logs[i])
		}
	}
	value, last := h.evidence(k, grad), len(h.params)-1
	if h.EvidenceLast {
		return h.addLogPriors(h.addLogPriors(0, h.x, logs, last, last+1), h.x, logs, 0, last) + value
	}
	return h.addLogPriors(value, h.x, logs, 0, last+1)
}

// AddLogPrior returns value plus the log prior density of a kernel's hyper-parameters.
func (h *Hyper) AddLogPrior(value float64, k kernel.Config) float64 {
	return h.addLogPriors(value, h.values(k), h.Logs(k), 0, len(h.params))
}

// addLogPriors adds the log priors of the parameters with index from <= i < to.
func (h *Hyper) addLogPriors(value float64, x, logs []float64, from, to int) float64 {
	for i := from; i < to; i++ {
		p := h.params[i]
		value += p.Prior.addLog(p.LogNorm, x[i], logs[i])
	}
	return value
}

// projected returns the largest component of grad that does not point out of the range.
func (h *Hyper) projected(logs, grad []float64) float64 {
	var largest float64
	for i, g := range grad {
		if logs[i] <= h.Box.Lo[i] && g < 0 || logs[i] >= h.Box.Hi[i] && g > 0 {
			continue
		}
		largest = max(largest, math.Abs(g))
	}
	return largest
}

// Prior is the prior density of a positive hyper-parameter x.
type Prior interface {
	// Mode returns the point of largest density.
	Mode() float64
	// LogNorm returns the logarithm of the constant that normalises the density.
	LogNorm() float64
	// addLog returns v plus the logarithm of the density without that constant, at x with the logarithm logx.
	addLog(v, x, logx float64) float64
	// slope returns the derivative of the logarithm of the density in logx.
	slope(x, logx float64) float64
	// curvature returns minus the second derivative of the logarithm of the density in logx, at the mode; 0 for unknown.
	curvature() float64
}

// NewPrior returns the prior of a family: "" or "gamma", a Gamma distribution; "dim-scaled", DimScaled(d), which
// has neither shape nor rate.
func NewPrior(family string, shape, rate float64, d int) Prior {
	switch family {
	case "", "gamma":
		return Gamma{shape, rate}
	case "dim-scaled":
		return DimScaled(d)
	}
	panic("gp: unknown family of priors " + family)
}

// Gamma is a Gamma distribution with density ∝ x^(Shape-1) e^(-Rate x). Shape 1 and rate 0 stand for no prior.
type Gamma struct{ Shape, Rate float64 }

// Mode returns the point of largest density; 1 if the density is flat.
func (g Gamma) Mode() float64 {
	if g.Rate == 0 {
		return 1
	}
	return (g.Shape - 1) / g.Rate
}

// LogNorm returns the logarithm of the constant that normalises the density; 0 if the density is flat.
func (g Gamma) LogNorm() float64 {
	if g.Rate == 0 {
		return 0
	}
	norm := fmath.Lgamma(g.Shape)
	return float64(g.Shape*fmath.Log(g.Rate)) - norm
}

func (g Gamma) addLog(v, x, logx float64) float64 {
	return v + float64((g.Shape-1)*logx) - float64(g.Rate*x)
}

func (g Gamma) slope(x, _ float64) float64 { return g.Shape - 1 - float64(g.Rate*x) }

func (g Gamma) curvature() float64 { return g.Rate * g.Mode() }

// LogNormal is the distribution of e^z, where z is normal with the given mean and standard deviation.
type LogNormal struct{ Mean, SD float64 }

// DimScaled returns the prior of each lengthscale of d coordinates in [0,1] that grows with d as their distances
// do: mean √2 + ½ log d, standard deviation √3 (C. Hvarfner, E. O. Hellsten, L. Nardi, "Vanilla Bayesian
// Optimization Performs Great in High Dimensions", ICML 2024; SingleTaskGP of BoTorch since its pull request
// 2449).
func DimScaled(d int) LogNormal {
	return LogNormal{Mean: math.Sqrt2 + float64(0.5*fmath.Log(float64(d))), SD: math.Sqrt(3)}
}

// Mode returns e^(Mean - SD²), the point of largest density.
func (l LogNormal) Mode() float64 { return fmath.Exp(l.Mean - float64(l.SD*l.SD)) }

// LogNorm returns the logarithm of the constant that normalises the density.
func (l LogNormal) LogNorm() float64 { return -fmath.Log(l.SD) - float64(0.5*fmath.Log(2*math.Pi)) }

func (l LogNormal) addLog(v, _, logx float64) float64 {
	z := (logx - l.Mean) / l.SD
	return v - logx - float64(0.5*z*z)
}

func (l LogNormal) slope(_, logx float64) float64 { return -1 - (logx-l.Mean)/(l.SD*l.SD) }

// curvature returns 0: a prior this wide says little about the curvature of the posterior.
func (l LogNormal) curvature() float64 { return 0 }

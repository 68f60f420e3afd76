package gp

import (
	"fmt"
	"math"

	"popbench/internal/search"
	"popbench/space"
)

// Gamma is a Gamma distribution with density ∝ x^(Shape-1) e^(-Rate x), or with
// shape 1 and rate 0 no prior at all.
type Gamma struct{ Shape, Rate float64 }

// Mode returns where the density is largest; 1 if it is flat.
func (g Gamma) Mode() float64 {
	if g.Rate == 0 {
		return 1
	}
	return (g.Shape - 1) / g.Rate
}

// LogNorm returns the logarithm of the constant that normalises the density; 0 if
// it is flat.
func (g Gamma) LogNorm() float64 {
	if g.Rate == 0 {
		return 0
	}
	norm, _ := math.Lgamma(g.Shape)
	return float64(g.Shape*math.Log(g.Rate)) - norm
}

// Parameter is a positive hyper-parameter with its prior. It is sought between Lo
// and Hi.
type Parameter struct {
	Prior   Gamma
	LogNorm float64 // of the density that is maximised: Prior.LogNorm(), or 0 to leave the constant out
	Lo, Hi  float64
}

// Hyper fits hyper-parameters: it maximises log evidence + log prior density, the
// maximum a posteriori estimate, over their logarithms. The density is that of the
// hyper-parameters themselves. Not for concurrent use.
type Hyper struct {
	// EvidenceLast: the log priors are summed before the evidence is added, that of
	// the last parameter first. The order decides the last bit.
	EvidenceLast bool

	params   []Parameter
	evidence func(x, grad []float64) float64
	box      space.Box // of the logarithms
	local    *search.Local
	x, grad  []float64
}

// NewHyper returns a fit of the given hyper-parameters, by climbs with the given
// settings. evidence returns the log evidence at x, of one value for each
// parameter; NaN if there is none. If grad is not nil, it adds the gradient in the
// logarithms of x.
func NewHyper(params []Parameter, s search.Settings, evidence func(x, grad []float64) float64) *Hyper {
	p := len(params)
	h := &Hyper{params: params, evidence: evidence, box: space.Cube(p, 0, 1), x: make([]float64, p), grad: make([]float64, p)}
	for i, v := range params {
		h.box.Lo[i], h.box.Hi[i] = math.Log(v.Lo), math.Log(v.Hi)
	}
	h.local = search.NewLocal(h.box, s)
	return h
}

// Box returns the range of the logarithms. It must not be changed.
func (h *Hyper) Box() space.Box { return h.box }

// Mode returns the logarithms of the priors' modes, to climb from.
func (h *Hyper) Mode() []float64 {
	mode := make([]float64, len(h.params))
	for i, v := range h.params {
		mode[i] = v.Prior.Mode()
	}
	return Logs(mode)
}

// Logs returns the logarithms of hyper-parameters.
func Logs(x []float64) []float64 {
	logs := make([]float64, len(x))
	for i, v := range x {
		logs[i] = math.Log(v)
	}
	return logs
}

// MAP is the result of a fit.
type MAP struct {
	Logs, X []float64 // logarithms of the hyper-parameters, and themselves
	Value   float64   // log evidence + log prior
	Status  search.Status
	// Gradient is the certificate: the largest component of the gradient in the
	// logarithms that does not lead out of the range.
	Gradient    float64
	Evaluations int // of the evidence
	Unfinished  int // climbs that ended at no maximum
}

// OK reports whether the fit ended at a maximum. No further progress counts as
// one, as an evidence is known to so many digits only.
func (m MAP) OK() bool { return m.Status == search.Converged || m.Status == search.NoProgress }

// Fit climbs from each of the starts, which are logarithms, and returns the best
// maximum, the first of equals. A start outside the range is clipped. The status
// is search.Undefined if no start has an evidence.
func (h *Hyper) Fit(starts ...[]float64) MAP {
	r := h.local.MultiStart(h.Density, starts)
	m := MAP{Logs: r.X, X: make([]float64, len(r.X)), Value: r.Value, Status: r.Status, Evaluations: r.Evaluations, Unfinished: r.Unfinished}
	for i, t := range r.X {
		m.X[i] = math.Exp(t)
	}
	m.Gradient = h.projected(r.X, r.Grad)
	return m
}

// Certify evaluates evidence and gradient at the result of a fit again, for an
// evidence that is now computed to a smaller tolerance. It leaves the model there.
func (h *Hyper) Certify(m *MAP) {
	m.Value = h.Density(m.Logs, h.grad)
	m.Gradient = h.projected(m.Logs, h.grad)
}

// Density returns log evidence + log prior at the logarithms of hyper-parameters,
// with the gradient in these. It is a search.Objective.
func (h *Hyper) Density(logs, grad []float64) float64 {
	if len(logs) != len(h.params) {
		panic(fmt.Sprintf("gp: %d hyper-parameters, not %d", len(logs), len(h.params)))
	}
	for i, t := range logs {
		h.x[i] = math.Exp(t)
		if grad != nil {
			grad[i] = h.params[i].Prior.Shape - 1 - float64(h.params[i].Prior.Rate*h.x[i])
		}
	}
	value := h.evidence(h.x, grad)
	if h.EvidenceLast {
		last := len(h.params) - 1
		return LogPrior(LogPrior(0, h.params[last:], h.x[last:]), h.params[:last], h.x) + value
	}
	return LogPrior(value, h.params, h.x)
}

// LogPrior returns value plus the log prior density of the hyper-parameters x.
func LogPrior(value float64, params []Parameter, x []float64) float64 {
	for i, v := range params {
		value += v.LogNorm + float64((v.Prior.Shape-1)*math.Log(x[i])) - float64(v.Prior.Rate*x[i])
	}
	return value
}

// projected is the largest component of grad that does not lead out of the range.
func (h *Hyper) projected(logs, grad []float64) float64 {
	var largest float64
	for i, g := range grad {
		if logs[i] <= h.box.Lo[i] && g < 0 || logs[i] >= h.box.Hi[i] && g > 0 {
			continue
		}
		largest = max(largest, math.Abs(g))
	}
	return largest
}

package qeubo

import (
	"fmt"
	"math"
	"slices"

	"popbench/internal/gp"
	"popbench/internal/linalg"
	"popbench/internal/search"
	"popbench/space"
)

// The hyper-parameters are sought between these, lengthscales in units of x,
// which the algorithm scales to [0,1]^d. The variance's are those of BoTorch's
// PairwiseGP; a Gamma prior leaves little beyond.
const (
	minLengthscale, maxLengthscale = 0.01, 100
	minVariance, maxVariance       = 0.01, 100
)

// Precision is how well a fit solves for its hyper-parameters.
type Precision struct {
	Gain     float64 // relative gain in log evidence + log prior that is not worth a step
	Residual float64 // of the posteriors on the way; the last one is solved to rounding
}

// Precisions of a step of the algorithm, and of a problem solved by itself.
var (
	Quick = Precision{Gain: 1e-7, Residual: 1e-4}
	Exact = Precision{Gain: 1e-14, Residual: 1e-11}
)

// HyperFit says how a fit of hyper-parameters ended.
type HyperFit struct {
	Value    float64       // log evidence + log prior at the hyper-parameters
	Status   search.Status // of the climb that led there
	Gradient float64       // largest component of its gradient in their logarithms that does not lead out of the range: the certificate
}

// OK reports whether the hyper-parameters are a maximum, as far as it could be
// seen. No step that gains is one, too: evidence is known to so many digits only.
func (f HyperFit) OK() bool { return f.Status == search.Converged || f.Status == search.NoProgress }

// Fit sets the hyper-parameters to those of greatest log evidence + log prior
// (of themselves, not of their logarithms), and computes their posterior. It
// climbs from each of the starts, and keeps the first of the best; a start that
// is too far out is clipped. Without duels it takes the prior's mode.
func (m *Model) Fit(starts []Hyper, p Precision) (HyperFit, error) {
	if len(starts) == 0 {
		panic("qeubo: a fit needs a start")
	}
	d := m.duels.Dim
	box := hyperBox(d)
	local := search.NewLocal(box, search.Settings{Step: 0.03, MaxIter: 100, GradTol: 1e-9, ValueTol: p.Gain, StepTol: 1e-7})
	best := HyperFit{Value: math.Inf(-1)}
	var at []float64
	objective := func(theta, grad []float64) float64 { return m.logPosterior(theta, grad, p.Residual) }
	for _, h := range starts {
		res := local.Maximize(objective, logs(h))
		if res.Status != search.Undefined && res.Value > best.Value {
			best = HyperFit{Value: res.Value, Status: res.Status}
			at = slices.Clone(res.X)
		}
	}
	if at == nil {
		m.work.Failures++
		return best, fmt.Errorf("no hyper-parameters gave %d duels a posterior; starts were %v", m.Len(), starts)
	}
	if err := m.Condition(fromLogs(at)); err != nil {
		return best, err
	}
	grad := make([]float64, d+1)
	best.Value = m.addPriors(m.post.Evidence, grad)
	m.evidenceGradInto(grad)
	best.Gradient = projected(grad, at, box)
	if !best.OK() {
		m.work.Failures++
	}
	return best, nil
}

// Restart is the prior's mode, to climb from.
func (m *Model) Restart() Hyper {
	h := Hyper{Lengthscale: make([]float64, m.duels.Dim), Variance: m.cfg.VariancePrior.mode()}
	for j := range h.Lengthscale {
		h.Lengthscale[j] = m.cfg.LengthscalePrior.mode()
	}
	return h
}

// LogPosterior is log evidence + log prior of the hyper-parameters in force.
func (m *Model) LogPosterior() float64 {
	return m.addPriors(m.post.Evidence, make([]float64, m.duels.Dim+1))
}

// logPosterior is log evidence + log prior of the hyper-parameters whose
// logarithms are theta, with its gradient in these; NaN where it is not known.
func (m *Model) logPosterior(theta, grad []float64, tol float64) float64 {
	if err := m.condition(fromLogs(theta), tol); err != nil || m.post.Status != gp.Converged {
		return math.NaN()
	}
	value := m.addPriors(m.post.Evidence, grad)
	m.evidenceGradInto(grad)
	return value
}

// addPriors adds the log prior of the present hyper-parameters to value, and
// sets grad to its gradient.
func (m *Model) addPriors(value float64, grad []float64) float64 {
	var v float64
	for j, l := range m.hyper.Lengthscale {
		v, grad[j] = m.cfg.LengthscalePrior.logDensity(l)
		value += v
	}
	d := m.duels.Dim
	v, grad[d] = m.cfg.VariancePrior.logDensity(m.hyper.Variance)
	return value + v
}

// evidenceGradInto adds the gradient of the evidence to grad.
func (m *Model) evidenceGradInto(grad []float64) {
	m.theta = linalg.Resize(m.theta, len(grad))
	m.evidenceGrad(m.theta)
	for j, v := range m.theta {
		grad[j] += v
	}
}

func hyperBox(d int) space.Box {
	box := space.Cube(d+1, math.Log(minLengthscale), math.Log(maxLengthscale))
	box.Lo[d], box.Hi[d] = math.Log(minVariance), math.Log(maxVariance)
	return box
}

func logs(h Hyper) []float64 {
	theta := make([]float64, 0, len(h.Lengthscale)+1)
	for _, l := range h.Lengthscale {
		theta = append(theta, math.Log(l))
	}
	return append(theta, math.Log(h.Variance))
}

func fromLogs(theta []float64) Hyper {
	d := len(theta) - 1
	h := Hyper{Lengthscale: make([]float64, d), Variance: math.Exp(theta[d])}
	for j := range h.Lengthscale {
		h.Lengthscale[j] = math.Exp(theta[j])
	}
	return h
}

// projected is the largest component of grad that does not lead out of the box
// at theta.
func projected(grad, theta []float64, box space.Box) float64 {
	var largest float64
	for j, g := range grad {
		if theta[j] <= box.Lo[j] && g < 0 || theta[j] >= box.Hi[j] && g > 0 {
			continue
		}
		largest = max(largest, math.Abs(g))
	}
	return largest
}

package gpucb

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"popbench/algorithms"
	"popbench/internal/gp"
	"popbench/internal/search"
	"popbench/space"
)

// GPUCB is Alg. 1 of the paper as an algorithms.Algorithm that learns from values.
type GPUCB struct {
	cfg  Config
	box  space.Box
	seed [2]uint64
	last []float64 // the newest point of the last query

	model  *gp.Regression
	fitter *fitter // nil where nothing is fitted
	cand   *candidates
	local  *search.Local

	// Answers, computed once for a state.
	next   *proposal
	advice []algorithms.Recommendation

	// Of the last Ask and TellValues.
	asked    proposal
	observed float64 // the newest value
	fits     int     // evaluations of the hyper-parameters' density
	failures int     // fits of which no climb converged, so that the old kernel stayed
}

// proposal is the answer of Ask with what there is to say of it.
type proposal struct {
	x               []float64
	mean, deviation float64
	evaluations     int // of the bound
}

var (
	_ algorithms.Algorithm    = (*GPUCB)(nil)
	_ algorithms.ValueLearner = (*GPUCB)(nil)
	_ algorithms.Instrumented = (*GPUCB)(nil)
	_ algorithms.Believer     = (*GPUCB)(nil)
)

// New returns GP-UCB at step 0, or an error that names the argument which is
// wrong. It draws two numbers from setup.Rand and does not use setup.Pilot.Comparisons(), which
// has no values.
func New(setup algorithms.Setup, cfg Config) (*GPUCB, error) {
	if err := setup.Validate(); err != nil {
		return nil, fmt.Errorf("gpucb: %w", err)
	}
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("gpucb: %w", err)
	}
	if cfg.Grants() {
		return nil, fmt.Errorf("gpucb: %w", errNotGranted)
	}
	cfg.Kernel.Lengthscale = slices.Clone(cfg.Kernel.Lengthscale)
	k, err := cfg.Kernel.New(setup.Domain.Dim())
	if err != nil {
		return nil, fmt.Errorf("gpucb: %w", err)
	}
	box := setup.Domain.Bounds()
	p := &GPUCB{
		cfg: cfg, box: box,
		seed:  [2]uint64{setup.Rand.Uint64(), setup.Rand.Uint64()},
		last:  slices.Clone(setup.Start),
		model: gp.NewRegression(k, cfg.NoiseVariance, cfg.Mean == "constant"),
		local: search.NewLocal(box, search.Settings{Step: 0.1, Tie: equal}),
	}
	p.cand = newCandidates(box, p.stream("candidates"))
	p.cand.Follow(p.model)
	if cfg.Fit != "none" {
		p.fitter = newFitter(cfg, box, gp.NewRegression(k, p.model.Noise, p.model.Constant))
		p.refit()
	}
	return p, nil
}

// stream is a random stream of this run's own.
func (p *GPUCB) stream(label string) *rand.Rand {
	var key [32]byte
	binary.LittleEndian.PutUint64(key[0:], p.seed[0])
	binary.LittleEndian.PutUint64(key[8:], p.seed[1])
	copy(key[16:], label)
	return rand.New(rand.NewChaCha8(key))
}

// Config returns the settings in force: as given, with fitted hyper-parameters
// in place.
func (p *GPUCB) Config() Config {
	c := p.cfg
	c.Kernel.Lengthscale = slices.Clone(c.Kernel.Lengthscale)
	return c
}

// Tell refuses: winners are not what it learns from.
func (p *GPUCB) Tell(algorithms.Query, int) error {
	return errors.New("gpucb: it learns from values, not from winners; call TellValues with a value of each new point")
}

// TellValues adds the values of the new points of a query.
func (p *GPUCB) TellValues(q algorithms.Query, values []float64) error {
	if err := algorithms.CheckValues(p.box, q, values); err != nil {
		return fmt.Errorf("gpucb: %w", err)
	}
	before := p.model.Len()
	if err := p.model.Add(slices.Concat(q.Points[len(q.Points)-q.New:]...), values); err != nil {
		return fmt.Errorf("gpucb: %w", err)
	}
	for _, v := range values {
		p.observed = v
	}
	p.last = slices.Clone(q.Points[len(q.Points)-1])
	p.asked = proposal{}
	if p.next != nil {
		p.asked = *p.next
	}
	p.next, p.advice = nil, nil
	p.fits, p.failures = 0, 0
	if p.fitter != nil && p.model.Len()/p.cfg.RefitEvery > before/p.cfg.RefitEvery {
		p.refit()
	}
	p.cand.Follow(p.model)
	return nil
}

// refit chooses the hyper-parameters anew. Where no climb converged the old ones
// stay.
func (p *GPUCB) refit() {
	c, ok := p.fitter.fit(p.model.X, p.model.Y)
	p.fits = p.fitter.evaluations
	if ok {
		k, err := c.New(p.box.Dim())
		if err != nil {
			panic(fmt.Sprintf("gpucb: kernel of a fit: %v", err))
		}
		m := gp.NewRegression(k, p.model.Noise, p.model.Constant)
		if ok = m.Add(p.model.X, p.model.Y) == nil; ok {
			p.cfg.Kernel, p.model = c, m
		}
	}
	if !ok {
		p.failures++
	}
}

// sqrtBeta is √β_t for the next point.
func (p *GPUCB) sqrtBeta() float64 {
	return math.Sqrt(p.cfg.Beta.at(p.model.Len()+1, p.box.Dim()))
}

// Ask returns the duel of the last point with the one of the greatest upper
// confidence bound.
func (p *GPUCB) Ask() (algorithms.Query, error) {
	if p.next == nil {
		next, err := p.propose()
		if err != nil {
			return algorithms.Query{}, err
		}
		p.next = &next
	}
	return algorithms.Query{Points: [][]float64{slices.Clone(p.last), slices.Clone(p.next.x)}, New: 1}, nil
}

func (p *GPUCB) propose() (proposal, error) {
	var next proposal
	if p.model.Len() == 0 {
		next.x = p.box.Sample(make([]float64, p.box.Dim()), p.stream("first point"))
	} else if next.x, next.evaluations = p.maximise(p.sqrtBeta()); next.x == nil {
		return next, fmt.Errorf("gpucb: the upper confidence bound of step %d has no value anywhere", p.model.Len()+1)
	}
	mean, variance := p.model.Moments(next.x)
	next.mean, next.deviation = mean, math.Sqrt(variance)
	return next, nil
}

// maximise returns the point of the greatest mean + c times deviation, and how
// often these were evaluated at a point that is no candidate. The point is nil
// where they have no value.
func (p *GPUCB) maximise(c float64) (x []float64, evaluations int) {
	objective := func(x, grad []float64) float64 { return p.model.Bound(x, grad, c) }
	starts := append([][]float64{p.model.Point(p.bestVisited())}, p.cand.best(c, p.cfg.Starts)...)
	best := p.local.MultiStart(objective, starts)
	if best.Status == search.Undefined {
		return nil, best.Evaluations
	}
	return best.X, best.Evaluations
}

// equal is the relative difference up to which values are equal, and the first
// start's counts: after one value the mean is the same everywhere but for rounding.
const equal = 1e-12

// bestVisited is the index of the value whose point has the greatest posterior
// mean, the first of equals.
func (p *GPUCB) bestVisited() int {
	at := 0
	for i := range p.model.Len() {
		if p.model.Fitted(i) > p.model.Fitted(at) {
			at = i
		}
	}
	return at
}

// Recommend returns the points of both rules, that of Config.Report first.
// Before the first value it is the start.
func (p *GPUCB) Recommend() ([]algorithms.Recommendation, error) {
	if p.advice == nil {
		list, err := p.recommend()
		if err != nil {
			return nil, err
		}
		p.advice = list
	}
	out := make([]algorithms.Recommendation, len(p.advice))
	for i, r := range p.advice {
		out[i] = algorithms.Recommendation{Rule: r.Rule, X: slices.Clone(r.X)}
	}
	return out, nil
}

func (p *GPUCB) recommend() ([]algorithms.Recommendation, error) {
	list := []algorithms.Recommendation{{Rule: RuleMaxMean, X: p.last}, {Rule: RuleMaxMeanVisited, X: p.last}}
	if n := p.model.Len(); n > 0 {
		x, _ := p.maximise(0)
		if x == nil {
			return nil, fmt.Errorf("gpucb: the posterior mean of %d values has no value anywhere", n)
		}
		at := p.bestVisited()
		list[0].X, list[1].X = x, slices.Clone(p.model.Point(at))
	}
	if p.cfg.Report == RuleMaxMeanVisited {
		list[0], list[1] = list[1], list[0]
	}
	return list, nil
}

// Belief returns the posterior mean at x, and √β_t deviations to both sides.
func (p *GPUCB) Belief(x []float64) (algorithms.Belief, error) {
	if err := p.box.Check("x", x); err != nil {
		return algorithms.Belief{}, fmt.Errorf("gpucb: %w", err)
	}
	mean, variance := p.model.Moments(x)
	width := p.sqrtBeta() * math.Sqrt(variance)
	return algorithms.Belief{Estimate: mean, Lower: mean - width, Upper: mean + width}, nil
}

// Metrics describes the last Ask and TellValues. The value is what was observed,
// so that a record says what the algorithm was told; mean and deviation are
// those of f at the point that Ask proposed, before it was.
func (p *GPUCB) Metrics() []algorithms.Metric {
	list := []algorithms.Metric{
		{Name: "value_observation", Kind: algorithms.KindState, Value: p.observed},
		{Name: "beta", Kind: algorithms.KindState, Value: p.cfg.Beta.at(max(p.model.Len(), 1), p.box.Dim())},
		{Name: "posterior_mean", Kind: algorithms.KindState, Value: p.asked.mean},
		{Name: "posterior_sd", Kind: algorithms.KindState, Value: p.asked.deviation},
		{Name: "evaluations", Kind: algorithms.KindWork, Value: float64(p.asked.evaluations)},
		{Name: "fit_evaluations", Kind: algorithms.KindWork, Value: float64(p.fits)},
		{Name: "failures", Kind: algorithms.KindWork, Value: float64(p.failures)},
		{Name: "variance", Kind: algorithms.KindState, Value: p.cfg.Kernel.Variance},
	}
	for i, l := range p.cfg.Kernel.Lengthscale {
		list = append(list, algorithms.Metric{Name: fmt.Sprintf("lengthscale_%d", i+1), Kind: algorithms.KindState, Value: l})
	}
	return list
}

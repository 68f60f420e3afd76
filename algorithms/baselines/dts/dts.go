package dts

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"popbench/algorithms"
	"popbench/internal/gp"
	"popbench/kernel"
	"popbench/space"
)

// RuleCondorcet names the rule of the report.
const RuleCondorcet = "condorcet-winner"

// DTS is duelling Thompson sampling as an algorithms.Algorithm.
type DTS struct {
	cfg   Config
	box   space.Box
	start []float64
	seed  uint64
	arena arena
	model *Model
	told  int

	fitted    hyperFit // of the last fit of the hyper-parameters
	posterior *gp.Fit

	// Answers, computed once for a state.
	next   *proposal
	advice []float64

	asked proposal // what Ask answered before the last Tell
}

// proposal is a duel with what there is to say of it.
type proposal struct {
	duel  [][]float64
	rank  int     // features of the draw
	score float64 // soft-Copeland score of the first point under the draw
	doubt float64 // variance of the probability that the first beats the second
}

var (
	_ algorithms.Algorithm    = (*DTS)(nil)
	_ algorithms.Instrumented = (*DTS)(nil)
)

// New returns DTS at its first step, or an error that names the argument which is
// wrong. It draws one number from setup.Rand.
func New(setup algorithms.Setup, cfg Config) (*DTS, error) {
	if err := setup.Validate(); err != nil {
		return nil, fmt.Errorf("dts: %w", err)
	}
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("dts: %w", err)
	}
	if cfg.Grants() {
		return nil, errors.New("dts: grant = \"kernel\": nobody granted it; only an experiment that draws its function knows the kernel (Config.Granted); give none and a kernel")
	}
	d := setup.Domain.Dim()
	if cfg.Grid > 0 && d > 2 {
		return nil, fmt.Errorf("dts: grid = %d is for one and two dimensions, the box has %d; give 0", cfg.Grid, d)
	}
	k := modalKernel(d)
	if cfg.Fit == "none" {
		if _, err := cfg.Kernel.New(d); err != nil {
			return nil, fmt.Errorf("dts: %w", err)
		}
		k = onUnitBox(cfg.Kernel, setup.Domain.Bounds())
	}
	a := &DTS{
		cfg:   cfg,
		box:   setup.Domain.Bounds(),
		start: slices.Clone(setup.Start),
		seed:  setup.Rand.Uint64(),
		model: NewModel(Pairs{cfg.Prior, k}, cfg.Inference),
	}
	a.arena = newArena(cfg, d, a.stream("candidates"))
	a.posterior = a.model.Fit()
	return a, nil
}

// onUnitBox returns the kernel of the coordinates in which the box is [0,1]^d.
func onUnitBox(k kernel.Config, box space.Box) kernel.Config {
	l := make([]float64, box.Dim())
	for j := range l {
		l[j] = k.Lengthscale[min(j, len(k.Lengthscale)-1)] / (box.Hi[j] - box.Lo[j])
	}
	return k.WithLengthscale(l)
}

// stream returns a random stream of this step's own, so that asking twice draws the
// same.
func (a *DTS) stream(label string) *rand.Rand {
	var key [32]byte
	binary.LittleEndian.PutUint64(key[0:], a.seed)
	binary.LittleEndian.PutUint64(key[8:], uint64(a.told))
	copy(key[16:], label)
	return rand.New(rand.NewChaCha8(key))
}

// Ask returns the next duel: random ones at first, then the winner x of a draw from
// the posterior and the x' against which its chances are least certain.
func (a *DTS) Ask() (algorithms.Query, error) {
	if a.next == nil {
		next, err := a.propose()
		if err != nil {
			return algorithms.Query{}, err
		}
		a.next = &next
	}
	q := algorithms.Query{New: len(a.next.duel)}
	for _, x := range a.next.duel {
		q.Points = append(q.Points, slices.Clone(x))
	}
	return q, nil
}

func (a *DTS) propose() (proposal, error) {
	if a.told < a.cfg.Initial {
		return a.random(), nil
	}
	if err := a.usable(); err != nil {
		return proposal{}, err
	}
	m, points := a.model, a.arena.candidates
	n, cols := len(points)/a.arena.d, len(a.arena.landmarks)/a.arena.d
	f := newFeatures(m.kernel.k, slices.Concat(points, a.arena.landmarks, m.duels.points))
	s := m.draw(f, a.stream("sample"))
	latent := make([]float64, n*cols)
	s.latent(latent, n, n, cols)
	scores := make([]float64, n)
	softCopeland(scores, latent, m.link)
	x := argmax(scores)

	p, v := make([]float64, n), make([]float64, n)
	m.WinMoments(p, v, a.arena.candidate(x), a.arena.candidates)
	v[x] = -1 // not against itself
	other := argmax(v)
	return proposal{
		duel:  [][]float64{a.fromUnit(a.arena.candidate(x)), a.fromUnit(a.arena.candidate(other))},
		rank:  s.r,
		score: scores[x],
		doubt: v[other],
	}, nil
}

// random is a duel of uniform points, the very first with the start.
func (a *DTS) random() proposal {
	r := a.stream("duel")
	x := slices.Clone(a.start)
	if a.told > 0 {
		a.box.Sample(x, r)
	}
	return proposal{duel: [][]float64{x, a.box.Sample(make([]float64, a.arena.d), r)}}
}

func (a *DTS) fromUnit(u []float64) []float64 { return a.box.FromUnit(make([]float64, len(u)), u) }

// usable says if the posterior can be used.
func (a *DTS) usable() error {
	if a.posterior.Status == gp.Converged {
		return nil
	}
	return fmt.Errorf("dts: the posterior of %d answers did not converge (residual %.3g); lower variance or give inference: %s", a.told, a.posterior.Residual, Laplace)
}

// Tell adds the answer to a duel, and fits the model to all of them.
func (a *DTS) Tell(q algorithms.Query, winner int) error {
	if err := algorithms.CheckOutcome(a.box, q, winner); err != nil {
		return fmt.Errorf("dts: %w", err)
	}
	if len(q.Points) != 2 {
		return fmt.Errorf("dts: points: it learns from duels, and this query has %d points; give two", len(q.Points))
	}
	a.asked = proposal{}
	if a.next != nil {
		a.asked = *a.next
	}
	a.next, a.advice = nil, nil
	unit := func(x []float64) []float64 { return a.box.ToUnit(make([]float64, len(x)), x) }
	a.model.tell(unit(q.Points[winner]), unit(q.Points[1-winner]))
	a.told++
	if a.cfg.Fit == "map" && a.told%a.cfg.Refit == 0 {
		a.fitted = a.model.fitHyper()
		a.posterior = a.model.fit
	} else {
		a.posterior = a.model.Fit()
		a.fitted = hyperFit{evaluations: 1, systems: a.posterior.Newton}
	}
	return nil
}

// Recommend returns the Condorcet winner of the posterior: the candidate that is
// expected to win most often, the start before the first answer.
func (a *DTS) Recommend() ([]algorithms.Recommendation, error) {
	if err := a.usable(); err != nil {
		return nil, err
	}
	if a.advice == nil {
		a.advice = a.start
		if a.told > 0 {
			a.advice = a.fromUnit(a.arena.candidate(a.model.condorcet(a.arena)))
		}
	}
	return []algorithms.Recommendation{{Rule: RuleCondorcet, X: slices.Clone(a.advice)}}, nil
}

// Metrics describes the model after the last Tell and the duel that it answered:
// evidence and certificate of the posterior; score of the first point under its draw,
// variance of its chances against the second, and features of the draw, all 0 for a
// random duel; posteriors fitted for the hyper-parameters, systems factored for that,
// fits that failed and were not used; the hyper-parameters, lengthscales in box widths.
func (a *DTS) Metrics() []algorithms.Metric {
	k := a.model.kernel.Kernel
	list := []algorithms.Metric{
		{Name: "evidence", Value: a.posterior.Evidence},
		{Name: "residual", Value: a.posterior.Residual},
		{Name: "score", Value: a.asked.score},
		{Name: "doubt", Value: a.asked.doubt},
		{Name: "features", Value: float64(a.asked.rank)},
		{Name: "fits", Value: float64(a.fitted.evaluations)},
		{Name: "newton", Value: float64(a.fitted.systems)},
		{Name: "failures", Value: float64(a.fitted.failures)},
		{Name: "variance", Value: k.Variance},
	}
	for i, l := range k.Lengthscale {
		list = append(list, algorithms.Metric{Name: fmt.Sprintf("lengthscale_%d", i+1), Value: l})
	}
	return list
}

package problems

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"popbench/internal/math/fmath"
)

// Oracle answers queries by a [Model]. An oracle of [NewOracle] follows the Bradley-Terry-Luce model: it prefers the
// i-th point of a query with probability exp(f(x_i)) / Σ_j exp(f(x_j)), where f is the scaled objective. For a duel
// (x', x) that is σ(f(x) - f(x')). An Oracle is not safe for concurrent use.
type Oracle struct {
	problem *Problem
	rand    *rand.Rand
	model   Model
}

// NewOracle returns an oracle of p that draws from r. It panics if one of them is nil.
func NewOracle(p *Problem, r *rand.Rand) *Oracle {
	o, err := Model{}.Oracle(p, r)
	if err != nil {
		panic("problems: " + err.Error())
	}
	return o
}

// Oracle returns an oracle of p that answers by the model and draws from r.
func (m Model) Oracle(p *Problem, r *rand.Rand) (*Oracle, error) {
	if p == nil || r == nil {
		return nil, errors.New("an oracle needs a problem and a random stream")
	}
	if err := m.Validate(); err != nil {
		return nil, err
	}
	return &Oracle{problem: p, rand: r, model: m}, nil
}

// Answer is the oracle's answer to one query.
type Answer struct {
	Winner  int       // index of the preferred point; 0 after a tie
	Tie     bool      // the oracle cannot tell the points apart
	Utility []float64 // the scaled objective at the points
	// LogLikelihood is the log of the probability of this winner under f and the Bradley-Terry-Luce model, whatever
	// the model of the oracle; 0 after a tie.
	LogLikelihood float64
}

// ErrDuelsOnly is wrapped by the error of an oracle whose model answers duels only, on another query.
var ErrDuelsOnly = errors.New("the oracle answers duels only")

// Answer compares two or more points of the box. It draws exactly one number from the oracle's
// stream, however many points there are and whatever the model, so that two algorithms get the same
// random number at the same step. If it returns an error, of [Problem.Evaluate] or [ErrDuelsOnly],
// it draws no number.
func (o *Oracle) Answer(ctx context.Context, points [][]float64) (Answer, error) {
	if o.problem == nil {
		return Answer{}, errors.New("this oracle has no problem; make it with problems.NewOracle")
	}
	if len(points) < 2 {
		return Answer{}, fmt.Errorf("points: a query needs at least two, not %d", len(points))
	}
	if len(points) > 2 && !o.model.Batches() {
		return Answer{}, fmt.Errorf("%w: its model is %s, and the query has %d points", ErrDuelsOnly, o.model, len(points))
	}
	utility, err := o.problem.values(ctx, points)
	if err != nil {
		return Answer{}, err
	}
	a := Answer{Utility: utility}
	if a.Winner, a.Tie = o.model.choose(utility, o.rand.Float64()); !a.Tie {
		a.LogLikelihood = logProbability(utility, a.Winner)
	}
	return a, nil
}

// logProbability is log(exp(v[i]) / Σ_j exp(v[j])).
func logProbability(v []float64, i int) float64 {
	var others float64 // the sum over the other points, relative to exp(top)
	top := slices.Max(v)
	if v[i] == top {
		for j, x := range v {
			if j != i {
				others += fmath.Exp(x - top)
			}
		}
		return -fmath.Log1p(others)
	}
	for _, x := range v {
		others += fmath.Exp(x - top)
	}
	return v[i] - top - fmath.Log(others)
}

// Observer returns value observations of the scaled objective, with the noise of an Oracle's
// answers. An oracle that perceives f(x_i) + ε_i, with independent standard Gumbel variables ε_i,
// and names the largest follows the Bradley-Terry-Luce model (McFadden, "Conditional Logit Analysis
// of Qualitative Choice Behavior", 1974). An Observer returns such values themselves, with the
// noise shifted to mean 0. Its standard deviation is π/√6, about 1.28, times the scale of the oracle's
// [Model]. So algorithms that learn from values and from comparisons differ in the kind of feedback,
// not in the noise. An Observer is not safe for concurrent use.
type Observer struct {
	problem *Problem
	rand    *rand.Rand
	scale   float64
}

// NewObserver returns an observer of p that draws from r. It panics if one of them is nil.
func NewObserver(p *Problem, r *rand.Rand) *Observer {
	o, err := Model{}.Observer(p, r)
	if err != nil {
		panic("problems: " + err.Error())
	}
	return o
}

// Values returns a noisy value for each point. It draws one number per point from the observer's
// stream, or no number if it returns an error of [Problem.Evaluate].
func (o *Observer) Values(ctx context.Context, points [][]float64) ([]float64, error) {
	if o.problem == nil {
		return nil, errors.New("this observer has no problem; make it with problems.NewObserver")
	}
	v, err := o.problem.values(ctx, points)
	if err != nil {
		return nil, err
	}
	for i := range v {
		v[i] += float64(o.scale * gumbel(o.rand))
	}
	return v, nil
}

// eulerGamma is the mean of a standard Gumbel variable.
const eulerGamma = 0.57721566490153286060651209008240243

// gumbel draws a standard Gumbel variable minus its mean. The result lies in [-4.2, 36.2].
func gumbel(r *rand.Rand) float64 {
	u := (float64(r.Uint64()>>12) + 0.5) / (1 << 52) // uniform on (0, 1)
	return -fmath.Log(-fmath.Log(u)) - eulerGamma
}

// Observer returns an observer of p that draws from r, with the noise of the model's oracle. Only Logistic without
// ties has one: see [Observer].
func (m Model) Observer(p *Problem, r *rand.Rand) (*Observer, error) {
	if !m.latent() || m.Link == Probit || m.Ties() {
		return nil, fmt.Errorf("value observations have the noise of a logistic oracle without ties; this one's model is %s", m)
	}
	if p == nil || r == nil {
		return nil, errors.New("an observer needs a problem and a random stream")
	}
	return &Observer{problem: p, rand: r, scale: m.scale()}, m.Validate()
}

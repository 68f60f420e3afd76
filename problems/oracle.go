package problems

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"popbench/internal/math/fmath"
)

// Oracle answers queries by a [Model]; by the Bradley-Terry-Luce model if [NewOracle] made it. That one prefers the
// i-th point of a query with probability exp(f(x_i)) / Σ_j exp(f(x_j)), where f is the scaled objective. For a duel
// (x', x) that is σ(f(x) - f(x')). An Oracle is not safe for concurrent use.
type Oracle struct {
	problem *Problem
	rand    *rand.Rand
	model   Model
}

// NewOracle returns an oracle of p that draws from r. It panics if one of them is nil.
func NewOracle(p *Problem, r *rand.Rand) *Oracle {
	if p == nil || r == nil {
		panic("problems: an oracle needs a problem and a random stream")
	}
	return &Oracle{problem: p, rand: r}
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
	// the oracle's own; 0 after a tie.
	LogLikelihood float64
}

// ErrDuelsOnly is wrapped by the error of an oracle whose model answers duels only, on another query.
var ErrDuelsOnly = errors.New("the oracle answers duels only")

// Answer compares two or more points of the box. It draws exactly one number from the oracle's
// stream, however many points there are and whatever the model, so that two algorithms get the same
// random number at the same step. If it returns an error, that of [Problem.Evaluate] or [ErrDuelsOnly],
// it draws none.
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

// values returns the scaled objective at points of the box.
func (p *Problem) values(ctx context.Context, points [][]float64) ([]float64, error) {
	v := make([]float64, len(points))
	for i, x := range points {
		var err error
		if _, v[i], err = p.evaluate(ctx, fmt.Sprintf("points[%d]", i), x); err != nil {
			return nil, err
		}
	}
	return v, nil
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

// choose returns the index of the preferred point among points of values v, given u uniform in
// [0,1). It returns the last point if u is below its probability, the one before if u is below the
// sum of the two, and so on. For a duel (x', x) this is "x wins if u < σ(f(x) - f(x'))". Finite
// values of any size are safe, because only differences from the largest are exponentiated. Both
// sums run in the same order, so that u < 1 always finds a point whose probability is not 0.
func choose(v []float64, u float64) int {
	top := slices.Max(v)
	var total float64
	for _, x := range slices.Backward(v) {
		total += fmath.Exp(x - top)
	}
	var sum float64
	for i, x := range slices.Backward(v) {
		if sum += fmath.Exp(x - top); u*total < sum {
			return i
		}
	}
	panic(fmt.Sprintf("problems: no point chosen among values %v with u = %v", v, u))
}

package problems

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"popbench/internal/math/fmath"
)

// Oracle answers queries by the Bradley-Terry-Luce model: it prefers the i-th point of a query with
// probability exp(f(x_i)) / Σ_j exp(f(x_j)), where f is the scaled objective. For a duel (x', x)
// that is σ(f(x) - f(x')). An Oracle is not safe for concurrent use.
type Oracle struct {
	problem *Problem
	rand    *rand.Rand
}

// NewOracle returns an oracle of p that draws from r. It panics if one of them is nil.
func NewOracle(p *Problem, r *rand.Rand) *Oracle {
	if p == nil || r == nil {
		panic("problems: an oracle needs a problem and a random stream")
	}
	return &Oracle{problem: p, rand: r}
}

// Answer is the oracle's answer to one query.
type Answer struct {
	Winner        int       // index of the preferred point
	Utility       []float64 // the scaled objective at the points
	LogLikelihood float64   // log of the probability of this answer under f
}

// Answer compares two or more points of the box. It draws exactly one number from the oracle's
// stream, however many points there are, so that two algorithms get the same random number at the
// same step. If it returns an error, that of [Problem.Evaluate], it draws none.
func (o *Oracle) Answer(ctx context.Context, points [][]float64) (Answer, error) {
	if o.problem == nil {
		return Answer{}, errors.New("this oracle has no problem; make it with problems.NewOracle")
	}
	if len(points) < 2 {
		return Answer{}, fmt.Errorf("points: a query needs at least two, not %d", len(points))
	}
	utility, err := o.problem.values(ctx, points)
	if err != nil {
		return Answer{}, err
	}
	winner := choose(utility, o.rand.Float64())
	return Answer{Winner: winner, Utility: utility, LogLikelihood: logProbability(utility, winner)}, nil
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

package problems

import (
	"context"
	"errors"
	"math/rand/v2"

	"popbench/internal/math/fmath"
)

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
	if p == nil || r == nil {
		panic("problems: an observer needs a problem and a random stream")
	}
	return &Observer{problem: p, rand: r, scale: 1}
}

// Values returns a noisy value for each point. It draws one number per point from the observer's
// stream, or none if it returns an error, that of [Problem.Evaluate].
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

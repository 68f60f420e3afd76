package search

import (
	"math"
	"slices"
)

// MultiStart runs a local search from each of the starts, at least one, and returns the result with the largest value, the
// first of equals. Evaluations and Unfinished are sums over all searches. X, Grad and Curvature belong to the caller. The
// status is Undefined only if the objective has no value at any of the starts.
func (l *Local) MultiStart(f Objective, starts [][]float64) Result {
	if len(starts) == 0 {
		panic("search: a multi-start needs a start")
	}
	var best Result
	evaluations, unfinished := 0, 0
	var ends [][]float64
	for i, start := range starts {
		if slices.ContainsFunc(ends, func(x []float64) bool { return MaxDistance(l.box, x, start) < l.settings.Basin }) {
			continue
		}
		r := l.Maximize(f, start)
		if l.settings.Basin > 0 && (r.Status == Converged || r.Status == NoProgress) {
			ends = append(ends, slices.Clone(r.X))
		}
		evaluations += r.Evaluations
		unfinished += r.Unfinished
		if i == 0 || l.better(r, best) {
			r.X, r.Grad, r.Curvature = slices.Clone(r.X), slices.Clone(r.Grad), slices.Clone(r.Curvature)
			best = r
		}
	}
	best.Evaluations, best.Unfinished = evaluations, unfinished
	return best
}

func (l *Local) better(r, best Result) bool {
	switch {
	case r.Status == Undefined || best.Status == Undefined:
		return r.Status != Undefined && best.Status == Undefined
	case l.settings.Strict && (r.Status == Converged) != (best.Status == Converged):
		return r.Status == Converged
	}
	return r.Value-best.Value > l.settings.Tie*max(1, math.Abs(best.Value))
}

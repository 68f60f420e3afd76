package duelling

import (
	"math"
	"math/rand/v2"

	"popbench/internal/math/search"
)

// Pick returns the first of the equals, at least one, or a random one if ties is [Random].
func Pick[T any](ties string, equals []T, r *rand.Rand) T {
	if ties == Random {
		return equals[r.IntN(len(equals))]
	}
	return equals[0]
}

// Largest returns the index of one of the largest values.
func Largest(ties string, values []float64, r *rand.Rand) int {
	var equals []int
	best := math.Inf(-1)
	for i, v := range values {
		if v > best {
			equals, best = equals[:0], v
		}
		if v == best {
			equals = append(equals, i)
		}
	}
	return Pick(ties, equals, r)
}

// starts is the number of local searches of a maximisation over a box.
const starts = 8

// Climb maximises f over the box of the domain, from the best of the candidates, whose values are given.
func (m *Model) Climb(f search.Objective, candidates search.Candidates, values []float64) search.Result {
	g := search.NewGlobal(m.domain.Bounds(), climbing)
	g.GiveUp = true
	return g.Maximize(f, candidates.Best(values, starts, nil))
}

// Improve is a local search from x.
func (m *Model) Improve(f search.Objective, x []float64) search.Result {
	return search.NewLocal(m.domain.Bounds(), climbing).Maximize(f, x)
}

var climbing = search.Settings{GradTol: 1e-6, Step: 0.1}

// MaxMean returns the point with the largest estimated utility, after Fit: an arm, or the result of a search over a box.
// Without answers it is the start.
func (m *Model) MaxMean(r *rand.Rand) []float64 {
	if m.Answers() == 0 {
		return m.start
	}
	c := m.CandidatesAndVisited(r)
	values := m.Means(c)
	if m.Finite() {
		return c.At(Largest(m.Ties, values, r))
	}
	return m.Climb(m.Mean().Value, c, values).X
}

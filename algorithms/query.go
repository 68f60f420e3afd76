package algorithms

import "slices"

// Query is a set of points. The oracle names the one that it prefers.
//
// Points are ordered by age: points from the previous query come first, the New newly proposed ones last. For
// the paper's duel (x_t, x'_t) that is Points = {x'_t, x_t} and New = 1. The index of the winner is then the
// paper's 1_t: 1 if the oracle preferred x_t. Ask proposes one new point or more; New is 0 only in what others tell.
type Query struct {
	Points [][]float64 `json:"points" min:"2" max:"100"` // 2 to MaxPoints points of length d in the domain
	New    int         `json:"new" min:"0" max:"100"`    // number of points that this query proposes, at the end of Points
}

// Comparison is an answered query. A tie has no winner: Winner is 0.
type Comparison struct {
	Points [][]float64 `json:"points" min:"2" max:"100" doc:"The points compared, oldest first."`                         // each of length d
	Winner int         `json:"winner" required:"tie,values" min:"0" max:"99" doc:"Index of the preferred point, from 0."` // in Points
	Tie    bool        `json:"tie,omitempty" doc:"The oracle cannot tell the points apart, for algorithms that learn from ties; leave the winner out then."`
	Values []float64   `json:"values,omitempty" max:"100" itemMin:"-1e300" itemMax:"1e300" doc:"Noisy values of f at the last points, for algorithms that learn from value observations; leave the winner out then."` // at the last len(Values) points
}

// Share returns the part of a win that the first point of a duel has: 1, 0, or ½ after a tie.
func (c Comparison) Share() float64 {
	if c.Tie {
		return 0.5
	}
	return 1 - float64(c.Winner)
}

// Recommendation is a point that an algorithm would return as its best, and the rule that chose it.
type Recommendation struct {
	Rule string    `json:"rule"`
	X    []float64 `json:"x"` // length d, in the domain
}

// Proposal is a query with its certificates and work counts.
type Proposal struct {
	Query
	// Metrics are merged into the method's metrics by name: work is added, the larger certificate is kept, and a
	// state replaces the method's.
	Metrics []Metric `json:"metrics,omitempty" max:"1000"`
}

// Duel returns the proposal of a duel of two new points. A point that was not in the previous query is new, also if
// an older one had it.
func Duel(x, y []float64, metrics ...Metric) Proposal {
	return Proposal{Query: Query{Points: [][]float64{x, y}, New: 2}, Metrics: metrics}
}

func (c Comparison) clone() Comparison {
	c.Points, c.Values = cloneAll(c.Points, slices.Clone[[]float64]), slices.Clone(c.Values)
	return c
}

func (p Proposal) clone() Proposal {
	p.Points, p.Metrics = cloneAll(p.Points, slices.Clone[[]float64]), slices.Clone(p.Metrics)
	return p
}

func (r Recommendation) clone() Recommendation {
	r.X = slices.Clone(r.X)
	return r
}

func cloneAll[T any](all []T, clone func(T) T) []T {
	out := slices.Clone(all)
	for i, v := range out {
		out[i] = clone(v)
	}
	return out
}

// Package algorithms is the contract between a preferential optimiser and
// whoever drives it: the benchmark's runner, or a user's own experiment.
//
// An algorithm never sees the objective f. It proposes points to show to a
// judge (Ask), is told which one the judge liked best (Tell), and says which
// point it would report now (Recommend).
package algorithms

import (
	"math/rand/v2"

	"popbench/space"
)

// Query is one question for the judge: which of Points is the favourite?
//
// Points are ordered by age: points shown in the previous query come first,
// the New newly proposed ones last. For the paper's duel (x_t, x'_t) that is
// Points = {x'_t, x_t} and New = 1, so that the index of the winner equals the
// paper's outcome 1_t: it is 1 when x_t was preferred.
type Query struct {
	Points [][]float64 `json:"points"` // 2 to MaxPoints, each of length d, inside the box
	New    int         `json:"new"`    // how many of the last points are proposed by this query
}

// Comparison is an answered query.
type Comparison struct {
	Points [][]float64 `json:"points" min:"2" max:"100" doc:"The points compared, oldest first."` // each of length d
	Winner int         `json:"winner" min:"0" max:"99" doc:"Index of the favourite, from 0."`     // in Points
}

// MaxPoints is the largest number of points in a query.
const MaxPoints = 100

// Recommendation is a point an algorithm would report as its best, and the
// rule by which it chose it.
type Recommendation struct {
	Rule string    `json:"rule"`
	X    []float64 `json:"x"` // length d, inside the box
}

// Setup is what a driver hands to every algorithm. Algorithms that are to be
// compared get equal values of all fields but Rand.
type Setup struct {
	Box   space.Box
	Start []float64    // x_0, length d: the same for every algorithm of a repetition
	Rand  *rand.Rand   // the algorithm's own stream; never nil
	Steps int          // planned number of queries; 0 when unknown
	Pilot []Comparison // comparisons of random points answered beforehand, for hyper-parameters only; may be empty
}

// Algorithm is a sequential preferential optimiser. Its methods are called from
// one goroutine at a time, in the order (Ask Tell Recommend)*.
//
// Ask returns the next query. It does not change the algorithm's state: asked
// twice, it answers the same. The caller may keep and change what it returns.
//
// Tell adds the outcome of a query, which need not be one that Ask proposed;
// winner is an index in q.Points. It copies what it keeps. When it returns an
// error the state is as it was before the call.
//
// Recommend returns the point to report now, first the one chosen by the rule
// the settings select, then those of the algorithm's other rules. It does not
// change the state.
type Algorithm interface {
	Ask() (Query, error)
	Tell(q Query, winner int) error
	Recommend() ([]Recommendation, error)
}

// ValueLearner is an optional interface of an Algorithm that learns from values
// of f in place of comparisons: a reference for what preference feedback costs,
// no rival, since no judge can tell it what it asks for. Whoever drives it calls
// TellValues and not Tell, which such an algorithm refuses.
//
// TellValues adds a noisy value of f at each of the New points of a query:
// values[i] belongs to the i-th of the last q.New points. All else that is said
// of Tell holds for it.
type ValueLearner interface {
	TellValues(q Query, values []float64) error
}

// Metric is one named number that describes a step. Value is finite.
type Metric struct {
	Name  string
	Value float64
}

// Instrumented is an optional interface of an Algorithm: the metrics of the
// last Ask and Tell, always the same names in the same order. They are
// deterministic (work counters, duality gaps, sizes of the confidence set),
// never times, so that they may stand in a record that must not vary.
type Instrumented interface {
	Metrics() []Metric
}

// Believer is an optional interface of an Algorithm: what it holds true of f at
// x, of length d, after what it was told. Lower and upper are the ends of its
// confidence set. It does not change the state.
type Believer interface {
	Belief(x []float64) (Belief, error)
}

// Belief is an estimate of f(x) with its confidence range, all finite.
type Belief struct {
	Estimate, Lower, Upper float64
}

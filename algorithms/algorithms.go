// Package algorithms is the contract between a preferential optimiser and its
// caller: the benchmark's runner, or a user's own experiment.
//
// An algorithm never sees the objective f. It proposes points to show to an oracle
// (Ask), learns which one the oracle preferred (Tell), and recommends the point
// that it would return now (Recommend).
//
//	alg, err := popbo.New(algorithms.Setup{Domain: box, Start: x0, Rand: r}, popbo.Default())
//	for range budget {
//		query, err := alg.Ask()
//		...                       // show query.Points to the decision maker
//		err = alg.Tell(query, winner)
//	}
//	recommendations, err := alg.Recommend()
//
// # Writing a method
//
// A [Method] learns, proposes and recommends. [Drive] makes an Algorithm of it: it
// checks the setup and each outcome, copies points, computes each proposal once, names
// random streams, merges metrics, saves and restores.
package algorithms

import (
	"math/rand/v2"

	"popbench/kernel"
	"popbench/space"
)

// Query is a set of points of which the oracle names the one that it prefers.
//
// Points are ordered by age: points shown in the previous query come first,
// the New newly proposed ones last. For the paper's duel (x_t, x'_t) that is
// Points = {x'_t, x_t} and New = 1, so that the index of the winner equals the
// paper's outcome 1_t: it is 1 when x_t was preferred.
type Query struct {
	Points [][]float64 `json:"points" min:"2" max:"100"` // 2 to MaxPoints, each of length d, in the domain
	New    int         `json:"new" min:"0" max:"100"`    // how many of the last points are proposed by this query
}

// Comparison is an answered query.
type Comparison struct {
	Points [][]float64 `json:"points" min:"2" max:"100" doc:"The points compared, oldest first."`                                                                                                       // each of length d
	Winner int         `json:"winner" required:"values" min:"0" max:"99" doc:"Index of the preferred point, from 0."`                                                                                   // in Points
	Values []float64   `json:"values,omitempty" max:"100" itemMin:"-1e300" itemMax:"1e300" doc:"Noisy values of f at the last points, for algorithms that learn from values; there is no winner then."` // at the last len(Values) points
}

// MaxPoints is the largest number of points in a query.
const MaxPoints = 100

// Recommendation is a point that an algorithm would return as its best, and the
// rule by which it chose it.
type Recommendation struct {
	Rule string    `json:"rule"`
	X    []float64 `json:"x"` // length d, in the domain
}

// Setup is what an experiment gives to every algorithm. Algorithms that are
// compared get equal values of all fields but Rand.
type Setup struct {
	Domain space.Domain
	Start  []float64  // x_0, length d: the same for every algorithm of a repetition
	Rand   *rand.Rand // the algorithm's own stream; never nil
	Steps  int        // planned number of queries; 0 when unknown
	Pilot  *Pilot     // comparisons before step 1, for hyper-parameters only; may be nil
	Known  Known      // what the experiment discloses of f
}

// Known is what an experiment discloses of f to every algorithm. An algorithm
// uses a known kernel in place of the one that its settings name or fit, and a
// known norm bound in place of its own.
type Known struct {
	Kernel    *kernel.Config `json:"kernel,omitempty" doc:"The kernel of the RKHS of f; left out where it is not known."`                           // nil if not disclosed
	NormBound float64        `json:"norm_bound,omitempty" min:"0" max:"1e9" doc:"A bound on the RKHS norm of f under that kernel; 0 if not known."` // 0 if not disclosed
}

// Algorithm is a sequential preferential optimiser. Its methods are called from
// one goroutine at a time, in the order (Ask Tell Recommend)*.
//
// Ask returns the next query. It does not change the state: a second call returns the
// same. The caller may keep and change the result.
//
// Tell adds the outcome of a query, which need not be one that Ask proposed;
// winner is an index in q.Points. It copies what it keeps. When it returns an
// error the state is as it was before the call.
//
// Recommend returns the points to return now, first the one chosen by the rule
// that the settings select, then those of the algorithm's other rules. It does
// not change the state.
type Algorithm interface {
	Ask() (Query, error)
	Tell(q Query, winner int) error
	Recommend() ([]Recommendation, error)
}

// ValueLearner is an optional interface of an Algorithm that learns from value
// observations in place of comparisons: a reference for what preference feedback
// costs, not a baseline to beat, since no oracle can answer it. The caller calls
// TellValues and not Tell, which such an algorithm refuses.
//
// TellValues adds a noisy value of f at each of the New points of a query, one at
// least: values[i] belongs to the i-th of the last q.New points. Otherwise it is like
// Tell.
type ValueLearner interface {
	TellValues(q Query, values []float64) error
}

// Instrumented is an optional interface of an Algorithm: the metrics of the last
// Ask and Tell, always the same names and kinds in the same order, from before
// the first step on. They are deterministic, never times, so that a record is the
// same in every run.
type Instrumented interface {
	Metrics() []Metric
}

// Believer is an optional interface of an Algorithm: its model of f at x, of
// length d. It does not change the state.
type Believer interface {
	Belief(x []float64) (Belief, error)
}

// Belief is an estimate of f(x) with its confidence range, all finite.
type Belief struct {
	Estimate float64 `json:"estimate"`
	Lower    float64 `json:"lower"`
	Upper    float64 `json:"upper"`
}

// Resumable is an optional interface of an Algorithm whose experiment can be
// saved and continued; see [Restore].
type Resumable interface {
	State() (State, error)
	Resume(State) error
}

// Informed is an optional interface of an Algorithm: the kernel and the norm
// bound that it uses now, after disclosure and fitting.
type Informed interface {
	InForce() InForce
}

// InForce is the prior that an algorithm uses, after disclosure and fitting.
type InForce struct {
	Kernel    *kernel.Config `json:"kernel,omitempty"`     // in units of x; nil if the algorithm has none
	NormBound float64        `json:"norm_bound,omitempty"` // 0 if it has none
	// Refitted says that the algorithm fits lengthscales and variance again as it
	// learns; Kernel then has those it begins with, and the metrics of a step its own.
	Refitted bool `json:"refitted,omitempty"`
	// Range is that in which the lengthscales of Kernel were fitted to pilot
	// comparisons; nil if they were not.
	Range *Range `json:"lengthscale_range,omitempty"`
}

// Range is the ends of a range for each lengthscale of a kernel, in units of x.
type Range struct {
	Lo []float64 `json:"lo"`
	Hi []float64 `json:"hi"`
}

// Package algorithms defines the contract between a preferential optimiser and its caller: the benchmark's
// runner, or a user's own experiment.
//
// An algorithm never sees the objective f. It proposes queries for an oracle (Ask), learns which point the
// oracle preferred (Tell), and recommends the point that it would return now (Recommend).
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
// A [Method] learns, proposes and recommends. [Drive] turns it into an Algorithm: it checks the setup and each
// comparison, copies points, computes each proposal once, names the random streams, merges metrics, saves and
// restores.
package algorithms

import (
	"math/rand/v2"

	"popbench/kernel"
	"popbench/space"
)

// MaxPoints is the largest number of points in a query.
const MaxPoints = 100

// Setup is what an experiment gives to every algorithm. Algorithms that are compared with each other get equal
// values of all fields except Rand.
type Setup struct {
	Domain space.Domain
	Start  []float64  // x_0, length d: the same for every algorithm of a repetition
	Rand   *rand.Rand // the algorithm's own stream, not nil
	Steps  int        // planned number of queries; 0 if unknown
	Pilot  *Pilot     // comparisons before step 1, for hyper-parameters only; may be nil
	Known  Known      // what the experiment discloses of f
}

// Known is what an experiment discloses of f to every algorithm. A known kernel replaces the one that the
// settings name or fit. A known norm bound replaces the algorithm's own.
type Known struct {
	Kernel    *kernel.Config `json:"kernel,omitempty" doc:"The kernel of the RKHS of f; leave it out if it is unknown."`                            // nil if not disclosed
	NormBound float64        `json:"norm_bound,omitempty" min:"0" max:"1e9" doc:"A bound on the RKHS norm of f under that kernel; 0 if not known."` // 0 if not disclosed
}

// Algorithm is a sequential preferential optimiser. Its methods are called from one goroutine at a time, in the
// order (Ask Tell Recommend)*.
//
// Ask returns the next query. It does not change the state: a second call returns the same query. The caller
// may keep and change the result.
//
// Tell adds a comparison: a query, which need not be one that Ask proposed, and its winner, an index in
// q.Points. It copies what it keeps. If it returns an error, the state is unchanged.
//
// Recommend returns the current recommendations: the selected rule's first, then those of the algorithm's other
// rules. The rules are the same every time. It does not change the state.
type Algorithm interface {
	Ask() (Query, error)
	Tell(q Query, winner int) error
	Recommend() ([]Recommendation, error)
}

// ValueLearner is an optional interface of an Algorithm that learns from value observations instead of
// comparisons. It measures what preference feedback costs. It is not a baseline to beat, since it needs more
// than an oracle of comparisons can say. The caller calls TellValues instead of Tell, which such an algorithm
// refuses.
//
// TellValues adds a noisy value of f at each of the New points of a query, at least one: values[i] belongs to
// the i-th of the last q.New points. Otherwise it is like Tell.
type ValueLearner interface {
	TellValues(q Query, values []float64) error
}

// TieLearner is an optional interface of an Algorithm that learns from ties: queries whose points the oracle
// cannot tell apart. The caller calls TellTie instead of Tell after such an answer. An algorithm without it
// cannot be used with an oracle that has ties.
//
// TellTie adds a query that the oracle answered with a tie. Otherwise it is like Tell.
type TieLearner interface {
	TellTie(q Query) error
}

// Instrumented is an optional interface of an Algorithm: the metrics of the last Ask and Tell. Their names,
// kinds and order never change, and they exist before the first step. They are deterministic, so never times: a
// record is the same in every run.
type Instrumented interface {
	Metrics() []Metric
}

// Believer is an optional interface of an Algorithm that has a model of f: its estimate at x, of length d.
// Belief does not change the state.
type Believer interface {
	Belief(x []float64) (Belief, error)
}

// Belief is an estimate of f(x) with its confidence range. All its numbers are finite.
type Belief struct {
	Estimate float64 `json:"estimate"`
	Lower    float64 `json:"lower"`
	Upper    float64 `json:"upper"`
}

// Informed is an optional interface of an Algorithm: the kernel and the norm bound that it uses now, after
// disclosure and fitting.
type Informed interface {
	InForce() InForce
}

// InForce is the prior that an algorithm uses, after disclosure and fitting.
type InForce struct {
	Kernel    *kernel.Config `json:"kernel,omitempty"`     // in units of x; nil if the algorithm has none
	NormBound float64        `json:"norm_bound,omitempty"` // 0 if it has none
	// Refitted says that the algorithm fits lengthscales and variance again as it learns. Kernel then has the
	// initial values, and the metrics of each step have the current ones.
	Refitted bool `json:"refitted,omitempty"`
	// Range is the range in which the lengthscales of Kernel were fitted to pilot comparisons; nil if they were
	// not.
	Range *Range `json:"lengthscale_range,omitempty"`
}

// Range has the two ends of a range for each lengthscale of a kernel, in units of x.
type Range struct {
	Lo []float64 `json:"lo"`
	Hi []float64 `json:"hi"`
}

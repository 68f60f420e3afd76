package suite

import (
	"context"
	"math/rand/v2"
	"sync"

	"popbench/algorithms"
	"popbench/internal/harness/config"
	"popbench/internal/harness/external"
	"popbench/problems"
	"popbench/record"
)

// HeldOut is random points of a problem and answered duels between them, which no algorithm sees.
type HeldOut struct {
	Points  [][]float64
	Utility []float64 // f at the points
	Duels   []Duel
}

// Trial is a cell that is ready to run.
type Trial struct {
	Header    record.Header // complete
	Problem   *problems.Problem
	Oracle    *problems.Oracle
	Observer  *problems.Observer // for algorithms.ValueLearner only; nil if the oracle's noise has no such form
	Algorithm algorithms.Algorithm

	heldOut   func(context.Context) (*HeldOut, error)
	held      *HeldOut            // nil until somebody asks for it
	first     *rand.Rand          // of the points of the first duels
	begin     func() error        // of an external algorithm
	algorithm *external.Algorithm // nil if it is not external
	evaluator *external.Evaluator // nil if the problem is not external
}

// experiment prepares the repetitions of an algorithm on a problem.
type experiment struct {
	source   source
	fits     *Fits
	pool     *external.Pool
	disclose string         // config.DiscloseNone or another
	oracle   *config.Oracle // nil if it is Bradley-Terry-Luce
	build    func(algorithms.Setup) (algorithms.Algorithm, error)
	program  *external.Program // in place of build, for an external algorithm
}

// Duel is a duel between two held-out points, by their indices, that one of them won. LogLikelihood is that of the answer
// under f.
type Duel struct {
	Winner, Loser int
	LogLikelihood float64
}

// scales stores computed scales of oracles, each computed once. The zero value is empty. It is safe for concurrent use.
type scales struct{ byWhat sync.Map } // from a scaleKey to a *scaleOnce

// scaleKey identifies a computed scale.
type scaleKey struct {
	of            any // the problem's *external.Objective or *problems.Spec
	seed          uint64
	scale         problems.Scale
	link          string
	rate, percent float64
	points        int
	repetition    string // "" if all repetitions have the same function
}

type scaleOnce struct {
	mu     sync.Mutex
	done   bool
	result problems.Calibration
	err    error
}

// Fits stores what is fitted to pilot comparisons, for all runs with the same comparisons, and the
// computed scales of oracles. The zero value is empty. Fits is safe for concurrent use.
type Fits struct {
	byDraw sync.Map // from a draw to its *algorithms.Fits
	scales scales
}

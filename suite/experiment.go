package suite

import (
	"context"
	"errors"
	"math/rand/v2"
	"strconv"
	"sync"

	"popbench/algorithms"
	"popbench/internal/math/rng"
	"popbench/internal/protocol/external"
	"popbench/internal/protocol/wire"
	"popbench/problems"
	"popbench/record"
)

// HeldOutSet is random points of a problem and answered duels between them, which no algorithm sees.
type HeldOutSet struct {
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

	heldOut   func(context.Context) (*HeldOutSet, error)
	held      *HeldOutSet         // nil until somebody asks for it
	first     *rand.Rand          // of the points of the first duels
	begin     wire.Start          // of an external algorithm
	algorithm *external.Algorithm // nil if it is not external
	evaluator *external.Evaluator // nil if the problem is not external
}

// experiment prepares the repetitions of an algorithm on a problem.
type experiment struct {
	source   source
	fits     *Fits
	programs *Programs
	oracle   *Oracle // nil if it is Bradley-Terry-Luce
	build    func(algorithms.Setup) (algorithms.Algorithm, error)
	zero     algorithms.Algorithm // what build returns, as a zero value; nil if its type is not known before
	program  *external.Program    // in place of build, for an external algorithm
}

// own reports whether each repetition has its own function.
func (e experiment) own() bool { return e.source.spec != nil && e.source.spec.Optimum == nil }

// Duel is a duel between two held-out points, by their indices, that one of them won. LogLikelihood is the log-likelihood
// of the answer under f.
type Duel struct {
	Winner, Loser int
	LogLikelihood float64
}

// instance identifies a function in a scale, for what is computed once for all runs on it.
type instance struct {
	of         any // the problem's *external.Objective or *problems.Spec
	problem    string
	seed       uint64
	scale      problems.Scale
	repetition string // "" if all repetitions have the same function
}

// instance returns that of the run with header h on problem p.
func (e experiment) instance(p *problems.Problem, h *record.Header) instance {
	i := instance{of: e.source.spec, problem: p.Name, seed: h.Seed, scale: p.Scale}
	if e.source.objective != nil {
		i.of = e.source.objective
	}
	if e.own() {
		i.repetition = strconv.Itoa(h.Repetition)
	}
	return i
}

// stream returns the random stream of a name, which all runs on the instance share.
func (i instance) stream(name string) *rand.Rand {
	labels := []string{name, i.problem}
	if i.repetition != "" {
		labels = append(labels, i.repetition)
	}
	return rng.Stream(i.seed, labels...)
}

// scaleKey identifies a computed scale of an oracle.
type scaleKey struct {
	instance
	link          problems.Link
	rate, percent float64
	points        int
}

// uniformKey identifies the statistics of a number of random points.
type uniformKey struct {
	instance
	points int
}

type scaleOnce struct {
	mu     sync.Mutex
	done   bool
	result problems.Calibration
	err    error
}

// Fits stores what is fitted to pilot comparisons, for all runs with the same comparisons, the computed scales of oracles,
// and the statistics of random points on functions drawn from an RKHS, which each run of a repetition draws again. The zero
// value is empty. Fits is safe for concurrent use.
type Fits struct {
	byDraw  sync.Map // from a draw to its *algorithms.Fits
	scales  sync.Map // from a scaleKey to a *scaleOnce
	uniform sync.Map // from a uniformKey to a function that returns its statistics
}

// Cell is one run: a repetition of an algorithm on a problem. Cells are small, because a suite may
// have very many.
type Cell struct {
	*Series
	Repetition int // from 0
}

// Series has what the repetitions of an algorithm on a problem have in common.
type Series struct {
	// Template is the header of their records without the fields that depend on the repetition: its
	// number, and what its instance of the problem determines (scaling, optimum; see Trial).
	Template record.Header
	// Begin prepares the cell with the given header to run. Each call returns a new, equal trial. The
	// context ends evaluations of the objective, which the pilot and random points need.
	// After an error the trial may be nil; if it is not, it has to be closed all the same.
	Begin func(context.Context, record.Header) (*Trial, error)
	// Grid returns values of f on the instance of a record of the series, for figures; nil if the instance has none, and
	// an error if f fails at one of the points. It may be nil.
	Grid func(context.Context, *record.Header) (*record.Grid, error)
	// OwnFunctions says that each repetition has its own function.
	OwnFunctions bool
	// External says that programs of the suite's owner take part.
	External bool
}

// errNoCell is the error of the zero values of Cell and Trial.
var errNoCell = errors.New("the cell belongs to no suite; Suite.Expand returns cells")

func (c Cell) template() record.Header {
	if c.Series == nil {
		return record.Header{}
	}
	return c.Template
}

// Header returns the header of the cell's record. Its Cell and ConfigHash identify
// the cell.
func (c Cell) Header() record.Header {
	h := c.template()
	h.Repetition = c.Repetition
	h.Seal()
	return h
}

// ID returns "problem/label/007", which is unique in the suite.
func (c Cell) ID() string {
	h := c.template()
	return record.CellID(h.Problem.Name, h.Algorithm.Label, c.Repetition)
}

// Start prepares the cell to run.
func (c Cell) Start(ctx context.Context) (*Trial, error) {
	if c.Series == nil || c.Begin == nil {
		return nil, errNoCell
	}
	return c.Begin(ctx, c.Header())
}

// Package suite turns the values of a suite file into cells that can be run. Only this package
// knows algorithms and problems by name.
package suite

import (
	"context"
	"encoding/json"
	"fmt"

	"popbench/algorithms"
	"popbench/internal/harness/config"
	"popbench/internal/harness/external"
	"popbench/record"
)

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
	// context ends evaluations of the objective, those for the pilot and random points.
	// After an error the trial may be nil; if it is not, it has to be closed all the same.
	Begin func(context.Context, record.Header) (*Trial, error)
	// Grid returns values of f on the instance of a record of the series, for figures; nil if it has none, and an error if
	// f fails at one of the points. It may be nil.
	Grid func(context.Context, *record.Header) (*record.Grid, error)
	// OwnFunctions says that each repetition has its own function.
	OwnFunctions bool
	// External says that programs of the suite's owner take part.
	External bool
}

// Header returns the header of the cell's record. Its Cell and ConfigHash identify
// the cell.
func (c Cell) Header() record.Header {
	h := c.Template
	h.Repetition = c.Repetition
	h.Seal()
	return h
}

// ID returns "problem/label/007", which is unique in the suite.
func (c Cell) ID() string {
	return record.CellID(c.Template.Problem.Name, c.Template.Algorithm.Label, c.Repetition)
}

// Start prepares the cell to run.
func (c Cell) Start(ctx context.Context) (*Trial, error) { return c.Begin(ctx, c.Header()) }

// Expand returns the cells of a suite that package config has read with the catalogue. Suites may
// share fits, so that none repeats a fit to the same pilot. The first repetition of everything comes
// first, then the second, so that an interrupted run has about as many repetitions of every series.
//
// The cells start programs of the suite's owner from the pool, which may be nil if they are not run.
func (c Catalogue) Expand(s *config.Suite, fits *Fits, pool *external.Pool) ([]Cell, error) {
	build := c.Build()
	var all []*Series
	for _, p := range s.Problems {
		from, err := c.source(s, p, pool)
		if err != nil {
			return nil, fmt.Errorf("suite %s: %w", s.Name, err)
		}
		for _, a := range s.Algorithms {
			series, err := c.newSeries(s, p, a, experiment{source: from, fits: fits, pool: pool}, build)
			if err != nil {
				return nil, fmt.Errorf("suite %s: %s on %s: %w", s.Name, a.Label, p.ID(), err)
			}
			all = append(all, series)
		}
	}
	cells := make([]Cell, 0, s.Repetitions*len(all))
	for rep := range s.Repetitions {
		for _, series := range all {
			cells = append(cells, Cell{series, rep})
		}
	}
	return cells, nil
}

// per returns which runs share pilot comparisons, in the words of a record.
func per(p config.Pilot) record.Per {
	if p.Comparisons > 0 && p.Per == config.PerRepetition {
		return record.PerRepetition
	}
	return record.PerProblem
}

// newSeries returns the repetitions of an algorithm on a problem.
func (c Catalogue) newSeries(s *config.Suite, p config.Problem, a config.Algorithm, run experiment, by record.Build) (*Series, error) {
	if _, ok := c.constructor(a.Name); !ok && !a.External() {
		return nil, fmt.Errorf("algorithm %q is unknown", a.Name)
	}
	settings := a.SettingsFor(p.ID())
	raw, err := json.Marshal(settings)
	if err != nil {
		return nil, fmt.Errorf("settings: %w", err)
	}
	h := record.Header{
		Suite: s.Name, SuiteTitle: s.Title, Paper: s.Paper,
		Problem:   run.source.template(),
		Algorithm: record.Algorithm{Name: a.Name, Label: a.Label, Settings: raw, Disclosed: record.Disclosure(a.DiscloseFor(p.ID()))},
		Seed:      s.Seed, Budget: s.Steps, FirstDuels: s.FirstDuels, Snapshots: s.Snapshots, PilotComparisons: a.Pilot.Comparisons, PilotPer: per(a.Pilot),
		Headline:   s.Headline,
		ConfigHash: s.CellHash(p, a),
		Build:      by,
	}
	if s.HeldOut.Duels > 0 {
		h.HeldOut = &record.HeldOutPlan{Duels: s.HeldOut.Duels, Points: s.HeldOut.Points}
	}
	run.disclose, run.oracle = a.DiscloseFor(p.ID()), s.OracleFor(p)
	h.Oracle = oracleRecord(run.oracle)
	if a.External() {
		program := programOf(a.Program, s.Dir)
		run.program, h.Algorithm.Program = &program, program.Record()
	} else {
		run.build = func(setup algorithms.Setup) (algorithms.Algorithm, error) { return c.New(a.Name, setup, settings) }
	}
	own := run.source.spec != nil && run.source.spec.Optimum == nil
	return &Series{Template: h, Begin: run.start, Grid: run.grid, OwnFunctions: own, External: a.External() || p.External()}, nil
}

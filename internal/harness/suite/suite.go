// Package suite turns the values of a suite file into cells that can be run. Only this package
// knows algorithms and problems by name.
package suite

import (
	"context"
	"encoding/json"
	"fmt"

	"popbench/algorithms"
	"popbench/internal/harness/config"
	"popbench/internal/runlog"
	"popbench/problems"
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
	Template runlog.Header
	// Begin prepares the cell with the given header to run. Each call returns a new, equal trial. The
	// context ends evaluations of the objective, those for the pilot and random points.
	Begin func(context.Context, runlog.Header) (*Trial, error)
}

// Header returns the header of the cell's record. Its Cell and ConfigHash identify
// the cell.
func (c Cell) Header() runlog.Header {
	h := c.Template
	h.Repetition = c.Repetition
	h.Seal()
	return h
}

// ID returns "problem/label/007", which is unique in the suite.
func (c Cell) ID() string {
	return runlog.CellID(c.Template.Problem.Name, c.Template.Algorithm.Label, c.Repetition)
}

// Start prepares the cell to run.
func (c Cell) Start(ctx context.Context) (*Trial, error) { return c.Begin(ctx, c.Header()) }

// Expand returns the cells of a suite that package config has read with the catalogue. Suites may
// share fits, so that none repeats a fit to the same pilot. The first repetition of everything comes
// first, then the second, so that an interrupted run has about as many repetitions of every series.
func (c Catalogue) Expand(s *config.Suite, fits *Fits) ([]Cell, error) {
	build := c.Build()
	var all []*Series
	for _, p := range s.Problems {
		spec, err := c.Problem(p.Name)
		if err == nil {
			err = spec.CheckScale(problems.Scale(p.Scale))
		}
		if err != nil {
			return nil, fmt.Errorf("suite %s: %w", s.Name, err)
		}
		for _, a := range s.Algorithms {
			series, err := c.newSeries(s, p, a, spec, fits, build)
			if err != nil {
				return nil, fmt.Errorf("suite %s: %s on %s: %w", s.Name, a.Label, p.Name, err)
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
func per(p config.Pilot) runlog.Per {
	if p.Comparisons > 0 && p.Per == config.PerRepetition {
		return runlog.PerRepetition
	}
	return runlog.PerProblem
}

// newSeries returns the repetitions of an algorithm on a problem.
func (c Catalogue) newSeries(s *config.Suite, p config.Problem, a config.Algorithm, spec *problems.Spec, fits *Fits, by runlog.Build) (*Series, error) {
	if _, ok := c.constructor(a.Name); !ok {
		return nil, fmt.Errorf("algorithm %q is unknown", a.Name)
	}
	settings := a.SettingsFor(p.Name)
	raw, err := json.Marshal(settings)
	if err != nil {
		return nil, fmt.Errorf("settings: %w", err)
	}
	h := runlog.Header{
		Suite: s.Name, SuiteTitle: s.Title, Paper: s.Paper,
		Problem: runlog.Problem{
			Name: spec.Name, Title: spec.Title, Source: spec.Source,
			Lo: spec.Box.Lo, Hi: spec.Box.Hi, Scale: p.Scale,
			Optimum: new(float64), // a cell that fails before its instance exists has always recorded 0
		},
		Algorithm: runlog.Algorithm{Name: a.Name, Label: a.Label, Settings: raw, Disclosed: runlog.Disclosure(a.DiscloseFor(p.Name))},
		Seed:      s.Seed, Budget: s.Steps, Snapshots: s.Snapshots, PilotComparisons: a.Pilot.Comparisons, PilotPer: per(a.Pilot),
		ConfigHash: s.CellHash(p, a),
		Build:      by,
	}
	run := experiment{spec: spec, fits: fits, disclose: a.DiscloseFor(p.Name), build: func(setup algorithms.Setup) (algorithms.Algorithm, error) {
		return c.New(a.Name, setup, settings)
	}}
	return &Series{Template: h, Begin: run.start}, nil
}

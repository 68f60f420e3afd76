// Package suite turns the values of a suite file into cells that can be run. It
// is the only place that knows algorithms and problems by name.
package suite

import (
	"encoding/json"
	"fmt"

	"popbench/internal/config"
	"popbench/internal/program"
	"popbench/internal/runlog"
	"popbench/problems"
)

// Cell is one run that is to be made: an algorithm on a problem, one repetition.
// Cells are small, since a suite may have very many.
type Cell struct {
	*Series
	Repetition int // from 0
}

// Series is what the repetitions of an algorithm on a problem have in common.
type Series struct {
	// Template is the header of their records without the fields of a repetition:
	// its number, and what its instance of the problem decides (scaling, optimum;
	// see Trial).
	Template runlog.Header
	// Begin prepares the cell with the given header to run. Each call makes a new,
	// equal trial.
	Begin func(runlog.Header) (*Trial, error)
}

// Header returns the header of the cell's record. Its Cell and ConfigHash identify
// the cell.
func (c Cell) Header() runlog.Header {
	h := c.Template
	h.Repetition = c.Repetition
	h.Seal()
	return h
}

// ID is "problem/label/007", unique in the suite.
func (c Cell) ID() string {
	return runlog.CellID(c.Template.Problem.Name, c.Template.Algorithm.Label, c.Repetition)
}

// Start prepares the cell to run.
func (c Cell) Start() (*Trial, error) { return c.Begin(c.Header()) }

// Expand returns the cells of a suite that config has read with the Catalogue.
// The first repetition of everything comes first, then the second, so that an
// interrupted run is as even as it can be.
func Expand(s *config.Suite) ([]Cell, error) {
	var all []*Series
	var shared fits
	for _, p := range s.Problems {
		for _, a := range s.Algorithms {
			series, err := newSeries(s, p, a, &shared)
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

// newSeries returns the repetitions of an algorithm on a problem.
func newSeries(s *config.Suite, p config.Problem, a config.Algorithm, shared *fits) (*Series, error) {
	spec, err := problems.Lookup(p.Name)
	if err != nil {
		return nil, err
	}
	c, ok := constructors[a.Name]
	if !ok {
		return nil, fmt.Errorf("algorithm %q is unknown", a.Name)
	}
	if err := spec.CheckScale(problems.Scale(p.Scale)); err != nil {
		return nil, err
	}
	settings := a.SettingsFor(p.Name)
	disclose := ""
	if _, ok := settings.(interface{ Grants() bool }); !ok {
		disclose = a.Discloses(p.Name)
	}
	if spec.Kernel == nil && (c.grants(settings) || disclose == "kernel") {
		return nil, fmt.Errorf("settings: grant: %s is not drawn from an RKHS, so there is no kernel to grant; give grant: none, a kernel and a norm_bound", spec.Name)
	}
	raw, err := json.Marshal(settings)
	if err != nil {
		return nil, fmt.Errorf("settings: %w", err)
	}
	h := runlog.Header{
		Suite: s.Name, SuiteTitle: s.Title, Paper: s.Paper,
		Problem: runlog.Problem{
			Name: spec.Name, Title: spec.Title, Source: spec.Source,
			Lo: spec.Box.Lo, Hi: spec.Box.Hi, Scale: p.Scale,
		},
		Algorithm: runlog.Algorithm{Name: a.Name, Label: a.Label, Settings: raw},
		Seed:      s.Seed, Steps: s.Steps, Snapshots: s.Snapshots, Pilot: a.Pilot,
		ConfigHash: s.CellHash(p, a),
		Build:      program.This(),
	}
	prepared := preparer(h, spec, c, settings, disclose, shared)
	return &Series{Template: h, Begin: func(h runlog.Header) (*Trial, error) { return start(h, spec, c, prepared) }}, nil
}

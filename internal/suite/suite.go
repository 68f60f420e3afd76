// Package suite turns the values of a suite file into cells that can be run. It
// is the only place that knows algorithms and problems by name.
package suite

import (
	"encoding/json"
	"fmt"

	"popbench/internal/config"
	"popbench/internal/runlog"
	"popbench/problems"
)

// Cell is one run that is to be made: an algorithm on a problem, one repetition.
type Cell struct {
	// Header is that of the cell's record. Its Cell and ConfigHash are the
	// identity of the cell. What the instance of the problem decides (scaling,
	// optimum) is not there yet: see Trial.
	Header runlog.Header
	// Start makes the cell ready to run. Each call makes the same trial anew.
	Start func() (*Trial, error)
}

// ID is "problem/label/007", unique in the suite.
func (c Cell) ID() string { return c.Header.Cell }

// Expand returns the cells of a suite that config has read with the Catalogue.
// The first repetition of everything comes first, then the second, so that an
// interrupted run is as even as it can be.
func Expand(s *config.Suite) ([]Cell, error) {
	var series []func(repetition int) Cell
	var shared fits
	for _, p := range s.Problems {
		for _, a := range s.Algorithms {
			cell, err := repeat(s, p, a, &shared)
			if err != nil {
				return nil, fmt.Errorf("suite %s: %s on %s: %w", s.Name, a.Label, p.Name, err)
			}
			series = append(series, cell)
		}
	}
	cells := make([]Cell, 0, s.Repetitions*len(series))
	for rep := range s.Repetitions {
		for _, cell := range series {
			cells = append(cells, cell(rep))
		}
	}
	return cells, nil
}

// repeat returns the repetitions of an algorithm on a problem.
func repeat(s *config.Suite, p config.Problem, a config.Algorithm, shared *fits) (func(repetition int) Cell, error) {
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
	if spec.Kernel == nil && c.grants(settings) {
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
	}
	prepared := preparer(h, spec, c, settings, shared)
	return func(repetition int) Cell {
		h := h
		h.Repetition = repetition
		h.Seal()
		return Cell{Header: h, Start: func() (*Trial, error) { return start(h, spec, c, prepared) }}
	}, nil
}

// Package suite reads suite files and turns them into cells that can be run. Only this package knows algorithms and
// problems by name.
//
// [Load] reads a file into a [Suite], checked and with all defaults. A [Catalogue] has what the file may name, also
// methods and problems of your own. [Suite.Expand] lists the cells; bench.Run runs them. [Schema] describes the file to
// an editor, and [Describe] the settings of a method to people.
package suite

import (
	"cmp"
	"fmt"

	"popbench/algorithms"
	"popbench/record"
)

// Expand returns the cells of the suite. The first repetition of everything comes first, then the second, so that an
// interrupted run has about as many repetitions of every series.
//
// Suites may share fits, so that no fit to the same pilot is repeated; with nil the suite has fits of its own. The cells
// take their processes from programs, which may be nil if no cell is run.
func (s *Suite) Expand(fits *Fits, programs *Programs) ([]Cell, error) {
	fits = cmp.Or(fits, new(Fits))
	build := s.catalogue.Build()
	var all []*Series
	for _, p := range s.Problems {
		from, err := s.source(p, programs)
		if err != nil {
			return nil, fmt.Errorf("suite %s: %w", s.Name, err)
		}
		for _, a := range s.Algorithms {
			series, err := s.newSeries(p, a, experiment{source: from, fits: fits, programs: programs}, build)
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

// newSeries returns the repetitions of an algorithm on a problem.
func (s *Suite) newSeries(p Problem, a Algorithm, run experiment, by record.Build) (*Series, error) {
	built, ok := s.catalogue.constructor(a.Name)
	if !ok && !a.External() {
		return nil, fmt.Errorf("algorithm %q is unknown", a.Name)
	}
	settings := a.SettingsFor(p.ID())
	h := record.Header{
		Suite: s.Name, SuiteTitle: s.Title, Paper: s.Paper,
		Problem:   run.source.template(),
		Algorithm: record.Algorithm{Name: a.Name, Label: a.Label, Settings: encoded(settings), Disclosed: a.DiscloseFor(p.ID())},
		Seed:      s.Seed, Budget: s.Steps, FirstDuels: s.FirstDuels, Snapshots: s.Snapshots, PilotComparisons: a.Pilot.Comparisons, PilotPer: per(a.Pilot),
		Headline:   s.Headline,
		ConfigHash: s.CellHash(p, a),
		Build:      by,
	}
	if s.HeldOut.Duels > 0 {
		h.HeldOut = &record.HeldOutPlan{Duels: s.HeldOut.Duels, Points: s.HeldOut.Points}
	}
	run.oracle = s.OracleFor(p)
	h.Oracle = oracleRecord(run.oracle)
	if a.External() {
		program := programOf(a.Program, s.Dir)
		run.program, h.Algorithm.Program = &program, program.Record()
	} else {
		run.zero = built.zero
		run.build = func(setup algorithms.Setup) (algorithms.Algorithm, error) {
			return s.catalogue.New(a.Name, setup, settings)
		}
	}
	return &Series{Template: h, Begin: run.start, Grid: run.grid, OwnFunctions: run.own(), External: a.External() || p.External()}, nil
}

package judge

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"popbench/internal/claims"
	"popbench/internal/math/stats"
	"popbench/internal/outcome"
	"popbench/record"
)

// Evidence holds the runs of a paper's suites. Suites may be missing.
type Evidence struct {
	Study     *claims.Study               // that it is about
	Suites    map[string]*outcome.Results // by name
	missing   map[string]string           // why a suite is missing
	Resamples int                         // fewer than stats.Resamples in tests
}

// NewEvidence returns empty evidence.
func NewEvidence(s *claims.Study) *Evidence {
	return &Evidence{Study: s, Suites: map[string]*outcome.Results{}, missing: map[string]string{}, Resamples: stats.Resamples}
}

// ErrNoEvidence is the error of Read and ReadStudy for a folder with none of the suites.
var ErrNoEvidence = errors.New("no records of the paper's suites")

// ReadStudy reads the evidence from a folder with a results folder for each suite, named after the suite, or from a single
// results folder or archive. Suites may be missing. It returns an error if records cannot be read, and ErrNoEvidence if all
// suites are missing.
func ReadStudy(s *claims.Study, dir string) (*Evidence, error) {
	e := NewEvidence(s)
	err := e.read(dir)
	if err == nil {
		return e, nil
	}
	if !errors.Is(err, record.ErrNoRecords) {
		return nil, err
	}
	if err := e.ReadSuites(dir, s.SortedSuites()); err != nil {
		return nil, err
	}
	if len(e.Suites) == 0 {
		return nil, fmt.Errorf("%s: %w: %s; bench reproduce makes them", dir, ErrNoEvidence, strings.Join(s.SortedSuites(), ", "))
	}
	return e, nil
}

// Read reads the evidence of a study; see [ReadStudy]. A nil study stands for the first study that has records there.
func Read(study *claims.Study, dir string) (*Evidence, error) {
	if study != nil {
		return ReadStudy(study, dir)
	}
	var first error
	for _, s := range claims.Studies() {
		e, err := ReadStudy(s, dir)
		if err == nil {
			return e, nil
		}
		if first == nil || errors.Is(first, ErrNoEvidence) && !errors.Is(err, ErrNoEvidence) {
			first = err
		}
	}
	return nil, first
}

// ReadSuites reads the suites of these names from a folder with a results folder for each, as [ReadStudy] does. It replaces
// what was read of them before.
func (e *Evidence) ReadSuites(dir string, names []string) error {
	for _, suite := range names {
		err := e.read(filepath.Join(dir, suite))
		if left, ok := errors.AsType[*record.LeftOutError](err); ok {
			e.missing[suite] = left.First.Reason
		} else if err != nil && !errors.Is(err, record.ErrNoRecords) {
			return err
		}
	}
	return nil
}

func (e *Evidence) read(dir string) error {
	records, err := record.Open(dir)
	if err != nil {
		return err
	}
	records.Timed = true
	return e.Add(records)
}

// Add adds the records of a suite, replacing earlier ones. If no run can be used, the suite is
// missing. It returns an error if no claim is about the suite.
func (e *Evidence) Add(records record.Source) error {
	results, err := outcome.Collect(records)
	var suite string
	if empty, ok := errors.AsType[*outcome.NoRunError](err); ok {
		suite = empty.Suite
	} else if err != nil {
		return err
	} else {
		suite = results.Suite
	}
	if !slices.Contains(e.Study.SortedSuites(), suite) {
		return fmt.Errorf("these are records of the suite %s, which no claim is about; bench reproduce makes some of suites with claims", suite)
	}
	delete(e.Suites, suite)
	delete(e.missing, suite)
	if err != nil {
		e.missing[suite] = err.Error()
	} else {
		e.Suites[suite] = results
	}
	return nil
}

func (e *Evidence) strata(samples []claims.Sample) (all []stats.Stratum, err error) {
	for _, s := range samples {
		columns, err := e.stratum(s)
		if err != nil {
			return nil, err
		}
		all = append(all, columns)
	}
	return all, nil
}

// stratum returns the sample's quantities, for the repetitions that all its algorithms have.
// The error says what is missing.
func (e *Evidence) stratum(s claims.Sample) (stats.Stratum, error) {
	results := e.Suites[s.Suite]
	if results == nil {
		return nil, fmt.Errorf("%s: %s", s.Suite, cmp.Or(e.missing[s.Suite], "no records"))
	}
	groups := make([]*outcome.Group, len(s.Quantities))
	for j, q := range s.Quantities {
		g := results.Group(s.Problem, q.Label)
		if g == nil || len(g.Runs) == 0 {
			if !slices.ContainsFunc(results.Groups, func(g *outcome.Group) bool { return g.Algorithm.Label == q.Label && len(g.Runs) > 0 }) {
				return nil, fmt.Errorf("%s: no runs of %s", s.Suite, q.Label)
			}
			return nil, fmt.Errorf("%s: no runs of %s on %s", s.Suite, q.Label, s.Problem)
		}
		if g.BestFound != nil {
			return nil, fmt.Errorf("%s: the optimum of %s is unknown, and the claims are about regret against a known one", s.Suite, s.Problem)
		}
		groups[j] = g
	}
	columns, err := fill(s, groups, groups[0].Runs)
	if err == nil && columns[0] == nil {
		err = fmt.Errorf("%s: no repetition on %s that all of the algorithms have", s.Suite, s.Problem)
	}
	return columns, err
}

// fill returns the sample's quantities in the repetitions of runs, which are the first group's, as far as all groups have
// them.
func fill(s claims.Sample, groups []*outcome.Group, runs []*outcome.Run) (stats.Stratum, error) {
	columns := make(stats.Stratum, len(s.Quantities))
	for _, run := range runs {
		pair, err := paired(groups, run.Repetition)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.Suite, err)
		}
		for j, run := range pair {
			q := s.Quantities[j]
			v, err := q.Of(groups[j], run)
			if err != nil {
				return nil, fmt.Errorf("%s: %s of %s: %w", s.Suite, q.Text(), s.Problem, err)
			}
			columns[j] = append(columns[j], v)
		}
	}
	return columns, nil
}

// sharedPilot returns the number of pilot comparisons that all runs of an algorithm in the
// samples share, or 0 if no algorithm has a shared pilot. No sample may be missing.
func (e *Evidence) sharedPilot(samples []claims.Sample) int {
	for _, s := range samples {
		for _, q := range s.Quantities {
			if g := e.Suites[s.Suite].Group(s.Problem, q.Label); q.Name != claims.Unit && g.Conditional() {
				return g.Pilot
			}
		}
	}
	return 0
}

// paired returns the groups' runs of a repetition, or nil if a group lacks it.
func paired(groups []*outcome.Group, repetition int) ([]*outcome.Run, error) {
	runs := make([]*outcome.Run, len(groups))
	for j, g := range groups {
		if runs[j] = g.Run(repetition); runs[j] == nil {
			return nil, nil
		}
		if runs[j].Optimum != runs[0].Optimum {
			return nil, fmt.Errorf("repetition %d of %s has another function than that of %s; run the suite again with --force",
				repetition, g.Algorithm.Label, groups[0].Algorithm.Label)
		}
	}
	return runs, nil
}

// runsFrom returns a group's runs of n repetitions from first on, nil if some are missing.
func runsFrom(g *outcome.Group, first, n int) (runs []*outcome.Run) {
	for i := range n {
		run := g.Run(first + i)
		if run == nil {
			return nil
		}
		runs = append(runs, run)
	}
	return runs
}

package bench

import (
	"fmt"

	"popbench/algorithms"
	"popbench/internal/harness/solve"
	"popbench/problems"
	"popbench/suite"
)

// Option adds something to the commands.
type Option struct{ add func(*cli) error }

// Algorithm adds an algorithm. Suites and bench list use its name, and its random stream
// is derived from it; the name must be unique.
//
// C is a struct with the algorithm's settings. Its tags define the keys of a suite file:
// json is the key, doc its description in help and schema, min, max and enum the allowed
// values. If C has a method Validate() error, a suite for which it returns an error is
// refused; an error with a method Keys() []string is shown on the line of the first of these
// keys that the suite gives. If C has NeedsPilot() bool and this returns true, a suite must
// give pilot comparisons. If it has AsksBatches() bool and this returns true, an oracle that
// answers duels only is refused. The values must survive encoding/json, because records
// contain them.
//
// The algorithm must depend only on its setup, its settings and the comparisons: a cell
// that is run again must make the same record. To work with bench suggest it must also be
// restorable, like those made by algorithms.Drive.
func Algorithm[C any, A algorithms.Algorithm](name string, defaults func() C, build func(algorithms.Setup, C) (A, error)) Option {
	return Option{func(a *cli) (err error) {
		if defaults == nil || build == nil {
			return fmt.Errorf("algorithm %q has no defaults or nothing that builds it; give both", name)
		}
		a.catalogue, err = a.catalogue.WithAlgorithm(name, suite.Of(defaults, build))
		return err
	}}
}

// Method adds an algorithm that algorithms.Drive makes of a method. begin returns the
// method before its first comparison: it gets valid settings, a valid setup, whose Rand it
// must not use, and the random streams. For a method that learns from values, or from
// duels only, and for an algorithm with a belief, write a New with algorithms.Drive and
// give that to [Algorithm], which says what C may have.
func Method[C any, M algorithms.Method](name string, defaults func() C, begin func(algorithms.Setup, algorithms.Streams, C) (M, error)) Option {
	if begin == nil {
		return Algorithm[C, *algorithms.Driver](name, defaults, nil)
	}
	return Algorithm(name, defaults, func(setup algorithms.Setup, cfg C) (*algorithms.Driver, error) {
		d, _, err := algorithms.Drive(setup, algorithms.Spec{Name: name, Words: 2}, cfg, begin)
		return d, err
	})
}

// Problem adds a problem made by problems.New or problems.NewDrawn.
func Problem(s *problems.Spec) Option {
	return Option{func(a *cli) (err error) {
		a.catalogue, err = a.catalogue.WithProblem(s)
		return err
	}}
}

// Solver adds inner problems to bench solve, for an algorithm that an earlier option
// added. It prints S as JSON.
func Solver[C, S any](algorithm string, defaults func() C, by func(algorithms.SolveInput, C) (*S, error)) Option {
	return Option{func(a *cli) error {
		if defaults == nil || by == nil {
			return fmt.Errorf("solver %q has no defaults or nothing that solves; give both", algorithm)
		}
		if a.catalogue.Settings(algorithm) == nil {
			return fmt.Errorf("solver %q: unknown algorithm; add the algorithm first", algorithm)
		}
		if a.solvers[algorithm] != nil {
			return fmt.Errorf("solver %q exists already", algorithm)
		}
		a.solvers[algorithm] = solve.Of(defaults, by)
		return nil
	}}
}

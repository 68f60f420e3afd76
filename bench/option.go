package bench

import (
	"fmt"

	"popbench/algorithms"
	"popbench/internal/harness/solve"
	"popbench/internal/harness/suite"
	"popbench/problems"
)

// Option adds something to the commands.
type Option struct{ add func(*app) error }

// Algorithm adds an algorithm. Its name is what suites write, what bench list shows
// and what its random stream is called after; it must not be that of another one.
//
// C is a struct, the algorithm's settings. Its tags say what a suite file may give:
// json is the key, doc its description in help and schema, min, max and enum the
// allowed values. If it has a method Validate() error, a suite is refused with that
// error; if it has NeedsPilot() bool and that is true, a suite has to give pilot
// comparisons. Its values have to survive encoding/json: records hold them.
//
// What an algorithm answers may depend on its setup, its settings and the comparisons
// only: a cell that is run again has to make the same record. bench suggest needs an
// algorithm that can be saved and restored, as those of algorithms.Drive can.
func Algorithm[C any, A algorithms.Algorithm](name string, defaults func() C, build func(algorithms.Setup, C) (A, error)) Option {
	return Option{func(a *app) (err error) {
		a.catalogue, err = a.catalogue.WithAlgorithm(name, suite.Of(defaults, build))
		return err
	}}
}

// Problem adds a problem, as problems.New makes it.
func Problem(s *problems.Spec) Option {
	return Option{func(a *app) (err error) {
		a.catalogue, err = a.catalogue.WithProblem(s)
		return err
	}}
}

// Solver lets bench solve solve the inner problems of an algorithm that was added
// before. S is what it prints, as JSON.
func Solver[C, S any](algorithm string, defaults func() C, by func(algorithms.SolveInput, C) (*S, error)) Option {
	return Option{func(a *app) error {
		if a.catalogue.Settings(algorithm) == nil {
			return fmt.Errorf("solver %q: there is no such algorithm; add it first", algorithm)
		}
		if a.solvers[algorithm] != nil {
			return fmt.Errorf("solver %q exists already", algorithm)
		}
		a.solvers[algorithm] = solve.Of(algorithm, defaults, by)
		return nil
	}}
}

package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"

	"popbench/algorithms"
	"popbench/internal/app"
	"popbench/internal/console"
	"popbench/internal/solve"
	"popbench/problems"
	"popbench/suite"
)

// Option adds something to the commands.
type Option struct{ add func(*cli) error }

func newCLI(options []Option) (*cli, error) {
	a := &cli{solvers: maps.Clone(solve.BuiltIn)}
	for _, o := range options {
		if o.add == nil {
			return nil, errors.New("an option is empty; make it with bench.Algorithm, bench.Method, bench.Problem or bench.Solver")
		}
		if err := o.add(a); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// Catalogue returns what suites may name: what is built in, and what the options add.
func Catalogue(options ...Option) (suite.Catalogue, error) {
	a, err := newCLI(options)
	if err != nil {
		return suite.Catalogue{}, err
	}
	return a.Catalogue, nil
}

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
		a.Catalogue, err = a.Catalogue.WithAlgorithm(name, suite.Of(defaults, build))
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
		a.Catalogue, err = a.Catalogue.WithProblem(s)
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
		if a.Catalogue.Settings(algorithm) == nil {
			return fmt.Errorf("solver %q: unknown algorithm; add the algorithm first", algorithm)
		}
		if a.solvers[algorithm] != nil {
			return fmt.Errorf("solver %q exists already", algorithm)
		}
		a.solvers[algorithm] = solve.Of(defaults, by)
		return nil
	}}
}

// RunOptions say how Run runs a suite. The zero value runs as many cells at once as there are processors, and writes to
// results/NAME, NAME as in the suite.
type RunOptions struct {
	Out     string    // the results folder
	Workers int       // cells at once
	Force   bool      // run complete cells again, and replace results with other settings
	Log     io.Writer // shows progress, warnings and failures; nil for nobody
}

// Run runs a suite as bench run does, and returns its results folder, which record.Open reads. Complete cells of an earlier
// run are kept. If cells fail, all others run all the same, and the error, beside the folder, says why. After any other
// error there is no folder to read. When ctx ends, such an error wraps ctx.Err(); the next Run, without Force, continues. A
// suite that starts the command line itself, by its name, takes it from the PATH.
func Run(ctx context.Context, s *suite.Suite, o RunOptions) (out string, err error) {
	if o.Workers < 0 || o.Workers > maxWorkers {
		return "", fmt.Errorf("%d workers; give 1 to %d, or 0", o.Workers, maxWorkers)
	}
	a := &app.App{Self: "bench", Command: os.Args, Workers: cmp.Or(o.Workers, workers())}
	if o.Log != nil {
		a.Tell = (&console.Screen{W: o.Log}).Tell
	}
	ran, err := a.RunSuite(ctx, s, app.RunOptions{Out: o.Out, Force: o.Force})
	if err != nil && ctx.Err() != nil {
		return "", fmt.Errorf("%w: %w", ctx.Err(), err)
	}
	if err != nil {
		return "", err
	}
	return ran.Out, ran.Err(false)
}

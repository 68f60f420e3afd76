package bench

import (
	"context"
	"flag"
	"fmt"
	"io"

	"popbench/internal/app"
	"popbench/internal/harness/config"
	"popbench/internal/harness/external"
	"popbench/internal/harness/inspect"
	"popbench/problems"
)

var evalCommand = &command{
	name:  "eval",
	args:  "PROBLEM x1 x2 ...",
	short: "evaluate a problem at a point",
	long: `
Prints the value of the problem at the point: as its source defines it (raw), as
a suite scales it, and its distance from the optimum (regret) if that is known.
Scaled values are always maximised. The point must be inside the problem's box.
For example:

  bench eval beale -1.5 0.5

Some problems have a function drawn for each repetition of a suite:

  bench eval gp1 --seed 1 --repetition 4 2.5

With --suite, PROBLEM is a problem of that suite, by its label or name, with the
suite's scale and seed. If a program evaluates it, bench starts it, asks it once
and ends it:

  bench eval --suite examples/simulator/suite.yaml 'PID controller' 2 1 0.5

Exit code: 0, 2 if there is no such problem, the point is outside or the program
failed, 130 if interrupted.`,
	min:   1,
	max:   -1,
	stops: true,
	setup: func(a *cli, flags *flag.FlagSet) action {
		e := evaluation{cli: a}
		flags.StringVar(&e.suite, "suite", "", "evaluate a problem of the suite `SUITE`, a file or a name; it may be a program")
		flags.StringVar(&e.in.Scale, "scale", "", "scale the value as a suite with `SCALE` does: raw, std, standardise or standardise-uniform; by default that of --suite; else std, or raw where there is no std")
		drawnFlags(flags, &e.in.Seed, &e.in.Repetition)
		return func(ctx context.Context, stdout, stderr io.Writer, args []string) error {
			flags.Visit(func(f *flag.Flag) { e.seeded = e.seeded || f.Name == "seed" })
			act := abandonable(e.ofCatalogue) // a function is drawn to the end
			if e.suite != "" {
				act = e.ofSuite
			}
			if err := act(ctx, stdout, stderr, args); err != nil {
				return fmt.Errorf("eval: %w", err)
			}
			return nil
		}
	},
}

// evaluation is what the flags of bench eval ask for.
type evaluation struct {
	*cli
	suite  string // path or name; "" for a problem of the catalogue
	in     inspect.Instance
	seeded bool // --seed is given
}

func (e evaluation) ofCatalogue(ctx context.Context, stdout, _ io.Writer, args []string) error {
	spec, err := inspect.Lookup(e.catalogue, args[0])
	if err != nil {
		return err
	}
	x, err := inspect.Point(args[1:])
	if err != nil {
		return err
	}
	return e.print(ctx, stdout, spec, x)
}

// ofSuite starts a program if one evaluates the problem, and ends it.
func (e evaluation) ofSuite(ctx context.Context, stdout, stderr io.Writer, args []string) error {
	path, text, err := e.app(stderr).ReadSuite(e.suite)
	if err != nil {
		return err
	}
	s, err := config.Parse(path, text, e.catalogue)
	if err != nil {
		return err
	}
	p, err := inspect.LookupIn(s, args[0])
	if err != nil {
		return err
	}
	x, err := inspect.Point(args[1:])
	if err != nil {
		return err
	}
	if e.in.Scale == "" {
		e.in.Scale = p.Scale
	}
	if !e.seeded {
		e.in.Seed = s.Seed
	}
	if p.External() {
		fmt.Fprintln(stderr, starting("starting", app.Program{Of: p.ID(), Command: p.Program.Command}))
	}
	pool := &external.Pool{Self: e.programPath(), Stderr: "above"}
	defer pool.Close()
	spec, end, err := e.catalogue.Evaluator(ctx, s, p, pool)
	if err != nil {
		err = fmt.Errorf("problem %s: %w", p.ID(), err)
	} else {
		err = e.print(ctx, stdout, spec, x)
	}
	if said := end(); err != nil {
		quote(said, func(line string) { fmt.Fprintln(stderr, line) })
	}
	return err
}

func (e evaluation) print(ctx context.Context, stdout io.Writer, spec *problems.Spec, x []float64) error {
	v, err := inspect.Evaluate(ctx, spec, x, e.in)
	if err != nil {
		return err
	}
	_, err = io.WriteString(stdout, v.Text())
	return err
}

package bench

import (
	"context"
	"flag"
	"io"

	"popbench/internal/app"
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
		var o app.EvalOptions
		flags.StringVar(&o.Suite, "suite", "", "evaluate a problem of the suite `SUITE`, a file or a name; it may be a program")
		flags.StringVar(&o.Scale, "scale", "",
			"scale the value as a suite with `SCALE` does: raw, std, standardise or standardise-uniform; by default that of --suite; else std, or raw where there is no std")
		drawnFlags(flags, &o.Seed, &o.Repetition)
		return func(ctx context.Context, stdout, stderr io.Writer, args []string) error {
			flags.Visit(func(f *flag.Flag) { o.Seeded = o.Seeded || f.Name == "seed" })
			text, err := a.app(stderr).Eval(ctx, args[0], args[1:], o)
			if err != nil {
				return err
			}
			_, err = io.WriteString(stdout, text)
			return err
		}
	},
}

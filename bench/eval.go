package bench

import (
	"context"
	"flag"
	"fmt"
	"io"

	"popbench/internal/harness/inspect"
)

var evalCommand = &command{
	name:  "eval",
	args:  "PROBLEM x1 x2 ...",
	short: "print the value of a problem at a point",
	long: `
Prints the value as the problem's source states it (raw) and as a suite scales
it, and how far that is from the optimum. Scaled values are to be maximised.
The point has to be inside the problem's box. For example:

  bench eval beale -1.5 0.5

A problem of which each instance has its own function is evaluated for a
repetition (from 0) of a suite with a seed; its values are not scaled:

  bench eval gp1 --seed 1 --repetition 4 2.5`,
	min: 1,
	max: -1,
	setup: func(a *app, flags *flag.FlagSet) action {
		var in inspect.Instance
		flags.StringVar(&in.Scale, "scale", "", "value scaled as a suite's `SCALE` does: raw, std or standardise; std by default, raw for drawn functions")
		flags.Uint64Var(&in.Seed, "seed", 1, "for a function that is drawn, seed `N` of the suite, below 2^64")
		limitedVar(flags, &in.Repetition, "repetition", 0, 9999, "for a function that is drawn, repetition `N` of the suite")
		asJSON := flags.Bool("json", false, "print JSON, numbers in full precision")
		return func(_ context.Context, stdout, _ io.Writer, args []string) error {
			e, err := inspect.Evaluate(a.catalogue, args[0], args[1:], in)
			if err != nil {
				return fmt.Errorf("eval: %w", err)
			}
			if *asJSON {
				return writeJSON(stdout, e)
			}
			_, err = io.WriteString(stdout, e.Text())
			return err
		}
	},
}

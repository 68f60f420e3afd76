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
	short: "evaluate a problem at a point",
	long: `
Prints the value of the problem at the point: as its source defines it (raw), as
a suite scales it, and its distance from the optimum (regret) if that is known.
Scaled values are always maximised. The point must be inside the problem's box.
For example:

  bench eval beale -1.5 0.5

Some problems have a function drawn for each repetition of a suite. Choose one
by the suite's seed and the repetition, from 0. Its values are not scaled by
default:

  bench eval gp1 --seed 1 --repetition 4 2.5

Exit code: 0, or 2 if there is no such problem or the point is outside.`,
	min: 1,
	max: -1,
	setup: func(a *app, flags *flag.FlagSet) action {
		var in inspect.Instance
		flags.StringVar(&in.Scale, "scale", "", "scale the value as a suite with `SCALE` does: raw, std or standardise; std by default, raw for drawn functions and where there is no std")
		flags.Uint64Var(&in.Seed, "seed", 1, "drawn functions: the suite's seed `N`, below 2^64")
		limitedVar(flags, &in.Repetition, "repetition", 0, 9999, "drawn functions: repetition `N` of the suite")
		asJSON := flags.Bool("json", false, "print JSON, with numbers in full precision")
		return func(ctx context.Context, stdout, _ io.Writer, args []string) error {
			e, err := inspect.Evaluate(ctx, a.catalogue, args[0], args[1:], in)
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

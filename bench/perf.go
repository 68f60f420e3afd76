package bench

import (
	"context"
	"errors"
	"flag"
	"fmt"

	"popbench/internal/app"
)

var perfCommand = &command{
	name:  "perf",
	args:  "SUITE|FILE",
	short: "measure the cost of a step and compare with an earlier measurement",
	long: `
Runs every cell of the suite (an algorithm on a problem, one repetition) and
counts the work that the algorithm reports: solves, Newton systems, evaluations.
Then runs the first two repetitions of each three more times, sequentially, to
measure time and memory. SUITE is a file or the name of a built-in suite, such
as perf. In its place FILE has a measurement that this command printed, and
nothing is run. For example:

  bench perf perf > before.txt
  bench perf perf --against before.txt > after.txt

The output has Go's benchmark format, which benchstat reads. For every ten steps
of each algorithm on each problem it has the nanoseconds, bytes and allocations
per step, one sample for each pass, and the work counts per step over all
repetitions. A step is Ask, Tell and Recommend. Lines that benchstat ignores
have the counts of every run and a fingerprint of its queries.

--against FILE compares with an earlier measurement and prints the comparison to
stderr, with the verdicts of bench compare. If a run has the same queries in
both measurements, its counts must be equal: a single additional one is worse.
Other counts are compared over all repetitions, on each problem and on all
together. They are worse if they are significantly higher, by at least 5 %
(signed-rank test, Holm's correction for all P values, level 0.05). All counts
are compared in this way if the two machines round differently.

Times are compared as multiples of a fixed calculation that is timed in every
step, so they depend little on the machine. --tolerance allows for the remaining
noise.

The time and memory are those of bench, so cells of external programs are
refused; choose others with --only. bench report shows the times of programs.

Exit code: 0 if nothing is worse, 1 if a work count is worse or an algorithm on
a problem takes longer than --tolerance allows, 2 if the suite could not be
measured or compared, 130 if interrupted.`,
	min: 1, max: 1,
	setup: func(a *cli, flags *flag.FlagSet) action {
		o := app.PerfOptions{Passes: 3, Tolerance: 0.5}
		limitedVar(flags, &o.Passes, "count", 0, 1000, "time the first two repetitions `N` times (0: work counts only)")
		only := onlyFlag(flags, cellsThatMatch)
		flags.StringVar(&o.Against, "against", "", "compare with the measurement in `FILE`")
		limitedVar(flags, &o.Tolerance, "tolerance", 0, 1e9, "tolerate times that are longer by the share `S` (0.5: by half)")
		flags.StringVar(&o.Action, "json", "", "write the measurement to `FILE` for continuous-benchmark actions (customSmallerIsBetter)")
		flags.StringVar(&o.History, "history", "", "append the measurement to `FILE`, as JSON Lines, and write a page of them all beside it, as HTML")
		return func(ctx context.Context, args []string) error {
			o.Suite, o.Only = args[0], *only
			if o.Passes == 0 && (o.Action != "" || o.History != "") {
				return errors.New("perf: --json and --history need times, which --count 0 does not measure; give 1 or more")
			}
			m, c, err := a.Perf(ctx, o)
			if m != nil {
				err = errors.Join(err, m.Write(a.stdout))
			}
			if err != nil || c == nil {
				return err
			}
			if err := c.Write(a.stderr.W); err != nil {
				return err
			}
			if err := c.Err(); err != nil {
				return app.Partly(fmt.Errorf("worse than %s: %w", o.Against, err))
			}
			return nil
		}
	},
}

package bench

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"popbench/internal/app"
	"popbench/internal/console"
	"popbench/internal/limits"
	"popbench/internal/words"
)

var runCommand = &command{
	name:  "run",
	args:  "SUITE",
	short: "run a suite and write a results folder",
	long: `
Runs every algorithm of a suite on every problem, repeatedly. SUITE is a YAML
file, or the name of a suite that is part of the program: bench list suites. One
repetition of an algorithm on a problem is a cell. Each cell writes one record.
For example:

  bench run quick
  bench report results/quick

Complete cells are kept: to continue an interrupted run, give the same command
again. To add repetitions, raise --seeds, or give --seeds 31-60: the files 030
to 059, which are the same as those of a longer run.

With --force the chosen cells run again, also if their records have other
settings. Those records are removed first: after an interruption, leave out
--force to continue. If --only or --seeds left out cells with other settings,
bench refuses.

Pilot comparisons serve only to fit hyper-parameters. "pilot: N" in the suite
draws N of them for each repetition. With {comparisons: N, per: problem} all
repetitions share one draw, as in the paper, and the results are conditional on
it.

Algorithms and problems with "name: external" are programs of your own. Bench
names each command before it starts it, with your rights, in the suite file's
folder; --dry-run names it and starts nothing. A process serves many cells. Its
standard error is kept in timing/, in a .stderr.txt file for each cell. If a
program fails or exceeds its limits (60 s for the first answer and 10 min for
others, unless the suite has others), only that cell fails. The time limit of a
cell does not run while a program evaluates an objective. A program may declare
a cell undefined: it is then left out, which is not a failure. When bench ends
or is interrupted, it ends all programs and what they started.

The results folder contains records/, a copy of the suite file, run.json and
cells.json. The latter lists all chosen cells, so that reports can name those
that are missing. Bench refuses to add cells to records that another program
made (different source, Go version or arithmetic) unless --allow-mixture is
given.

Exit code: 0 if all cells succeeded, 1 if some failed, 2 if the suite could not
be run, 130 if interrupted.`,
	min: 1, max: 1,
	setup: func(a *cli, flags *flag.FlagSet) action {
		var o app.RunOptions
		out, only, mix := outFlag(flags, "results/NAME, NAME as in the suite"), onlyFlag(flags, cellsThatMatch), mixFlag(flags)
		workersFlag(flags, &a.Workers)
		seedsFlag(flags, &o.Seeds)
		masterFlag(flags, &o.Master)
		flags.Func("timeout", "stop a cell after the time `D`, e.g. 90s, up to 8760h, instead of the suite's limit", func(text string) (err error) {
			o.Timeout, err = limits.Timeout(text)
			return err
		})
		flags.Var(&o.Shard, "shard", "run part `i/n` of the cells, n up to 10000, and write FOLDER.shard-i-of-n; bench merge combines the parts")
		dryRun := flags.Bool("dry-run", false, "list the cells that would run and those that would be kept; run none")
		flags.BoolVar(&o.Force, "force", false, "run complete cells again, and replace results with other settings")
		quiet := flags.Bool("quiet", false, "print only errors and one line with the result")
		verbose := verboseFlag(flags, "all causes of failures, and all reasons for which cells were left out")
		return func(ctx context.Context, args []string) (err error) {
			o.Suite, o.Out, o.Only, o.Mix = args[0], *out, *only, *mix
			if *quiet {
				if a.stderr.W = io.Discard; *verbose {
					return errors.New("--quiet and -v exclude each other; give one of them")
				}
			}
			if o.Shard, err = a.scheduled(o.Shard); err != nil {
				return err
			}
			if *dryRun {
				plan, err := a.PlanRun(ctx, o)
				if err != nil {
					return err
				}
				console.PrintPlan(a.stdout, a.stderr.W, plan)
				return nil
			}
			ran, err := a.Run(ctx, o)
			if err != nil {
				return err
			}
			tail := []string{"results: " + words.Quote(ran.Out)}
			switch next := "next:    " + a.Self; {
			case o.Shard.N > 1:
				tail = append(tail, next+" merge "+words.ShellQuote(strings.TrimSuffix(ran.Out, o.Shard.Folder("")))+", when all parts are complete")
			case ran.Kept+ran.Done > len(ran.Failed): // otherwise there is nothing to report
				tail = append(tail, next+" report "+words.ShellQuote(ran.Out))
			}
			if *quiet {
				fmt.Fprintln(a.stdout, ran)
				return ran.Err(false)
			}
			left := words.Each(console.LeftOut(ran), func(text string) console.Item { return console.Item{Text: text} })
			console.Summary{
				Result: ran.String(), Bad: len(ran.Failed) > 0, Items: left, Whole: *verbose, Long: *verbose || len(left) == 1,
				More: words.Quote(filepath.Join(ran.Out, "run.json")) + " has them", Tail: tail,
			}.Print(a.stdout)
			return ran.Err(*verbose)
		}
	},
}

// scheduled takes the shard from a scheduler's environment unless a flag gave it.
func (a *cli) scheduled(given app.Shard) (app.Shard, error) {
	if given.N > 0 {
		return given, nil
	}
	s, from, err := app.Scheduler(os.Getenv)
	if err != nil || from == "" {
		return given, err
	}
	fmt.Fprintf(a.stderr.W, "running part %s of the cells, set by %s; --shard 1/1 runs all\n", s, from)
	return s, nil
}

var mergeCommand = &command{
	name:  "merge",
	args:  "FOLDER [SHARD...]",
	short: "combine the shards of a run into one results folder",
	long: `
Copies the records that bench run --shard wrote into FOLDER. The result is byte
for byte what a single run would have written. Without SHARD, the shards are the
folders FOLDER.shard-i-of-n, and all n must exist. Shards are not deleted. For
example:

  bench run suite.yaml --out results/mine --shard 1/2
  bench run suite.yaml --out results/mine --shard 2/2
  bench merge results/mine

Shards that are incomplete, or differ in suite, settings or program, are
refused. FOLDER may have other repetitions of the same suite by the same
program.

Exit code: 0 if all cells succeeded, 1 if records of failed cells are among
those merged, 2 if the shards could not be merged, 130 if interrupted.`,
	min: 1, max: -1,
	setup: func(a *cli, flags *flag.FlagSet) action {
		mix := mixFlag(flags)
		return func(ctx context.Context, args []string) error {
			out := filepath.Clean(args[0])
			merged, of, err := a.Merge(ctx, out, args[1:], *mix)
			if merged == nil {
				return err
			}
			fmt.Fprintf(a.stdout, "%s of %s merged\nresults: %s\nnext:    %s report %s\n",
				words.Count(merged.Cells, "cell"), words.Count(of, "shard"), words.Quote(out), a.Self, words.ShellQuote(out))
			return err
		}
	},
}

var statusCommand = &command{
	name:  "status",
	args:  "FOLDER",
	short: "tell how far a run and its shards are, and what to do next",
	long: `
Reads a results folder and its shards, FOLDER.shard-i-of-n, or all of those in
FOLDER, and prints how many cells are complete, failed, left out on purpose and
missing, for each algorithm on each problem if these are few. Then prints the
commands that are missing: those that continue the run or its parts, bench
merge, bench report, bench verify. If there is a plan to decide claims, it says
whether they are decided. Nothing is written. For example:

  bench status results/quick
  bench status results/reproduce --json

A cell that is being run counts as missing.

Exit code: 0 if all cells are complete; 1 if some are not, failed, or are not
merged, if claims are still to be decided, or if one of several folders could
not be read; 2 if FOLDER could not be read.`,
	min: 1, max: 1,
	setup: func(a *cli, flags *flag.FlagSet) action {
		asJSON := jsonFlag(flags)
		return func(ctx context.Context, args []string) error {
			s, err := app.Until(ctx, func() (*app.Status, error) { return a.Status(filepath.Clean(args[0])) }, "nothing was printed")
			if err != nil {
				return err
			}
			if *asJSON {
				err = writeJSON(a.stdout, s)
			} else {
				_, err = io.WriteString(a.stdout, console.Status(s))
			}
			if err == nil && !s.Complete {
				err = app.Partly(fmt.Errorf("%s is not complete", args[0]))
			}
			return err
		}
	},
}

package bench

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strings"

	"popbench/internal/app"
	"popbench/internal/page/document"
	"popbench/internal/views/compare"
	"popbench/internal/words"
)

var compareCommand = &command{
	name:  "compare",
	args:  "BASE HEAD",
	short: "tell whether results got better or worse after a change",
	long: `
BASE and HEAD are results folders of the same suite, made before and after a
change, if possible with the same seed. For example:

  bench compare results/before results/after

For every algorithm, problem and metric the runs are compared in pairs: the same
repetition of the same seed has the same function, start and oracle. With
different seeds they are compared as independent samples, which needs more runs.

Metrics that both sides have are compared: the suboptimality of the recommended
point, at the end and averaged over all steps; the cumulative regret; the work
counts; and the largest duality gap. Lower is better. Every recommendation rule
has rows; rules that the settings do not select are in brackets. All other
metrics of docs/metrics.md are compared if --metrics names them.

The verdict on a row is worse or better if Wilcoxon's test, adjusted for all
rows, is significant at level --alpha and the means differ by at least the
minimum effect. It is the same if the interval of the difference lies within the
minimum effect, and otherwise undecided. A run that fails only in HEAD is a
regression. docs/compare.md states how often each kind of change is detected.

Runs with different settings or selected rules, and runs that HEAD lacks, are
refused unless --allow has settings or missing. Damaged records are refused.

With --exact the records must be identical. Only the program that made them
(version, commit, fingerprint, Go, platform), checksums and the source lines of
panics may differ.

With --power it says how often a comparison of so many runs would notice such a
difference: it draws runs from the two folders a thousand times. They should
have many more runs than are drawn. With --null the two are made equal before
each draw: the two runs of a pair are swapped at random, or, with different
seeds, all runs are distributed anew. Every detection is then a false alarm:

  bench compare results/before results/after --power 10,30

Exit code: 0 if there is no regression (with --exact: no difference), 1 if there
is one, 2 if the folders could not be compared, 130 if interrupted.`,
	min: 2, max: 2,
	setup: func(a *cli, flags *flag.FlagSet) action {
		o := compare.Default()
		gateFlags(flags, &o)
		limitedVar(flags, &o.MinCost, "min-cost", 0, 1000, "tolerate differences in work counts of `S` times BASE's mean")
		exact := flags.Bool("exact", false, "require identical records, and name the first difference of each")
		var power []float64 // numbers of runs
		flags.Func("power", "say how often so many runs, a `LIST` of up to 20 numbers, would notice the difference", func(text string) (err error) {
			power, err = numbers(text, func(v float64) bool { return v == math.Trunc(v) && math.Abs(v) < 1e9 }, "whole numbers, such as 10,30")
			return err
		})
		null := flags.Bool("null", false, "with --power: make BASE and HEAD equal, to count false alarms")
		format := formatFlag(flags, "text", compare.Formats...)
		return func(ctx context.Context, args []string) error {
			others := false
			flags.Visit(func(f *flag.Flag) { others = others || f.Name != "exact" })
			switch {
			case *exact && others:
				return errors.New("compare: --exact has no other flags; leave them out")
			case *null && power == nil:
				return errors.New("compare: --null needs --power")
			case *exact:
				e, err := app.CompareExactly(ctx, args[0], args[1])
				if err != nil {
					return err
				}
				_ = e.Write(a.stdout) // stdout remembers errors, and a difference counts even if it cannot be printed
				return app.Partly(e.Err())
			case power != nil:
				write := map[string]func(io.Writer, *document.Document) error{"text": document.WriteText, "markdown": document.WriteMarkdown}[*format]
				if write == nil {
					return errors.New("compare: --power prints text or markdown; give another --format")
				}
				runs := words.Each(power, func(n float64) int { return int(n) })
				p, err := app.Power(ctx, args[0], args[1], o, runs, *null)
				if err != nil {
					return err
				}
				return write(a.stdout, p.Document())
			}
			c, err := app.Compare(ctx, args[0], args[1], o)
			if err != nil {
				return err
			}
			return a.printComparison(c, *format)
		}
	},
}

// gateFlags declares the flags that define a regression.
func gateFlags(flags *flag.FlagSet, o *compare.Options) {
	alphaFlag(flags, &o.Alpha)
	limitedVar(flags, &o.MinEffect, "min-effect", 0, 1000, "tolerate differences in quality of `D` standard deviations of BASE")
	flags.Func("metrics", "compare only these metrics, a `LIST` such as 'suboptimality,newton' or '*suboptimality*'", func(text string) error {
		o.Metrics = nil
		if text != "" {
			o.Metrics = strings.Split(text, ",")
		}
		for i := range o.Metrics {
			o.Metrics[i] = strings.TrimSpace(o.Metrics[i])
		}
		return nil
	})
	flags.Func("allow", "compare although runs have different settings, or HEAD lacks some: a `LIST` of settings and missing", func(text string) error {
		for what := range strings.SplitSeq(text, ",") {
			switch what {
			case "settings":
				o.AllowSettings = true
			case "missing":
				o.AllowMissing = true
			default:
				return errors.New("give settings, missing or settings,missing")
			}
		}
		return nil
	})
}

// printComparison prints a comparison, and returns an error that says what got worse, if anything did.
func (a *cli) printComparison(c *compare.Comparison, format string) error {
	if err := c.Write(a.stdout, format); err != nil {
		return err
	}
	if r := c.Regression(); r != "" {
		return app.Partly(fmt.Errorf("HEAD is worse than BASE: %s", r))
	}
	return nil
}

var gateCommand = &command{
	name:  "gate",
	args:  "SUITE.yaml",
	short: "tell whether your method got worse between two commits",
	long: `
Runs the programs of a suite (name: external) as they are at two commits of the
git repository that the suite file belongs to, and compares the results as bench
compare does. For example, in a clone of your method's repository:

  bench gate bench/suite.yaml --base origin/main
  bench gate bench/suite.yaml --base HEAD --head worktree

Both commits are checked out into temporary folders, which are removed again;
your own working tree is not touched. --build runs a command at the top of each,
such as 'go build -o bin/mine ./cmd/mine'. Only committed files are there, and
with --head worktree also those that git does not ignore. A package that is
installed in editable mode (pip install -e) is the same on both sides: have the
suite run the files of the repository, or install them with --build.

Only the algorithms that are programs run, on every problem of the suite: a
built-in one would give the same records twice. In a suite whose algorithms are
all built in, they run on the problems that are programs. If the suite file
changed, both sides run that of HEAD. A program that the suite of BASE has under
the same label is started as that suite says: command, files, reuse, threads,
limits.

The folder of --out receives summary.md for a pull request, compare.json,
compare.xml (JUnit), and the records in base and head. Records are kept if they
are of the same files, suite, cells, build command and bench: the same command
continues an interrupted gate, and a cache may hold base and base.json. All
other records of an earlier gate are replaced. bench compare on base and head
compares them again, with other limits.

Exit code: 0 if nothing got worse; 1 if something did, or a run fails only in
HEAD; 2 if the two could not be compared; 130 if interrupted.`,
	min: 1, max: 1,
	setup: func(a *cli, flags *flag.FlagSet) action {
		o := app.GateOptions{Compare: compare.Default()}
		gateFlags(flags, &o.Compare)
		flags.StringVar(&o.Base, "base", "", "compare with the commit `REV`, such as origin/main; required")
		flags.StringVar(&o.Head, "head", "HEAD", "judge the commit `REV`, or worktree: the working tree with its uncommitted changes")
		flags.StringVar(&o.Build, "build", "", "run the shell `COMMAND` at the top of each checkout before the suite")
		byDefault := filepath.Join("results", "gate")
		out, only := outFlag(flags, byDefault), onlyFlag(flags, cellsThatMatch)
		seedsFlag(flags, &o.Seeds)
		return func(ctx context.Context, args []string) error {
			if o.Base == "" {
				return errors.New("gate: --base is missing; give the commit to compare with, e.g. --base origin/main")
			}
			o.Suite, o.Only, o.Out = args[0], *only, cmp.Or(*out, byDefault)
			c, err := a.Gate(ctx, o)
			if err != nil {
				return err
			}
			return a.printComparison(c, "text")
		}
	},
}

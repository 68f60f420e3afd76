package bench

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"

	"popbench/internal/analysis/compare"
	"popbench/internal/analysis/document"
	"popbench/internal/printable"
	"popbench/internal/runlog"
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
regression. docs/compare.md states how often each kind of change is detected;
bench power estimates it for other folders.

Runs with different settings or selected rules, missing runs and damaged records
are refused. Different versions are noted.

With --exact the records must be identical. Only the program that made them
(version, commit, fingerprint, Go, platform), checksums and the source lines of
panics may differ.

Exit code: 0 if there is no regression (with --exact: no difference), 1 if there
is one, 2 if the folders could not be compared, 130 if interrupted.`,
	min: 2, max: 2,
	stops: true,
	setup: func(a *app, flags *flag.FlagSet) action {
		f := compareFlags{app: a, gate: gateFlags(flags)}
		flags.BoolVar(&f.exact, "exact", false, "require identical records, and name the first difference of each")
		flags.StringVar(&f.format, "format", "text", "print or write the comparison as `FORMAT`: text, markdown, json or junit")
		flags.StringVar(&f.out, "out", "", "write the comparison to `FILE`, and print it as text")
		flags.StringVar(&f.baseName, "base-name", "", "call BASE `NAME` in titles, e.g. a commit and its subject")
		flags.StringVar(&f.headName, "head-name", "", "call HEAD `NAME` in titles")
		return func(ctx context.Context, stdout, _ io.Writer, args []string) error {
			return runCompare(ctx, stdout, args[0], args[1], f)
		}
	},
}

type compareFlags struct {
	*app
	gate   func() compare.Options
	exact  bool
	format string
	out    string

	baseName, headName string
}

// gateFlags declares the flags that define a regression.
func gateFlags(flags *flag.FlagSet) func() compare.Options {
	o := compare.Default()
	limitedVar(flags, &o.Alpha, "alpha", 1e-9, 0.999, "allow a false alarm in any row with probability `P`")
	limitedVar(flags, &o.MinEffect, "min-effect", 0, 1000, "tolerate differences in quality of `D` standard deviations of BASE")
	limitedVar(flags, &o.MinCost, "min-cost", 0, 1000, "tolerate differences in work counts of `S` times BASE's mean")
	metrics := flags.String("metrics", "", "compare only these metrics, a `LIST` such as 'suboptimality,newton' or '*suboptimality*'")
	flags.BoolVar(&o.AllowSettings, "allow-different-settings", false, "compare runs whose settings differ")
	flags.BoolVar(&o.AllowMissing, "allow-missing", false, "compare the other runs if HEAD lacks some of BASE")
	return func() compare.Options {
		if *metrics != "" {
			for _, m := range strings.Split(*metrics, ",") {
				o.Metrics = append(o.Metrics, strings.TrimSpace(m))
			}
		}
		return o
	}
}

func runCompare(ctx context.Context, stdout io.Writer, baseDir, headDir string, f compareFlags) error {
	if f.exact {
		if f.format != "text" || f.out != "" {
			return errors.New("compare: --exact prints text; leave out --format and --out")
		}
		e, err := until(ctx, func() (*compare.Exactness, error) {
			return ofBoth(f.app, "compare", baseDir, headDir, compare.Exact)
		}, "nothing was written")
		if err != nil {
			return err
		}
		return writeExact(stdout, e)
	}
	if comparisonWriters[f.format] == nil {
		return fmt.Errorf("compare: --format %q is unknown; give text, markdown, json or junit", f.format)
	}
	c, err := until(ctx, func() (*compare.Comparison, error) {
		return ofBoth(f.app, "compare", baseDir, headDir, func(base, head runlog.Source) (*compare.Comparison, error) {
			return compare.Compare(base, head, f.gate())
		})
	}, "nothing was written")
	if err != nil {
		return err
	}
	c.Base.Name, c.Head.Name = printable.Quote(f.baseName), printable.Quote(f.headName)
	if f.out != "" {
		var b bytes.Buffer
		if err := comparisonWriters[f.format](&b, c); err != nil {
			return err
		}
		if err := os.WriteFile(f.out, b.Bytes(), 0o666); err != nil {
			return fmt.Errorf("compare: %w; make room or give another --out", err)
		}
		f.format = "text"
	}
	if err := comparisonWriters[f.format](stdout, c); err != nil {
		return err
	}
	return regression(c)
}

// comparisonWriters write a comparison, by the name of the format.
var comparisonWriters = map[string]func(io.Writer, *compare.Comparison) error{
	"text":     func(w io.Writer, c *compare.Comparison) error { return document.WriteText(w, c.Document()) },
	"markdown": func(w io.Writer, c *compare.Comparison) error { return document.WriteMarkdown(w, c.Document()) },
	"json":     func(w io.Writer, c *compare.Comparison) error { return c.WriteJSON(w) },
	"junit":    func(w io.Writer, c *compare.Comparison) error { return c.WriteJUnit(w) },
}

// regression returns an error that says what got worse, or nil if nothing did.
func regression(c *compare.Comparison) error {
	if r := c.Regression(); r != "" {
		return &exitError{exitFailed, fmt.Errorf("HEAD is worse than BASE: %s", r)}
	}
	return nil
}

// ofBoth opens two results folders and passes them to compute.
func ofBoth[T any](a *app, command, baseDir, headDir string, compute func(base, head runlog.Source) (*T, error)) (*T, error) {
	base, err := a.openResults(baseDir)
	if err != nil {
		return nil, err
	}
	head, err := a.openResults(headDir)
	if err != nil {
		return nil, err
	}
	v, err := compute(base, head)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", command, err)
	}
	return v, nil
}

func writeExact(stdout io.Writer, e *compare.Exactness) error {
	n := e.Different
	fmt.Fprintf(stdout, "%s identical, %d not; programs and checksums are ignored\n", words.Count(e.Same, "record"), n)
	if n == 0 {
		return nil
	}
	for _, d := range e.Differences {
		fmt.Fprintln(stdout, printable.Quote(fmt.Sprint(d)))
	}
	if more := n - len(e.Differences); more > 0 {
		fmt.Fprintf(stdout, "and %d more\n", more)
	}
	return &exitError{exitFailed, fmt.Errorf("%s not identical, the first: %v", map[bool]string{true: "1 record is", false: fmt.Sprintf("%d records are", n)}[n == 1], e.Differences[0])}
}

var powerCommand = &command{
	name:  "power",
	args:  "BASE HEAD",
	short: "estimate how often bench compare detects a difference",
	long: `
Estimates how many repetitions a suite needs to detect a difference such as that
between two results folders. Draws some of their runs many times, compares them
as bench compare does, and prints how often a row is worse or better. The
folders should have many more runs than are drawn. For example:

  bench power results/before results/after --runs 10,30

With --null the two folders are made equal before each draw: the two runs of a
pair are swapped at random, or, with different seeds, all runs are distributed
anew. Every detection is then a false alarm.

scripts/gate measures the gate in this way; docs/compare.md has the results.

Exit code: 0, or 2 if the folders could not be compared.`,
	min: 2, max: 2,
	setup: func(a *app, flags *flag.FlagSet) action {
		gate := gateFlags(flags)
		runs := []int{8, 15, 30}
		flags.Func("runs", "draw these numbers of runs per algorithm and problem, a `LIST` of up to 20 (default 8,15,30)", func(text string) (err error) {
			runs, err = wholeNumbers(text)
			return err
		})
		draws := 1000
		limitedVar(flags, &draws, "draws", 1, 100_000, "repeat `N` times")
		null := flags.Bool("null", false, "make BASE and HEAD equal, to count false alarms")
		seed := flags.Uint64("seed", 1, "use the seed `N` for the draws, below 2^64")
		format := flags.String("format", "text", "print the table as `FORMAT`: text or markdown")
		return func(_ context.Context, stdout, _ io.Writer, args []string) error {
			write := map[string]func(io.Writer, *document.Document) error{"text": document.WriteText, "markdown": document.WriteMarkdown}[*format]
			if write == nil {
				return fmt.Errorf("power: --format %q is unknown; give text or markdown", *format)
			}
			p, err := ofBoth(a, "power", args[0], args[1], func(base, head runlog.Source) (*compare.Power, error) {
				return compare.Resample(base, head, gate(), compare.PowerOptions{Runs: runs, Draws: draws, Null: *null}, rand.New(rand.NewPCG(*seed, 0)))
			})
			if err != nil {
				return err
			}
			return write(stdout, p.Document())
		}
	},
}

// maxList is the maximum length of a list given as a flag.
const maxList = 20

func wholeNumbers(text string) (list []int, err error) {
	for _, part := range strings.Split(text, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(part))
		if list = append(list, n); err != nil || len(list) > maxList {
			return nil, fmt.Errorf("give up to %d whole numbers, such as 8,15,30", maxList)
		}
	}
	slices.Sort(list)
	return slices.Compact(list), nil
}

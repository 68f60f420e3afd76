package bench

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"popbench/internal/app"
	"popbench/internal/page/document"
	"popbench/internal/printable"
	"popbench/internal/views/compare"
	"popbench/internal/words"
	"popbench/record"
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
	stops: true,
	setup: func(a *cli, flags *flag.FlagSet) action {
		f := compareFlags{cli: a, gate: gateFlags(flags), minCost: compare.Default().MinCost}
		limitedVar(flags, &f.minCost, "min-cost", 0, 1000, "tolerate differences in work counts of `S` times BASE's mean")
		flags.BoolVar(&f.exact, "exact", false, "require identical records, and name the first difference of each")
		flags.Func("power", "say how often so many runs, a `LIST` of up to 20 numbers, would notice the difference", func(text string) (err error) {
			f.power, err = numbers(text, func(v float64) bool { return v == math.Trunc(v) && math.Abs(v) < 1e9 }, "whole numbers, such as 10,30")
			return err
		})
		flags.BoolVar(&f.null, "null", false, "with --power: make BASE and HEAD equal, to count false alarms")
		format := formatFlag(flags, "text", compare.Formats...)
		return func(ctx context.Context, stdout, _ io.Writer, args []string) error {
			f.format = *format
			switch {
			case f.exact && (f.format != "text" || f.power != nil):
				return errors.New("compare: --exact prints text; leave out --format and --power")
			case f.null && f.power == nil:
				return errors.New("compare: --null needs --power")
			case f.exact:
				return f.compareExactly(ctx, stdout, args[0], args[1])
			case f.power != nil:
				return f.estimatePower(ctx, stdout, args[0], args[1])
			}
			return f.compare(ctx, stdout, args[0], args[1])
		}
	},
}

type compareFlags struct {
	*cli
	gate    func() compare.Options
	minCost float64
	exact   bool
	power   []float64 // numbers of runs
	null    bool
	format  string
}

// gateFlags declares the flags that define a regression.
func gateFlags(flags *flag.FlagSet) func() compare.Options {
	o := compare.Default()
	alphaFlag(flags, &o.Alpha)
	limitedVar(flags, &o.MinEffect, "min-effect", 0, 1000, "tolerate differences in quality of `D` standard deviations of BASE")
	metrics := flags.String("metrics", "", "compare only these metrics, a `LIST` such as 'suboptimality,newton' or '*suboptimality*'")
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
	return func() compare.Options {
		if *metrics != "" {
			for _, m := range strings.Split(*metrics, ",") {
				o.Metrics = append(o.Metrics, strings.TrimSpace(m))
			}
		}
		return o
	}
}

// options are those of the comparison.
func (f *compareFlags) options() compare.Options {
	o := f.gate()
	o.MinCost = f.minCost
	return o
}

func (f *compareFlags) compare(ctx context.Context, stdout io.Writer, base, head string) error {
	c, err := app.Until(ctx, func() (*compare.Comparison, error) {
		return ofBoth("compare", base, head, func(base, head record.Source) (*compare.Comparison, error) {
			return compare.Compare(base, head, f.options())
		})
	}, "nothing was written")
	if err != nil {
		return err
	}
	if err := c.Write(stdout, f.format); err != nil {
		return err
	}
	return regression(c)
}

func (f *compareFlags) compareExactly(ctx context.Context, stdout io.Writer, base, head string) error {
	e, err := app.Until(ctx, func() (*compare.Exactness, error) {
		return ofBoth("compare", base, head, compare.Exact)
	}, "nothing was written")
	if err != nil {
		return err
	}
	return writeExact(stdout, e)
}

// powerDraws is how often runs are drawn for each number of them.
const powerDraws = 1000

func (f *compareFlags) estimatePower(ctx context.Context, stdout io.Writer, base, head string) error {
	write := map[string]func(io.Writer, *document.Document) error{"text": document.WriteText, "markdown": document.WriteMarkdown}[f.format]
	if write == nil {
		return errors.New("compare: --power prints text or markdown; give another --format")
	}
	o := compare.PowerOptions{Draws: powerDraws, Null: f.null}
	for _, n := range f.power {
		o.Runs = append(o.Runs, int(n))
	}
	slices.Sort(o.Runs)
	o.Runs = slices.Compact(o.Runs)
	p, err := app.Until(ctx, func() (*compare.Power, error) {
		return ofBoth("compare", base, head, func(base, head record.Source) (*compare.Power, error) {
			return compare.Resample(base, head, f.options(), o, rand.New(rand.NewPCG(1, 0)))
		})
	}, "nothing was printed")
	if err != nil {
		return err
	}
	return write(stdout, p.Document())
}

// regression returns an error that says what got worse, or nil if nothing did.
func regression(c *compare.Comparison) error {
	if r := c.Regression(); r != "" {
		return &app.Error{Kind: app.Partly, Err: fmt.Errorf("HEAD is worse than BASE: %s", r)}
	}
	return nil
}

// ofBoth opens two results folders and passes them to compute.
func ofBoth[T any](command, baseDir, headDir string, compute func(base, head record.Source) (*T, error)) (*T, error) {
	base, err := record.Open(baseDir)
	if err != nil {
		return nil, err
	}
	head, err := record.Open(headDir)
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
	return &app.Error{Kind: app.Partly, Err: fmt.Errorf("%s not identical, the first: %v", map[bool]string{true: "1 record is", false: fmt.Sprintf("%d records are", n)}[n == 1], e.Differences[0])}
}

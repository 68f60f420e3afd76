package bench

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"path/filepath"

	"popbench/internal/app"
	"popbench/internal/console"
	"popbench/internal/outcome"
	"popbench/internal/views/profile"
	"popbench/internal/views/report"
	"popbench/internal/words"
	"popbench/record"
)

var reportCommand = &command{
	name:  "report",
	args:  "RESULTS",
	short: "make tables, figures and a page from a results folder",
	long: `
Reads the records in RESULTS, prints how the algorithms did in a line each, and
writes to RESULTS/report:

  index.html     everything on one page, with figures
  table.*        the tables as text, Markdown, CSV and LaTeX
  orders.csv     the growth of the cumulative regret, where the paper claims one
  times.csv      computation time, if all methods of the paper were run
  data/          the data of every figure and the curves of every problem, CSV
  figures/       every figure as SVG, PNG and PDF
  files.sha256   checksums of these files; the next report removes those that it
                 does not write again, unless they were changed

Unreadable records, failed runs and missing runs are excluded from all numbers
and listed in the notes below the tables. For example:

  bench report results/quick
  bench report results/quick --format text

If RESULTS contains several results folders, each gets its own report, and
RESULTS an index.html with links to them.

Every algorithm is compared with a reference, the first of the suite or the one
that --reference names: the difference of the headline metric with its interval,
a test adjusted for all comparisons, and whether the difference is within a
margin. --margin is in units of U, the suboptimality of a random point. For
example:

  bench report results/quick --reference Random --margin 0.1

With --sheet profile it writes nothing, and prints how soon targets are reached:

  expected running time   steps of all runs divided by the number of runs that
                          reach a target, with a bootstrap interval (COCO)
  runtime profile         share of problems, targets and runs solved within a
                          number of steps: the empirical distribution of steps
  performance profile     how often an algorithm is the fastest, or slower by at
                          most a factor (Dolan & Moré)
  average rank            with Friedman's test and Nemenyi's critical difference

A target is a suboptimality of the recommended point in U, or another regret of
a step that --headline names. It is reached at the step from which on every
recommendation meets it. For example:

  bench report results/quick --sheet profile --targets 0.1,0.01

With --beside, RESULTS has runs of your own methods on problems of bench field.
They are ranked among the methods whose records are in the folder that --beside
names; field stands for results/field, here or in a folder above. The page is
RESULTS/field/index.html. Problems, seed, steps and first duels must be the same
as in the field, which is checked. For example:

  bench list field --text > mine.yaml   (replace its algorithms by yours)
  bench run mine.yaml --out results/mine
  bench report results/mine --beside field

Exit code: 0 if all reports were written, 1 if some of several were not, 2 if
none was, 130 if interrupted.`,
	min: 1, max: 1,
	setup: func(a *cli, flags *flag.FlagSet) action {
		out, format := outFlag(flags, "RESULTS/report"), formatFlag(flags, "", "text", "markdown", "csv", "latex")
		var o report.Options
		marginFlag(flags, &o.Margin, outcome.Slight)
		flags.Func("headline", "rank the algorithms by `METRIC` instead of the suite's, e.g. utility-regret", func(name string) (err error) {
			o.Headline, err = outcome.Named(name)
			return err
		})
		flags.StringVar(&o.Reference, "reference", "", "compare every algorithm with the one of this `LABEL` instead of the suite's first")
		beside := flags.String("beside", "", "rank the methods of RESULTS among those of `FOLDER`, or of field")
		sheet := ""
		flags.Var(choice{&sheet, []string{"profile"}}, "sheet", "print only the sheet `NAME`: profile")
		p := profile.Options{}
		flags.Func("targets", "with --sheet profile: a `LIST` of up to 20 targets", func(text string) (err error) {
			p.Targets, err = numbers(text, func(v float64) bool { return v > 0 && v <= 1e15 }, "numbers above 0, up to 1e+15, such as 0.5,0.1")
			return err
		})
		flags.Lookup("targets").DefValue = "0.5,0.2,0.1,0.05,0.02,0.01"
		return func(ctx context.Context, args []string) error {
			switch {
			case sheet != "":
				if p.Metric = o.Headline; *out != "" || *beside != "" || o != (report.Options{Headline: o.Headline}) {
					return errors.New("report: --sheet profile has --format, --headline and --targets only; leave out the others")
				}
				made, err := a.Profile(ctx, args[0], p)
				if err != nil {
					return err
				}
				return made.Write(a.stdout, cmp.Or(*format, "text"))
			case p.Targets != nil:
				return errors.New("report: --targets needs --sheet profile")
			case *beside != "":
				if *format != "" || o != (report.Options{}) {
					return errors.New("report: --beside has no --format, --headline, --reference and --margin; leave them out")
				}
				to := cmp.Or(*out, app.PageFolder(args[0], "field"))
				f, err := a.Beside(ctx, args[0], *beside, to)
				if err != nil {
					return err
				}
				console.PrintField(a.stdout, f, to)
				return nil
			}
			return a.report(ctx, args[0], *out, *format, o)
		}
	},
}

// tableFiles are the names of the table's file, by the value of --format.
var tableFiles = map[string]string{"text": "table.txt", "markdown": "table.md", "csv": "table.csv", "latex": "table.tex"}

func (a *cli) report(ctx context.Context, dir, out, format string, o report.Options) error {
	folders, err := record.Folders(dir)
	if err != nil {
		return err
	}
	if folders != nil {
		if out != "" || format != "" || o != (report.Options{}) {
			return fmt.Errorf("report: %s contains %s; --out, --format, --headline, --reference and --margin need a single one",
				dir, words.Count(len(folders), "results folder"))
		}
		reports, err := a.ReportAll(ctx, dir, folders)
		if reports != nil {
			console.PrintReports(a.stdout, dir, reports)
		}
		return err
	}
	r, err := a.Report(ctx, dir, out, nil, o)
	if err != nil {
		return err
	}
	page := console.Open(filepath.Join(cmp.Or(out, app.PageFolder(dir, "report")), "index.html"))
	if show := tableFiles[format]; show != "" {
		if _, err := a.stdout.Write(r.File(show)); err != nil {
			return err
		}
		fmt.Fprintf(a.stderr.W, "\n%s\n", page)
		return nil
	}
	console.PrintReport(a.stdout, r, a.Self, dir, page)
	return nil
}

var fieldCommand = &command{
	name:  "field",
	short: "compare all methods on equal terms, on one page",
	long: `
Runs the field suite, which is built into the program: methods that learn from
duels, on boxes and on finite sets of arms. All of them have the same first
duels, nothing is disclosed to them, and only one has a pilot, which is shown
but not ranked. Writes to --out the records and one page, index.html: average
ranks with their critical difference, the headline metric of every problem,
profiles, and cost. table.*, ranks.csv and profile-*.csv have its numbers.
Prints the ranks on all problems. For example:

  bench field --quick
  bench field

The full run takes 75 minutes on two cores. Complete cells are kept: the
same command continues after an interruption, and the full run continues what
--quick has begun. If the folder of --out has compact records (bench export
--format compact), nothing is run, and the page is made from them.

Methods that were tuned have two rows, as published and tuned; the tuned one is
ranked. --tune does the same for your methods: it runs the algorithms of a suite
and their variants on the problems of the built-in suite field-tuning, chooses
the variant of each with the best average rank, and runs the published and the
chosen forms on the field's problems, beside the field. Methods without variants
run on the field's problems only. The suite may have fewer repetitions than the
field. With field-tuning itself --tune only chooses, which takes 22 minutes on
two cores:

  bench field --tune mine.yaml

docs/field.md explains the choices.

Exit code: 0 if all cells succeeded, 1 if some failed, 2 if the suite could not
be run, 130 if interrupted.`,
	setup: func(a *cli, flags *flag.FlagSet) action {
		byDefault := filepath.Join("results", app.FieldName)
		out := outFlag(flags, byDefault)
		workersFlag(flags, &a.Workers)
		quick := flags.Bool("quick", false, "run one repetition on boxes of one and two dimensions")
		tune := flags.String("tune", "", "rank the algorithms of `SUITE` beside the field, tuned by their variants")
		return func(ctx context.Context, _ []string) error {
			if *tune != "" {
				if *quick {
					return errors.New("field: --tune has no --quick; leave it out")
				}
				t, err := a.Tune(ctx, *tune, *out)
				if t != nil {
					if t.Tuning != nil {
						console.PrintTuning(a.stdout, t.Tuning)
					}
					if t.Field != nil {
						console.PrintField(a.stdout, t.Field, t.Out)
					}
				}
				return err
			}
			to := cmp.Or(*out, byDefault)
			f, err := a.Field(ctx, to, *quick)
			if f != nil {
				console.PrintField(a.stdout, f, to)
			}
			return err
		}
	},
}

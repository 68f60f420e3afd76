package bench

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"path/filepath"

	"popbench/internal/app"
	"popbench/internal/protocol/conform"
	"popbench/internal/views/export"
	"popbench/internal/words"
)

var exportCommand = &command{
	name:  "export",
	args:  "RESULTS",
	short: "write records as a table, for other programs, or to publish",
	long: `
Reads the records in RESULTS and writes them in the form that --format names: by
default to RESULTS/export/FORMAT, an archive to RESULTS.zip, a submission to
submissions/NAME.

  csv     values.csv, a line for every number of every run: regret,
          suboptimality by each recommendation rule, and the algorithm's own
          metrics; datapackage.json describes it (Frictionless Data Package),
          and croissant.json (Croissant)
  ioh     data/LABEL/IOHprofiler_f*.json and their data files, as
          IOHexperimenter writes them, for IOHanalyzer and iohinspector
  pairs   data/PROBLEM/LABEL/REPETITION.json with datapoints and comparisons, as
          BoTorch's PairwiseGP takes them
  compact a smaller results folder: a file for each problem and label, without
          points, beliefs and the metrics of single steps. bench report and
          field read it; its runs cannot be continued
  archive a compact folder as one file, with checksums, the suite, what made
          it, and a description by RO-Crate. bench report, compare, status and
          verify read it, and bench check RESULTS.zip checks it
  submission  for results of bench field --tune in a folder NAME: an archive,
          and submission.yaml, to be filled in. It is checked as bench check
          does, and a pull request puts it on the field's page

For csv, ioh and pairs RESULTS may contain several results folders, which are
all exported, and failures.csv lists the runs that are missing, and why. For
example:

  bench export results/quick --format csv

Numbers can be read back exactly. docs/export.md describes the forms.

Exit code: 0 if all was written, 1 if a check of a submission fails, 2 if
nothing was written, 130 if interrupted.`,
	min: 1, max: 1,
	setup: func(a *cli, flags *flag.FlagSet) action {
		format, out := formatFlag(flags, "csv", "csv", "ioh", "pairs", app.Compact, app.Archive, app.Submission), outFlag(flags, "as above")
		return func(ctx context.Context, args []string) error {
			e, err := a.Export(ctx, filepath.Clean(args[0]), *out, *format)
			if err != nil {
				return err
			}
			for _, w := range e.Warnings {
				fmt.Fprintln(a.stderr.W, "warning:", words.Quote(w))
			}
			fmt.Fprintf(a.stdout, "%s exported", words.Count(e.Runs, "run"))
			if e.LeftOut > 0 {
				fmt.Fprintf(a.stdout, ", %d left out: see %s", e.LeftOut, export.Failures)
			}
			fmt.Fprintf(a.stdout, "\nwrote %s\n", words.Quote(e.Out))
			if *format == app.Submission {
				return a.submitted(e)
			}
			return nil
		}
	},
}

// submitted prints the checks of a submission, and what its author does next.
func (a *cli) submitted(e *app.Exported) error {
	file := words.Quote(filepath.Join(e.Out, app.SubmissionFile))
	again := func(tell func(conform.Result)) error {
		for _, r := range e.Checks {
			tell(r)
		}
		return nil
	}
	if err := a.reportChecks(nil, "", again); err != nil {
		return fmt.Errorf("%w; mend it, in %s or the results, and give the same command", err, file)
	}
	_, err := fmt.Fprintf(a.stdout, "next: a pull request with %s, and your program if it is of this repository\n", words.Quote(e.Out))
	return err
}

var importCommand = &command{
	name:  "import",
	args:  "FILE.csv",
	short: "make records from a table of another program",
	long: `
Reads a table like values.csv of bench export, and writes a record for each run
to the results folder --out, so that reports show these runs with others. The
folder may already have records of the same suite. For example:

  bench import theirs.csv --out results/quick

The table needs the columns problem, algorithm, repetition, step, metric and
value, and for every step of every run the metrics suboptimality and
instantaneous-regret. docs/export.md describes these and the optional columns.

The records are marked as imported, and every report says so. They are not
ranked, and bench compare leaves them out. A faulty table is refused as a whole.
Importing a corrected table replaces the records of the faulty one; other
records are never replaced.

Exit code: 0 if all runs were imported, 2 if none was, 130 if interrupted.`,
	min: 1, max: 1,
	setup: func(a *cli, flags *flag.FlagSet) action {
		out := outFlag(flags, "")
		suite := flags.String("suite", "", "take only the lines of the suite `NAME`, from a table of several")
		return func(ctx context.Context, args []string) error {
			if *out == "" {
				return errors.New("import: give a results folder with --out")
			}
			folder := filepath.Clean(*out)
			runs, of, err := a.Import(ctx, args[0], folder, *suite)
			if err != nil {
				return err
			}
			fmt.Fprintf(a.stdout, "%s imported, as the suite %s\nresults: %s\nnext:    %s report %s\n",
				words.Count(runs, "run"), of, words.Quote(folder), a.Self, words.ShellQuote(folder))
			return nil
		}
	},
}

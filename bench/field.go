package bench

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"popbench/configs"
	"popbench/internal/analysis/document"
	"popbench/internal/analysis/field"
	"popbench/internal/harness/config"
	"popbench/internal/printable"
	"popbench/internal/runlog"
)

var fieldCommand = &command{
	name:  "field",
	short: "compare all methods on equal terms, on one page",
	long: `
Runs the field suite, which is built into the program: methods that learn from
duels, on boxes and on finite sets of arms. All of them have the same first
duels, nothing is disclosed to them, and only one has a pilot, which is shown
but not ranked. Writes to --out the records and one page, index.html: average
ranks with their critical difference, the headline metric of every problem,
profiles, and cost. table.* and profile-*.csv have its numbers. Prints the ranks
on all problems. For example:

  bench field --quick
  bench field

The full run takes about half an hour on two cores. Complete cells are kept: the
same command continues after an interruption, and the full run continues what
--quick has begun. If the folder of --out has compact records (bench export
--format compact), nothing is run, and the page is made from them.

To rank your own methods among these, run them on the problems of this suite,
with the same seed, steps and first duels:

  bench list field --text > mine.yaml   (replace its algorithms by yours)
  bench run mine.yaml --out results/mine
  bench report results/mine --beside field

docs/field.md explains the choices.

Exit code: 0 if all cells succeeded, 1 if some failed, 2 if the suite could not
be run, 130 if interrupted.`,
	max:   0,
	stops: true,
	setup: func(a *app, flags *flag.FlagSet) action {
		f := runFlags{app: a}
		out, workers, quick := outFlag(flags, filepath.Join("results", fieldName)), workersFlag(flags), quickFlag(flags)
		return func(ctx context.Context, stdout, stderr io.Writer, _ []string) error {
			f.out, f.workers = cmp.Or(*out, filepath.Join("results", fieldName)), *workers
			return a.runField(ctx, stdout, stderr, f, *quick)
		}
	},
}

// fieldName is what --beside calls the results of bench field, and their folder in results.
const fieldName = "field"

func (a *app) runField(ctx context.Context, stdout, stderr io.Writer, f runFlags, quick bool) error {
	file := configs.Field()
	f.suite = file.Path
	compact, err := runlog.IsCompact(f.out)
	if err != nil {
		return err
	}
	var failed error
	if compact {
		fmt.Fprintf(stderr, "%s has compact records, so nothing is run; give another --out to run the suite\n", printable.Quote(f.out))
	} else {
		s, err := config.Parse(file.Path, file.Text, a.catalogue)
		if err != nil {
			return err
		}
		if quick {
			f.span = quickSpan(s)
		}
		end, err := runCells(ctx, stderr, f, file.Text)
		if err != nil {
			return err
		}
		fmt.Fprintln(stderr, end)
		failed = end.failure(voice{})
	}
	in, err := runlog.NewReader(f.out)
	if err != nil {
		return err
	}
	in.Timed = true
	if err := a.writeField(ctx, stdout, stderr, in, nil, f.out, []document.Link{{Text: "Suite", Href: "suite.yaml"}}); err != nil {
		return errors.Join(failed, err)
	}
	return failed
}

// reportBeside ranks the methods of a results folder among those of the field.
func (a *app) reportBeside(ctx context.Context, stdout, stderr io.Writer, dir, beside, out string) error {
	if beside == fieldName {
		found, err := findField()
		if err != nil {
			return err
		}
		beside = found
	}
	var readers [2]*runlog.Reader
	for i, dir := range []string{dir, beside} {
		r, err := runlog.NewReader(dir)
		if err != nil {
			return err
		}
		r.Timed = true
		readers[i] = r
	}
	joined, err := until(ctx, func() (*field.Joined, error) { return field.Beside(readers[0], readers[1]) }, "the page was not written")
	if err != nil {
		return err
	}
	return a.writeField(ctx, stdout, stderr, joined, joined.Labels, out, nil)
}

// findField returns the folder results/field of the working directory or of one above it.
func findField() (string, error) {
	if _, err := os.Stat(fieldName); err == nil { // a folder of that name
		return fieldName, nil
	}
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		at := filepath.Join(dir, "results", fieldName)
		if _, err := os.Stat(filepath.Join(at, "records")); err == nil {
			return at, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("report: --beside field: there is no results/field here or in a folder above; it is in popbench's repository, and bench field makes it: name its folder")
		}
		dir = parent
	}
}

// writeField writes the page of the field, and prints its ranks.
func (a *app) writeField(ctx context.Context, stdout, stderr io.Writer, in runlog.Source, mine []string, out string, links []document.Link) error {
	f, err := until(ctx, func() (*field.Field, error) { return field.New(stoppable{in, ctx}, mine) }, "the page was not written")
	if err != nil {
		return err
	}
	files, err := f.Files(links)
	if err != nil {
		return err
	}
	if err := put(stderr, out, files); err != nil {
		return err
	}
	page := open(filepath.Join(out, "index.html"))
	doc := f.Brief()
	s := summary{result: fmt.Sprintf("%s: %s", f.Suite, f.Size()), bad: f.Warnings != nil, whole: mine == nil, more: printable.Quote(filepath.Join(out, "table.txt")) + " has them", tail: []string{page}}
	for _, w := range f.Warnings {
		s.about = append(s.about, "! "+w)
	}
	if len(doc.Sheets) > 0 { // the ranks on all problems come first
		s.table = &doc.Sheets[0]
		s.about = append(s.about, s.table.Title.String())
		// Own methods are what the reader looks for, wherever they rank.
		slices.SortStableFunc(s.table.Rows, func(a, b []document.Cell) int {
			return cmp.Compare(rankedAs(mine, a), rankedAs(mine, b))
		})
	}
	s.print(stdout, voice{})
	return nil
}

// rankedAs is 0 for the row of an own method, 1 for another one.
func rankedAs(mine []string, row []document.Cell) int {
	if slices.Contains(mine, row[0].String()) {
		return 0
	}
	return 1
}

package bench

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"popbench/internal/app"
	"popbench/internal/page/document"
	"popbench/internal/printable"
	"popbench/internal/views/field"
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
	setup: func(a *cli, flags *flag.FlagSet) action {
		byDefault := filepath.Join("results", app.FieldName)
		out, workers, quick := outFlag(flags, byDefault), workersFlag(flags), quickFlag(flags)
		return func(ctx context.Context, stdout, stderr io.Writer, _ []string) error {
			o := app.FieldOptions{Out: cmp.Or(*out, byDefault), Workers: *workers, Quick: *quick}
			f, err := a.app(stderr).Field(ctx, o)
			if f != nil {
				printField(stdout, f, nil, o.Out)
			}
			return err
		}
	},
}

// printField prints the ranks of all methods. Those of the reader's own come first, if there are any.
func printField(stdout io.Writer, f *field.Field, mine []string, out string) {
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
}

// rankedAs is 0 for the row of an own method, 1 for another one.
func rankedAs(mine []string, row []document.Cell) int {
	if slices.Contains(mine, row[0].String()) {
		return 0
	}
	return 1
}

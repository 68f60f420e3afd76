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
	"strings"

	"popbench/internal/app"
	"popbench/internal/printable"
	"popbench/internal/views/export"
	"popbench/internal/words"
	"popbench/record"
)

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
	stops: true,
	setup: func(a *cli, flags *flag.FlagSet) action {
		out := outFlag(flags, "")
		suite := flags.String("suite", "", "take only the lines of the suite `NAME`, from a table of several")
		return func(ctx context.Context, stdout, stderr io.Writer, args []string) error {
			if *out == "" {
				return errors.New("import: give a results folder with --out")
			}
			return a.importTable(ctx, stdout, stderr, args[0], filepath.Clean(*out), *suite)
		}
	},
}

func (a *cli) importTable(ctx context.Context, stdout, stderr io.Writer, path, out, suite string) error {
	there, err := openTarget(out)
	if err != nil {
		return fmt.Errorf("import: %w", err)
	}
	records, err := app.Until(ctx, func() ([]*record.Record, error) {
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		name := filepath.Base(path)
		return export.Import(f, export.ImportOptions{File: path, Only: suite,
			Suite: cmp.Or(suite, there.suite, strings.TrimSuffix(name, filepath.Ext(name)))})
	}, "nothing was written")
	if err != nil {
		return fmt.Errorf("import: %w", err)
	}
	for _, r := range records {
		if err := there.accept(&r.Header); err != nil {
			return fmt.Errorf("import: %w", err)
		}
	}
	folder, err := record.Create(out)
	if err != nil {
		return fmt.Errorf("import: %w", err)
	}
	defer folder.Close()
	if note := folder.Note(); note != "" {
		fmt.Fprintln(stderr, "note:", printable.Quote(note))
	}
	// The list comes first, so that an interrupted import is known to be incomplete.
	if err := folder.PutList(there.list, nil); err != nil {
		return fmt.Errorf("import: %w", err)
	}
	for i, r := range records {
		if ctx.Err() != nil {
			return app.Stopped(fmt.Sprintf("%d of %d runs were imported; the same command continues", i, len(records)))
		}
		if err := folder.Put(r, nil); err != nil {
			return fmt.Errorf("import: %w", err)
		}
	}
	fmt.Fprintf(stdout, "%s imported, as the suite %s\nresults: %s\nnext:    %s report %s\n",
		words.Count(len(records), "run"), records[0].Header.Suite, printable.Quote(out), a.self(), printable.ShellQuote(out))
	return nil
}

// target is what a results folder has before an import.
type target struct {
	dir          string
	suite, title string
	paper        string
	problems     map[string]record.Problem // of its own records, by name
	own          map[string]bool           // cells of its own records
	list         record.List               // of its cells
}

// openTarget describes the folder for an import. It may not exist yet.
func openTarget(dir string) (*target, error) {
	t := &target{dir: dir, problems: map[string]record.Problem{}, own: map[string]bool{}}
	if err := record.CheckFolder(dir); err != nil {
		return nil, err
	}
	r, err := record.Open(dir)
	if err != nil {
		return nil, err
	}
	if r.List != nil {
		t.list.Join(r.List)
	}
	_, err = r.Each(func(rec *record.Record, _ *record.Timing) error {
		h := &rec.Header
		t.suite = h.Suite
		t.list.Add(record.Group(h.Cell), h.Repetition)
		if h.Imported == nil {
			t.title, t.paper = h.SuiteTitle, h.Paper
			t.problems[h.Problem.Name], t.own[h.Cell] = h.Problem, true
		}
		return nil
	})
	if err != nil && !errors.Is(err, record.ErrNoRecords) {
		return nil, err
	}
	return t, nil
}

// accept takes a record into the list, and completes its header by what the folder's own records say of suite and problem.
func (t *target) accept(h *record.Header) error {
	switch {
	case t.suite != "" && h.Suite != t.suite:
		return fmt.Errorf("%s has the suite %s, the table %s; give another --out, or change the column suite", t.dir, t.suite, h.Suite)
	case t.own[h.Cell]:
		return fmt.Errorf("%s has a record of %s that was not imported; change the column label, or give another --out", t.dir, h.Cell)
	}
	h.SuiteTitle, h.Paper = t.title, t.paper
	if p, ok := t.problems[h.Problem.Name]; ok {
		h.Problem.Title, h.Problem.Source = p.Title, p.Source
	}
	t.list.Add(record.Group(h.Cell), h.Repetition)
	return nil
}

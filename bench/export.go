package bench

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"popbench/internal/app"
	"popbench/internal/printable"
	"popbench/internal/views/export"
	"popbench/internal/words"
	"popbench/record"
)

var exportCommand = &command{
	name:  "export",
	args:  "RESULTS",
	short: "write records as a table, for other programs, or compactly",
	long: `
Reads the records in RESULTS and writes them in the form that --format names, to
RESULTS/export/FORMAT:

  csv     values.csv, a line for every number of every run: regret,
          suboptimality by each recommendation rule, and the algorithm's own
          metrics; datapackage.json describes it (Frictionless Data Package)
  ioh     data/LABEL/IOHprofiler_f*.json and their data files, as
          IOHexperimenter writes them, for IOHanalyzer and iohinspector
  pairs   data/PROBLEM/LABEL/REPETITION.json with datapoints and comparisons, as
          BoTorch's PairwiseGP takes them
  compact a smaller results folder: a file for each problem and label, without
          points, beliefs and the metrics of single steps. bench report and
          field read it; its runs cannot be continued or repeated

For csv, ioh and pairs RESULTS may contain several results folders, which are
all exported, and failures.csv lists the runs that are missing, and why. For
example:

  bench export results/quick --format csv

Numbers can be read back exactly. docs/export.md describes the forms.

Exit code: 0 if all was written, 2 if nothing was, 130 if interrupted.`,
	min: 1, max: 1,
	stops: true,
	setup: func(a *cli, flags *flag.FlagSet) action {
		format, out := formatFlag(flags, "csv", "csv", "ioh", "pairs", compactForm), outFlag(flags, "RESULTS/export/FORMAT")
		return func(ctx context.Context, stdout, stderr io.Writer, args []string) error {
			return a.export(ctx, stdout, stderr, filepath.Clean(args[0]), *out, *format)
		}
	},
}

// compactForm is the value of --format for a smaller results folder.
const compactForm = "compact"

func (a *cli) export(ctx context.Context, stdout, stderr io.Writer, dir, out, format string) error {
	if format == compactForm {
		return exportCompact(ctx, stdout, dir, cmp.Or(out, filepath.Join(dir, "export", format)))
	}
	form := map[string]export.Form{"csv": export.Tidy, "ioh": export.IOH, "pairs": export.Pairs}[format]
	names, err := record.Folders(dir)
	if err != nil {
		return err
	}
	if names == nil {
		names = []string{""}
	}
	var folders []export.Folder
	for _, name := range names {
		r, err := record.Open(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		folders = append(folders, export.Folder{Name: filepath.ToSlash(name), Source: app.Stoppable{Source: r, Ctx: ctx}})
	}
	out = cmp.Or(out, filepath.Join(dir, "export", format))
	var summary *export.Summary
	err = newFolder(out, func(create export.Create) (err error) {
		summary, err = form(folders, create)
		return err
	})
	if errors.Is(err, context.Canceled) {
		return app.Stopped("nothing was written")
	}
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	for _, w := range summary.Warnings {
		fmt.Fprintln(stderr, "warning:", printable.Quote(w))
	}
	fmt.Fprintf(stdout, "%s exported", words.Count(summary.Runs, "run"))
	if n := summary.LeftOut; n > 0 {
		fmt.Fprintf(stdout, ", %d left out: see %s", n, export.Failures)
	}
	fmt.Fprintf(stdout, "\nwrote %s\n", printable.Quote(out))
	return nil
}

// exportCompact writes a results folder that says less of each run.
func exportCompact(ctx context.Context, stdout io.Writer, dir, out string) error {
	r, err := record.Open(dir)
	if err != nil {
		return err
	}
	n, err := app.Until(ctx, func() (int, error) { return record.WriteCompact(out, r) }, "the compact records are not complete")
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	fmt.Fprintf(stdout, "%s exported\nwrote %s\n", words.Count(n, "run"), printable.Quote(out))
	return nil
}

// newFolder makes a folder with the files that write creates. It refuses a folder that has files, because those of another
// export would stay among the new ones. After an error there is no folder.
func newFolder(dir string, write func(export.Create) error) error {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if len(entries) > 0 {
		return fmt.Errorf("%s has files already; delete it or give another --out", dir)
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o777); err != nil {
		return err
	}
	temp, err := os.MkdirTemp(filepath.Dir(dir), filepath.Base(dir)+".*.tmp")
	if err != nil {
		return err
	}
	if err = write(func(path string) (io.WriteCloser, error) {
		return createFile(filepath.Join(temp, filepath.FromSlash(path)))
	}); err == nil {
		if entries != nil {
			err = os.Remove(dir) // Windows renames onto no folder
		}
		if err == nil {
			err = os.Chmod(temp, 0o755) // MkdirTemp keeps others out
		}
		if err == nil {
			err = os.Rename(temp, dir)
		}
	}
	if err != nil {
		_ = os.RemoveAll(temp)
	}
	return err
}

// bufferedFile is a file with a buffer, which Close writes.
type bufferedFile struct {
	*bufio.Writer
	file *os.File
}

func createFile(path string) (io.WriteCloser, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return nil, err
	}
	return bufferedFile{bufio.NewWriter(f), f}, nil
}

func (b bufferedFile) Close() error {
	err := b.Flush()
	if e := b.file.Close(); err == nil {
		err = e
	}
	return err
}

package bench

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"popbench/internal/analysis/cost"
	"popbench/internal/harness/config"
	"popbench/internal/harness/perf"
	"popbench/internal/harness/progress"
	"popbench/internal/harness/runner"
	"popbench/internal/harness/suite"
	"popbench/internal/perflog"
	"popbench/internal/words"
)

var perfCommand = &command{
	name:  "perf",
	args:  "SUITE|FILE",
	short: "measure the cost of a step and compare with an earlier measurement",
	long: `
Runs every cell of the suite (an algorithm on a problem, one repetition) and
counts the work that the algorithm reports: solves, Newton systems, evaluations.
Then runs the first two repetitions of each three more times, sequentially, to
measure time and memory. SUITE is a file or the name of a built-in suite, such
as perf. In its place FILE has a measurement that this command printed, and
nothing is run. For example:

  bench perf perf > before.txt
  bench perf perf --against before.txt > after.txt

The output has Go's benchmark format, which benchstat reads. For every ten steps
of each algorithm on each problem it has the nanoseconds, bytes and allocations
per step, one sample for each pass, and the work counts per step over all
repetitions. A step is Ask, Tell and Recommend. Lines that benchstat ignores
have the counts of every run and a fingerprint of its queries.

--against FILE compares with an earlier measurement and prints the comparison to
stderr, with the verdicts of bench compare. If a run has the same queries in
both measurements, its counts must be equal: a single additional one is worse.
Other counts are compared over all repetitions, on each problem and on all
together. They are worse if they are significantly higher, by at least 5 %
(signed-rank test, Holm's correction for all P values, level 0.05). All counts
are compared in this way if the two machines round differently.

Times are compared as multiples of a fixed calculation that is timed in every
step, so they depend little on the machine. --tolerance allows for the remaining
noise.

The time and memory are those of bench, so cells of external programs are
refused; choose others with --only. bench report shows the times of programs.

Exit code: 0 if nothing is worse, 1 if a work count is worse or an algorithm on
a problem takes longer than --tolerance allows, 2 if the suite could not be
measured or compared, 130 if interrupted.`,
	min:   1,
	max:   1,
	stops: true,
	setup: func(a *app, flags *flag.FlagSet) action {
		f := perfFlags{app: a, passes: 3, tolerance: 0.5}
		limitedVar(flags, &f.passes, "count", 0, 1000, "time the first two repetitions `N` times (0: work counts only)")
		only := onlyFlag(flags, cellsThatMatch)
		flags.StringVar(&f.against, "against", "", "compare with the measurement in `FILE`")
		limitedVar(flags, &f.tolerance, "tolerance", 0, 1e9, "tolerate times that are longer by the share `S` (0.5: by half)")
		flags.StringVar(&f.action, "json", "", "write the measurement to `FILE` for continuous-benchmark actions (customSmallerIsBetter)")
		flags.StringVar(&f.history, "history", "", "append the measurement to `FILE`, as JSON Lines, and write a page of them all beside it, as HTML")
		return func(ctx context.Context, stdout, stderr io.Writer, args []string) error {
			f.name, f.only = args[0], *only
			if f.passes == 0 && f.keeps() {
				return errors.New("perf: --json and --history need times, which --count 0 does not measure; give 1 or more")
			}
			return runPerf(ctx, stdout, stderr, f)
		}
	},
}

type perfFlags struct {
	*app
	name      string // a suite, or a file with a measurement
	passes    int
	only      string
	against   string
	tolerance float64
	action    string
	history   string
}

func runPerf(ctx context.Context, stdout, stderr io.Writer, f perfFlags) error {
	// Read the base first, so that a missing file is reported before the long measurement.
	var base *perflog.Measurement
	if f.against != "" {
		var err error
		if base, err = perflog.ReadFile(f.against); err != nil {
			return fmt.Errorf("perf: %w", err)
		}
	}
	m, err := f.measurement(ctx, stderr)
	if err != nil {
		return err
	}
	if len(m.Passes) == 0 && f.keeps() {
		return fmt.Errorf("perf: %s has no times, which --json and --history need; measure again with --count 1 or more", f.name)
	}
	if err := m.Write(stdout); err != nil {
		return err
	}
	if err := f.keep(m); err != nil {
		return err
	}
	if base == nil {
		return nil
	}
	c, err := cost.Compare(base, m, f.tolerance)
	if err != nil {
		return fmt.Errorf("perf: %w", err)
	}
	if err := c.Write(stderr); err != nil {
		return err
	}
	if err := c.Err(); err != nil {
		return &exitError{exitFailed, fmt.Errorf("worse than %s: %w", f.against, err)}
	}
	return nil
}

// measurement measures the suite, or reads an earlier measurement.
func (f *perfFlags) measurement(ctx context.Context, stderr io.Writer) (*perflog.Measurement, error) {
	path, text, err := readSuite(stderr, f.name)
	if err != nil {
		return nil, err
	}
	if bytes.HasPrefix(text, []byte("goos: ")) { // a measurement, which Write begins so
		m, err := perflog.ReadFile(path)
		return m, wrapped("perf: ", err)
	}
	s, err := config.Parse(path, text, f.catalogue)
	if err != nil {
		return nil, err
	}
	all, err := f.catalogue.Expand(s, new(suite.Fits), nil)
	if err != nil {
		return nil, err
	}
	cells, err := runner.Choose(all, f.only)
	if err != nil {
		return nil, err
	}
	for _, c := range cells {
		if c.External {
			return nil, fmt.Errorf("perf: a program takes part in %s, and only the time and memory of bench itself are measured; choose other cells with --only, and see bench report for times", c.ID())
		}
	}
	o := perf.Options{Passes: f.passes, Workers: workers()}
	runs := o.Runs(cells)
	fmt.Fprintf(stderr, "%s: %s counted, then %d runs timed\n", s.Name, words.Count(len(cells), "cell"), runs-len(cells))
	bar := progress.Count(stderr, runs)
	o.Done = func() { bar.Done("", 0) }
	m, err := perf.Measure(ctx, s.Name, cells, o)
	bar.End()
	if errors.Is(err, runner.ErrInterrupted) {
		return nil, &exitError{exitInterrupted, errors.New("interrupted; no measurement was kept")}
	}
	return m, err
}

// keeps reports whether any flag asks keep for a file.
func (f *perfFlags) keeps() bool { return f.action != "" || f.history != "" }

// keep writes the files that the flags ask for.
func (f *perfFlags) keep(m *perflog.Measurement) error {
	if len(m.Passes) == 0 {
		return nil
	}
	if f.action != "" {
		if err := writeOutput(f.action, func(w io.Writer) error { return cost.WriteActionJSON(w, m) }); err != nil {
			return err
		}
	}
	if f.history == "" {
		return nil
	}
	history, err := cost.AppendFile(f.history, cost.NewEntry(m, time.Now().UTC().Format(time.RFC3339)))
	if err != nil {
		return fmt.Errorf("perf: %w", err)
	}
	page := strings.TrimSuffix(f.history, filepath.Ext(f.history)) + ".html"
	if page == f.history {
		page += ".html"
	}
	return writeOutput(page, func(w io.Writer) error { return cost.WritePage(w, history) })
}

func writeOutput(path string, write func(io.Writer) error) error {
	var b bytes.Buffer
	err := write(&b)
	if err == nil {
		err = os.WriteFile(path, b.Bytes(), 0o666)
	}
	if err != nil {
		return fmt.Errorf("perf: %w", err)
	}
	return nil
}

package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"popbench/internal/perflog"
	"popbench/internal/run/perf"
	"popbench/internal/run/runner"
	"popbench/internal/views/cost"
	"popbench/internal/words"
	"popbench/suite"
)

// PerfOptions say what is measured, and with what it is compared.
type PerfOptions struct {
	Suite     string // a suite, or a file with a measurement, with which nothing is run
	Only      string
	Passes    int     // over the runs that are timed; 0: counts only
	Against   string  // a file with an earlier measurement; "": none
	Tolerance float64 // of times, as a share
	Action    string  // the file for continuous-benchmark actions; "": none
	History   string  // the file to which the measurement is appended, with a page beside it; "": none
}

// Perf measures the cost of a step, and compares it with an earlier measurement. With an error it returns the measurement
// too, if there is one. The comparison is nil without an earlier measurement.
func (a *App) Perf(ctx context.Context, o PerfOptions) (m *perflog.Measurement, c *cost.Comparison, err error) {
	// Read the base first, so that a missing file is reported before the long measurement.
	var base *perflog.Measurement
	if o.Against != "" {
		if base, err = perflog.ReadFile(o.Against); err != nil {
			return nil, nil, fmt.Errorf("perf: %w", err)
		}
	}
	if m, err = a.measure(ctx, o); err != nil {
		return nil, nil, err
	}
	if len(m.Passes) == 0 && (o.Action != "" || o.History != "") {
		return nil, nil, fmt.Errorf("perf: %s has no times, which --json and --history need; measure again with --count 1 or more", o.Suite)
	}
	if err := o.keep(m); err != nil || base == nil {
		return m, nil, err
	}
	if c, err = cost.Compare(base, m, o.Tolerance); err != nil {
		return m, nil, fmt.Errorf("perf: %w", err)
	}
	return m, c, nil
}

// measure measures the suite, or reads an earlier measurement.
func (a *App) measure(ctx context.Context, o PerfOptions) (*perflog.Measurement, error) {
	path, text, err := a.readSuite(o.Suite)
	if err != nil {
		return nil, err
	}
	if bytes.HasPrefix(text, []byte("goos: ")) { // a measurement, which Write begins so
		m, err := perflog.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("perf: %w", err)
		}
		return m, nil
	}
	s, err := suite.Parse(path, text, a.Catalogue)
	if err != nil {
		return nil, err
	}
	all, err := s.Expand(nil, nil)
	if err != nil {
		return nil, err
	}
	cells, err := runner.Choose(all, o.Only)
	if err != nil {
		return nil, err
	}
	for _, c := range cells {
		if c.External {
			return nil, fmt.Errorf("perf: a program takes part in %s, and only the time and memory of bench itself are measured; choose other cells with --only, and see bench report for times",
				c.ID())
		}
	}
	begin := func(what string, runs int) {
		a.tell(Doing{fmt.Sprintf("%s: %s", s.Name, what)})
		a.tell(Counting{runs})
	}
	begin(words.Count(len(cells), "cell")+" to count", len(cells))
	m, err := perf.Measure(ctx, s.Name, cells, perf.Options{
		Passes: o.Passes, Workers: a.Workers, Done: func() { a.tell(Done{}) },
		Counted: func(counted, runs int) {
			if left := len(cells) - counted; left > 0 {
				a.note(words.Count(left, "cell") + " left out; bench run says why")
			}
			if runs > 0 {
				a.tell(Ended{})
				begin(words.Count(runs, "run")+" to time", runs)
			}
		},
	})
	a.tell(Ended{})
	if errors.Is(err, runner.ErrInterrupted) {
		return nil, stopped("no measurement was kept")
	}
	if err != nil {
		return nil, fmt.Errorf("perf: %w", err)
	}
	return m, nil
}

func (o *PerfOptions) keep(m *perflog.Measurement) error {
	if o.Action != "" {
		if err := writeOutput(o.Action, func(w io.Writer) error { return cost.WriteActionJSON(w, m) }); err != nil {
			return err
		}
	}
	if o.History == "" {
		return nil
	}
	history, err := cost.AppendFile(o.History, cost.NewEntry(m, time.Now().UTC().Format(time.RFC3339)))
	if err != nil {
		return fmt.Errorf("perf: %w", err)
	}
	page := strings.TrimSuffix(o.History, filepath.Ext(o.History)) + ".html"
	if page == o.History {
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

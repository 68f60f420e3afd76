package bench

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"popbench/configs"
	"popbench/internal/analysis/document"
	"popbench/internal/analysis/report"
	"popbench/internal/analysis/verify"
	"popbench/internal/harness/config"
	"popbench/internal/harness/progress"
	"popbench/internal/harness/suite"
	"popbench/internal/runlog"
)

var reproduceCommand = &command{
	name:  "reproduce",
	short: "run every experiment of the paper, and judge its claims",
	long: `
Runs the suites of configs/paper, which are part of the program, each into a
folder of its own below --out; writes the report of each, an index of them, and
which of the paper's claims hold; and prints the last.

Records that are complete are kept: a run that was stopped goes on when it is
started again, and --quick is the beginning of the whole.

Exit code: 0 if all is well, whatever became of the claims; 1 if some cells
failed, 2 if it could not be done, 130 if it was interrupted.`,
	max:   0,
	stops: true,
	setup: func(a *app, flags *flag.FlagSet) action {
		f := reproduceFlags{app: a, workers: min(runtime.GOMAXPROCS(0), maxWorkers)}
		flags.StringVar(&f.out, "out", filepath.Join("results", "reproduce"), "put everything into `FOLDER`")
		limitedVar(flags, &f.workers, "workers", 1, maxWorkers, "run `N` cells at a time")
		flags.StringVar(&f.only, "only", "", "run the suites whose names match `GLOB`, e.g. 'paper-gp-*'; the reports are of all that is there")
		flags.BoolVar(&f.quick, "quick", false, "run one repetition of thirty: a first look in under a minute")
		flags.BoolVar(&f.force, "force", false, "run again what is there, and replace results of other settings")
		flags.BoolVar(&f.mix, mixFlag, false, mixUsage)
		return func(ctx context.Context, stdout, stderr io.Writer, _ []string) error {
			return reproduce(ctx, stdout, stderr, f)
		}
	},
}

type reproduceFlags struct {
	*app
	out     string
	workers int
	only    string
	quick   bool
	force   bool
	mix     bool
}

// quickShare is of how many repetitions a first look runs one, at least one.
const quickShare = 30

// experiment is a suite of the paper that is to be run.
type experiment struct {
	*config.Suite
	file configs.Suite
}

func reproduce(ctx context.Context, stdout, stderr io.Writer, f reproduceFlags) error {
	began := time.Now()
	experiments, err := f.paperExperiments(f.only)
	if err != nil {
		return err
	}
	var failures []error
	var fits suite.Fits // some suites have the same problems and pilots
	for i, e := range experiments {
		run := runFlags{app: f.app, suite: e.file.Path, out: filepath.Join(f.out, e.Name), workers: f.workers, force: f.force, mix: f.mix, fits: &fits}
		if f.quick {
			run.seeds = max(1, e.Repetitions/quickShare)
		}
		fmt.Fprintf(stderr, "[%d/%d] ", i+1, len(experiments))
		end, err := runCells(ctx, stderr, run, e.file.Text)
		if err != nil {
			return err
		}
		fmt.Fprintf(stderr, "%s: %s\n", e.Name, end)
		if err := end.failure(); err != nil {
			failures = append(failures, err)
		}
	}
	if err := f.conclude(ctx, stdout, stderr, f.out); isInterrupted(err) {
		return &exitError{exitInterrupted, fmt.Errorf("%w; all records are there, and the same command continues from there", err)}
	} else if err != nil {
		failures = append(failures, err)
	}
	fmt.Fprintf(stderr, "all of it in %s\n", progress.Round(time.Since(began)))
	switch {
	case len(failures) == 1:
		return failures[0] // with its exit code
	case failures != nil:
		return &exitError{exitFailed, errors.Join(failures...)}
	}
	return nil
}

// conclude writes the claims and the reports of what is in dir, and their index,
// and prints the claims. Records of which the paper claims nothing have reports
// only.
func (a *app) conclude(ctx context.Context, stdout, stderr io.Writer, dir string) error {
	folders, err := runlog.Folders(dir)
	if err != nil {
		return err
	}
	index := &report.Index{Title: "The paper’s experiments, run again"}
	verdicts, err := a.judge(ctx, dir)
	if errors.Is(err, verify.ErrNoEvidence) {
		return a.reportAll(ctx, stdout, stderr, dir, folders, index)
	}
	if err != nil {
		return err
	}
	index.Claims = &report.Claims{Title: verify.Title, Counts: verdicts.Counts(), Href: verify.Page}
	if err := writeClaims(dir, verdicts, []report.Link{{Text: "All experiments", Href: "index.html"}}); err != nil {
		return err
	}
	if err := a.reportAll(ctx, io.Discard, stderr, dir, folders, index); err != nil {
		return err
	}
	return document.WriteText(stdout, verdicts.Brief())
}

// paperExperiments are the suites of the paper whose names match the pattern,
// all of them if it is "".
func (a *app) paperExperiments(only string) ([]experiment, error) {
	var chosen []experiment
	var names []string
	for _, file := range configs.Paper() {
		s, err := config.Parse(file.Path, file.Text, a.catalogue)
		if err != nil {
			return nil, err
		}
		names = append(names, s.Name)
		ok, err := path.Match(only, s.Name)
		if err != nil {
			return nil, fmt.Errorf("--only %q is not a pattern (%w); use *, ? and [a-z]", only, err)
		}
		if ok || only == "" {
			chosen = append(chosen, experiment{s, file})
		}
	}
	if chosen == nil {
		return nil, fmt.Errorf("--only %q matches none of the suites %s", only, strings.Join(names, ", "))
	}
	return chosen, nil
}

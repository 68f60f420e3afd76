package bench

import (
	"cmp"
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
	"popbench/internal/printable"
	"popbench/internal/runlog"
)

var reproduceCommand = &command{
	name:  "reproduce",
	short: "run all experiments of a paper and check its claims",
	long: `
Runs the suites of a paper, which are built into the program; without --paper
these are the experiments of POP-BO's paper. Writes the records and the report
of each suite to a folder of its own below --out, and an index of all reports.
Checks the claims about these experiments as bench verify does, and prints the
verdicts. For example:

  bench reproduce --quick
  bench reproduce
  bench reproduce --paper pf-ts-2026
  bench reproduce --paper all

The full run takes about three minutes on two cores for POP-BO's paper, and half
an hour for all papers. Complete cells are kept: the same command continues
after an interruption, and the full run continues what --quick has begun. A
suite whose data file is absent is left out, with the reason. docs/papers.md
describes the papers and what of them was read.

Exit code: 0 if all cells succeeded, whatever the verdicts; 1 if some cells
failed; 2 if the suites could not be run; 130 if interrupted.`,
	max:   0,
	stops: true,
	setup: func(a *app, flags *flag.FlagSet) action {
		f := reproduceFlags{app: a, workers: min(runtime.GOMAXPROCS(0), maxWorkers)}
		flags.StringVar(&f.paper, "paper", verify.POPBO, "run the experiments of `PAPER`: "+verify.StudyNames()+", or all")
		flags.StringVar(&f.out, "out", "", "write everything to `FOLDER`; by default results/reproduce, for another paper results/PAPER, and for all results/papers with a folder for each")
		limitedVar(flags, &f.workers, "workers", 1, maxWorkers, "run `N` cells in parallel")
		flags.StringVar(&f.only, "only", "", "run only the suites whose names match `GLOB`, e.g. 'paper-gp-*'; reports cover all suites in FOLDER")
		flags.BoolVar(&f.decide, "decide", false, "then make further runs until each claim is decided, as bench verify --decide does")
		flags.BoolVar(&f.quick, "quick", false, "run one of every thirty repetitions")
		flags.BoolVar(&f.force, "force", false, "run complete cells again, and replace results with other settings")
		flags.BoolVar(&f.mix, mixFlag, false, mixUsage)
		return func(ctx context.Context, stdout, stderr io.Writer, _ []string) error {
			if f.decide && (f.quick || f.only != "") {
				return errors.New("reproduce: --decide needs the runs of all suites; leave out --quick and --only")
			}
			return reproducePapers(ctx, stdout, stderr, f)
		}
	},
}

type reproduceFlags struct {
	*app
	paper   string
	out     string
	fits    *suite.Fits // shared, since some suites have the same problems and pilots
	workers int
	only    string
	quick   bool
	decide  bool
	force   bool
	mix     bool
}

// quickShare: --quick runs one of this many repetitions, at least one.
const quickShare = 30

// experiment is a suite of the paper to run.
type experiment struct {
	*config.Suite
	file configs.Suite
}

// reproducePapers runs the experiments of one paper, or of each in its own folder.
func reproducePapers(ctx context.Context, stdout, stderr io.Writer, f reproduceFlags) error {
	f.fits = new(suite.Fits)
	if f.paper != allPapers {
		study, err := studyNamed(f.paper)
		if err != nil {
			return err
		}
		if f.out == "" {
			f.out = filepath.Join("results", study.Name)
			if study.Name == verify.POPBO {
				f.out = filepath.Join("results", "reproduce")
			}
		}
		return f.reproduce(ctx, stdout, stderr, study)
	}
	out := cmp.Or(f.out, filepath.Join("results", "papers"))
	began := time.Now()
	var failures []error
	index := &report.Index{Title: "The experiments of papers, run again"}
	for _, study := range verify.Studies() {
		f.out = filepath.Join(out, study.Name)
		fmt.Fprintf(stderr, "%s\n", study.Name)
		fmt.Fprintf(stdout, "\n")
		err := f.reproduce(ctx, stdout, stderr, study)
		var failure *exitError
		switch {
		case errors.As(err, &failure) && failure.code == exitFailed:
			failures = append(failures, fmt.Errorf("%s: %w", study.Name, err))
		case err != nil:
			return err
		}
		page := report.Claims{Title: study.Name + ": " + study.Paper.String(), Href: study.Name + "/index.html"}
		verdicts, err := f.judge(ctx, study, f.out)
		switch {
		case errors.Is(err, verify.ErrNoEvidence): // --only, or data that are absent
			continue
		case err != nil:
			return err
		}
		page.Counts = verdicts.Counts()
		index.Papers = append(index.Papers, page)
	}
	page, err := index.File()
	if err == nil {
		err = put(stderr, out, []report.File{page})
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(stderr, "all papers in %s: %s\n", progress.Round(time.Since(began)), printable.Quote(filepath.Join(out, "index.html")))
	if failures != nil {
		return &exitError{exitFailed, errors.Join(failures...)}
	}
	return nil
}

func (f reproduceFlags) reproduce(ctx context.Context, stdout, stderr io.Writer, study *verify.Study) error {
	began := time.Now()
	experiments, err := f.experimentsOf(study)
	if err != nil {
		return err
	}
	if experiments == nil {
		return nil
	}
	var failures []error
	for i, e := range experiments {
		run := runFlags{app: f.app, suite: e.file.Path, out: filepath.Join(f.out, e.Name), workers: f.workers, force: f.force, mix: f.mix, fits: f.fits}
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
	if f.decide && failures == nil {
		d := decideFlags{app: f.app, terms: verify.DefaultTerms(), workers: f.workers, mix: f.mix, fits: f.fits}
		if _, err := d.decide(ctx, stdout, stderr, study, f.out); err != nil {
			return err
		}
	}
	if err := f.conclude(ctx, stdout, stderr, study, f.out); isInterrupted(err) {
		return &exitError{exitInterrupted, fmt.Errorf("%w; all records are complete, and the same command continues", err)}
	} else if err != nil {
		failures = append(failures, err)
	}
	fmt.Fprintf(stderr, "finished in %s\n", progress.Round(time.Since(began)))
	switch {
	case len(failures) == 1:
		return failures[0] // with its exit code
	case failures != nil:
		return &exitError{exitFailed, errors.Join(failures...)}
	}
	return nil
}

// conclude writes the verdicts on the claims, the reports of all results folders in dir,
// and their index, and prints the verdicts. If the paper claims nothing about the records,
// it writes only the reports and the index.
func (a *app) conclude(ctx context.Context, stdout, stderr io.Writer, study *verify.Study, dir string) error {
	folders, err := runlog.Folders(dir)
	if err != nil {
		return err
	}
	index := &report.Index{Title: "The paper’s experiments, run again"}
	verdicts, err := a.judge(ctx, study, dir)
	if errors.Is(err, verify.ErrNoEvidence) {
		return a.reportAll(ctx, stdout, stderr, dir, folders, index)
	}
	if err != nil {
		return err
	}
	index.Claims = &report.Claims{Title: verdicts.Title(), Counts: verdicts.Counts(), Href: verify.Page}
	if err := writeClaims(dir, verdicts, []report.Link{{Text: "All experiments", Href: "index.html"}}); err != nil {
		return err
	}
	if err := a.reportAll(ctx, io.Discard, stderr, dir, folders, index); err != nil {
		return err
	}
	return document.WriteText(stdout, verdicts.Brief())
}

// experimentsOf returns the suites of a study whose names match --only; "" matches all.
func (f reproduceFlags) experimentsOf(study *verify.Study) ([]experiment, error) {
	files := configs.Paper()
	if study.Name != verify.POPBO {
		files = configs.PaperNamed(study.Name)
	}
	var chosen []experiment
	var names []string
	only := f.only
	for _, file := range files {
		s, err := config.Parse(file.Path, file.Text, f.catalogue)
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
	if chosen == nil && f.paper != allPapers {
		return nil, fmt.Errorf("--only %q matches none of the suites %s", only, strings.Join(names, ", "))
	}
	return chosen, nil
}

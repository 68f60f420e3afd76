package bench

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"popbench/configs"
	"popbench/internal/analysis/report"
	"popbench/internal/analysis/verify"
	"popbench/internal/harness/config"
	"popbench/internal/harness/progress"
	"popbench/internal/harness/suite"
	"popbench/internal/judge"
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
Checks the claims about these experiments as bench verify does, and prints how
many hold, and those that do not. For example:

  bench reproduce --quick
  bench reproduce
  bench reproduce --paper pf-ts-2026
  bench reproduce --paper all

The full run takes about three minutes on two cores for POP-BO's paper, and half
an hour for all papers. The suites of a paper's main text run first. Complete
cells are kept: the same command continues after an interruption, and the full
run continues what --quick has begun. A suite whose data file is absent is left
out, with the reason. docs/papers.md describes the papers and what of them was
read.

Exit code: 0 if all cells succeeded, whatever the verdicts; 1 if some cells
failed; 2 if the suites could not be run; 130 if interrupted.`,
	max:   0,
	stops: true,
	setup: func(a *app, flags *flag.FlagSet) action {
		f := reproduceFlags{app: a}
		paper := paperFlag(flags, verify.POPBO)
		out, workers, quick, decide := outFlag(flags, "results/reproduce, or results/PAPER"), workersFlag(flags), quickFlag(flags), decideFlag(flags)
		only := onlyFlag(flags, "suites whose names match `GLOB`, e.g. 'paper-gp-*'; reports cover all suites in FOLDER")
		f.master.declare(flags)
		return func(ctx context.Context, stdout, stderr io.Writer, _ []string) error {
			f.paper, f.out, f.workers, f.only, f.quick, f.decide = *paper, *out, *workers, *only, *quick, *decide
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
	fits    *suite.Fits     // shared, since some suites have the same problems and pilots
	meter   *progress.Meter // of all suites
	workers int
	only    string
	quick   bool
	decide  bool
	master  masterSeed
}

// quickSpan is one of every thirty repetitions of a suite, at least one.
func quickSpan(s *config.Suite) span { return span{1, max(1, s.Repetitions/30)} }

// experiment is a suite of the paper to run.
type experiment struct {
	*config.Suite
	file configs.Suite
	run  runFlags
}

// experiments are those of a paper, in the order in which they run, and where they go.
type experiments struct {
	study *verify.Study
	list  []experiment
	reproduceFlags
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
		x, err := f.experimentsOf(study)
		if err != nil {
			return err
		}
		if err := watchPapers(stderr, f.workers, x); err != nil {
			return err
		}
		r, err := x.reproduce(ctx, stderr)
		if err != nil {
			return err
		}
		return x.summarise(stdout, r)
	}
	f.out = cmp.Or(f.out, filepath.Join("results", "papers"))
	began := time.Now()
	var papers []*experiments
	for _, study := range verify.Studies() {
		one := f
		one.out = filepath.Join(f.out, study.Name)
		x, err := one.experimentsOf(study)
		if err != nil {
			return err
		}
		papers = append(papers, x)
	}
	if err := watchPapers(stderr, f.workers, papers...); err != nil {
		return err
	}
	var failures []error
	var items []item
	var judged verify.Papers
	all := ending{tally: new(tally)}
	for _, x := range papers {
		study := x.study
		x.meter.Log(study.Name)
		r, err := x.reproduce(ctx, stderr)
		if err != nil {
			return err
		}
		all.add(r.ending)
		if r.failed != nil {
			failures = append(failures, fmt.Errorf("%s: %w", study.Name, r.failed))
		}
		if r.verdicts == nil { // --only, or data that are absent
			continue
		}
		judged = append(judged, r.verdicts)
		items = append(items, item{text: study.Name + ": " + shortVerdict(r.verdicts.Counts())})
	}
	all.took = time.Since(began)
	s := summary{
		result: all.String(), bad: failures != nil, items: items,
		more: f.self() + " verify --paper all " + printable.ShellQuote(f.out),
	}
	if judged != nil {
		if err := writePapers(stderr, f.out, judged); err != nil {
			return err
		}
		s.tail = []string{open(filepath.Join(f.out, "index.html"))}
	}
	s.print(stdout, voice{})
	if failures != nil {
		return &exitError{exitFailed, errors.Join(failures...)}
	}
	return nil
}

// reproduced is what came of the experiments of a paper.
type reproduced struct {
	ending   *ending          // of all suites together
	verdicts *verify.Verdicts // nil if no claim is about what was run
	failed   error            // cells and reports that failed; nil if there are none
}

// job is a suite that runs among others, with its text.
type job struct {
	*runFlags
	text []byte
}

// watch gives suites that run in sequence one meter, which forecasts how long all of them take.
func watch(stderr io.Writer, workers int, jobs []job) (*progress.Meter, error) {
	meter := progress.New(stderr, workers, len(jobs))
	for _, j := range jobs {
		run := *j.runFlags
		_, all, cells, err := run.expand(j.text)
		if err != nil {
			return nil, err
		}
		cells = slices.DeleteFunc(cells, func(c suite.Cell) bool {
			_, err := os.Stat(runlog.RecordPath(run.out, c.ID()))
			return err == nil
		})
		meter.Expect(run.out, expected(run.out, all, cells))
		j.meter = meter
	}
	return meter, nil
}

// watchPapers gives the suites of all papers one meter.
func watchPapers(stderr io.Writer, workers int, papers ...*experiments) error {
	var jobs []job
	for _, x := range papers {
		for i := range x.list {
			jobs = append(jobs, job{&x.list[i].run, x.list[i].file.Text})
		}
	}
	meter, err := watch(stderr, workers, jobs)
	for _, x := range papers {
		x.meter = meter
	}
	return err
}

// reproduce runs the experiments of a paper, and writes their reports and the verdicts.
func (f *experiments) reproduce(ctx context.Context, stderr io.Writer) (*reproduced, error) {
	began := time.Now()
	r := &reproduced{ending: &ending{tally: new(tally), out: filepath.Join(f.out, "*")}}
	if f.list == nil {
		return r, nil
	}
	for _, e := range f.list {
		end, err := runCells(ctx, f.meter, e.run, e.file.Text)
		if err != nil {
			return nil, err
		}
		line := fmt.Sprintf("%s: %s", e.Name, end)
		if left := f.meter.ToGo(); left != "" {
			line += "; " + left
		}
		f.meter.Log(line)
		for i := range end.failed {
			end.failed[i].Cell = e.Name + "/" + end.failed[i].Cell
		}
		r.ending.add(end)
	}
	var err error
	if f.decide && r.ending.failed == nil {
		d := decideFlags{app: f.app, terms: verify.DefaultTerms(), workers: f.workers, fits: f.fits, done: r.ending.addRun}
		if r.verdicts, err = d.decide(ctx, io.Discard, stderr, f.study, f.out); err != nil {
			return nil, err
		}
	}
	r.failed = r.ending.failure(voice{})
	r.verdicts, err = f.conclude(ctx, stderr, f.study, f.out, r.verdicts)
	switch {
	case isInterrupted(err):
		return nil, &exitError{exitInterrupted, fmt.Errorf("%w; all records are complete, and the same command continues", err)}
	case r.failed == nil:
		r.failed = err // with its exit code
	case err != nil:
		r.failed = &exitError{exitFailed, errors.Join(r.failed, err)}
	}
	r.ending.took = time.Since(began)
	return r, nil
}

// summarise prints what came of one paper: how many claims hold, and those that do not.
func (f reproduceFlags) summarise(stdout io.Writer, r *reproduced) error {
	s := summary{
		result: r.ending.String(), bad: r.failed != nil,
		more: f.self() + " verify " + printable.ShellQuote(f.out), tail: []string{open(filepath.Join(f.out, "index.html"))},
	}
	if r.verdicts != nil {
		s.about = []string{s.result}
		s.result = shortVerdict(r.verdicts.Counts())
		s.items = verdictItems(slices.DeleteFunc(slices.Clone(r.verdicts.Outcomes), func(o verify.Outcome) bool { return o.Verdict != judge.Fails }))
	}
	s.items = append(s.items, r.ending.leftOutItems()...)
	s.print(stdout, voice{})
	return r.failed
}

// conclude writes the reports of all results folders in dir, their index, and the verdicts on the claims, which it returns.
// It judges the claims if verdicts is nil. If the paper claims nothing about the records, there are none.
func (a *app) conclude(ctx context.Context, stderr io.Writer, study *verify.Study, dir string, verdicts *verify.Verdicts) (*verify.Verdicts, error) {
	folders, err := runlog.Folders(dir)
	if err != nil {
		return nil, err
	}
	index := &report.Index{Title: "The paper’s experiments, run again"}
	if verdicts == nil {
		verdicts, err = a.judge(ctx, study, dir)
		if err != nil && !errors.Is(err, verify.ErrNoEvidence) {
			return nil, err
		}
	}
	if verdicts != nil {
		index.Claims = verdicts.Index(verify.Page)
	}
	_, failed := a.reportAll(ctx, stderr, dir, folders, index)
	if verdicts == nil || isInterrupted(failed) {
		return verdicts, failed
	}
	// After the reports, since the page of the claims shows their figures.
	if err := writeClaims(dir, verdicts, []report.Link{{Text: "All experiments", Href: "index.html"}}); err != nil {
		return nil, err
	}
	return verdicts, failed
}

// experimentsOf returns the suites of a study whose names match --only; "" matches all. Those that the claims come to first
// run first, since they are what a reader waits for, and an interrupted run has them: a paper's claims begin with its main
// text. Suites without a claim come last.
func (f reproduceFlags) experimentsOf(study *verify.Study) (*experiments, error) {
	x := &experiments{study: study, reproduceFlags: f}
	files := configs.Paper()
	if study.Name != verify.POPBO {
		files = configs.PaperNamed(study.Name)
	}
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
			run := runFlags{app: f.app, suite: file.Path, out: filepath.Join(f.out, s.Name), workers: f.workers, fits: f.fits, master: f.master}
			if f.quick {
				run.span = quickSpan(s)
			}
			x.list = append(x.list, experiment{s, file, run})
		}
	}
	if x.list == nil && f.paper != allPapers {
		return nil, fmt.Errorf("--only %q matches none of the suites %s", only, strings.Join(names, ", "))
	}
	order := study.Suites()
	place := func(e experiment) int {
		if i := slices.Index(order, e.Name); i >= 0 {
			return i
		}
		return len(order)
	}
	slices.SortStableFunc(x.list, func(a, b experiment) int { return cmp.Compare(place(a), place(b)) })
	return x, nil
}

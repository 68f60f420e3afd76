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

	"popbench/internal/analysis/report"
	"popbench/internal/analysis/verify"
	"popbench/internal/harness/suite"
	"popbench/internal/judge"
	"popbench/internal/nearest"
	"popbench/internal/printable"
)

var verifyCommand = &command{
	name:  "verify",
	args:  "[RESULTS]",
	short: "check a paper's claims against the records",
	long: `
Reads the records in RESULTS (default results/reproduce), which bench reproduce
makes: a results folder for each of the paper's suites, named after the suite.
RESULTS may also be one such results folder. Prints a line for each claim, and
writes the verdicts with their evidence to RESULTS, as claims.txt, claims.md,
claims.json and claims.html. For example:

  bench reproduce
  bench verify -v
  bench verify --strict
  bench verify --paper all results/papers

Without --paper the paper is the one whose records are in RESULTS. With --paper
all, RESULTS has a folder for each paper, as bench reproduce --paper all writes
them; RESULTS/claims.html then has the claims about all papers. Some claims are
marked as ours: they were not read in the paper.

A claim holds, does not hold, or is undecided if there are too few runs to tell.
It is "not run" if its suites are missing.

With --decide bench makes further runs, in RESULTS/decided, until each claim is
decided. It first writes a plan, decide.json, with the claims, the looks at the
data and the boundary of each look; the SHA-256 of the plan stands in all
reports. Verdicts are wrong no more often than --alpha says, although the data
are looked at several times. "At the border" means that the statistic is so near
to the border of the claim that the difference does not matter: by --margin, in
units of U, a random point's suboptimality, or, of other numbers, as a share of
the border. Only the cells that open claims need are run. The same command
continues after an interruption. For example:

  bench verify --decide
  bench verify --decide --max-runs 960

Exit code: 0 if the claims were checked, whatever the verdicts; with --strict 1
if a claim does not hold or was not run; 2 if the records could not be read; 130
if interrupted.`,
	max:   1,
	stops: true,
	setup: func(a *app, flags *flag.FlagSet) action {
		out, name, decide := outFlag(flags, "RESULTS"), paperFlag(flags, ""), decideFlag(flags)
		strict := flags.Bool("strict", false, "fail if a claim does not hold or was not run")
		d := decideFlags{app: a, fits: new(suite.Fits)}
		margin := d.declare(flags)
		verbose := verboseFlag(flags, "the table of claims.txt, with its notes")
		return func(ctx context.Context, stdout, stderr io.Writer, args []string) error {
			dir := filepath.Join("results", "reproduce")
			if len(args) > 0 {
				dir = args[0]
			}
			d.voice.verbose = *verbose
			d.seen(flags, *margin)
			to, by := cmp.Or(*out, dir), &d
			switch {
			case *margin == 0:
				return errors.New("verify: --margin 0 leaves no border to be at; give a number above 0")
			case !*decide:
				if d.given || d.dryRun || d.replan {
					return errors.New("verify: the plan's flags need --decide")
				}
				by = nil
			}
			return a.runVerify(ctx, stdout, stderr, *name, dir, to, *strict, d.voice, by)
		}
	},
}

// runVerify judges the claims, by a plan and further runs unless decide is nil.
func (a *app) runVerify(ctx context.Context, stdout, stderr io.Writer, name, dir, out string, strict bool, v voice, decide *decideFlags) error {
	if name == allPapers {
		return a.verifyAll(ctx, stdout, stderr, dir, out, strict, v, decide)
	}
	study, err := studyNamed(name)
	if err != nil {
		return err
	}
	_, err = a.verifyStudy(ctx, stdout, stderr, study, dir, out, strict, v, decide)
	return err
}

// verifyStudy judges the claims of a study, or of the first one that has records in dir if study is nil. There are no
// verdicts after a dry run.
func (a *app) verifyStudy(ctx context.Context, stdout, stderr io.Writer, study *verify.Study, dir, out string, strict bool, v voice, decide *decideFlags) (*verify.Verdicts, error) {
	var verdicts *verify.Verdicts
	var err error
	if decide != nil {
		verdicts, err = decide.decide(ctx, stdout, stderr, study, dir)
	} else {
		verdicts, err = a.judge(ctx, study, dir)
	}
	if err != nil || decide != nil && decide.dryRun {
		return nil, err
	}
	var links []report.Link
	if _, err := os.Stat(filepath.Join(out, "index.html")); err == nil {
		links = []report.Link{{Text: "All experiments", Href: "index.html"}}
	}
	if err := writeClaims(out, verdicts, links); err != nil {
		return nil, err
	}
	if decide != nil && links != nil {
		fmt.Fprintf(stderr, "note: %s has the verdicts of before; %s report %s makes it anew\n",
			printable.Quote(filepath.Join(out, "index.html")), a.self(), printable.ShellQuote(out))
	}
	if err := printVerdicts(stdout, verdicts, filepath.Join(out, verify.Page), v); err != nil {
		return nil, err
	}
	if n := verdicts.Count(judge.Fails) + verdicts.Count(judge.NotRun); strict && n > 0 {
		err = &exitError{exitFailed, fmt.Errorf("--strict: %d of %d claims do not hold or were not run", n, len(verdicts.Outcomes))}
	}
	return verdicts, err
}

// allPapers is the value of --paper for all of them.
const allPapers = "all"

// studyNamed returns the paper of a name; nil for "".
func studyNamed(name string) (*verify.Study, error) {
	if name == "" {
		return nil, nil
	}
	if s := verify.LookupStudy(name); s != nil {
		return s, nil
	}
	var known []string
	for _, s := range verify.Studies() {
		known = append(known, s.Name)
	}
	return nil, fmt.Errorf("--paper %q is unknown; %s", printable.Cut(name, 40), nearest.Hint(name, append(known, allPapers), "give one of "+strings.Join(known, ", ")+", or all"))
}

// verifyAll checks the claims of each paper that has a folder in dir, and writes a page with all of them.
func (a *app) verifyAll(ctx context.Context, stdout, stderr io.Writer, dir, out string, strict bool, v voice, decide *decideFlags) error {
	var failed []error
	var papers verify.Papers
	found := 0
	for _, study := range verify.Studies() {
		folder := filepath.Join(dir, study.Name)
		if _, err := os.Stat(folder); err != nil {
			continue
		}
		if found++; found > 1 {
			fmt.Fprintln(stdout)
		}
		verdicts, err := a.verifyStudy(ctx, stdout, stderr, study, folder, filepath.Join(out, study.Name), strict, v, decide)
		if verdicts != nil {
			papers = append(papers, verdicts)
		}
		var failure *exitError
		switch {
		case errors.As(err, &failure) && failure.code == exitFailed:
			failed = append(failed, fmt.Errorf("%s: %w", study.Name, failure))
		case err != nil:
			return err
		}
	}
	switch {
	case found == 0:
		return fmt.Errorf("%s has no folder of a paper (%s); bench reproduce --paper all makes them", printable.Quote(dir), verify.StudyNames())
	case papers != nil:
		if err := writePapers(stderr, out, papers); err != nil {
			return err
		}
		fmt.Fprintf(stdout, "\n%s\n%s\n", shortVerdict(papers.Counts()), open(filepath.Join(out, verify.Page)))
	}
	if failed != nil {
		return &exitError{exitFailed, errors.Join(failed...)}
	}
	return nil
}

// writePapers writes the page with the claims about all papers, and their index, to dir.
func writePapers(stderr io.Writer, dir string, papers verify.Papers) error {
	files, err := papers.Files(isThere(dir))
	if err != nil {
		return err
	}
	return put(stderr, dir, files)
}

// judge reads the records in dir and returns the verdicts on the claims of a study, or of the first one that has
// records there if study is nil.
func (a *app) judge(ctx context.Context, study *verify.Study, dir string) (*verify.Verdicts, error) {
	const nothing = "no verdicts were written"
	evidence, err := until(ctx, func() (*verify.Evidence, error) { return verify.Read(study, dir) }, nothing)
	if err != nil {
		return nil, err
	}
	return until(ctx, func() (*verify.Verdicts, error) {
		if v, err := a.decided(ctx, evidence, dir); v != nil || err != nil {
			return v, err
		}
		return verify.Judge(evidence), nil
	}, nothing)
}

// writeClaims writes the files of the verdicts to dir.
func writeClaims(dir string, v *verify.Verdicts, links []report.Link) error {
	files, err := v.Files(links, isThere(dir))
	for i := range files {
		if err == nil {
			err = files[i].Write(dir)
		}
	}
	return err
}

// isThere returns whether there is a file at a path from dir.
func isThere(dir string) func(path string) bool {
	return func(path string) bool {
		_, err := os.Stat(filepath.Join(dir, filepath.FromSlash(path)))
		return err == nil
	}
}

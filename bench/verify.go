package bench

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"popbench/internal/analysis/document"
	"popbench/internal/analysis/report"
	"popbench/internal/analysis/verify"
	"popbench/internal/printable"
)

var verifyCommand = &command{
	name:  "verify",
	args:  "[RESULTS]",
	short: "check the paper's 28 claims against the records",
	long: `
Reads the records in RESULTS (default results/reproduce), which bench reproduce
makes: a results folder for each of the paper's suites, named after the suite.
RESULTS may also be one such results folder. Prints the verdict on each claim.
Writes the verdicts with their evidence to RESULTS, as claims.txt, claims.md,
claims.json and claims.html. For example:

  bench reproduce
  bench verify --strict

A claim holds, does not hold, or is undecided if there are too few runs to tell.
It is "not run" if its suites are missing.

Exit code: 0 if the claims were checked, whatever the verdicts; with --strict 1
if a claim does not hold or was not run; 2 if the records could not be read; 130
if interrupted.`,
	max:   1,
	stops: true,
	setup: func(a *app, flags *flag.FlagSet) action {
		out := flags.String("out", "", "write to `DIR` instead of RESULTS")
		strict := flags.Bool("strict", false, "fail if a claim does not hold or was not run")
		return func(ctx context.Context, stdout, stderr io.Writer, args []string) error {
			dir := filepath.Join("results", "reproduce")
			if len(args) > 0 {
				dir = args[0]
			}
			if *out == "" {
				*out = dir
			}
			return a.runVerify(ctx, stdout, stderr, dir, *out, *strict)
		}
	},
}

func (a *app) runVerify(ctx context.Context, stdout, stderr io.Writer, dir, out string, strict bool) error {
	verdicts, err := a.judge(ctx, dir)
	if err != nil {
		return err
	}
	var links []report.Link
	if _, err := os.Stat(filepath.Join(out, "index.html")); err == nil {
		links = []report.Link{{Text: "All experiments", Href: "index.html"}}
	}
	if err := writeClaims(out, verdicts, links); err != nil {
		return err
	}
	if err := document.WriteText(stdout, verdicts.Brief()); err != nil {
		return err
	}
	fmt.Fprintf(stderr, "\nwrote %s\n", printable.Quote(filepath.Join(out, verify.Page)))
	if n := verdicts.Count(verify.Fails) + verdicts.Count(verify.NotRun); strict && n > 0 {
		return &exitError{exitFailed, fmt.Errorf("--strict: %d of %d claims do not hold or were not run", n, len(verdicts.Outcomes))}
	}
	return nil
}

// judge reads the records in dir and returns the verdicts on the claims.
func (a *app) judge(ctx context.Context, dir string) (*verify.Verdicts, error) {
	return until(ctx, func() (*verify.Verdicts, error) {
		evidence, err := verify.Read(dir, a.openResults)
		if err != nil {
			return nil, err
		}
		return verify.Judge(evidence), nil
	}, "no verdicts were written")
}

// writeClaims writes the files of the verdicts to dir.
func writeClaims(dir string, v *verify.Verdicts, links []report.Link) error {
	files, err := v.Files(links)
	for i := range files {
		if err == nil {
			err = files[i].Write(dir)
		}
	}
	return err
}

package bench

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"popbench/internal/app"
	"popbench/internal/archive"
	"popbench/internal/claims"
	"popbench/internal/console"
	"popbench/internal/judge"
	"popbench/internal/page/document"
	"popbench/internal/views/verify"
	"popbench/internal/words"
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

The full run takes two to three minutes on two cores for POP-BO's paper, and
half an hour for all papers. The suites of a paper's main text run first.
Complete cells are kept: the same command continues after an interruption, and
the full run continues what --quick has begun. A suite whose data file is absent
is left out, with the reason. docs/papers.md describes the papers and what of
them was read.

Exit code: 0 if all cells succeeded, whatever the verdicts; 1 if some cells
failed; 2 if the suites could not be run; 130 if interrupted.`,
	setup: func(a *cli, flags *flag.FlagSet) action {
		var o app.ReproduceOptions
		paper := paperFlag(flags, claims.POPBO)
		out, decide := outFlag(flags, "results/reproduce, or results/PAPER"), decideFlag(flags)
		workersFlag(flags, &a.Workers)
		flags.BoolVar(&o.Quick, "quick", false, "run one of every thirty repetitions")
		only := onlyFlag(flags, "suites whose names match `GLOB`, e.g. 'paper-gp-*'; reports cover all suites in FOLDER")
		masterFlag(flags, &o.Master)
		return func(ctx context.Context, _ []string) error {
			o.Paper, o.Out, o.Only, o.Decide = *paper, *out, *only, *decide
			if o.Decide && (o.Quick || o.Only != "") {
				return errors.New("reproduce: --decide needs the runs of all suites; leave out --quick and --only")
			}
			r, err := a.Reproduce(ctx, o)
			if err != nil {
				return err
			}
			if o.Paper == app.AllPapers {
				return a.printPapers(r)
			}
			a.printPaper(r.Each[0])
			return r.Each[0].Failed
		}
	},
}

// printPaper prints what came of one paper: how many claims hold, and which do not.
func (a *cli) printPaper(r *app.OfPaper) {
	s := console.Summary{
		Result: r.Ran.String(), Bad: r.Failed != nil,
		More: a.Self + " verify " + words.ShellQuote(r.Out), Tail: append(console.LeftOut(r.Ran), console.Open(filepath.Join(r.Out, "index.html"))),
	}
	if r.Verdicts != nil {
		s.About = []string{s.Result}
		s.Result = console.ShortVerdict(verify.Counts(r.Verdicts))
		s.Items = console.VerdictItems(r.Verdicts.Failing())
	}
	s.Print(a.stdout)
}

// printPapers prints what came of all papers, a line for each. The error says what failed.
func (a *cli) printPapers(r *app.OfPapers) error {
	var failures []error
	s := console.Summary{Result: r.Ran.String(), More: a.Self + " verify --paper all " + words.ShellQuote(r.Out), Tail: console.LeftOut(r.Ran)}
	for _, paper := range r.Each {
		if paper.Failed != nil {
			failures = append(failures, fmt.Errorf("%s: %w", paper.Paper, paper.Failed))
		}
		if paper.Verdicts != nil {
			s.Items = append(s.Items, console.Item{Text: paper.Paper + ": " + console.ShortVerdict(verify.Counts(paper.Verdicts))})
		}
	}
	s.Bad = failures != nil
	if r.Papers != nil {
		s.Tail = append(s.Tail, console.Open(filepath.Join(r.Out, "index.html")))
	}
	s.Print(a.stdout)
	return app.Partly(errors.Join(failures...))
}

var verifyCommand = &command{
	name:  "verify",
	args:  "[RESULTS]",
	short: "check a paper's claims against the records",
	long: `
Reads the records in RESULTS (default results/reproduce), which bench reproduce
makes: a results folder for each of the paper's suites, named after the suite.
RESULTS may also be one such results folder, or its archive NAME.zip. Prints a
line for each claim, and writes the verdicts with their evidence to RESULTS, of
an archive to NAME-claims, as claims.txt, claims.md, claims.json and
claims.html. For example:

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
	max: 1,
	setup: func(a *cli, flags *flag.FlagSet) action {
		out, name, decide := outFlag(flags, "RESULTS"), paperFlag(flags, ""), decideFlag(flags)
		strict := flags.Bool("strict", false, "fail if a claim does not hold or was not run")
		d := app.DecideOptions{Terms: judge.DefaultTerms()}
		limitedVar(flags, &d.Terms.MaxRuns, "max-runs", 10, 9000, "with --decide: make at most `N` fresh runs of each algorithm on each problem")
		alphaFlag(flags, &d.Terms.Alpha)
		flags.BoolVar(&d.Replan, "replan", false, "with --decide: replace a plan that has other terms; reports will say so")
		flags.BoolVar(&d.DryRun, "dry-run", false, "with --decide: print the plan, and the commands that make the runs of the next look; write and run nothing")
		var margin *float64
		marginFlag(flags, &margin, claims.Slight/2)
		verbose := verboseFlag(flags, "the table of claims.txt, with its notes")
		return func(ctx context.Context, args []string) error {
			o := app.VerifyOptions{Paper: *name, Dir: filepath.Join("results", "reproduce"), Decide: &d}
			if len(args) > 0 {
				o.Dir = args[0]
			}
			if o.Out = cmp.Or(*out, o.Dir); *out == "" && archive.Is(o.Dir) {
				o.Out = app.PageFolder(o.Dir, "claims")
			}
			if margin != nil {
				d.Terms.Margin = *margin
			}
			flags.Visit(func(g *flag.Flag) {
				d.Given = d.Given || slices.Contains([]string{"max-runs", "alpha", "margin"}, g.Name)
			})
			switch {
			case margin != nil && *margin == 0:
				return errors.New("verify: --margin 0 leaves no border to be at; give a number above 0")
			case !*decide:
				if d.Given || d.DryRun || d.Replan {
					return errors.New("verify: the plan's flags need --decide")
				}
				o.Decide = nil
			}
			a.stderr.Whole = *verbose
			v, err := a.Verify(ctx, o)
			return a.printVerification(v, err, o, *strict, *verbose)
		}
	},
}

// printVerification prints the verdicts on the claims of one or all papers, also those reached before an error. With strict
// it returns an error if a claim does not hold or was not run.
func (a *cli) printVerification(v *app.OfPapers, failed error, o app.VerifyOptions, strict, verbose bool) error {
	var lacking []error
	for i, each := range v.Each {
		if i > 0 {
			fmt.Fprintln(a.stdout)
		}
		if each.Planned != nil {
			if err := document.WriteText(a.stdout, verify.PlanDocument(each.Planned.Plan)); err != nil {
				return err
			}
			if each.Planned.Commands != nil {
				fmt.Fprintf(a.stdout, "\n%s\n", strings.Join(each.Planned.Commands, "\n"))
			}
			continue
		}
		if err := console.PrintVerdicts(a.stdout, each.Verdicts, filepath.Join(each.Out, verify.Page), verbose); err != nil {
			return err
		}
		if n := each.Verdicts.Count(judge.Fails) + each.Verdicts.Count(judge.NotRun); strict && n > 0 {
			err := fmt.Errorf("--strict: %d of %d claims do not hold or were not run", n, len(each.Verdicts.Outcomes))
			if o.Paper == app.AllPapers {
				err = fmt.Errorf("%s: %w", each.Paper, err)
			}
			lacking = append(lacking, err)
		}
	}
	if failed != nil {
		return failed
	}
	if v.Papers != nil {
		fmt.Fprintf(a.stdout, "\n%s\n%s\n", console.ShortVerdict(v.Papers.Counts()), console.Open(filepath.Join(o.Out, verify.Page)))
	}
	return app.Partly(errors.Join(lacking...))
}

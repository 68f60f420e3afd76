package bench

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"popbench/internal/app"
	"popbench/internal/claims"
	"popbench/internal/console"
	"popbench/internal/judge"
	"popbench/internal/printable"
	"popbench/internal/views/verify"
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
	max: 0,
	setup: func(a *cli, flags *flag.FlagSet) action {
		var o app.ReproduceOptions
		paper := paperFlag(flags, claims.POPBO)
		out, workers, decide := outFlag(flags, "results/reproduce, or results/PAPER"), workersFlag(flags), decideFlag(flags)
		flags.BoolVar(&o.Quick, "quick", false, "run one of every thirty repetitions")
		only := onlyFlag(flags, "suites whose names match `GLOB`, e.g. 'paper-gp-*'; reports cover all suites in FOLDER")
		masterFlag(flags, &o.Master)
		return func(ctx context.Context, stdout, stderr io.Writer, _ []string) error {
			o.Paper, o.Out, o.Workers, o.Only, o.Decide = *paper, *out, *workers, *only, *decide
			if o.Decide && (o.Quick || o.Only != "") {
				return errors.New("reproduce: --decide needs the runs of all suites; leave out --quick and --only")
			}
			r, err := a.app(stderr).Reproduce(ctx, o)
			if err != nil {
				return err
			}
			if o.Paper == app.AllPapers {
				return a.printPapers(stdout, r)
			}
			a.printPaper(stdout, r.Each[0])
			return r.Each[0].Failed
		}
	},
}

// printPaper prints what came of one paper: how many claims hold, and which do not.
func (a *cli) printPaper(stdout io.Writer, r *app.Reproduced) {
	s := console.Summary{
		Result: r.Ran.String(), Bad: r.Failed != nil,
		More: a.self() + " verify " + printable.ShellQuote(r.Out), Tail: []string{console.Open(filepath.Join(r.Out, "index.html"))},
	}
	if r.Verdicts != nil {
		s.About = []string{s.Result}
		s.Result = console.ShortVerdict(verify.Counts(r.Verdicts))
		s.Items = console.VerdictItems(slices.DeleteFunc(slices.Clone(r.Verdicts.Outcomes), func(o judge.Outcome) bool { return o.Verdict != judge.Fails }))
	}
	s.Items = append(s.Items, console.LeftOut(r.Ran)...)
	s.Print(stdout)
}

// printPapers prints what came of all papers, a line for each. The error says what failed.
func (a *cli) printPapers(stdout io.Writer, r *app.Reproduction) error {
	var failures []error
	s := console.Summary{Result: r.Ran.String(), More: a.self() + " verify --paper all " + printable.ShellQuote(r.Out)}
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
		s.Tail = []string{console.Open(filepath.Join(r.Out, "index.html"))}
	}
	s.Print(stdout)
	if failures != nil {
		return &app.Error{Kind: app.Partly, Err: errors.Join(failures...)}
	}
	return nil
}

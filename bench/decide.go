package bench

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"popbench/internal/analysis/document"
	"popbench/internal/analysis/verify"
	"popbench/internal/harness/config"
	"popbench/internal/harness/suite"
	"popbench/internal/printable"
	"popbench/internal/runlog"
	"popbench/internal/words"
)

// freshFolder is the folder, in that of a study's results, with the runs that decide its claims: a results folder for each
// suite.
const freshFolder = "decided"

// decideFlags are those of verify --decide and of reproduce --decide.
type decideFlags struct {
	*app
	terms   verify.Terms
	given   bool // some term is the user's
	replan  bool
	dryRun  bool
	workers int
	fits    *suite.Fits
	voice   voice
	done    func(*ending) // called with each suite's runs of a look; nil if nobody counts them
}

// declare declares the flags of the plan.
func (f *decideFlags) declare(flags *flag.FlagSet) (margin *float64) {
	f.terms, f.workers = verify.DefaultTerms(), workers()
	limitedVar(flags, &f.terms.MaxRuns, "max-runs", 10, 9000, "with --decide: make at most `N` fresh runs of each algorithm on each problem")
	alphaFlag(flags, &f.terms.Alpha)
	flags.BoolVar(&f.replan, "replan", false, "with --decide: replace a plan that has other terms; reports will say so")
	flags.BoolVar(&f.dryRun, "dry-run", false, "with --decide: print the plan, and the commands that make the runs of the next look; write and run nothing")
	return marginFlag(flags, verify.Slight/2)
}

// seen notes which terms the user gave.
func (f *decideFlags) seen(flags *flag.FlagSet, margin float64) {
	if !math.IsNaN(margin) {
		f.terms.Margin = margin
	}
	flags.Visit(func(g *flag.Flag) {
		f.given = f.given || slices.Contains([]string{"max-runs", "alpha", "margin"}, g.Name)
	})
}

// plan returns the plan in dir, or makes one and writes it there. A plan that is there is kept unless the user asks for
// other terms.
func (f *decideFlags) plan(dir string, evidence *verify.Evidence) (*verify.Plan, error) {
	there, err := readPlan(dir)
	if err != nil {
		return nil, err
	}
	terms := f.terms
	if there != nil && !f.given {
		terms = there.Terms()
	}
	plan, err := evidence.Plan(terms, f.ranges)
	if err != nil {
		return nil, err
	}
	if there != nil {
		why := plan.Differs(there)
		switch {
		case why == "":
			return there, nil
		case !f.replan:
			return nil, otherPlan(dir, why)
		}
		plan.Replaces = append(slices.Clone(there.Replaces), there.Hash())
	}
	if f.dryRun {
		return plan, nil
	}
	return plan, runlog.Replace(filepath.Join(dir, verify.PlanFile), plan.Bytes())
}

// otherPlan says that the plan in dir is not the one that is asked for.
func otherPlan(dir, why string) error {
	return fmt.Errorf("%s is another plan: %s; give the same terms, or bench verify --decide --replan to replace it, which reports will say", printable.Quote(filepath.Join(dir, verify.PlanFile)), why)
}

// decided returns the verdicts by the plan in dir and the runs that there are, nil if there is no plan.
func (a *app) decided(ctx context.Context, evidence *verify.Evidence, dir string) (*verify.Verdicts, error) {
	there, err := readPlan(dir)
	if there == nil || err != nil {
		return nil, err
	}
	if there.Study != evidence.Study().Name {
		return nil, otherPlan(dir, "it is about "+there.Study)
	}
	plan, err := evidence.Plan(there.Terms(), a.ranges)
	if err != nil {
		return nil, err
	}
	if why := plan.Differs(there); why != "" {
		return nil, otherPlan(dir, why)
	}
	fresh, err := readFresh(ctx, evidence.Study(), dir)
	if err != nil {
		return nil, err
	}
	v, _, err := there.Decide(evidence, fresh, "")
	return v, err
}

// readPlan reads the plan in a folder, nil if there is none.
func readPlan(dir string) (*verify.Plan, error) {
	name := filepath.Join(dir, verify.PlanFile)
	data, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	plan, err := verify.ReadPlan(data)
	if err != nil {
		return nil, fmt.Errorf("%s %w; restore the file, or remove it to make a new plan", printable.Quote(name), err)
	}
	return plan, nil
}

// ranges returns the certified range of a problem of the catalogue.
func (a *app) ranges(problem string) (lo, hi float64, ok bool) {
	spec, err := a.catalogue.Problem(problem)
	if err != nil {
		return 0, 0, false
	}
	return spec.Range()
}

// decide makes the runs that decide the claims about the records in dir, and returns the verdicts.
func (f *decideFlags) decide(ctx context.Context, stdout, stderr io.Writer, study *verify.Study, dir string) (*verify.Verdicts, error) {
	evidence, err := until(ctx, func() (*verify.Evidence, error) { return verify.Read(study, dir) }, "nothing was decided")
	if err != nil {
		return nil, err
	}
	plan, err := f.plan(dir, evidence)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(stderr, "plan %.12s: %s, looks after %s fresh runs\n", plan.Hash(), words.Count(len(plan.Claims), "claim"), plan.LooksText())
	var before []verify.Need
	final := ""
	fresh, err := readFresh(ctx, evidence.Study(), dir)
	if err != nil {
		return nil, err
	}
	for {
		verdicts, needs, err := plan.Decide(evidence, fresh, final)
		switch {
		case err != nil:
			return nil, err
		case len(needs) == 0 || final != "":
			return verdicts, nil
		case f.dryRun:
			if err := document.WriteText(stdout, plan.Document()); err != nil {
				return nil, err
			}
			return verdicts, f.commands(stdout, dir, needs)
		case slices.Equal(needs, before):
			final = "runs failed, of which the look is incomplete"
			continue
		}
		before = needs
		fmt.Fprintf(stderr, "%s\n", plan.Look(needs))
		suites, err := f.run(ctx, stderr, plan, dir, needs)
		if err != nil {
			return nil, err
		}
		// Of the runs of all looks, few are new.
		if _, err := until(ctx, func() (struct{}, error) {
			return struct{}{}, fresh.ReadSuites(filepath.Join(dir, freshFolder), suites)
		}, "nothing more was decided"); err != nil {
			return nil, err
		}
	}
}

// readFresh reads the runs that were made to decide.
func readFresh(ctx context.Context, study *verify.Study, dir string) (*verify.Evidence, error) {
	return until(ctx, func() (*verify.Evidence, error) {
		fresh, err := study.Read(filepath.Join(dir, freshFolder))
		if errors.Is(err, verify.ErrNoEvidence) {
			return study.NewEvidence(), nil
		}
		return fresh, err
	}, "nothing was decided")
}

// bySuite groups needs by suite, in the order of their names.
func bySuite(needs []verify.Need) (suites []string, of map[string][]verify.Need) {
	of = map[string][]verify.Need{}
	for _, n := range needs {
		if of[n.Suite] == nil {
			suites = append(suites, n.Suite)
		}
		of[n.Suite] = append(of[n.Suite], n)
	}
	slices.Sort(suites)
	return suites, of
}

// run makes the runs that a look needs, and returns the names of their suites. Cells that fail leave their look incomplete.
func (f *decideFlags) run(ctx context.Context, stderr io.Writer, plan *verify.Plan, dir string, needs []verify.Need) ([]string, error) {
	suites, of := bySuite(needs)
	var jobs []job
	for _, name := range suites {
		path := filepath.Join(dir, name, "suite.yaml")
		text, err := config.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("the suite of %s: %w; run it again", name, err)
		}
		wanted, seed := of[name], plan.Seed(name)
		run := &runFlags{app: f.app, suite: path, out: filepath.Join(dir, freshFolder, name), workers: f.workers, fits: f.fits, master: masterSeed{&seed},
			span: span{wanted[0].From, wanted[0].To}}
		run.choose = func(c suite.Cell) bool {
			return slices.ContainsFunc(wanted, func(n verify.Need) bool {
				return n.Problem == c.Template.Problem.Name && n.Label == c.Template.Algorithm.Label && n.From <= c.Repetition+1 && c.Repetition < n.To
			})
		}
		jobs = append(jobs, job{run, text})
	}
	meter, err := watch(stderr, f.workers, jobs)
	if err != nil {
		return nil, err
	}
	for i, j := range jobs {
		end, err := runCells(ctx, meter, *j.runFlags, j.text)
		if err != nil {
			return nil, err
		}
		meter.Log(suites[i] + ": " + end.String())
		if f.done != nil {
			f.done(end)
		}
		if err := end.failure(f.voice); err != nil {
			fmt.Fprintln(meter, printable.Quote(err.Error()))
		}
	}
	return suites, nil
}

// commands prints the commands that make the runs of the next look, for other machines.
func (f *decideFlags) commands(stdout io.Writer, dir string, needs []verify.Need) error {
	fmt.Fprintln(stdout)
	for _, n := range needs {
		group := runlog.CellID(n.Problem, n.Label, 0)
		if _, err := fmt.Fprintf(stdout, "%s run %s --out %s --seeds %d-%d --only %s\n", f.self(),
			printable.ShellQuote(filepath.Join(dir, n.Suite, "suite.yaml")), printable.ShellQuote(filepath.Join(dir, freshFolder, n.Suite)), n.From, n.To,
			printable.ShellQuote(strings.TrimSuffix(group, "/000"))); err != nil {
			return err
		}
	}
	return nil
}

package app

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"popbench/internal/archive"
	"popbench/internal/claims"
	"popbench/internal/judge"
	"popbench/internal/strict"
	"popbench/internal/words"
	"popbench/record"
	"popbench/suite"
)

// DecideOptions are the terms on which claims are decided by further runs.
type DecideOptions struct {
	Terms  judge.Terms
	Given  bool // the user gave some of the terms; otherwise an existing plan keeps its own
	Replan bool // replace a plan that has other terms
	DryRun bool // say what the next look would run; run and write nothing
}

// Look is the next look of a plan.
type Look struct {
	Plan     *judge.Plan
	Commands []string // make its runs
}

// makePlan returns the plan there in dir, or, if that is nil, makes one and writes it there. A plan that is there is kept
// unless other terms are asked for.
func (a *App) makePlan(o DecideOptions, dir string, there *judge.Plan, evidence *judge.Evidence) (*judge.Plan, error) {
	terms := o.Terms
	if there != nil && !o.Given {
		terms = there.Terms()
	}
	plan, err := evidence.Plan(terms, a.ranges)
	if err != nil {
		return nil, err
	}
	if there != nil {
		why := plan.Differs(there)
		switch {
		case why == "":
			return there, nil
		case !o.Replan:
			return nil, fmt.Errorf("%s is another plan: %s; give the same terms, or bench verify --decide --replan to replace it, which reports will say",
				words.Quote(filepath.Join(dir, judge.PlanFile)), why)
		}
		plan.Replaces = append(slices.Clone(there.Replaces), there.Hash())
	}
	if o.DryRun {
		return plan, nil
	}
	return plan, record.Replace(filepath.Join(dir, judge.PlanFile), plan.Bytes())
}

// decided returns the verdicts by the plan in dir and the runs that there are, nil if there is no plan.
func (a *App) decided(ctx context.Context, evidence *judge.Evidence, dir string) (*judge.Verdicts, error) {
	there, err := readPlan(dir)
	if there == nil || err != nil {
		return nil, err
	}
	if there, err = a.makePlan(DecideOptions{}, dir, there, evidence); err != nil {
		return nil, err
	}
	fresh, err := readFresh(ctx, evidence.Study, dir)
	if err != nil {
		return nil, err
	}
	v, _, err := there.Decide(evidence, fresh, "")
	return v, err
}

// judge reads the records in dir and returns the verdicts on the claims of a study, or of the first one that has records
// there if study is nil.
func (a *App) judge(ctx context.Context, study *claims.Study, dir string) (*judge.Verdicts, error) {
	return Until(ctx, func() (*judge.Verdicts, error) {
		evidence, err := judge.Read(study, dir)
		if err != nil {
			return nil, err
		}
		if v, err := a.decided(ctx, evidence, dir); v != nil || err != nil {
			return v, err
		}
		return judge.Judge(evidence), nil
	}, "no verdicts were written")
}

// readPlan reads the plan in a folder, nil if there is none.
func readPlan(dir string) (*judge.Plan, error) {
	data, err := readAny(dir, judge.PlanFile)
	if data == nil {
		return nil, err
	}
	plan, err := judge.ReadPlan(data)
	if err != nil {
		name := words.Quote(filepath.Join(dir, judge.PlanFile))
		return nil, fmt.Errorf("%s %w; restore the file, or remove it to make a new plan", name, err)
	}
	return plan, nil
}

func (a *App) ranges(problem string) (lo, hi float64, ok bool) {
	spec, err := a.Catalogue.Problem(problem)
	if err != nil {
		return 0, 0, false
	}
	return spec.Range()
}

// decide makes the runs that decide the claims about the records in dir, and returns the verdicts; after a dry run also the
// next look. It adds what ran to ran unless that is nil.
func (a *App) decide(ctx context.Context, study *claims.Study, dir string, o DecideOptions, ran *Ran) (*judge.Verdicts, *Look, error) {
	evidence, err := Until(ctx, func() (*judge.Evidence, error) { return judge.Read(study, dir) }, "nothing was decided")
	if err != nil {
		return nil, nil, err
	}
	there, err := readPlan(dir)
	if err != nil {
		return nil, nil, err
	}
	plan, err := a.makePlan(o, dir, there, evidence)
	if err != nil {
		return nil, nil, err
	}
	a.tell(Doing{fmt.Sprintf("plan %.12s: %s, looks after %s fresh runs", plan.Hash(), words.Count(len(plan.Claims), "claim"), plan.LooksText())})
	var before []judge.Need
	final := ""
	fresh, err := readFresh(ctx, evidence.Study, dir)
	if err != nil {
		return nil, nil, err
	}
	for {
		verdicts, needs, err := plan.Decide(evidence, fresh, final)
		switch {
		case err != nil:
			return nil, nil, err
		case o.DryRun:
			return verdicts, &Look{plan, a.commands(dir, needs)}, nil
		case len(needs) == 0 || final != "":
			return verdicts, nil, nil
		case slices.Equal(needs, before):
			final = "runs failed, of which the look is incomplete"
			continue
		}
		before = needs
		a.tell(Doing{plan.Look(needs)})
		suites, err := a.look(ctx, plan, dir, needs, ran)
		if err != nil {
			return nil, nil, err
		}
		// Read only the suites that ran: most runs are of earlier looks.
		if _, err := Until(ctx, func() (struct{}, error) {
			return struct{}{}, fresh.ReadSuites(filepath.Join(dir, freshFolder), suites)
		}, "nothing more was decided"); err != nil {
			return nil, nil, err
		}
	}
}

// readFresh reads the runs that were made to decide.
func readFresh(ctx context.Context, study *claims.Study, dir string) (*judge.Evidence, error) {
	if archive.Is(dir) { // an archive has no such runs
		return judge.NewEvidence(study), nil
	}
	return Until(ctx, func() (*judge.Evidence, error) {
		fresh, err := judge.ReadStudy(study, filepath.Join(dir, freshFolder))
		if errors.Is(err, judge.ErrNoEvidence) {
			return judge.NewEvidence(study), nil
		}
		return fresh, err
	}, "nothing was decided")
}

// look makes the runs that a look needs, and returns the names of their suites. Cells that fail leave their look incomplete.
func (a *App) look(ctx context.Context, plan *judge.Plan, dir string, needs []judge.Need, ran *Ran) ([]string, error) {
	of := map[string][]judge.Need{}
	for _, n := range needs {
		of[n.Suite] = append(of[n.Suite], n)
	}
	suites := slices.Sorted(maps.Keys(of))
	var jobs []job
	for _, name := range suites {
		path := filepath.Join(dir, name, "suite.yaml")
		text, err := strict.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("the suite of %s: %w; run it again", name, err)
		}
		wanted, seed := of[name], plan.Seed(name)
		jobs = append(jobs, job{
			RunOptions: RunOptions{
				Suite: path, Out: filepath.Join(dir, freshFolder, name), Master: &seed, Seeds: Span{wanted[0].From, wanted[0].To},
			},
			text: text,
			choose: func(c suite.Cell) bool {
				return slices.ContainsFunc(wanted, func(n judge.Need) bool {
					return n.Problem == c.Template.Problem.Name && n.Label == c.Template.Algorithm.Label && n.From <= c.Repetition+1 && c.Repetition < n.To
				})
			},
		})
	}
	if err := a.forecast(jobs); err != nil {
		return nil, err
	}
	for i, j := range jobs {
		r, err := a.run(ctx, j)
		if err != nil {
			return nil, err
		}
		a.tell(Finished{suites[i], r, true})
		if ran != nil {
			ran.addNew(r)
		}
	}
	return suites, nil
}

// commands returns the commands that make the runs of a look, for other machines.
func (a *App) commands(dir string, needs []judge.Need) (commands []string) {
	for _, n := range needs {
		group := strings.TrimSuffix(record.CellID(n.Problem, n.Label, 0), "/000")
		commands = append(commands, fmt.Sprintf("%s run %s --out %s --seeds %d-%d --only %s", a.Self,
			words.ShellQuote(filepath.Join(dir, n.Suite, "suite.yaml")), words.ShellQuote(filepath.Join(dir, freshFolder, n.Suite)), n.From, n.To,
			words.ShellQuote(group)))
	}
	return commands
}

package app

import (
	"context"
	"fmt"

	"popbench/internal/harness/inspect"
	"popbench/suite"
)

// EvalOptions say which instance of a problem is meant.
type EvalOptions struct {
	Suite string // path or name of the suite that has the problem; "" for a problem of the catalogue
	inspect.Instance
	Seeded bool // Seed replaces that of the suite
}

// Eval evaluates a problem at a point, whose coordinates are words. A program that evaluates it is started and ended.
func (a *App) Eval(ctx context.Context, problem string, point []string, o EvalOptions) (*inspect.Evaluation, error) {
	of := a.evalInSuite
	if o.Suite == "" {
		of = func(ctx context.Context, problem string, point []string, o EvalOptions) (*inspect.Evaluation, error) {
			return Until(ctx, func() (*inspect.Evaluation, error) { // a function is drawn to the end
				return a.eval(ctx, problem, point, o)
			}, "nothing was printed")
		}
	}
	v, err := of(ctx, problem, point, o)
	if err != nil {
		return nil, fmt.Errorf("eval: %w", err)
	}
	return v, nil
}

func (a *App) eval(ctx context.Context, problem string, point []string, o EvalOptions) (*inspect.Evaluation, error) {
	spec, err := inspect.Lookup(a.Catalogue, problem)
	if err != nil {
		return nil, err
	}
	x, err := inspect.Point(point)
	if err != nil {
		return nil, err
	}
	return inspect.Evaluate(ctx, spec, x, o.Instance)
}

func (a *App) evalInSuite(ctx context.Context, problem string, point []string, o EvalOptions) (*inspect.Evaluation, error) {
	path, text, err := a.ReadSuite(o.Suite)
	if err != nil {
		return nil, err
	}
	s, err := suite.Parse(path, text, a.Catalogue)
	if err != nil {
		return nil, err
	}
	p, err := inspect.LookupIn(s, problem)
	if err != nil {
		return nil, err
	}
	x, err := inspect.Point(point)
	if err != nil {
		return nil, err
	}
	if o.Scale == "" {
		o.Scale = p.Scale
	}
	if !o.Seeded {
		o.Seed = s.Seed
	}
	if p.External() {
		a.tell(Starting{Of: p.ID(), Command: p.Program.Command})
	}
	pool := suite.NewPrograms(a.Program, "above")
	defer pool.Close()
	spec, end, err := s.Evaluator(ctx, p, pool)
	var v *inspect.Evaluation
	if err != nil {
		err = fmt.Errorf("problem %s: %w", p.ID(), err)
	} else {
		v, err = inspect.Evaluate(ctx, spec, x, o.Instance)
	}
	if said := end(); err != nil {
		a.tell(Said{said})
	}
	return v, err
}

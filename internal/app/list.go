package app

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"popbench/configs"
	"popbench/internal/claims"
	"popbench/internal/harness/inspect"
	"popbench/internal/harness/progress"
	"popbench/internal/paper"
	"popbench/internal/printable"
	"popbench/internal/views/about"
	"popbench/internal/words"
	"popbench/record"
	"popbench/suite"
)

// Overview is all that can be run, on one screen.
func (a *App) Overview() (string, error) { return inspect.Overview(a.Catalogue, builtInPapers()) }

// List lists all of some kinds of inspect.Parts.
func (a *App) List(parts []string) (*inspect.Listing, error) {
	l, err := inspect.List(a.Catalogue, parts)
	if slices.Contains(parts, inspect.Papers) {
		l.Papers = builtInPapers()
	}
	l.Page = l.Text()
	return &l, err
}

// Thing shows one thing whole, of a kind or, if kind is "", of any: also a suite file, or a folder of suite files.
func (a *App) Thing(kind, name string) (*inspect.Listing, error) {
	l, err := a.find(kind, name)
	if err != nil {
		if info, failed := os.Stat(name); failed != nil || !info.IsDir() || kind != "" && kind != inspect.SuiteFiles {
			return nil, err
		}
		l, err = inspect.Folder(a.Catalogue, name)
		l.Page = l.Text()
		return &l, err
	}
	for i := range l.Algorithms {
		one := &l.Algorithms[i]
		var of *paper.Publication
		if one.Title, one.About, of = about.Method(name); of != nil {
			one.Paper = citation(of)
		}
	}
	if l.Suites != nil {
		for _, list := range [][]inspect.Suite{l.Suites.BuiltIn, l.Suites.Files} {
			for i := range list {
				list[i].Cost = costOf(filepath.Join("results", list[i].Name))
			}
		}
	}
	l.Page = l.Whole()
	return &l, nil
}

func (a *App) find(kind, name string) (inspect.Listing, error) {
	if ext := filepath.Ext(name); ext == ".yaml" || ext == ".yml" {
		path, text, err := a.ReadSuite(name)
		if err != nil {
			return inspect.Listing{}, fmt.Errorf("list: %w", err)
		}
		return inspect.File(a.Catalogue, path, text)
	}
	l, err := inspect.Find(a.Catalogue, kind, name, builtInPapers())
	if err != nil {
		err = fmt.Errorf("list: %w", err)
	}
	return l, err
}

// builtInPapers returns the papers whose suites are built in, with their claims.
func builtInPapers() (papers []inspect.Paper) {
	for _, study := range claims.Studies() {
		p := inspect.Paper{Name: study.Name, Title: study.Paper.String(), Claims: len(study.Claims())}
		if of := paper.LookupPublication(study.Name); of != nil {
			p.Title = citation(of)
		}
		for _, s := range configs.Suites() {
			if s.Paper == study.Name {
				p.Suites = append(p.Suites, s.Name)
			}
		}
		papers = append(papers, p)
	}
	return papers
}

// citation is a paper with its authors and address.
func citation(p *paper.Publication) string {
	return fmt.Sprintf("%s, %s, %s", p.Title, p.Byline(), p.URL)
}

// costOf says how long the computation in a results folder took, or "" if there are no measurements.
func costOf(dir string) string {
	r, err := record.Open(dir)
	if err != nil {
		return ""
	}
	r.Timed = true
	cells, seconds := 0, 0.0
	_, err = r.Each(func(_ *record.Record, t *record.Timing) error {
		if t != nil {
			cells++
			for _, s := range slices.Concat(t.AskSeconds, t.TellSeconds) {
				seconds += s
			}
		}
		return nil
	})
	if err != nil || cells == 0 {
		return ""
	}
	return fmt.Sprintf("%s took %s of computation in %s",
		words.Count(cells, "cell"), progress.Round(time.Duration(seconds*float64(time.Second))), printable.Quote(filepath.ToSlash(dir)))
}

// EvalOptions say which instance of a problem is meant.
type EvalOptions struct {
	Suite string // path or name of the suite that has the problem; "" for a problem of the catalogue
	inspect.Instance
	Seeded bool // Seed replaces the suite's seed
}

// Eval evaluates a problem at a point, whose coordinates are words, and says what came of it. A program that evaluates it is
// started and ended.
func (a *App) Eval(ctx context.Context, problem string, point []string, o EvalOptions) (text string, err error) {
	defer prefixed("eval", &err)
	if o.Suite != "" {
		return a.evalInSuite(ctx, problem, point, o)
	}
	return Until(ctx, func() (string, error) { // a function is drawn to the end
		spec, err := inspect.Lookup(a.Catalogue, problem)
		if err != nil {
			return "", err
		}
		x, err := inspect.Point(point)
		if err != nil {
			return "", err
		}
		return inspect.Evaluate(ctx, spec, x, o.Instance)
	}, "nothing was printed")
}

func (a *App) evalInSuite(ctx context.Context, problem string, point []string, o EvalOptions) (string, error) {
	path, text, err := a.ReadSuite(o.Suite)
	if err != nil {
		return "", err
	}
	s, err := suite.Parse(path, text, a.Catalogue)
	if err != nil {
		return "", err
	}
	p, err := inspect.LookupIn(s, problem)
	if err != nil {
		return "", err
	}
	x, err := inspect.Point(point)
	if err != nil {
		return "", err
	}
	o.Scale = cmp.Or(o.Scale, p.Scale)
	if !o.Seeded {
		o.Seed = s.Seed
	}
	if p.External() {
		a.tell(Starting{program(p.ID(), p.Program.Command)})
	}
	pool := suite.NewPrograms(a.Program, "above")
	defer pool.Close()
	spec, end, err := s.Evaluator(ctx, p, pool)
	value := ""
	if err != nil {
		err = fmt.Errorf("problem %s: %w", p.ID(), err)
	} else {
		value, err = inspect.Evaluate(ctx, spec, x, o.Instance)
	}
	if said := end(); err != nil {
		a.tell(Said{said})
	}
	return value, err
}

package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"popbench/configs"
	"popbench/internal/claims"
	"popbench/internal/judge"
	"popbench/internal/views/verify"
	"popbench/suite"
)

// ReproduceOptions say which experiments of papers run, and how.
type ReproduceOptions struct {
	Paper   string // AllPapers: each in a folder of its own
	Out     string // "": a folder of the paper in results
	Workers int
	Only    string // a pattern of suites; "": all
	Quick   bool   // one of every thirty repetitions
	Decide  bool   // make further runs until each claim is decided
	Master  *uint64
}

// Reproduced is what came of the experiments of a paper.
type Reproduced struct {
	Paper    string
	Out      string
	Ran      *Ran            // all suites together
	Verdicts *judge.Verdicts // nil if no claim is about what was run
	Failed   error           // cells and reports that failed; nil if none did
}

// Reproduction is what came of the experiments of one or all papers.
type Reproduction struct {
	Out    string
	Each   []*Reproduced
	Ran    *Ran          // of all papers together
	Papers verify.Papers // nil if one was asked for, or no claim is about what was run
}

// Reproduce runs the experiments of one paper, or of each in its own folder, and checks the claims about them.
func (a *App) Reproduce(ctx context.Context, o ReproduceOptions) (*Reproduction, error) {
	began := time.Now()
	r := &Reproduction{Out: o.Out, Ran: &Ran{}}
	studies := claims.Studies()
	if o.Paper != AllPapers {
		study, err := StudyNamed(o.Paper)
		if err != nil {
			return nil, err
		}
		name := study.Name
		if name == claims.POPBO {
			name = "reproduce"
		}
		r.Out = cmp.Or(o.Out, filepath.Join("results", name))
		studies = []*claims.Study{study}
	}
	r.Out = cmp.Or(r.Out, filepath.Join("results", "papers"))
	fits := new(suite.Fits) // some suites have the same problems and pilots
	var papers []experiments
	var jobs []job
	for _, study := range studies {
		out := r.Out
		if o.Paper == AllPapers {
			out = filepath.Join(r.Out, study.Name)
		}
		x, err := a.experimentsOf(study, out, o, fits)
		if err != nil {
			return nil, err
		}
		papers = append(papers, x)
		for _, e := range x.list {
			jobs = append(jobs, e.job)
		}
	}
	if err := a.forecast(o.Workers, jobs); err != nil {
		return nil, err
	}
	for _, x := range papers {
		if o.Paper == AllPapers {
			a.tell(Paper{x.study.Name})
		}
		one, err := a.reproduce(ctx, x, o, fits)
		if err != nil {
			return nil, err
		}
		r.Each = append(r.Each, one)
		r.Ran.add(one.Ran)
		if o.Paper == AllPapers && one.Verdicts != nil { // nil with --only, or if data are absent
			r.Papers = append(r.Papers, one.Verdicts)
		}
	}
	r.Ran.Took = time.Since(began)
	if r.Papers != nil {
		return r, a.writePapers(r.Out, r.Papers)
	}
	return r, nil
}

// experiments has the experiments of a paper, in the order in which they run.
type experiments struct {
	study *claims.Study
	out   string
	list  []experiment
}

// experiment is a suite of a paper.
type experiment struct {
	name string
	job
}

// experimentsOf returns the suites of a study whose names match o.Only; "" matches all. They run in the order in which
// claims name them, which begins with the paper's main text: a reader waits for these suites, and even an interrupted run
// has them. Suites without a claim come last.
func (a *App) experimentsOf(study *claims.Study, out string, o ReproduceOptions, fits *suite.Fits) (experiments, error) {
	x := experiments{study: study, out: out}
	files := configs.Paper()
	if study.Name != claims.POPBO {
		files = configs.PaperNamed(study.Name)
	}
	var names []string
	for _, file := range files {
		s, err := suite.Parse(file.Path, file.Text, a.Catalogue)
		if err != nil {
			return x, err
		}
		names = append(names, s.Name)
		ok, err := path.Match(o.Only, s.Name)
		if err != nil {
			return x, fmt.Errorf("--only %q is not a pattern (%w); use *, ? and [a-z]", o.Only, err)
		}
		if ok || o.Only == "" {
			run := RunOptions{Suite: file.Path, Out: filepath.Join(out, s.Name), Workers: o.Workers, Master: o.Master}
			if o.Quick {
				run.Seeds = quick(s)
			}
			x.list = append(x.list, experiment{s.Name, job{RunOptions: run, text: file.Text, fits: fits}})
		}
	}
	if x.list == nil && o.Paper != AllPapers {
		return x, fmt.Errorf("--only %q matches none of the suites %s", o.Only, strings.Join(names, ", "))
	}
	order := study.Suites()
	place := func(e experiment) int {
		if i := slices.Index(order, e.name); i >= 0 {
			return i
		}
		return len(order)
	}
	slices.SortStableFunc(x.list, func(a, b experiment) int { return cmp.Compare(place(a), place(b)) })
	return x, nil
}

// reproduce runs the experiments of a paper, and writes their reports and the verdicts.
func (a *App) reproduce(ctx context.Context, x experiments, o ReproduceOptions, fits *suite.Fits) (*Reproduced, error) {
	began := time.Now()
	r := &Reproduced{Paper: x.study.Name, Out: x.out, Ran: &Ran{Out: filepath.Join(x.out, "*")}}
	if x.list == nil {
		return r, nil
	}
	for _, e := range x.list {
		ran, err := a.run(ctx, e.job)
		if err != nil {
			return nil, err
		}
		a.tell(Finished{e.name, ran, false})
		for i := range ran.Failed {
			ran.Failed[i].Cell = e.name + "/" + ran.Failed[i].Cell
		}
		r.Ran.add(ran)
	}
	var err error
	if o.Decide && r.Ran.Failed == nil {
		if r.Verdicts, _, err = a.decide(ctx, x.study, x.out, DecideOptions{Terms: judge.DefaultTerms(), Workers: o.Workers}, fits, r.Ran); err != nil {
			return nil, err
		}
	}
	r.Failed = r.Ran.Err(false)
	r.Verdicts, err = a.conclude(ctx, x.study, x.out, r.Verdicts)
	switch {
	case IsInterrupted(err):
		return nil, &Error{Interrupted, fmt.Errorf("%w; all records are complete, and the same command continues", err)}
	case r.Failed == nil:
		r.Failed = err // with its kind
	case err != nil:
		r.Failed = &Error{Partly, errors.Join(r.Failed, err)}
	}
	r.Ran.Took = time.Since(began)
	return r, nil
}

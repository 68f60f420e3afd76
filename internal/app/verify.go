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
	"popbench/internal/outcome"
	"popbench/internal/page/document"
	"popbench/internal/views/report"
	"popbench/internal/views/verify"
	"popbench/internal/words"
	"popbench/record"
	"popbench/suite"
)

// AllPapers is the name that stands for all papers.
const AllPapers = "all"

// VerifyOptions say whose claims are checked, and how.
type VerifyOptions struct {
	Paper  string         // "": the first one with records in Dir; AllPapers: Dir has a folder for each
	Dir    string         // the folder with the records
	Out    string         // where the verdicts go
	Decide *DecideOptions // makes further runs; nil: none
}

// OfPaper is what came of the claims and, if they were run, of the experiments of a paper.
type OfPaper struct {
	Paper    string
	Out      string
	Verdicts *judge.Verdicts // nil if no claim is about what was run
	Planned  *Look           // what would be run, after a dry run, which writes nothing
	Ran      *Ran            // all suites together
	Failed   error           // cells and reports that failed; nil if none did
}

// OfPapers is what came of one or all papers.
type OfPapers struct {
	Out    string
	Each   []*OfPaper
	Ran    *Ran          // of all papers together
	Papers verify.Papers // with verdicts; nil if one paper was asked for
}

// writePapers writes the page with the claims about all papers, and their index, unless there are no verdicts.
func (a *App) writePapers(r *OfPapers) error {
	for _, each := range r.Each {
		if each.Planned == nil && each.Verdicts != nil { // nil with --only, or if data are absent
			r.Papers = append(r.Papers, each.Verdicts)
		}
	}
	if r.Papers == nil {
		return nil
	}
	files, err := r.Papers.Files(isThere(r.Out))
	if err != nil {
		return err
	}
	return a.put(r.Out, files)
}

// Verify checks claims and writes the verdicts. With an error it returns the papers that were checked before.
func (a *App) Verify(ctx context.Context, o VerifyOptions) (*OfPapers, error) {
	v := &OfPapers{Out: o.Out}
	a.fits = new(suite.Fits)
	if o.Paper != AllPapers {
		study, err := studyNamed(o.Paper)
		if err != nil && o.Paper != "" {
			return v, err
		}
		return v, a.verify(ctx, v, study, o)
	}
	for _, study := range claims.Studies() {
		one := o
		one.Dir, one.Out = filepath.Join(o.Dir, study.Name), filepath.Join(o.Out, study.Name)
		if !exists(one.Dir) {
			continue
		}
		if err := a.verify(ctx, v, study, one); err != nil {
			return v, err
		}
	}
	if v.Each == nil {
		return v, fmt.Errorf("%s has no folder of a paper (%s); bench reproduce --paper all makes them", words.Quote(o.Dir), strings.Join(claims.StudyNames(), ", "))
	}
	return v, a.writePapers(v)
}

// verify checks the claims of a study, or of the first one that has records if study is nil.
func (a *App) verify(ctx context.Context, v *OfPapers, study *claims.Study, o VerifyOptions) (err error) {
	each := &OfPaper{Out: o.Out}
	if study != nil {
		each.Paper = study.Name
	}
	if o.Decide != nil {
		each.Verdicts, each.Planned, err = a.decide(ctx, study, o.Dir, *o.Decide, nil)
	} else {
		each.Verdicts, err = a.judge(ctx, study, o.Dir)
	}
	if err != nil {
		return err
	}
	if each.Planned == nil {
		var links []document.Link
		if exists(filepath.Join(o.Out, "index.html")) {
			links = []document.Link{{Text: "All experiments", Href: "index.html"}}
		}
		if err := writeClaims(o.Out, each.Verdicts, links); err != nil {
			return err
		}
		if o.Decide != nil && links != nil {
			a.note(fmt.Sprintf("%s has the verdicts of before; %s report %s makes it anew",
				words.Quote(filepath.Join(o.Out, "index.html")), a.Self, words.ShellQuote(o.Out)))
		}
	}
	v.Each = append(v.Each, each)
	return nil
}

// studyNamed returns the paper of a name.
func studyNamed(name string) (*claims.Study, error) {
	if s := claims.LookupStudy(name); s != nil {
		return s, nil
	}
	known := claims.StudyNames()
	return nil, fmt.Errorf("--paper %q is unknown; %s",
		words.Cut(name, 40), words.Hint(name, append(known, AllPapers), "give one of "+strings.Join(known, ", ")+", or all"))
}

// conclude writes the reports of all results folders in dir, their index, and the verdicts on the claims, which it returns.
// It judges the claims if verdicts is nil. If no claim is about the records, it returns nil.
func (a *App) conclude(ctx context.Context, study *claims.Study, dir string, verdicts *judge.Verdicts) (*judge.Verdicts, error) {
	folders, err := record.Folders(dir)
	if err != nil {
		return nil, err
	}
	index := &report.Index{Title: "The paper’s experiments, run again"}
	if verdicts == nil {
		verdicts, err = a.judge(ctx, study, dir)
		if err != nil && !errors.Is(err, judge.ErrNoEvidence) {
			return nil, err
		}
	}
	var read []*outcome.Results
	if verdicts != nil {
		index.Claims = verify.Index(verdicts, verify.Page)
		read = verdicts.Results()
	}
	_, failed := a.reportAll(ctx, dir, folders, read, index)
	if verdicts == nil || IsInterrupted(failed) {
		return verdicts, failed
	}
	// After the reports, since the page of the claims shows their figures.
	if err := writeClaims(dir, verdicts, []document.Link{{Text: "All experiments", Href: "index.html"}}); err != nil {
		return nil, err
	}
	return verdicts, failed
}

func writeClaims(dir string, v *judge.Verdicts, links []document.Link) error {
	files, err := verify.Files(v, links, isThere(dir))
	for i := range files {
		if err == nil {
			err = files[i].Write(dir)
		}
	}
	return err
}

// isThere returns whether there is a file at a path from dir.
func isThere(dir string) func(path string) bool {
	return func(path string) bool { return exists(filepath.Join(dir, filepath.FromSlash(path))) }
}

// ReproduceOptions say which experiments of papers run, and how.
type ReproduceOptions struct {
	Paper  string // AllPapers: each in a folder of its own
	Out    string // "": a folder of the paper in results
	Only   string // a pattern of suites; "": all
	Quick  bool   // one of every thirty repetitions, at least one
	Decide bool   // make further runs until each claim is decided
	Master *uint64
}

// Reproduce runs the experiments of one paper, or of each in its own folder, and checks the claims about them.
func (a *App) Reproduce(ctx context.Context, o ReproduceOptions) (*OfPapers, error) {
	began := time.Now()
	r := &OfPapers{Out: o.Out, Ran: &Ran{}}
	studies := claims.Studies()
	if o.Paper != AllPapers {
		study, err := studyNamed(o.Paper)
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
	a.fits = new(suite.Fits)
	jobs := make([][]job, len(studies))
	for i, study := range studies {
		one := &OfPaper{Paper: study.Name, Out: r.Out}
		if o.Paper == AllPapers {
			one.Out = filepath.Join(r.Out, study.Name)
		}
		r.Each = append(r.Each, one)
		var err error
		if jobs[i], err = a.experiments(study, one.Out, o); err != nil {
			return nil, err
		}
	}
	if len(slices.Concat(jobs...)) == 0 {
		return nil, fmt.Errorf("--only %q matches no suite of any paper; bench list PAPER names those of one", o.Only)
	}
	if err := a.forecast(slices.Concat(jobs...)); err != nil {
		return nil, err
	}
	for i, one := range r.Each {
		if o.Paper == AllPapers {
			a.tell(Paper{one.Paper})
		}
		if err := a.reproduce(ctx, one, studies[i], jobs[i], o); err != nil {
			return nil, err
		}
		r.Ran.add(one.Ran)
	}
	r.Ran.Took = time.Since(began)
	if o.Paper != AllPapers {
		return r, nil
	}
	return r, a.writePapers(r)
}

// experiments returns the suites of a study whose names match o.Only; "" matches all. They run in the order in which claims
// name them, which begins with the paper's main text: a reader waits for these suites, and even an interrupted run has them.
// Suites without a claim come last.
func (a *App) experiments(study *claims.Study, out string, o ReproduceOptions) (jobs []job, err error) {
	var names []string
	for _, file := range configs.PaperNamed(study.Name) {
		s, err := suite.Parse(file.Path, file.Text, a.Catalogue)
		if err != nil {
			return nil, err
		}
		names = append(names, s.Name)
		ok, err := path.Match(o.Only, s.Name)
		if err != nil {
			return nil, fmt.Errorf("--only %q is not a pattern (%w); use *, ? and [a-z]", o.Only, err)
		}
		if ok || o.Only == "" {
			run := RunOptions{Suite: file.Path, Out: filepath.Join(out, s.Name), Master: o.Master}
			if o.Quick {
				run.Seeds = Span{1, max(1, s.Repetitions/30)}
			}
			jobs = append(jobs, job{RunOptions: run, text: file.Text})
		}
	}
	if jobs == nil && o.Paper != AllPapers {
		return nil, fmt.Errorf("--only %q matches none of the suites %s", o.Only, strings.Join(names, ", "))
	}
	order := study.Suites()
	place := func(j job) int {
		if i := slices.Index(order, j.folder()); i >= 0 {
			return i
		}
		return len(order)
	}
	slices.SortStableFunc(jobs, func(a, b job) int { return cmp.Compare(place(a), place(b)) })
	return jobs, nil
}

// reproduce runs the experiments of a paper, and writes their reports and the verdicts. Without experiments it does nothing.
func (a *App) reproduce(ctx context.Context, r *OfPaper, study *claims.Study, jobs []job, o ReproduceOptions) error {
	began := time.Now()
	r.Ran = &Ran{Out: filepath.Join(r.Out, "*")}
	if jobs == nil {
		return nil
	}
	for _, j := range jobs {
		ran, err := a.run(ctx, j)
		if err != nil {
			return err
		}
		a.tell(Finished{j.folder(), ran, false})
		for i := range ran.Failed {
			ran.Failed[i].Cell = j.folder() + "/" + ran.Failed[i].Cell
		}
		r.Ran.add(ran)
	}
	var err error
	if o.Decide && r.Ran.Failed == nil {
		if r.Verdicts, _, err = a.decide(ctx, study, r.Out, DecideOptions{Terms: judge.DefaultTerms()}, r.Ran); err != nil {
			return err
		}
	}
	r.Failed = r.Ran.Err(false)
	r.Verdicts, err = a.conclude(ctx, study, r.Out, r.Verdicts)
	switch {
	case IsInterrupted(err):
		return &Error{true, fmt.Errorf("%w; all records are complete, and the same command continues", err)}
	case r.Failed == nil:
		r.Failed = err // with its kind
	case err != nil:
		r.Failed = Partly(errors.Join(r.Failed, err))
	}
	r.Ran.Took = time.Since(began)
	return nil
}

package app

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"popbench/internal/claims"
	"popbench/internal/judge"
	"popbench/internal/outcome"
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

// Verified is what came of the claims of a paper.
type Verified struct {
	Paper    string
	Out      string
	Verdicts *judge.Verdicts
	Planned  *Look // what would be run, after a dry run, which writes nothing
}

// Verification is what came of the claims of one or all papers.
type Verification struct {
	Each   []Verified
	Papers verify.Papers // of all; nil if one was asked for
}

// Verify checks claims and writes the verdicts. With an error it returns the papers that were checked before.
func (a *App) Verify(ctx context.Context, o VerifyOptions) (*Verification, error) {
	v := &Verification{}
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
	for _, each := range v.Each {
		if each.Planned == nil {
			v.Papers = append(v.Papers, each.Verdicts)
		}
	}
	if v.Papers == nil {
		return v, nil
	}
	return v, a.writePapers(o.Out, v.Papers)
}

// verify checks the claims of a study, or of the first one that has records if study is nil.
func (a *App) verify(ctx context.Context, v *Verification, study *claims.Study, o VerifyOptions) (err error) {
	each := Verified{Out: o.Out}
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
		var links []report.Link
		if exists(filepath.Join(o.Out, "index.html")) {
			links = []report.Link{{Text: "All experiments", Href: "index.html"}}
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

// writePapers writes the page with the claims about all papers, and their index, to dir.
func (a *App) writePapers(dir string, papers verify.Papers) error {
	files, err := papers.Files(isThere(dir))
	if err != nil {
		return err
	}
	return a.put(dir, files)
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
	if err := writeClaims(dir, verdicts, []report.Link{{Text: "All experiments", Href: "index.html"}}); err != nil {
		return nil, err
	}
	return verdicts, failed
}

func writeClaims(dir string, v *judge.Verdicts, links []report.Link) error {
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

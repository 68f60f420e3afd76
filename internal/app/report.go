package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"popbench/internal/archive"
	"popbench/internal/outcome"
	"popbench/internal/page/document"
	"popbench/internal/views/profile"
	"popbench/internal/views/report"
	"popbench/internal/views/verify"
	"popbench/internal/words"
	"popbench/record"
	"popbench/suite"
)

// PageFolder is where a page about results is by default: a subfolder, of NAME.zip a folder beside it.
func PageFolder(results, page string) string {
	if archive.Is(results) {
		return strings.TrimSuffix(results, archive.Ext) + "-" + page
	}
	return filepath.Join(results, page)
}

// Report writes the report of a results folder to out, by default to its subfolder report, of NAME.zip to NAME-report.
// The results are nil unless they have been read already.
func (a *App) Report(ctx context.Context, dir, out string, read *outcome.Results, o report.Options) (*report.Report, error) {
	return a.beginReport(ctx, dir, out, read, o)()
}

// beginReport begins to make a report. What it returns waits for that and writes the files, as Report does.
func (a *App) beginReport(ctx context.Context, dir, out string, read *outcome.Results, o report.Options) (finish func() (*report.Report, error)) {
	if out == "" {
		out = PageFolder(dir, "report")
		if exists(filepath.Join(dir, "suite.yaml")) {
			o.Suite = "../suite.yaml"
		}
	}
	var r *report.Report
	var err error
	made := make(chan struct{})
	go func() {
		defer close(made)
		r, err = Until(ctx, func() (*report.Report, error) {
			of := read
			if of == nil {
				var err error
				if of, err = outcome.Collect(results{ctx, dir, true}); err != nil {
					return nil, err
				}
			}
			a.entitle(of, dir)
			return report.Of(ctx, of, o)
		}, "the report was not written")
	}()
	return func() (*report.Report, error) {
		if <-made; err != nil {
			return nil, err
		}
		return r, a.put(out, r.Files)
	}
}

// entitle takes title and headline from the suite file of a results folder. No run depends on them, so that records of
// earlier runs keep those of their time when the suite has others. It leaves them as they are if the file cannot be used.
func (a *App) entitle(of *outcome.Results, dir string) {
	text, err := readAny(dir, "suite.yaml")
	if err != nil || text == nil {
		return
	}
	if s, err := suite.Parse(filepath.Join(dir, "suite.yaml"), text, a.Catalogue); err == nil && s.Name == of.Suite {
		of.Title, of.Headline = s.Title, outcome.Find(cmp.Or(outcome.Metric(s.Headline), outcome.Suboptimality))
	}
}

// put replaces the files of an earlier report, and tells which of those it kept because they were changed.
func (a *App) put(dir string, files []report.File) error {
	for at := dir; ; at = filepath.Dir(at) {
		if archive.Is(at) {
			return fmt.Errorf("%s is a file, which nothing is written into; give --out", words.Quote(at))
		}
		if at == filepath.Dir(at) {
			break
		}
	}
	kept, err := report.Replace(dir, files)
	for _, path := range kept {
		a.tell(Kept{path})
	}
	return err
}

// FolderReport is the report of one of several results folders.
type FolderReport struct {
	Folder string
	Card   *report.Card
}

// ReportAll writes the report of each results folder in dir, which record.Folders lists, and their index with the verdicts
// if claims were checked there before. If some reports cannot be written, it returns the others and an error.
func (a *App) ReportAll(ctx context.Context, dir string, folders []string) ([]FolderReport, error) {
	index := &report.Index{Title: "Results"}
	var read []*outcome.Results
	if exists(filepath.Join(dir, verify.Page)) {
		verdicts, err := a.judge(ctx, nil, dir)
		switch {
		case IsInterrupted(err):
			return nil, err
		case err != nil: // the page has verdicts on records that are no longer here
			index.Claims = &report.Claims{Title: "The paper’s claims", Href: verify.Page}
		default:
			index.Claims = verify.Index(verdicts, verify.Page)
			read = verdicts.Results()
		}
	}
	return a.reportAll(ctx, dir, folders, read, index)
}

// reportAll writes the reports and the index, which comes with its title and any claims. It does not read a folder again
// whose results are in read.
func (a *App) reportAll(ctx context.Context, dir string, folders []string, read []*outcome.Results, index *report.Index) (
	reports []FolderReport, err error) {
	var failures []error
	defer a.tell(Reported{})
	begin := func(name string) func() (*report.Report, error) {
		var results *outcome.Results
		if i := slices.IndexFunc(read, func(r *outcome.Results) bool { return r.Dir == filepath.Join(dir, name) }); i >= 0 {
			results = read[i]
		}
		return a.beginReport(ctx, filepath.Join(dir, name), "", results, report.Options{Up: &document.Link{Text: "All suites", Href: "../../index.html"}})
	}
	var next func() (*report.Report, error)
	for i, name := range folders {
		shown := words.Quote(name)
		a.tell(Reporting{name, i + 1, len(folders)})
		finish := next
		if finish == nil {
			finish = begin(name)
		}
		if i+1 < len(folders) { // now, as parts of a report need one processor only
			next = begin(folders[i+1])
		}
		r, err := finish()
		if IsInterrupted(err) {
			return nil, stopped(fmt.Sprintf("%d of %d reports were written, the index was not", i, len(folders)))
		}
		if err != nil {
			if _, ok := errors.AsType[*record.LeftOutError](err); !ok {
				failures = append(failures, err)
			}
			index.AddError(shown, words.Quote(strings.ReplaceAll(err.Error(), dir+string(filepath.Separator), ""))+".")
			continue
		}
		reports = append(reports, FolderReport{name, index.Add(shown, r, filepath.ToSlash(filepath.Join(name, "report", "index.html")))})
	}
	page, err := index.File()
	if err != nil {
		return nil, err
	}
	if err := a.put(dir, []report.File{page}); err != nil {
		return nil, err
	}
	if failures != nil && len(failures) == len(folders) {
		return nil, errors.Join(failures...)
	}
	return reports, Partly(errors.Join(failures...))
}

// Profile says how soon the algorithms of a results folder reach targets.
func (a *App) Profile(ctx context.Context, dir string, o profile.Options) (*profile.Profile, error) {
	if o.Targets == nil {
		o.Targets = profile.Default().Targets
	}
	return Until(ctx, func() (*profile.Profile, error) {
		records, err := record.Open(dir)
		if err != nil {
			return nil, err
		}
		collect := outcome.CollectSelected
		if o.Metric != nil && !o.Metric.Rule {
			collect = outcome.Collect
		}
		results, err := collect(records)
		if err != nil {
			return nil, err
		}
		p, err := profile.New(results, o)
		if err != nil && !errors.Is(err, context.Canceled) {
			err = fmt.Errorf("report: %w", err)
		}
		return p, err
	}, "nothing was printed")
}

package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"popbench/internal/views/export"
	"popbench/record"
)

// Imported is what came of an import.
type Imported struct {
	Runs  int
	Suite string
}

// Import makes records in the results folder out of the table of a suite, by default its only one, in a CSV file.
func (a *App) Import(ctx context.Context, path, out, suite string) (*Imported, error) {
	there, err := openTarget(out)
	if err != nil {
		return nil, fmt.Errorf("import: %w", err)
	}
	records, err := Until(ctx, func() ([]*record.Record, error) {
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		name := filepath.Base(path)
		return export.Import(f, export.ImportOptions{File: path, Only: suite,
			Suite: cmp.Or(suite, there.suite, strings.TrimSuffix(name, filepath.Ext(name)))})
	}, "nothing was written")
	if err != nil {
		return nil, fmt.Errorf("import: %w", err)
	}
	for _, r := range records {
		if err := there.accept(&r.Header); err != nil {
			return nil, fmt.Errorf("import: %w", err)
		}
	}
	folder, err := record.Create(out)
	if err != nil {
		return nil, fmt.Errorf("import: %w", err)
	}
	defer folder.Close()
	if note := folder.Note(); note != "" {
		a.tell(Note{note})
	}
	// The list comes first, so that an interrupted import is known to be incomplete.
	if err := folder.PutList(there.list, nil); err != nil {
		return nil, fmt.Errorf("import: %w", err)
	}
	for i, r := range records {
		if ctx.Err() != nil {
			return nil, Stopped(fmt.Sprintf("%d of %d runs were imported; the same command continues", i, len(records)))
		}
		if err := folder.Put(r, nil); err != nil {
			return nil, fmt.Errorf("import: %w", err)
		}
	}
	return &Imported{len(records), records[0].Header.Suite}, nil
}

// target is what a results folder has before an import.
type target struct {
	dir          string
	suite, title string
	paper        string
	problems     map[string]record.Problem // of its own records, by name
	own          map[string]bool           // cells of its own records
	list         record.List               // of its cells
}

// openTarget describes the folder for an import. It may not exist yet.
func openTarget(dir string) (*target, error) {
	t := &target{dir: dir, problems: map[string]record.Problem{}, own: map[string]bool{}}
	if err := record.CheckFolder(dir); err != nil {
		return nil, err
	}
	r, err := record.Open(dir)
	if err != nil {
		return nil, err
	}
	if r.List != nil {
		t.list.Join(r.List)
	}
	_, err = r.Each(func(rec *record.Record, _ *record.Timing) error {
		h := &rec.Header
		t.suite = h.Suite
		t.list.Add(record.Group(h.Cell), h.Repetition)
		if h.Imported == nil {
			t.title, t.paper = h.SuiteTitle, h.Paper
			t.problems[h.Problem.Name], t.own[h.Cell] = h.Problem, true
		}
		return nil
	})
	if err != nil && !errors.Is(err, record.ErrNoRecords) {
		return nil, err
	}
	return t, nil
}

// accept takes a record into the list, and completes its header by what the folder's own records say of suite and problem.
func (t *target) accept(h *record.Header) error {
	switch {
	case t.suite != "" && h.Suite != t.suite:
		return fmt.Errorf("%s has the suite %s, the table %s; give another --out, or change the column suite", t.dir, t.suite, h.Suite)
	case t.own[h.Cell]:
		return fmt.Errorf("%s has a record of %s that was not imported; change the column label, or give another --out", t.dir, h.Cell)
	}
	h.SuiteTitle, h.Paper = t.title, t.paper
	if p, ok := t.problems[h.Problem.Name]; ok {
		h.Problem.Title, h.Problem.Source = p.Title, p.Source
	}
	t.list.Add(record.Group(h.Cell), h.Repetition)
	return nil
}

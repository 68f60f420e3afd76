package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"popbench"
	"popbench/internal/archive"
	"popbench/internal/judge"
	"popbench/internal/outcome"
	"popbench/internal/protocol/conform"
	"popbench/internal/views/export"
	"popbench/internal/views/field"
	"popbench/internal/words"
	"popbench/record"
)

// Forms of an export that are no tables.
const (
	Compact    = "compact"    // a smaller results folder
	Archive    = "archive"    // one file
	Submission = "submission" // a folder for the page of the field
)

// Exported is an export.
type Exported struct {
	Out    string           // its folder or file
	Checks []conform.Result // of a submission
	*export.Summary
}

var exportForms = map[string]export.Form{"csv": export.Tidy, "ioh": export.IOH, "pairs": export.Pairs}

// Export writes the records in dir, or in all results folders there, as csv, ioh, pairs, Compact, Archive or Submission; by
// default to export/FORM in dir, an archive to dir.zip, and a submission to submissions/NAME for a dir called NAME.
func (a *App) Export(ctx context.Context, dir, out, form string) (*Exported, error) {
	switch form {
	case Archive:
		return exportArchive(ctx, dir, out)
	case Submission:
		return a.exportSubmission(ctx, dir, cmp.Or(out, filepath.Join(submissionsName, filepath.Base(filepath.Clean(dir)))))
	}
	out = cmp.Or(out, filepath.Join(dir, "export", form))
	if form == Compact {
		return exportCompact(ctx, dir, out)
	}
	names, err := record.Folders(dir)
	if err != nil {
		return nil, err
	}
	if names == nil {
		names = []string{""}
	}
	var folders []export.Folder
	for _, name := range names {
		at := filepath.Join(dir, name)
		if _, err := record.Open(at); err != nil {
			return nil, err
		}
		folders = append(folders, export.Folder{Name: filepath.ToSlash(name), Source: results{ctx, at, false}})
	}
	var summary *export.Summary
	err = newFolder(out, func(create export.Create) (err error) {
		if summary, err = exportForms[form](folders, create); err == nil && summary.Runs == 0 {
			err = fmt.Errorf("no run of %s can be exported as %s; bench status shows which failed or are missing, docs/export.md what the form takes",
				words.Quote(dir), form)
		}
		return err
	})
	switch {
	case errors.Is(err, context.Canceled):
		return nil, stopped("nothing was written")
	case err != nil:
		return nil, fmt.Errorf("export: %w", err)
	}
	return &Exported{Out: out, Summary: summary}, nil
}

// exportCompact writes a results folder that says less of each run.
func exportCompact(ctx context.Context, dir, out string) (*Exported, error) {
	r, err := record.Open(dir)
	if err != nil {
		return nil, err
	}
	found, err := Until(ctx, func() (*record.Contents, error) { return record.WriteCompact(out, r) }, "nothing was written")
	if err != nil {
		return nil, fmt.Errorf("export: %w", err)
	}
	return &Exported{Out: out, Summary: &export.Summary{Runs: found.Records, Warnings: found.Warnings()}}, nil
}

// newFolder makes a folder with the files that write creates. It refuses a folder that has files, because files of another
// export would stay among the new ones. After an error there is no folder, and the next call removes what a killed one left.
func newFolder(dir string, write func(export.Create) error) (err error) {
	temp := ""
	defer func() {
		if unwritten := (*fs.PathError)(nil); errors.As(err, &unwritten) && strings.HasPrefix(unwritten.Path, temp) {
			err = fmt.Errorf("%s cannot be written: %w; make room or give another --out", dir, unwritten.Err)
		}
	}()
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if len(entries) > 0 {
		return fmt.Errorf("%s has files already; delete it or give another --out", dir)
	}
	parent, prefix := filepath.Dir(dir), "."+filepath.Base(dir)+"."
	if err := cmp.Or(os.MkdirAll(parent, 0o777), removeKilled(parent, prefix)); err != nil {
		return err
	}
	temp, err = os.MkdirTemp(parent, prefix+"*"+tempExt)
	if err != nil {
		return err
	}
	lock, err := record.Lock(temp)
	if err != nil {
		return err
	}
	defer lock.Close()
	err = write(func(path string) (io.WriteCloser, error) {
		return createFile(filepath.Join(temp, filepath.FromSlash(path)))
	})
	if runtime.GOOS == "windows" {
		lock.Close() // it renames and removes no open folder …
	}
	if err == nil {
		if entries != nil {
			err = os.Remove(dir) // … and renames onto no folder
		}
		if err == nil {
			err = os.Chmod(temp, 0o755) // MkdirTemp keeps others out
		}
		if err == nil {
			err = os.Rename(temp, dir)
		}
	}
	if err != nil {
		_ = os.RemoveAll(temp)
	}
	return err
}

const tempExt = ".tmp"

// removeKilled removes the temporary folders that killed exports left. One that is still written to is locked, and stays.
func removeKilled(parent, prefix string) error {
	entries, err := os.ReadDir(parent)
	for _, e := range entries {
		if !e.IsDir() || !strings.HasPrefix(e.Name(), prefix) || filepath.Ext(e.Name()) != tempExt {
			continue
		}
		temp := filepath.Join(parent, e.Name())
		if lock, busy := record.Lock(temp); busy == nil {
			lock.Close()
			if lock.Note() == "" { // the file system has locks
				err = cmp.Or(err, os.RemoveAll(temp))
			}
		}
	}
	return err
}

func createFile(path string) (io.WriteCloser, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return nil, err
	}
	return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
}

// exportArchive writes a results folder as one file, with what describes it, and returns what is in it.
func exportArchive(ctx context.Context, dir, out string) (*Exported, error) {
	if archive.Is(dir) {
		return nil, fmt.Errorf("export: %s is an archive already", words.Quote(dir))
	}
	if out == "" {
		out = filepath.Clean(dir) + archive.Ext
	}
	if filepath.Ext(out) != archive.Ext { // bench check tells archives from commands by it
		return nil, fmt.Errorf("export: an archive is called NAME%s, not %s; give another --out", archive.Ext, words.Quote(out))
	}
	if manifest, err := readAny(out, archive.Manifest); exists(out) && (manifest == nil || err != nil) {
		return nil, fmt.Errorf("export: %s is there, and is no archive of results; move it or give another --out", words.Quote(out))
	}
	compact, err := record.IsCompact(dir)
	if err != nil {
		return nil, err
	}
	from := dir
	if !compact {
		if from, err = os.MkdirTemp("", "popbench-archive-"); err != nil {
			return nil, err
		}
		defer os.RemoveAll(from)
		if _, err := exportCompact(ctx, dir, from); err != nil {
			return nil, err
		}
	}
	of, err := Until(ctx, func() (*outcome.Results, error) { return outcome.CollectSelected(results{ctx, dir, false}) }, "nothing was written")
	if err != nil {
		return nil, err
	}
	run, err := record.ReadRun(from)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	further := map[string][]byte{"CITATION.cff": []byte(popbench.Citation)}
	for _, name := range []string{field.TuningFile, judge.PlanFile} {
		data, err := readAny(dir, name)
		if data == nil && err == nil && name == judge.PlanFile {
			data, err = planOver(dir)
		}
		if err != nil {
			return nil, err
		}
		if data != nil {
			further[name] = data
		}
	}
	describe := func(sizes map[string]int) (string, []byte) { return export.CrateFile, export.Crate(of, run, sizes) }
	if err := record.WriteArchive(out, from, further, describe); err != nil {
		return nil, fmt.Errorf("export: %w", err)
	}
	runs := 0
	for _, g := range of.Groups {
		runs += len(g.Runs) + len(g.LeftOut)
	}
	return &Exported{Out: out, Summary: &export.Summary{Runs: runs, Warnings: of.Warnings}}, nil
}

// exportSubmission writes an archive into the folder of a submission, with the file for what its author states unless it is
// there, and checks the whole.
func (a *App) exportSubmission(ctx context.Context, dir, out string) (*Exported, error) {
	if err := os.MkdirAll(out, 0o777); err != nil {
		return nil, err
	}
	e, err := exportArchive(ctx, dir, filepath.Join(out, submissionResults))
	if err != nil {
		return nil, err
	}
	e.Out = out
	path := filepath.Join(out, SubmissionFile)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		if err := os.WriteFile(path, []byte(submissionTemplate), 0o666); err != nil {
			return nil, err
		}
	}
	err = a.CheckSubmission(ctx, out, 0, nil, func(r conform.Result) { e.Checks = append(e.Checks, r) })
	return e, err
}

// Import makes records in the results folder out of the table of a suite, by default its only one, in a CSV file. It returns
// the number of runs, and the name of the suite.
func (a *App) Import(ctx context.Context, path, out, suite string) (runs int, of string, err error) {
	there, err := openTarget(out)
	if err != nil {
		return 0, "", fmt.Errorf("import: %w", err)
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
		return 0, "", fmt.Errorf("import: %w", err)
	}
	for _, r := range records {
		delete(there.imported, r.Header.Cell) // the table replaces it
	}
	for _, p := range there.imported {
		if _, ok := there.optimum[p.Name]; !ok {
			there.optimum[p.Name] = p.Optimum != nil
		}
	}
	for _, r := range records {
		if err := there.accept(&r.Header); err != nil {
			return 0, "", fmt.Errorf("import: %w", err)
		}
	}
	folder, err := record.Create(out)
	if err != nil {
		return 0, "", fmt.Errorf("import: %w", err)
	}
	defer folder.Close()
	a.note(folder.Note())
	// The list comes first, so that an interrupted import is known to be incomplete.
	if err := folder.PutList(there.list, nil); err != nil {
		return 0, "", fmt.Errorf("import: %w", err)
	}
	for i, r := range records {
		if ctx.Err() != nil {
			return 0, "", stopped(fmt.Sprintf("%d of %d runs were imported; the same command continues", i, len(records)))
		}
		if err := folder.Put(r, nil); err != nil {
			return 0, "", fmt.Errorf("import: %w", err)
		}
	}
	return len(records), records[0].Header.Suite, nil
}

// target is what a results folder has before an import.
type target struct {
	dir          string
	suite, title string
	paper        string
	problems     map[string]record.Problem // of its own records, by name
	own          map[string]bool           // cells of its own records
	imported     map[string]record.Problem // of imported records, by cell
	optimum      map[string]bool           // whether the optimum is known, by problem
	list         record.List               // of its cells
}

// openTarget describes the folder for an import. It may not exist yet.
func openTarget(dir string) (*target, error) {
	t := &target{dir: dir, problems: map[string]record.Problem{}, own: map[string]bool{}, imported: map[string]record.Problem{}, optimum: map[string]bool{}}
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
		if h.Imported != nil {
			t.imported[h.Cell] = h.Problem
			return nil
		}
		t.title, t.paper = h.SuiteTitle, h.Paper
		t.problems[h.Problem.Name], t.own[h.Cell] = h.Problem, true
		if h.Problem.Factor != 0 { // a cell that failed early says nothing of the optimum
			t.optimum[h.Problem.Name] = h.Problem.Optimum != nil
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
	known := h.Problem.Optimum != nil
	if before, ok := t.optimum[h.Problem.Name]; ok && before != known {
		is, others, give := "optimum, the default", "unknown", "minus f, against zero"
		if before {
			is, others, give = "zero", "known", "the optimum minus f, against optimum"
		}
		return fmt.Errorf("%s is against %s, but the optimum of %s is %s to other runs of the table or of %s; give %s",
			h.Cell, is, h.Problem.Name, others, t.dir, give)
	}
	t.optimum[h.Problem.Name] = known
	h.SuiteTitle, h.Paper = t.title, t.paper
	if p, ok := t.problems[h.Problem.Name]; ok {
		h.Problem.Title, h.Problem.Source = p.Title, p.Source
	}
	t.list.Add(record.Group(h.Cell), h.Repetition)
	return nil
}

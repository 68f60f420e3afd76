package app

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"popbench"
	"popbench/internal/archive"
	"popbench/internal/harness/conform"
	"popbench/internal/judge"
	"popbench/internal/math/stats"
	"popbench/internal/outcome"
	"popbench/internal/printable"
	"popbench/internal/views/export"
	"popbench/internal/views/field"
	"popbench/internal/words"
	"popbench/record"
	"popbench/suite"
)

// Compact is the form of an export that is a smaller results folder.
const Compact = "compact"

// Exported is an export.
type Exported struct {
	Out string // its folder or file
	*export.Summary
}

var exportForms = map[string]export.Form{"csv": export.Tidy, "ioh": export.IOH, "pairs": export.Pairs}

// Export writes the records in dir, or in all results folders there, as csv, ioh, pairs, Compact or Archive; by default to
// export/FORM in dir, an archive to dir.zip.
func (a *App) Export(ctx context.Context, dir, out, form string) (*Exported, error) {
	if form == Archive {
		return exportArchive(ctx, dir, out)
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
		r, err := record.Open(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		folders = append(folders, export.Folder{Name: filepath.ToSlash(name), Source: Stoppable{Source: r, Ctx: ctx}})
	}
	var summary *export.Summary
	err = newFolder(out, func(create export.Create) (err error) {
		summary, err = exportForms[form](folders, create)
		return err
	})
	switch {
	case errors.Is(err, context.Canceled):
		return nil, Stopped("nothing was written")
	case err != nil:
		return nil, fmt.Errorf("export: %w", err)
	}
	return &Exported{out, summary}, nil
}

// exportCompact writes a results folder that says less of each run.
func exportCompact(ctx context.Context, dir, out string) (*Exported, error) {
	r, err := record.Open(dir)
	if err != nil {
		return nil, err
	}
	n, err := Until(ctx, func() (int, error) { return record.WriteCompact(out, r) }, "the compact records are not complete")
	if err != nil {
		return nil, fmt.Errorf("export: %w", err)
	}
	return &Exported{out, &export.Summary{Runs: n}}, nil
}

// newFolder makes a folder with the files that write creates. It refuses a folder that has files, because those of another
// export would stay among the new ones. After an error there is no folder.
func newFolder(dir string, write func(export.Create) error) error {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if len(entries) > 0 {
		return fmt.Errorf("%s has files already; delete it or give another --out", dir)
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o777); err != nil {
		return err
	}
	temp, err := os.MkdirTemp(filepath.Dir(dir), filepath.Base(dir)+".*.tmp")
	if err != nil {
		return err
	}
	if err = write(func(path string) (io.WriteCloser, error) {
		return createFile(filepath.Join(temp, filepath.FromSlash(path)))
	}); err == nil {
		if entries != nil {
			err = os.Remove(dir) // Windows renames onto no folder
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

// bufferedFile is a file with a buffer, which Close writes.
type bufferedFile struct {
	*bufio.Writer
	file *os.File
}

func createFile(path string) (io.WriteCloser, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return nil, err
	}
	return bufferedFile{bufio.NewWriter(f), f}, nil
}

func (b bufferedFile) Close() error {
	err := b.Flush()
	if e := b.file.Close(); err == nil {
		err = e
	}
	return err
}

// Archive is the form of an export that is one file.
const Archive = "archive"

// exportArchive writes a results folder as one file, with what describes it, and returns what is in it.
func exportArchive(ctx context.Context, dir, out string) (*Exported, error) {
	if archive.Is(dir) {
		return nil, fmt.Errorf("export: %s is an archive already", printable.Quote(dir))
	}
	if out == "" {
		out = filepath.Clean(dir) + archive.Ext
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
	in, err := record.Open(from)
	if err != nil {
		return nil, err
	}
	results, err := Until(ctx, func() (*outcome.Results, error) { return outcome.Collect(Stoppable{in, ctx}) }, "nothing was written")
	if err != nil {
		return nil, err
	}
	run, err := record.ReadRun(from)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	further := map[string][]byte{"CITATION.cff": []byte(popbench.Citation)}
	for _, name := range []string{field.TuningFile, judge.PlanFile} {
		data, err := record.ReadIn(dir, name)
		if err == nil {
			further[name] = data
		} else if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	describe := func(sizes map[string]int) (string, []byte) {
		return export.CrateFile, export.Crate(results, run, sizes)
	}
	if err := record.WriteArchive(out, from, further, describe); err != nil {
		return nil, fmt.Errorf("export: %w", err)
	}
	runs := 0
	for i := range results.Groups {
		runs += len(results.Groups[i].Runs)
	}
	return &Exported{out, &export.Summary{Runs: runs}}, nil
}

// CheckArchive checks an archive as a referee does, and tells each verdict. With again above 0 it runs so many cells again,
// which pick chooses, and compares them. The error is for what could not be done.
func (a *App) CheckArchive(ctx context.Context, file string, again int, pick *rand.Rand, tell func(conform.Result)) error {
	verdict := func(check string, ok bool, text string) {
		r := conform.Result{Check: check, Verdict: conform.OK, Note: text}
		if !ok {
			r.Verdict = conform.Failed
		}
		tell(r)
	}
	if _, err := os.Stat(file); err != nil {
		return err
	}
	n, err := archive.Check(file)
	if err != nil {
		verdict("every file has its checksum", false, err.Error())
		return nil
	}
	verdict("every file has its checksum", true, words.Count(n, "file"))

	in, err := record.Open(file)
	if err != nil {
		return err
	}
	x := rerun{app: a, in: in, pick: pick, tell: tell}
	failed := 0
	found, err := Until(ctx, func() (*record.Contents, error) {
		return Stoppable{in, ctx}.Each(func(r *record.Record, _ *record.Timing) error {
			x.cells = append(x.cells, r.Header.Cell)
			if !r.OK() {
				failed++
			}
			return nil
		})
	}, "nothing was checked")
	if err != nil {
		return err
	}
	var damaged []string
	for i := range found.Issues {
		if found.Issues[i].Mixture == "" {
			damaged = append(damaged, found.Issues[i].Error())
		}
	}
	text := words.Count(found.Records, "record")
	if failed > 0 {
		text += fmt.Sprintf(", %d of runs that failed", failed)
	}
	verdict("every record can be read", damaged == nil, strings.Join(append(damaged, text), "; "))
	missing := found.Missing()
	switch {
	case found.List == nil:
		verdict("it is complete", false, "no cells.json lists the cells")
	case missing != nil:
		n := record.Count(missing)
		verdict("it is complete", false, fmt.Sprintf("%s %s no record, the first of %v", words.Count(n, "cell"), words.Choose(n, "has", "have"), missing[0]))
	default:
		verdict("it is complete", true, words.Count(found.List.Cells(), "cell"))
	}
	mixtures := found.Mixtures()
	verdict("it is of one suite and one program", mixtures == nil, strings.Join(mixtures, " "))
	if again > 0 {
		return x.run(ctx, file, again)
	}
	return nil
}

// rerun runs cells of an archive again.
type rerun struct {
	app   *App
	in    *record.Reader
	pick  *rand.Rand
	tell  func(conform.Result)
	cells []string
}

// externalName is the name in a suite of an algorithm or a problem that is a program of its author.
const externalName = "external"

// trusted returns the programs that the suite in the working folder names and that the folder has, as keys of program. An
// archive must not choose what is executed.
func (x *rerun) trusted() map[string]bool {
	known := map[string]bool{}
	text, err := os.ReadFile("suite.yaml")
	if err != nil {
		return known
	}
	own, err := suite.Parse("suite.yaml", text, x.app.Catalogue)
	if err != nil || own.HashFiles() != nil {
		return known
	}
	for _, one := range own.Algorithms {
		known[program(&one.Program)] = one.Name == externalName
	}
	for _, one := range own.Problems {
		known[program(&one.Program)] = one.Name == externalName
	}
	return known
}

// program is the same for programs with the same command and files.
func program(p *suite.Program) string { return fmt.Sprintf("%q %q", p.Command, p.Files) }

const (
	sameSteps = "cells that are run again make the same steps"
	asGood    = "programs of others do as well when they are run again"
)

// run runs n cells again. Those of built-in methods have to make the same steps; programs of others may make other ones on
// another machine, and then those of the archive must not be clearly better.
func (x *rerun) run(ctx context.Context, file string, n int) error {
	leftOut := func(why string) error {
		x.tell(conform.Result{Check: sameSteps, Verdict: conform.LeftOut, Note: why})
		return nil
	}
	text, err := record.ReadIn(file, "suite.yaml")
	if err != nil {
		return leftOut("the archive has no suite.yaml")
	}
	temp, err := os.MkdirTemp("", "popbench-rerun-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	// A suite's programs are in its folder: here.
	j := job{RunOptions: RunOptions{Suite: "suite.yaml", Out: filepath.Join(temp, "again"), Workers: 1}, text: text}
	known := x.trusted()
	j.adapt = func(s *suite.Suite) {
		foreign := func(name string, p *suite.Program) bool { return name == externalName && !known[program(p)] }
		s.Algorithms = slices.DeleteFunc(s.Algorithms, func(one suite.Algorithm) bool { return foreign(one.Name, &one.Program) })
		s.Problems = slices.DeleteFunc(s.Problems, func(one suite.Problem) bool { return foreign(one.Name, &one.Program) })
	}
	_, all, _, err := x.app.expand(&j)
	if err != nil {
		first, _, _ := strings.Cut(err.Error(), "\n")
		return leftOut("its suite cannot be run here: " + first)
	}
	has := map[string]bool{}
	for _, c := range all {
		has[c.ID()] = true
	}
	chosen := map[string]bool{}
	x.pick.Shuffle(len(x.cells), func(i, k int) { x.cells[i], x.cells[k] = x.cells[k], x.cells[i] })
	for _, cell := range x.cells {
		if has[cell] && len(chosen) < n {
			chosen[cell] = true
		}
	}
	if len(chosen) == 0 {
		return leftOut("all of its cells need programs that the suite.yaml of this folder does not have")
	}
	j.choose = func(c suite.Cell) bool { return chosen[c.ID()] }
	if _, err := x.app.run(ctx, j); err != nil {
		return err
	}
	again := map[string]*record.Record{}
	fresh, err := record.Open(j.Out)
	if err != nil {
		return err
	}
	if _, err := fresh.Each(func(r *record.Record, _ *record.Timing) error { again[r.Header.Cell] = record.Compact(r); return nil }); err != nil {
		return err
	}
	var same, differ []string // of built-in methods
	var gains []float64       // of the archive's runs of programs of others over the new ones
	changed := 0              // cells of programs whose files are others here
	if _, err := x.in.Each(func(r *record.Record, _ *record.Timing) error {
		mine := again[r.Header.Cell]
		switch {
		case !chosen[r.Header.Cell]:
		case r.Header.Algorithm.Program != nil && mine != nil &&
			!reflect.DeepEqual(r.Header.Algorithm.Program.Files, mine.Header.Algorithm.Program.Files):
			changed++
		case r.Header.Algorithm.Program != nil && mine != nil:
			gains = append(gains, final(r)-final(mine))
		case mine != nil && equalSteps(mine, r):
			same = append(same, r.Header.Cell)
		default:
			differ = append(differ, r.Header.Cell)
		}
		return nil
	}); err != nil {
		return err
	}
	switch {
	case differ != nil:
		note := fmt.Sprintf("%d of %d differ: %s", len(differ), len(same)+len(differ), strings.Join(differ, ", "))
		x.tell(conform.Result{Check: sameSteps, Verdict: conform.Failed, Note: note})
	case same != nil:
		x.tell(conform.Result{Check: sameSteps, Verdict: conform.OK, Note: printable.Quote(strings.Join(same, ", "))})
	}
	if gains != nil {
		x.tell(judgeGains(gains))
	}
	if changed > 0 {
		x.tell(conform.Result{Check: asGood, Verdict: conform.LeftOut, Note: words.Count(changed, "cell") + " of programs whose files are others here"})
	}
	return nil
}

// judgeGains says whether the runs of an archive are clearly better than those that were made again, by the signed-rank
// test.
func judgeGains(gains []float64) conform.Result {
	r := conform.Result{Check: asGood, Verdict: conform.OK}
	equal := 0
	for _, gain := range gains {
		if gain == 0 {
			equal++
		}
	}
	r.Note = fmt.Sprintf("%s, %d with the same end", words.Count(len(gains), "cell"), equal)
	switch test := stats.SignedRank(gains); {
	case equal == len(gains):
	case len(gains) < stats.MinRuns:
		r.Verdict, r.Note = conform.LeftOut, r.Note+fmt.Sprintf("; whether the others are as good takes %d cells to say", stats.MinRuns)
	case test.P <= 0.05 && stats.Mean(gains) > 0:
		r.Verdict, r.Note = conform.Failed, r.Note+fmt.Sprintf("; those of the archive are better, P = %.2g", test.P)
	}
	return r
}

// final is the utility of the last recommendation of a run. One that failed is worse than all others.
func final(r *record.Record) float64 {
	if !r.OK() || len(r.Steps) == 0 {
		return -math.MaxFloat64 / 4
	}
	return r.Steps[len(r.Steps)-1].Recommendations[0].Utility
}

// equalSteps compares what two compact records of a cell say of its steps.
func equalSteps(a, b *record.Record) bool {
	if a.Footer.Status != b.Footer.Status || len(a.Steps) != len(b.Steps) {
		return false
	}
	encoded, err := record.Encode(a)
	if err != nil {
		return false
	}
	read, err := record.Decode("", encoded)
	return err == nil && reflect.DeepEqual(read.Steps, b.Steps)
}

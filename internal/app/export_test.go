package app

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"popbench/internal/archive"
	"popbench/internal/check"
	"popbench/internal/protocol/conform"
	"popbench/internal/views/export"
	"popbench/internal/views/report"
	"popbench/record"
)

// An archive of a run passes all checks, and cells of it that are run again make the same steps. A record too few, and a
// suite that is not that of the records, are seen.
func TestArchive(t *testing.T) {
	dir := t.TempDir()
	a := new(App)
	const text = "name: small\nsteps: 6\nrepetitions: 3\nproblems: [beale, {name: branin, label: P}]\nalgorithms: [random, {name: external, label: Theirs, command: [theirs]}]\n"
	results := filepath.Join(dir, "small")
	runs(t, strings.Replace(text, ", {name: external, label: Theirs, command: [theirs]}", "", 1), results)
	verdicts := func(file string, rerun int) (failed, all []string) {
		t.Helper()
		check.OK(t, a.CheckArchive(t.Context(), file, rerun, rand.New(rand.NewPCG(1, 2)), func(r conform.Result) {
			all = append(all, fmt.Sprint(r.Verdict, " ", r.Check, ": ", r.Note))
			if r.Verdict != conform.OK {
				failed = append(failed, r.Check)
			}
		}))
		return failed, all
	}

	e := check.Must(a.Export(t.Context(), results, "", Archive))(t)
	archived := e.Out
	check.Equal(t, "file", e.Out, results+".zip")
	check.Equal(t, "runs", e.Runs, 6)
	var crate struct {
		Graph []struct {
			ID    string `json:"@id"`
			Parts []struct {
				ID string `json:"@id"`
			} `json:"hasPart"`
		} `json:"@graph"`
	}
	check.OK(t, json.Unmarshal(check.Must(record.ReadIn(e.Out, "ro-crate-metadata.json"))(t), &crate))
	root := crate.Graph[1]
	check.Equal(t, "the root of the crate, and its files", fmt.Sprint(root.ID, len(root.Parts)), "./8")
	for _, part := range root.Parts {
		check.Must(record.ReadIn(e.Out, part.ID))(t)
	}
	failed, all := verdicts(e.Out, 4)
	check.That(t, failed == nil && len(all) == 5, "verdicts:\n%s", strings.Join(all, "\n"))
	check.Contains(t, "the last verdict", all[4], "beale/random/", "P/random/")

	compact := filepath.Join(dir, "compact")
	e = check.Must(a.Export(t.Context(), results, compact, Compact))(t)
	check.Equal(t, "warnings about a complete folder", len(e.Warnings), 0)
	check.OK(t, os.Remove(filepath.Join(compact, "records", "beale", "random.jsonl.gz")))
	file := filepath.Join(dir, "less.zip")
	for out, form := range map[string]string{file: Archive, filepath.Join(dir, "less"): Compact} {
		less := check.Must(a.Export(t.Context(), compact, out, form))(t)
		check.Contains(t, form+" of a record too few", fmt.Sprint(less.Warnings), "Not complete: of the 6 cells")
	}
	failed, all = verdicts(file, 0)
	check.That(t, len(failed) == 1 && failed[0] == "it is complete", "a record too few:\n%s", strings.Join(all, "\n"))

	for name, want := range map[string]string{"notes.txt": "is called NAME.zip", "photos.zip": "is no archive of results"} {
		mine := check.Temporary(t, name, "mine")
		check.Error(t, name, check.Err(a.Export(t.Context(), results, mine, Archive)), name, want, "give another --out")
	}

	none := filepath.Join(dir, "none")
	runs(t, "name: none\nsteps: 2\nrepetitions: 1\nproblems: [{name: branin, arms: {grid: [2]}}]\noracle: {error_rate: 0.2}\nalgorithms: [random]\n", none)
	check.Error(t, "failed runs only", check.Err(a.Export(t.Context(), none, "", Archive)), none+": none of")

	path := filepath.Join(results, "suite.yaml")
	check.OK(t, os.WriteFile(path, []byte("first_duels: 2\n"+text), 0o666))
	check.Must(a.Export(t.Context(), results, archived, Archive))(t)
	failed, all = verdicts(archived, 100)
	check.That(t, len(failed) == 1 && strings.Contains(all[4], "6 of 6 differ: ") && strings.Contains(all[4], "beale/random/000 (first_duels is 0, in a new run 2)"), "another suite:\n%s", strings.Join(all, "\n"))

	check.OK(t, os.WriteFile(path, []byte(strings.Replace(text, "name: branin, label: P", "name: external, label: P, command: [theirs]", 1)), 0o666))
	check.Must(a.Export(t.Context(), results, archived, Archive))(t)
	_, all = verdicts(archived, 100)
	check.Contains(t, "cells of a program", all[4], "left out", "3 cells of built-in methods are not in the suite.yaml")
	_, all = verdicts(archived, 2)
	check.Lacks(t, "as many cells as wanted", strings.Join(all, "\n"), "left out")

	check.OK(t, os.WriteFile(path, []byte("name: ?\n"), 0o666))
	check.Must(a.Export(t.Context(), results, archived, Archive))(t)
	_, all = verdicts(archived, 1)
	check.Contains(t, "no suite", all[4], "left out", "its suite cannot be run here")

	at := filepath.Join(dir, "small-report", "index.html")
	check.Must(a.Report(t.Context(), archived, "", nil, report.Options{}))(t)
	check.Must(os.Stat(at))(t)

	for _, text := range []string{"{}", "a list"} {
		files := map[string][]byte{"cells.json": []byte(text)}
		check.OK(t, os.WriteFile(archived, check.Must(archive.Bytes(files))(t), 0o666))
		failed, all = verdicts(archived, 0)
		check.That(t, len(failed) == 1 && failed[0] == "every record can be read", "cells.json %s:\n%s", text, strings.Join(all, "\n"))
	}

	check.OK(t, os.WriteFile(archived, []byte("no archive"), 0o666))
	err := a.CheckArchive(t.Context(), archived, 0, nil, func(r conform.Result) {
		check.That(t, r.Verdict == conform.Failed && strings.Contains(r.Note, "is not an archive of results"), "no archive: %+v", r)
	})
	check.OK(t, err)
	err = a.CheckArchive(t.Context(), filepath.Join(dir, "nowhere.zip"), 0, nil, nil)
	check.That(t, errors.Is(err, fs.ErrNotExist), "no file: %v", err)
}

// Seed and repetitions of a command may be others than the suite's. A record that states another seed, optimum or setting
// than the same run here is not believed, though its steps are the same; one of another program says so.
func TestRerunOfWhatACommandChose(t *testing.T) {
	dir, seed := t.TempDir(), uint64(9)
	results, file := filepath.Join(dir, "small"), filepath.Join(dir, "small.zip")
	text := check.Temporary(t, "suite.yaml", "name: small\nsteps: 6\nrepetitions: 1\nfirst_duels: 2\nproblems: [beale]\nalgorithms: [random]\n")
	check.Must((&App{Workers: 1}).Run(t.Context(), RunOptions{Suite: text, Out: results, Master: &seed, Seeds: Span{2, 3}}))(t)
	for _, c := range []struct {
		name   string
		change func(*record.Record)
		want   conform.Verdict
		notes  []string
	}{
		{"nothing", func(*record.Record) {}, conform.OK, []string{"beale/random/001, beale/random/002"}},
		{"the seed", func(r *record.Record) { r.Header.Seed = 1 }, conform.Failed, []string{"2 of 2 differ", "first duels or their answers differ"}},
		{"the optimum", func(r *record.Record) { *r.Header.Problem.Optimum = -1 }, conform.Failed, []string{"(optimum is -1, in a new run 0)"}},
		{"a random point's values", func(r *record.Record) { r.Header.Problem.Uniform.Mean++ }, conform.Failed, []string{"(uniform is {"}},
		{"a setting", func(r *record.Record) { r.Header.Algorithm.Settings = []byte(`{}`) }, conform.Failed, []string{"(settings is {}, in a new run {"}},
		{"the program", func(r *record.Record) {
			r.Header.Fingerprint, r.Header.Algorithm.Settings = strings.Repeat("a", 16), []byte(`{}`)
		}, conform.OK, nil},
		{"a step of another program", func(r *record.Record) {
			r.Header.Fingerprint, r.Steps[5].Winner = strings.Repeat("a", 16), 1-r.Steps[5].Winner
		},
			conform.Failed, []string{"2 of 2 differ", "they are of popbench source aaaaaaaaaaaaaaaa", "the new runs of popbench source"}},
	} {
		changed := filepath.Join(t.TempDir(), "small")
		to := check.Must(record.Create(changed))(t)
		_, err := check.Must(record.Open(results))(t).Each(func(r *record.Record, _ *record.Timing) error {
			c.change(r)
			return to.Put(r, nil)
		})
		check.OK(t, err)
		to.Close()
		for _, name := range []string{"suite.yaml", "cells.json"} {
			check.OK(t, os.WriteFile(filepath.Join(changed, name), check.Must(os.ReadFile(filepath.Join(results, name)))(t), 0o666))
		}
		check.Must(new(App).Export(t.Context(), changed, file, Archive))(t)
		var last conform.Result
		check.OK(t, new(App).CheckArchive(t.Context(), file, 9, rand.New(rand.NewPCG(1, 2)), func(r conform.Result) { last = r }))
		check.Equal(t, c.name, last.Verdict, c.want)
		check.Contains(t, c.name, last.Note, c.notes...)
	}
}

// A report has the title and the headline that the suite has now: no run depends on them. A suite file of something else, or
// with mistakes, changes nothing.
func TestReportIsOfTheSuite(t *testing.T) {
	dir, a := t.TempDir(), new(App)
	const text = "name: small\ntitle: Before\nsteps: 2\nrepetitions: 1\nproblems: [beale]\nalgorithms: [random]\n"
	runs(t, text, dir)
	for text, want := range map[string]string{
		strings.Replace(text, "Before", "Now\nheadline: cumulative-regret", 1): "Now, cumulative-regret",
		strings.Replace(text, "small", "other", 1):                             "Before, suboptimality",
		"name: small\ntitle: ?\n":                                              "Before, suboptimality",
	} {
		check.OK(t, os.WriteFile(filepath.Join(dir, "suite.yaml"), []byte(text), 0o666))
		r := check.Must(a.Report(t.Context(), dir, "", nil, report.Options{}))(t)
		check.Equal(t, text, r.Title+", "+string(r.Headline.Name), want)
	}
}

// The suite of an archive does not choose what is executed: a program of it runs only if the suite in the working folder
// lists it too.
func TestArchivesExecuteNothing(t *testing.T) {
	check.Sequential(t)
	t.Chdir(t.TempDir())
	a := new(App)
	const own = "name: small\nsteps: 3\nrepetitions: 1\nproblems: [{name: beale, label: P}]\nalgorithms: [{name: random, label: A}]\n"
	runs(t, own, "small")
	for name, hostile := range map[string]string{
		"an algorithm": strings.Replace(own, "{name: random, label: A}", "{name: external, label: A, command: [touch, executed]}", 1),
		"a problem":    strings.Replace(own, "{name: beale, label: P}", "{name: external, label: P, command: [touch, executed]}", 1),
	} {
		check.OK(t, os.WriteFile(filepath.Join("small", "suite.yaml"), []byte(hostile), 0o666))
		check.Must(a.Export(t.Context(), "small", "", Archive))(t)
		rerun := func() (last conform.Result) {
			_ = a.CheckArchive(t.Context(), "small.zip", 1, rand.New(rand.NewPCG(1, 2)), func(r conform.Result) { last = r })
			return last
		}
		last := rerun()
		_, err := os.Stat("executed")
		check.That(t, errors.Is(err, fs.ErrNotExist) && last.Verdict == conform.LeftOut, "%s is executed: %v, %+v", name, err, last)
		check.OK(t, os.WriteFile("suite.yaml", []byte(hostile), 0o666))
		rerun()
		_, err = os.Stat("executed")
		check.That(t, err == nil, "%s that the suite here lists is not executed", name)
		check.OK(t, os.Remove("executed"))
		check.OK(t, os.Remove("suite.yaml"))
	}
}

// Runs of programs of others may end elsewhere when they are made again, but not clearly worse.
func TestGainsOfAnArchive(t *testing.T) {
	for name, c := range map[string]struct {
		gains []float64
		want  conform.Verdict
	}{
		"the same":         {[]float64{0, 0}, conform.OK},
		"few":              {[]float64{1, 1, 1, 1, 1}, conform.LeftOut},
		"better":           {[]float64{1, 1, 2, 1, 3, 1}, conform.Failed},
		"worse":            {[]float64{-1, -1, -2, -1, -3, -1}, conform.OK},
		"better and worse": {[]float64{1, -1, 2, -2, 3, -1}, conform.OK},
	} {
		check.Equal(t, name, judgeGains(c.gains).Verdict, c.want)
	}
}

// Nothing is written into an archive.
func TestNothingIsWrittenIntoAnArchive(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.zip")
	check.OK(t, os.WriteFile(file, nil, 0o666))
	check.Error(t, "a report in it", new(App).put(filepath.Join(file, "report"), nil), "give --out")
}

// What a killed export left beside its folder is gone after the next one.
func TestNewFolderAfterAKilledExport(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "export", "csv")
	write := func(killed bool) {
		defer func() { _ = recover() }()
		check.OK(t, newFolder(dir, func(create export.Create) error {
			f := check.Must(create("runs.csv"))(t)
			defer f.Close()
			if killed {
				panic("killed")
			}
			return nil
		}))
	}
	write(true)
	check.That(t, !exists(dir), "a killed export left a folder that looks whole")
	write(false)
	var names []string
	for _, e := range check.Must(os.ReadDir(filepath.Dir(dir)))(t) {
		names = append(names, e.Name())
	}
	check.Equal(t, "beside each other", strings.Join(names, " "), "csv")
}

// A compact folder and an archive have the runs that failed too, and their number says so.
func TestExportOfFailedRuns(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "small")
	runs(t, "name: small\nsteps: 6\nrepetitions: 3\nproblems: [beale]\nalgorithms: [random, {name: external, label: Theirs, command: [./none]}]\n", dir)
	for _, form := range []string{Compact, Archive} {
		check.Equal(t, form, check.Must(new(App).Export(t.Context(), dir, "", form))(t).Runs, 6)
	}
}

// An error of writing says what to do, and an error of reading is left as it is.
func TestUnwrittenExport(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "csv")
	full := newFolder(dir, func(create export.Create) error {
		return &fs.PathError{Op: "write", Path: check.Must(create("values.csv"))(t).(*os.File).Name(), Err: fs.ErrPermission}
	})
	check.Equal(t, "on a full disk", full.Error(), dir+" cannot be written: permission denied; make room or give another --out")
	file := filepath.Join(t.TempDir(), "file")
	check.OK(t, os.WriteFile(file, nil, 0o666))
	check.Error(t, "below a file", newFolder(filepath.Join(file, "csv"), nil), "give another --out")
	unread := &fs.PathError{Op: "open", Path: file, Err: fs.ErrPermission}
	check.That(t, newFolder(dir, func(export.Create) error { return unread }) == unread, "an error of reading is one of writing")
}

// Two exports at once into one folder do not mix: the first that ends makes it, and the other says that it has files.
func TestTwoExportsIntoOneFolder(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no locks")
	}
	dir := filepath.Join(t.TempDir(), "csv")
	put := func(create export.Create, name string) { check.OK(t, check.Must(create(name))(t).Close()) }
	began, ended, late := make(chan struct{}), make(chan struct{}), make(chan error)
	check.OK(t, newFolder(dir, func(create export.Create) error {
		put(create, "first")
		go func() {
			late <- newFolder(dir, func(create export.Create) error {
				put(create, "late")
				close(began)
				<-ended
				return nil
			})
		}()
		<-began
		return nil
	}))
	close(ended)
	check.That(t, <-late != nil, "the export that ended later replaced the folder")
	entries := check.Must(os.ReadDir(dir))(t)
	check.That(t, len(entries) == 1 && entries[0].Name() == "first", "the files of two exports are mixed: %v", entries)
	check.Equal(t, "folders beside each other", len(check.Must(os.ReadDir(filepath.Dir(dir)))(t)), 1)
}

// The submissions in the repository pass all checks.
func TestSubmissions(t *testing.T) {
	check.Sequential(t)
	t.Parallel()
	folders := check.Must(filepath.Glob("../../submissions/*"))(t)
	check.That(t, len(folders) >= 3, "%d submissions", len(folders))
	for _, folder := range folders {
		s := check.Must(readSubmission(folder))(t)
		file, cells := filepath.Join(folder, submissionResults), 0
		check.OK(t, new(App).CheckArchive(t.Context(), file, 0, nil, func(r conform.Result) {
			check.Equal(t, folder+": "+r.Check+": "+r.Note, r.Verdict, conform.OK)
		}))
		check.OK(t, eachLabel(file, func(string) { cells++ }))
		check.That(t, s.Rerun == nil || s.Rerun.Cells <= cells, "%s: %d cells, %s", folder, cells, s.checked())
	}
}

package app

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"popbench/internal/archive"
	"popbench/internal/check"
	"popbench/internal/judge"
	"popbench/internal/protocol/conform"
	"popbench/internal/views/field"
)

// planned is the verdict on the plan in an archive, with no check if there is none.
func planned(t *testing.T, file string) (found conform.Result) {
	t.Helper()
	check.OK(t, new(App).CheckArchive(t.Context(), file, 0, nil, func(r conform.Result) {
		check.That(t, !strings.Contains(r.Note, "\n"), "more than one line: %q", r.Note)
		if strings.Contains(r.Check, "plan") {
			found = r
		}
	}))
	return found
}

// Runs note the plan that is there when they begin. A plan that is changed later, or that some runs do not know, is no older
// plan; where runs or plan are absent, nothing is said of it.
func TestThePlanIsOlderThanItsRuns(t *testing.T) {
	dir := t.TempDir()
	results := filepath.Join(dir, "decided", "small")
	run := func(repetitions string) {
		t.Helper()
		runs(t, "name: small\nsteps: 2\nproblems: [beale]\nalgorithms: [random]\nrepetitions: "+repetitions, results)
	}
	put := func(name string, data []byte) { check.OK(t, os.WriteFile(filepath.Join(dir, name), data, 0o666)) }
	expect := func(what string, want conform.Verdict, note string) {
		t.Helper()
		r := planned(t, check.Must(new(App).Export(t.Context(), results, filepath.Join(dir, "small.zip"), Archive))(t).Out)
		check.That(t, r.Verdict == want && strings.Contains(r.Note, note) && (note == "") == (r.Check == ""), "%s: %+v", what, r)
	}
	plan := judge.Plan{Format: 1, Study: "popbo-2024", Guarantee: "asymptotic", Alpha: 0.05, Looks: []int{30}, First: 31}

	run("2")
	expect("no plan", "", "")
	put(judge.PlanFile, plan.Bytes())
	expect("a plan after its runs", conform.LeftOut, "2 of 2 runs noted no plan")
	run("3")
	expect("a plan after some of its runs", conform.LeftOut, "2 of 3 runs noted no plan")
	check.OK(t, os.RemoveAll(results))
	run("3")
	expect("a plan before its runs", conform.OK, "3 runs noted the SHA-256 of decide.json")

	plan.Margin = 0.5
	put(judge.PlanFile, plan.Bytes())
	expect("a plan changed after its runs", conform.Failed, "3 of 3 runs noted another SHA-256 than that of decide.json, 0 of them")
	put(judge.PlanFile, []byte(`{"no plan": 1}`))
	expect("no plan in its file", conform.Failed, `decide.json is not a plan: json: unknown field "no plan"`)
	check.OK(t, os.Remove(filepath.Join(dir, judge.PlanFile)))
	expect("no plan any more", conform.LeftOut, "3 of 3 runs noted a plan, which is not in the archive")
}

// The tuning in an archive names the suite's file as its plan, and one that was changed is another.
func TestThePlanOfTuning(t *testing.T) {
	dir := t.TempDir()
	results := filepath.Join(dir, "results")
	text := []byte("name: mine-tuning\nsteps: 2\nrepetitions: 1\nproblems: [beale]\nalgorithms: [random]\n")
	runs(t, string(text), results)
	for name, c := range map[string]struct {
		tuning, suite []byte
		want          conform.Verdict
		note          string
	}{
		"the same": {(&field.Tuning{Format: 1, Suite: "mine-tuning", Plan: digest(text)}).Bytes(), text, conform.OK, "suite.yaml has the SHA-256"},
		"changed": {(&field.Tuning{Format: 1, Suite: "mine-tuning", Plan: digest(text)}).Bytes(), bytes.Replace(text, []byte("steps: 2"), []byte("steps: 3"), 1),
			conform.Failed, "suite.yaml has another SHA-256"},
		"another suite": {(&field.Tuning{Format: 1, Suite: "field-tuning", Plan: digest(text)}).Bytes(), text, conform.LeftOut, "the runs of field-tuning"},
		"no tuning":     {[]byte("?"), text, conform.Failed, "tuning.json is not a tuning"},
		"none in it":    {[]byte(`{"format": 1}`), text, conform.Failed, `not a tuning: its suite is "", its plan ""`},
	} {
		check.OK(t, os.WriteFile(filepath.Join(results, field.TuningFile), c.tuning, 0o666))
		check.OK(t, os.WriteFile(filepath.Join(results, "suite.yaml"), c.suite, 0o666))
		r := planned(t, check.Must(new(App).Export(t.Context(), results, filepath.Join(dir, "x.zip"), Archive))(t).Out)
		check.That(t, r.Verdict == c.want && strings.Contains(r.Note, c.note), "%s: %+v", name, r)
	}
}

// A note names the first damaged files and counts the others.
func TestManyDamagedRecords(t *testing.T) {
	dir := t.TempDir()
	compact := filepath.Join(dir, "compact")
	runs(t, "name: small\nsteps: 2\nrepetitions: 1\nproblems: [beale, branin, bukin6, levy13, eggholder, ackley6]\nalgorithms: [random]\n", filepath.Join(dir, "small"))
	a := new(App)
	check.Must(a.Export(t.Context(), filepath.Join(dir, "small"), compact, Compact))(t)
	for _, file := range check.Must(filepath.Glob(filepath.Join(compact, "records", "[^a]*", "*")))(t) {
		check.OK(t, os.WriteFile(file, []byte("?"), 0o666))
	}
	e := check.Must(a.Export(t.Context(), compact, filepath.Join(dir, "small.zip"), Archive))(t)
	note := ""
	check.OK(t, a.CheckArchive(t.Context(), e.Out, 0, nil, func(r conform.Result) {
		if r.Check == "every record can be read" {
			note = r.Note
		}
	}))
	check.That(t, strings.Count(note, "random.jsonl.gz") == 3 && strings.HasSuffix(note, "; and 2 more; 1 record"), "the note is %q", note)
}

// The provenance of an archive can be read, if there is any: bench status shows it.
func TestDamagedProvenance(t *testing.T) {
	dir, a := t.TempDir(), new(App)
	runs(t, "name: small\nsteps: 2\nrepetitions: 1\nproblems: [beale]\nalgorithms: [random]\n", filepath.Join(dir, "small"))
	compact := filepath.Join(dir, "compact")
	check.Must(a.Export(t.Context(), filepath.Join(dir, "small"), compact, Compact))(t)
	for text, want := range map[string]conform.Verdict{"{": conform.Failed, "": conform.OK} {
		files := map[string][]byte{}
		check.OK(t, fs.WalkDir(os.DirFS(compact), ".", func(name string, e fs.DirEntry, err error) error {
			if err == nil && !e.IsDir() {
				files[name], err = os.ReadFile(filepath.Join(compact, filepath.FromSlash(name)))
			}
			return err
		}))
		if files["run.json"] = []byte(text); text == "" {
			delete(files, "run.json")
		}
		file := filepath.Join(dir, "small.zip")
		check.OK(t, os.WriteFile(file, check.Must(archive.Bytes(files))(t), 0o666))
		check.OK(t, a.CheckArchive(t.Context(), file, 0, nil, func(r conform.Result) {
			if r.Check == "every record can be read" {
				check.That(t, r.Verdict == want && strings.Contains(r.Note, "not the provenance of a run") == (text != ""), "run.json %q: %+v", text, r)
			}
		}))
	}
}

package app

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"popbench/configs"
	"popbench/internal/check"
	"popbench/internal/protocol/conform"
	"popbench/record"
	"popbench/suite"
)

// The variants of a user's suite run on the problems of the plan, and the chosen ones stand in the suite of the field, as
// text that another program reads.
func TestTune(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "mine.yaml")
	check.OK(t, os.WriteFile(file, []byte(`
name: mine
title: "My #1: a method"
repetitions: 2
timeout: 30m
problems: [beale]
algorithms:
  - {name: random, label: Mine, settings: {opponent: last}, variants: [{opponent: incumbent}]}
  - {name: random, label: Other}
`), 0o666))
	own := check.Must(suite.Load(file, suite.Catalogue{}))(t)
	plan := configs.Tuning()
	text := withAlgorithms(plan.Text, "mine-tuning", variants(own))
	planned := check.Must(suite.Parse(file, text, suite.Catalogue{}))(t)
	check.Equal(t, "name and title", planned.Name+" "+planned.Title, "mine-tuning mine-tuning")
	ours := check.Must(suite.Parse(plan.Path, plan.Text, suite.Catalogue{}))(t)
	check.Equal(t, "problems", fmt.Sprint(len(planned.Problems), planned.Steps, planned.Repetitions, planned.Seed),
		fmt.Sprint(len(ours.Problems), ours.Steps, ours.Repetitions, ours.Seed))
	// Fewer and shorter runs show as well what is done with them.
	short := []byte(strings.Replace(strings.Replace(string(text), "repetitions: 4", "repetitions: 2", 1), "steps: 40", "steps: 12", 1))
	out := filepath.Join(dir, "tuning")
	tuned := check.Must((&App{Workers: 2}).tune(t.Context(), job{RunOptions: RunOptions{Suite: file, Out: out}, text: short}))(t)
	check.Equal(t, "methods", fmt.Sprint(len(tuned.Methods), len(tuned.Methods[0].Variants), len(tuned.Methods[1].Variants)), "2 2 1")
	check.Equal(t, "what differs", tuned.Methods[0].Variants[1].Changes, "opponent: incumbent")
	check.Equal(t, "the plan", tuned.Plan, fmt.Sprintf("%x", sha256.Sum256(check.Must(os.ReadFile(filepath.Join(out, "suite.yaml")))(t))))

	tuned.Methods[0].Chosen = 1
	text = onField(own, chosen(own, tuned))
	run := check.Must(suite.Parse(file, text, suite.Catalogue{}))(t)
	check.Equal(t, "what its suite states", fmt.Sprint(run.Name, ", ", run.Title, " ", run.Repetitions, " ", run.Timeout, " ", run.Steps), "mine, My #1: a method 2 30m 80")
	var rows []string
	for _, a := range run.Algorithms {
		rows = append(rows, fmt.Sprint(a.Label, " ", suite.Describe(a.Settings)[0].Default))
	}
	check.Equal(t, "rows", strings.Join(rows, "; "), "Mine last; Mine tuned incumbent; Other last")
	tuned.Methods[0].Chosen = 0
	check.Equal(t, "rows without tuned ones", len(chosen(own, tuned)), 2)
}

// A suite that is made from another has the name that it is given, also if YAML reads that as a number without quotes.
func TestNamesOfMadeSuites(t *testing.T) {
	for _, name := range []string{"mine", "1", "0x1", "1e3", "2026-11-30", "true", "Null", "no"} {
		own := check.Must(suite.Parse("", []byte("name: "+strconv.Quote(name)+"\nproblems: [beale]\nalgorithms: [random]\n"), suite.Catalogue{}))(t)
		for i, text := range [][]byte{template(name), onField(own, own.Algorithms), withAlgorithms(configs.Tuning().Text, name, own.Algorithms)} {
			s, err := suite.Parse("", text, suite.Catalogue{})
			check.That(t, err == nil && s.Name == name, "%s: suite %d: %v", name, i, err)
		}
	}
}

// The page says for every method of the field's plan where its variants are from.
func TestSourcesOfTheVariants(t *testing.T) {
	plan := configs.Tuning()
	from := sources(plan.Text)
	for _, a := range check.Must(suite.Parse(plan.Path, plan.Text, suite.Catalogue{}))(t).Algorithms {
		if a.Of != "" {
			check.That(t, from[a.Of] != "", "no source of the variants of %s", a.Of)
		}
	}
	check.Equal(t, "the same and more", from["EIIG"], strings.TrimSuffix(from["qEUBO"], ".")+", and the weights of the programs of Benavoli et al. and of Fauvel and Chalk.")
	check.Equal(t, "the same", from["Self-sparring"], from["qEUBO"])
}

// A whole tuning ends with a page beside the field, whose records are those of random duels here.
func TestTuneBesideTheField(t *testing.T) {
	check.Sequential(t)
	t.Chdir(t.TempDir())
	random := []suite.Algorithm{{Name: "random", Label: "Random", Settings: map[string]string{"opponent": "incumbent"}}, {Name: "random", Label: "Last", Settings: map[string]string{"opponent": "last"}}}
	text := withAlgorithms(configs.Field().Text, FieldName, random)
	text = withKey(text, "repetitions", "1")
	check.OK(t, os.WriteFile("field.yaml", text, 0o666))
	a := new(App)
	check.OK(t, os.WriteFile("mine.yaml", []byte(`
name: mine
repetitions: 1
problems: [beale]
algorithms:
  - {name: random, label: Mine, settings: {opponent: last}, variants: [{opponent: incumbent}]}
`), 0o666))
	// Without a field to rank them in nothing runs.
	check.Error(t, "no field", check.Err(a.Tune(t.Context(), "mine.yaml", "")), "field: there is no results/field here or in a folder above")
	check.That(t, !exists("results"), "something was run")
	check.Must(a.Run(t.Context(), RunOptions{Suite: "field.yaml", Out: FieldName}))(t)
	tuned := check.Must(a.Tune(t.Context(), "mine.yaml", ""))(t)
	check.Equal(t, "chosen", tuned.Methods[0].Chosen, 1)
	check.Equal(t, "labels", strings.Join(tuned.Field.Mine, ", "), "Mine, Mine tuned")
	page := check.Text(t, filepath.Join("results", "mine", "field", "index.html"))
	check.Contains(t, "page", page, "opponent: incumbent", tuned.Plan, "<h1>Mine and Mine tuned beside the field: ")

	// Without variants there is nothing to tune.
	check.OK(t, os.WriteFile("one.yaml", []byte("name: one\nrepetitions: 1\nproblems: [beale]\nalgorithms: [{name: random, label: One}]\n"), 0o666))
	tuned = check.Must(a.Tune(t.Context(), "one.yaml", ""))(t)
	check.That(t, tuned.Tuning == nil && tuned.Field.Mine[0] == "One" && len(tuned.Field.Groups[0].Runs) == 1, "without variants: %+v", tuned)
	_, err := os.Stat(filepath.Join("results", "one-tuning"))
	check.That(t, errors.Is(err, fs.ErrNotExist), "results of a tuning: %v", err)
	submits(t, a)
}

// submits makes a submission of results/one for the field in the folder field, as its author does, and mistakes in it.
func submits(t *testing.T, a *App) {
	t.Helper()
	theField := filepath.Join("results", FieldName)
	check.Must(a.Export(t.Context(), FieldName, theField, Compact))(t)
	submit := func() (failed []string, notes string) {
		e := check.Must(a.Export(t.Context(), filepath.Join("results", "one"), "", Submission))(t)
		check.Equal(t, "folder", e.Out, filepath.Join("submissions", "one"))
		for _, r := range e.Checks {
			notes += r.Check + ": " + r.Note + "\n"
			if r.Verdict != conform.OK {
				failed = append(failed, r.Check)
			}
		}
		return failed, notes
	}
	failed, notes := submit()
	check.Equal(t, "checks of a new one that fail", strings.Join(failed, "; "), "submission.yaml is complete")
	check.Contains(t, "what is to be filled in", notes, "submission.yaml:2: authors: is empty", "licence", "program", "run")

	check.OK(t, os.WriteFile(filepath.Join("submissions", "one", SubmissionFile),
		[]byte("authors: A. Author\nlicence: CC0-1.0\nprogram: https://example.org/one@v1\nrun: make\n"), 0o666))
	failed, notes = submit()
	check.That(t, failed == nil, "a whole one fails: %s", notes)
	check.Contains(t, "notes", notes, "the authors’ figures", " methods, by oracle: One ")
	check.Must(a.Field(t.Context(), theField, false))(t)
	_, sheet, _ := strings.Cut(check.Text(t, filepath.Join(theField, "table.txt")), "Programs of others\n")
	check.Contains(t, "sheet on the field's page", sheet, "One ", "https://example.org/one@v1", "the authors’ figures")

	stated := filepath.Join("submissions", "one", SubmissionFile)
	whole := check.Text(t, stated)
	check.OK(t, os.WriteFile(stated, []byte(whole+"rerun: {cells: 9999, on: 2026-11-28}\n"), 0o666))
	failed, notes = submit()
	check.Equal(t, "checks of one with more cells run again than it has", strings.Join(failed, "; "), "submission.yaml is complete")
	check.Contains(t, "how many it has", notes, "rerun.cells is 9999, but results.zip has ")
	check.OK(t, os.WriteFile(stated, []byte(whole), 0o666))

	// A second one with the same label would take both from the page.
	one, two := filepath.Join("submissions", "one"), filepath.Join("submissions", "two")
	check.OK(t, os.CopyFS(two, os.DirFS(one)))
	failed, notes = submit()
	check.Equal(t, "checks of one with a label of another that fail", strings.Join(failed, "; "), "no other submission has its labels")
	check.Contains(t, "whose label it is", notes, two+" has the label One too")
	upper := filepath.Join("results", "upper")
	to := check.Must(record.Create(upper))(t)
	check.Must(check.Must(record.Open(filepath.Join("results", "one")))(t).Each(func(r *record.Record, _ *record.Timing) error {
		r.Header.Algorithm.Label = "ONE"
		r.Header.Seal()
		return to.Put(r, nil)
	}))(t)
	to.Close()
	check.Must(a.Export(t.Context(), upper, filepath.Join(two, submissionResults), Archive))(t)
	_, notes = submit()
	check.Contains(t, "a label in upper case", notes, two+" has the label ONE too")
	// The results are a file of the folder.
	file := filepath.Join(two, submissionResults)
	for want, change := range map[string]func() error{
		" has no results.zip":       func() error { return os.Remove(file) },
		"zip is not a regular file": func() error { return os.Symlink(filepath.Join("..", "one", submissionResults), file) },
	} {
		_ = os.Remove(file)
		if err := change(); err != nil && want != " has no results.zip" {
			continue // Windows may forbid links
		}
		err := a.CheckSubmission(t.Context(), two, 0, nil, func(conform.Result) {})
		check.That(t, err != nil && strings.Contains(err.Error(), want) && !strings.Contains(err.Error(), "\n"), "%s: %v", want, err)
	}
}

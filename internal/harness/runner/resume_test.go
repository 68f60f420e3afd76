package runner

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"popbench/internal/harness/suite"
	"popbench/internal/runlog"
)

// ran returns a results folder with the records of the cells.
func ran(t *testing.T, all []suite.Cell) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "results")
	folder, err := runlog.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	if err := Run(t.Context(), all, folder, Options{}); err != nil {
		t.Fatal(err)
	}
	return dir
}

// changed returns cells of one series with a changed header.
func changed(all []suite.Cell, change func(*runlog.Header)) []suite.Cell {
	series := *all[0].Series
	change(&series.Template)
	all = slices.Clone(all)
	for i := range all {
		all[i].Series = &series
	}
	return all
}

func ids(all []suite.Cell) []string {
	var s []string
	for _, c := range all {
		s = append(s, c.ID())
	}
	return s
}

func TestResume(t *testing.T) {
	all := cells(t, 8, 2, hooks{})
	if plan, err := Resume(filepath.Join(t.TempDir(), "none"), all, all, ResumeOptions{}); err != nil || len(plan.Run) != 8 {
		t.Fatalf("without a folder: %v, %+v", err, plan)
	}
	dir := ran(t, all)
	whole := contents(t, filepath.Join(dir, "records"))
	if plan, err := Resume(dir, all, all, ResumeOptions{}); err != nil || len(plan.Keep) != 8 || len(plan.Run)+len(plan.Notes) > 0 {
		t.Fatalf("complete: %v, %+v", err, plan)
	}
	// A part of the suite, and fewer repetitions than the folder has.
	plan, err := Resume(dir, all[:4], all[1:3], ResumeOptions{})
	if err != nil || !slices.Equal(ids(plan.Keep), ids(all[1:3])) {
		t.Fatalf("part: %v, %+v", err, plan)
	}
	if plan.Run != nil || plan.Remove != nil {
		t.Fatalf("part: runs %v and removes %v", ids(plan.Run), plan.Remove)
	}

	record := func(i int) string { return runlog.RecordPath(dir, all[i].ID()) }
	rewrite := func(i int, change func([]byte) []byte) {
		data, err := os.ReadFile(record(i))
		if err == nil {
			err = os.WriteFile(record(i), change(data), 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Remove(record(1)); err != nil {
		t.Fatal(err)
	}
	rewrite(2, func(b []byte) []byte { return b[:len(b)-20] })
	rewrite(3, func(b []byte) []byte { return bytes.Replace(b, []byte(`"t":2`), []byte(`"t":7`), 1) })
	rewrite(4, func(b []byte) []byte { return nil })
	r, err := runlog.ReadFile(record(5))
	if err != nil {
		t.Fatal(err)
	}
	r.Footer = runlog.Footer{Status: runlog.Failed, Error: "time limit"}
	if err := runlog.WriteFile(record(5), r); err != nil {
		t.Fatal(err)
	}
	stray := filepath.Join(dir, "records", "beale", "notes.txt")
	if err := os.WriteFile(stray, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	plan, err = Resume(dir, all, all, ResumeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if want := ids(all[1:6]); !slices.Equal(ids(plan.Run), want) || len(plan.Keep) != 3 {
		t.Errorf("runs %v, want %v", ids(plan.Run), want)
	}
	notes := strings.Join(plan.Notes, "\n")
	for _, want := range []string{record(2) + ":4: ", record(3) + ":3: t = 7", record(4) + ": the file is empty; the cell is run again", stray + ": this is not a record; move"} {
		if !strings.Contains(notes, want) {
			t.Errorf("no note %q in\n%s", want, notes)
		}
	}

	folder, err := runlog.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	if err := Run(t.Context(), plan.Run, folder, Options{}); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(stray); err != nil {
		t.Fatal(err)
	}
	for name, data := range contents(t, filepath.Join(dir, "records")) {
		if data != whole[name] {
			t.Errorf("%s differs from the first run", name)
		}
	}
}

// Complete records with other settings are neither mixed in nor overwritten, except on request.
func TestResumeRefusesToMix(t *testing.T) {
	base := cells(t, 3, 2, hooks{})
	dir := ran(t, base)
	for want, change := range map[string]func(*runlog.Header){
		"suite is test there, other here":             func(h *runlog.Header) { h.Suite = "other" },
		"seed is 1 there, 2 here":                     func(h *runlog.Header) { h.Seed, h.ConfigHash = 2, "01" },
		"steps is 2 there, 9 here":                    func(h *runlog.Header) { h.Budget, h.ConfigHash = 9, "01" },
		"pilot is 0 there, 9 here":                    func(h *runlog.Header) { h.PilotComparisons, h.ConfigHash = 9, "01" },
		"pilot per is problem there, repetition here": func(h *runlog.Header) { h.PilotPer, h.ConfigHash = runlog.PerRepetition, "01" },
		"scale is std there, raw here":                func(h *runlog.Header) { h.Problem.Scale, h.ConfigHash = "raw", "01" },
		"beta.beta0 is 1 there, 2 here": func(h *runlog.Header) {
			h.Algorithm.Settings, h.ConfigHash = []byte(`{"norm_bound":6,"beta":{"beta0":2}}`), "01"
		},
		"norm_bound is 6 there, absent here":  func(h *runlog.Header) { h.Algorithm.Settings, h.ConfigHash = []byte(`{"beta":{"beta0":1}}`), "01" },
		"algorithm is walker there, new here": func(h *runlog.Header) { h.Algorithm.Name, h.ConfigHash = "new", "01" },
		"config hash is 00 there, 01 here":    func(h *runlog.Header) { h.ConfigHash = "01" },
		"beale/walker is not in the suite":    func(h *runlog.Header) { h.Algorithm.Label = "other" },
	} {
		t.Run(want, func(t *testing.T) {
			all := changed(base, change)
			_, err := Resume(dir, all, all, ResumeOptions{})
			for _, want := range []string{want, "3 records", "--out"} {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("error %v\nwant %q", err, want)
				}
			}
			plan, err := Resume(dir, all, all[:1], ResumeOptions{Force: true})
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(plan.Remove, ids(base)) {
				t.Errorf("with force: removes %v, want %v", plan.Remove, ids(base))
			}
			if !slices.Equal(ids(plan.Run), ids(all[:1])) || plan.Keep != nil {
				t.Errorf("with force: runs %v, keeps %v", ids(plan.Run), ids(plan.Keep))
			}
		})
	}
}

// A failed run whose settings have since been corrected has nothing to keep.
func TestResumeReplacesFailuresOfOtherSettings(t *testing.T) {
	all := cells(t, 2, 2, hooks{ask: func(*walker) error { return fmt.Errorf("norm_bound") }})
	dir := ran(t, all)
	mended := changed(all, func(h *runlog.Header) { h.ConfigHash = "01" })
	plan, err := Resume(dir, mended, mended, ResumeOptions{})
	if err != nil || len(plan.Run) != 2 {
		t.Errorf("%v, %+v", err, plan)
	}
}

// Records by two programs are mixed only on request.
func TestResumeRefusesOtherPrograms(t *testing.T) {
	all := cells(t, 3, 2, hooks{})
	dir := ran(t, all)
	for i := range 2 {
		r, err := runlog.ReadFile(runlog.RecordPath(dir, all[i].ID()))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Go = "go0.1"
		if err := runlog.WriteFile(runlog.RecordPath(dir, all[i].ID()), r); err != nil {
			t.Fatal(err)
		}
	}
	// Nothing is added to the records.
	plan, err := Resume(dir, all, all, ResumeOptions{})
	if err != nil || len(plan.Keep) != 3 {
		t.Fatalf("complete: %v, %+v", err, plan)
	}
	if len(plan.Notes) != 1 || !strings.Contains(plan.Notes[0], "kept 2 records by") {
		t.Errorf("complete: notes %q", plan.Notes)
	}
	if err := os.Remove(runlog.RecordPath(dir, all[2].ID())); err != nil {
		t.Fatal(err)
	}
	_, err = Resume(dir, all, all, ResumeOptions{})
	if err == nil || !strings.Contains(err.Error(), "2 records by") || !strings.Contains(err.Error(), "--allow-mixture") {
		t.Errorf("error %v", err)
	}
	// It is also a mixture if the old records are not among the chosen cells, or if
	// only some of them are run again.
	for name, chosen := range map[string][]suite.Cell{"others": all[2:], "some": all[1:]} {
		t.Run(name, func(t *testing.T) {
			if _, err := Resume(dir, all, chosen, ResumeOptions{Force: name == "some"}); err == nil || !strings.Contains(err.Error(), "by popbench") {
				t.Errorf("%s: error %v", name, err)
			}
		})
	}
	plan, err = Resume(dir, all, all, ResumeOptions{Mix: true})
	if err != nil {
		t.Fatal(err)
	}
	if len(plan.Keep) != 2 || len(plan.Run) != 1 {
		t.Errorf("with Mix: keeps %v, runs %v", ids(plan.Keep), ids(plan.Run))
	}
	if len(plan.Notes) != 1 {
		t.Errorf("with Mix: notes %q", plan.Notes)
	}
	if plan, err := Resume(dir, all, all, ResumeOptions{Force: true}); err != nil || len(plan.Run) != 3 || plan.Notes != nil {
		t.Errorf("with force: %v, %+v", err, plan)
	}
}

// The list of a folder has all cells that commands chose. Unfinished cells of a command stay on it
// if the next command chooses fewer.
func TestResumeJoinsLists(t *testing.T) {
	all := cells(t, 6, 2, hooks{})
	dir := filepath.Join(t.TempDir(), "results")
	folder, err := runlog.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	step := func(chosen, run []suite.Cell, o ResumeOptions, want string) {
		t.Helper()
		plan, err := Resume(dir, all, chosen, o)
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(plan.List.Chosen); got != want {
			t.Errorf("list %s, want %s", got, want)
		}
		if err := folder.PutList(plan.List, nil); err != nil {
			t.Fatal(err)
		}
		if err := Run(t.Context(), run, folder, Options{}); err != nil {
			t.Fatal(err)
		}
	}
	step(all[:4], all[1:2], ResumeOptions{}, "[beale/walker 000-003]") // stopped after one
	step(all[5:], all[5:], ResumeOptions{}, "[beale/walker 000-003, 005]")
	c, err := (&runlog.Reader{Dir: dir}).Each(func(*runlog.Record, *runlog.Timing) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	if c.List, err = runlog.ReadList(dir); err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(c.Missing()) != "[beale/walker 000, 002-003]" {
		t.Errorf("missing %v", c.Missing())
	}
	if plan, err := Resume(dir, all, all[5:], ResumeOptions{}); err != nil || !reflect.DeepEqual(plan.List.Chosen, c.List.Chosen) {
		t.Errorf("%v; the list has changed: %+v", err, plan.List)
	}
	// A new list, with the existing records.
	step(all[4:5], nil, ResumeOptions{Force: true}, "[beale/walker 001, 004-005]")
	// Another suite's cells are not missing.
	other := changed(all, func(h *runlog.Header) { h.Algorithm.Label = "other" })
	plan, err := Resume(dir, other, other[:1], ResumeOptions{Force: true})
	if err != nil || fmt.Sprint(plan.List.Chosen) != "[beale/other 000]" {
		t.Errorf("%v, %v", err, plan)
	}
}

// A damaged cells.json does not say what was chosen before. Missing cells must not be forgotten
// because of it.
func TestResumeWithDamagedList(t *testing.T) {
	all := cells(t, 6, 2, hooks{})
	dir := ran(t, all[:2]) // of which more were chosen
	if err := os.WriteFile(filepath.Join(dir, "cells.json"), []byte("{"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		o    ResumeOptions
		want string
	}{
		{ResumeOptions{Whole: all[:5]}, "[beale/walker 000-004]"},
		{ResumeOptions{Whole: all[:5], Force: true}, "[beale/walker 000-001]"},
	} {
		t.Run(c.want, func(t *testing.T) {
			plan, err := Resume(dir, all, all[1:2], c.o)
			if err != nil || fmt.Sprint(plan.List.Chosen) != c.want {
				t.Fatalf("%+v, %v; want %s", plan, err, c.want)
			}
			if len(plan.Notes) != 1 {
				t.Errorf("notes %q", plan.Notes)
			}
		})
	}
}

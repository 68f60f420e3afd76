package runner

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"popbench/internal/runlog"
	"popbench/internal/suite"
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

// changed returns the cells with changed headers.
func changed(all []suite.Cell, change func(*runlog.Header)) []suite.Cell {
	all = slices.Clone(all)
	for i := range all {
		change(&all[i].Header)
		h, start := &all[i].Header, all[i].Start
		h.Seal()
		all[i].Start = func() (*suite.Trial, error) {
			trial, err := start()
			if err == nil {
				trial.Header.Suite, trial.Header.Seed, trial.Header.Steps, trial.Header.Pilot = h.Suite, h.Seed, h.Steps, h.Pilot
				trial.Header.Algorithm, trial.Header.ConfigHash, trial.Header.Problem.Scale = h.Algorithm, h.ConfigHash, h.Problem.Scale
				trial.Header.Seal()
			}
			return trial, err
		}
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
	if plan, err := Resume(filepath.Join(t.TempDir(), "none"), all, all, false); err != nil || len(plan.Run) != 8 {
		t.Fatalf("without a folder: %v, %+v", err, plan)
	}
	dir := ran(t, all)
	whole := contents(t, filepath.Join(dir, "records"))
	if plan, err := Resume(dir, all, all, false); err != nil || len(plan.Keep) != 8 || len(plan.Run)+len(plan.Notes) > 0 {
		t.Fatalf("complete: %v, %+v", err, plan)
	}
	// A part of the suite, and fewer repetitions than there are.
	if plan, err := Resume(dir, all[:4], all[1:3], false); err != nil || !slices.Equal(ids(plan.Keep), ids(all[1:3])) || plan.Run != nil || plan.Remove != nil {
		t.Fatalf("part: %v, %+v", err, plan)
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
	plan, err := Resume(dir, all, all, false)
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

// Complete records of other settings are neither mixed in nor overwritten,
// unless that is asked for.
func TestResumeRefusesToMix(t *testing.T) {
	base := cells(t, 3, 2, hooks{})
	dir := ran(t, base)
	for want, change := range map[string]func(*runlog.Header){
		"suite is test there, other here": func(h *runlog.Header) { h.Suite = "other" },
		"seed is 1 there, 2 here":         func(h *runlog.Header) { h.Seed, h.ConfigHash = 2, "01" },
		"steps is 2 there, 9 here":        func(h *runlog.Header) { h.Steps, h.ConfigHash = 9, "01" },
		"pilot is 0 there, 9 here":        func(h *runlog.Header) { h.Pilot, h.ConfigHash = 9, "01" },
		"scale is std there, raw here":    func(h *runlog.Header) { h.Problem.Scale, h.ConfigHash = "raw", "01" },
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
			_, err := Resume(dir, all, all, false)
			if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "3 records") || !strings.Contains(err.Error(), "--out") {
				t.Fatalf("error %v\nwant %q", err, want)
			}
			plan, err := Resume(dir, all, all[:1], true)
			if err != nil || !slices.Equal(plan.Remove, ids(base)) || !slices.Equal(ids(plan.Run), ids(all[:1])) || plan.Keep != nil {
				t.Errorf("with force: %v, %+v", err, plan)
			}
		})
	}
}

// A failed run with settings that have been mended since holds nothing to keep.
func TestResumeReplacesFailuresOfOtherSettings(t *testing.T) {
	all := cells(t, 2, 2, hooks{ask: func(*walker) error { return fmt.Errorf("norm_bound") }})
	dir := ran(t, all)
	mended := changed(all, func(h *runlog.Header) { h.ConfigHash = "01" })
	plan, err := Resume(dir, mended, mended, false)
	if err != nil || len(plan.Run) != 2 {
		t.Errorf("%v, %+v", err, plan)
	}
}

func TestResumeTellsOfOtherVersions(t *testing.T) {
	all := cells(t, 3, 2, hooks{})
	dir := ran(t, all)
	r, err := runlog.ReadFile(runlog.RecordPath(dir, all[1].ID()))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Version = "0.0.1"
	if err := runlog.WriteFile(runlog.RecordPath(dir, all[1].ID()), r); err != nil {
		t.Fatal(err)
	}
	plan, err := Resume(dir, all, all, false)
	if err != nil || len(plan.Keep) != 3 || len(plan.Notes) != 1 || !strings.Contains(plan.Notes[0], "1 kept record made by popbench 0.0.1 with go") {
		t.Errorf("%v, %+v", err, plan)
	}
	if plan, err = Resume(dir, all, all, true); err != nil || len(plan.Run) != 3 || plan.Notes != nil {
		t.Errorf("with force: %v, %+v", err, plan)
	}
}

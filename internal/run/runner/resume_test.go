package runner

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/record"
	"popbench/suite"
)

// ran returns a results folder with the records of the cells.
func ran(t *testing.T, all []suite.Cell) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "results")
	folder := check.Must(record.Create(dir))(t)
	defer folder.Close()
	check.OK(t, Run(t.Context(), all, folder.Put, Options{}))
	return dir
}

// changed returns cells of one series with a changed header.
func changed(all []suite.Cell, change func(*record.Header)) []suite.Cell {
	series := *all[0].Series
	change(&series.Template)
	all = slices.Clone(all)
	for i := range all {
		all[i].Series = &series
	}
	return all
}

func resume(t *testing.T, dir string, all, chosen []suite.Cell, o ResumeOptions) *Plan {
	t.Helper()
	return check.Must(Resume(dir, all, chosen, o))(t)
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
	check.Equal(t, "runs without a folder", len(resume(t, filepath.Join(t.TempDir(), "none"), all, all, ResumeOptions{}).Run), 8)
	dir := ran(t, all)
	whole := check.Files(t, filepath.Join(dir, "records"))
	check.Equal(t, "when complete", counts(resume(t, dir, all, all, ResumeOptions{})), "8 kept, 0 run, 0 notes")
	// A part of the suite, and fewer repetitions than the folder has.
	plan := resume(t, dir, all[:4], all[1:3], ResumeOptions{})
	check.Same(t, "kept of a part", ids(plan.Keep), ids(all[1:3]))
	check.Same(t, "chosen", ids(check.Must(Choose(all, "b*/*/003"))(t)), ids(all[3:4]))
	check.Equal(t, "run and removed of a part", len(plan.Run)+len(plan.Remove), 0)

	path := func(i int) string { return record.RecordPath(dir, all[i].ID()) }
	rewrite := func(i int, change func([]byte) []byte) {
		check.OK(t, os.WriteFile(path(i), change(check.Must(os.ReadFile(path(i)))(t)), 0o666))
	}
	check.OK(t, os.Remove(path(1)))
	rewrite(2, func(b []byte) []byte { return b[:len(b)-20] })
	rewrite(3, func(b []byte) []byte { return bytes.Replace(b, []byte(`"t":2`), []byte(`"t":7`), 1) })
	rewrite(4, func(b []byte) []byte { return nil })
	r := check.Must(record.ReadFile(path(5)))(t)
	r.Footer = record.Footer{Status: record.Failed, Error: "time limit"}
	check.OK(t, record.WriteFile(path(5), r))
	stray := filepath.Join(dir, "records", "beale", "notes.txt")
	check.OK(t, os.WriteFile(stray, nil, 0o666))
	plan = resume(t, dir, all, all, ResumeOptions{})
	check.Same(t, "runs", ids(plan.Run), ids(all[1:6]))
	check.Equal(t, "kept", len(plan.Keep), 3)
	check.Contains(t, "notes", strings.Join(plan.Notes, "\n"), path(2)+":4: ", path(3)+":3: t = 7",
		path(4)+": the file is empty; the cell is run again", stray+": this is not a record; move")

	folder := check.Must(record.Create(dir))(t)
	defer folder.Close()
	check.OK(t, Run(t.Context(), plan.Run, folder.Put, Options{}))
	check.OK(t, os.Remove(stray))
	check.Same(t, "records", check.Files(t, filepath.Join(dir, "records")), whole)
}

func counts(p *Plan) string {
	return fmt.Sprintf("%d kept, %d run, %d notes", len(p.Keep), len(p.Run), len(p.Notes))
}

// Complete records with other settings are neither mixed in nor overwritten, except on request.
func TestResumeRefusesToMix(t *testing.T) {
	program := func(change func(*record.Program)) func(h *record.Header) {
		return func(h *record.Header) {
			p := record.Program{Command: []string{"python3", "a.py"}, Threads: 1, Files: []record.ProgramFile{{Path: "a.py", SHA256: strings.Repeat("0", 64)}}}
			change(&p)
			h.Algorithm.Program = &p
		}
	}
	base := changed(cells(t, 3, 2, hooks{}), program(func(*record.Program) {}))
	dir := ran(t, base)
	for want, change := range map[string]func(*record.Header){
		"suite is test there, other here":             func(h *record.Header) { h.Suite = "other" },
		"seed is 1 there, 2 here":                     func(h *record.Header) { h.Seed = 2 },
		"steps is 2 there, 9 here":                    func(h *record.Header) { h.Budget = 9 },
		"pilot is 0 there, 9 here":                    func(h *record.Header) { h.PilotComparisons = 9 },
		"pilot per is problem there, repetition here": func(h *record.Header) { h.PilotPer = record.PerRepetition },
		"scale is std there, raw here":                func(h *record.Header) { h.Problem.Scale = "raw" },
		"beta.beta0 is 1 there, 2 here":               func(h *record.Header) { h.Algorithm.Settings = []byte(`{"norm_bound":6,"beta":{"beta0":2}}`) },
		"norm_bound is 6 there, absent here":          func(h *record.Header) { h.Algorithm.Settings = []byte(`{"beta":{"beta0":1}}`) },
		"algorithm is walker there, new here":         func(h *record.Header) { h.Algorithm.Name = "new" },
		"there, probit with scale 2 here":             func(h *record.Header) { h.Oracle = &record.Oracle{Model: "probit", Scale: 2} },
		"first_duels is 0 there, 3 here":              func(h *record.Header) { h.FirstDuels = 3 },
		"disclose is none there, kernel here":         func(h *record.Header) { h.Algorithm.Disclosed = record.DisclosedKernel },
		"snapshots is null there, [2] here":           func(h *record.Header) { h.Snapshots = []int{2} },
		`held_out is null there, {"duels":9,"points"`: func(h *record.Header) { h.HeldOut = &record.HeldOutPlan{Duels: 9, Points: 5} },
		"SHA-256 of the arms is none there, ff here":  func(h *record.Header) { h.Problem.Arms = &record.Arms{SHA256: "ff"} },

		`command is ["python3" "a.py"] there, ["python3"] here`: program(func(p *record.Program) { p.Command = p.Command[:1] }),
		"a.py changed, so it is another program":                program(func(p *record.Program) { p.Files[0].SHA256 = strings.Repeat("1", 64) }),
		"there is no a.py in the suite file's folder":           program(func(p *record.Program) { p.Files = nil }),
		"threads is 1 there, 2 here":                            program(func(p *record.Program) { p.Threads = 2 }),
		"config hash is 00 there, 01 here":                      func(h *record.Header) {},
		"beale/walker is not in the suite":                      func(h *record.Header) { h.Algorithm.Label = "other" },
	} {
		all := changed(base, func(h *record.Header) {
			if change(h); h.Suite == "test" && h.Algorithm.Label == "walker" {
				h.ConfigHash = "01"
			}
		})
		check.Error(t, want, check.Err(Resume(dir, all, all, ResumeOptions{})), want, "3 records", "--out")
		plan := resume(t, dir, all, all[:1], ResumeOptions{Force: true})
		check.Same(t, want+": removed with force", plan.Remove, ids(base))
		check.Same(t, want+": run with force", ids(plan.Run), ids(all[:1]))
		check.Equal(t, want+": kept with force", len(plan.Keep), 0)
	}
	// A failed run whose settings have since been corrected has nothing to keep.
	failing := cells(t, 2, 2, hooks{ask: func(*walker) error { return errors.New("norm_bound") }})
	dir = ran(t, failing)
	mended := changed(failing, func(h *record.Header) { h.ConfigHash = "01" })
	check.Equal(t, "runs", len(resume(t, dir, mended, mended, ResumeOptions{}).Run), 2)
}

// A pattern names problems and labels as the suite does, or as the records are called.
func TestChoosePlainNames(t *testing.T) {
	all := changed(cells(t, 2, 2, hooks{}), func(h *record.Header) { h.Algorithm.Label = "Random + local (é)" })
	for _, only := range []string{"*/Random + local (é)/001", "beale/Random ? local*/001", "*/Random%20+%20local*/001"} {
		check.Same(t, only, ids(check.Must(Choose(all, only))(t)), ids(all[1:]))
	}
}

// The list of a folder has all cells that commands chose. Unfinished cells of a command stay on it
// if the next command chooses fewer.
func TestResumeJoinsLists(t *testing.T) {
	all := cells(t, 6, 2, hooks{})
	dir := filepath.Join(t.TempDir(), "results")
	folder := check.Must(record.Create(dir))(t)
	defer folder.Close()
	step := func(chosen, run []suite.Cell, o ResumeOptions, want string) {
		t.Helper()
		plan := resume(t, dir, all, chosen, o)
		check.Equal(t, "list", fmt.Sprint(plan.List.Chosen), want)
		check.OK(t, folder.PutList(plan.List, nil))
		check.OK(t, Run(t.Context(), run, folder.Put, Options{}))
	}
	step(all[:4], all[1:2], ResumeOptions{}, "[beale/walker 000-003]") // stopped after one
	step(all[5:], all[5:], ResumeOptions{}, "[beale/walker 000-003, 005]")
	c := check.Must((&record.Reader{Dir: dir}).Each(func(*record.Record, *record.Timing) error { return nil }))(t)
	c.List = check.Must(record.ReadList(dir))(t)
	check.Equal(t, "missing", fmt.Sprint(c.Missing()), "[beale/walker 000, 002-003]")
	check.Same(t, "list", resume(t, dir, all, all[5:], ResumeOptions{}).List.Chosen, c.List.Chosen)
	// A new list, with the existing records.
	step(all[4:5], nil, ResumeOptions{Force: true}, "[beale/walker 001, 004-005]")
	// Another suite's cells are not missing.
	other := changed(all, func(h *record.Header) { h.Algorithm.Label = "other" })
	check.Equal(t, "list", fmt.Sprint(resume(t, dir, other, other[:1], ResumeOptions{Force: true}).List.Chosen), "[beale/other 000]")
	// A choice of cells that run again forgets none of the others.
	check.OK(t, folder.PutList(record.List{Chosen: []record.Part{{Group: "beale/walker", Repetitions: record.Repetitions{{0, 5}}}}}, nil))
	step(all[4:5], nil, ResumeOptions{Force: true, Part: true}, "[beale/walker 000-005]")
}

// A choice of cells that run again removes no record of another cell.
func TestResumePart(t *testing.T) {
	all := cells(t, 3, 2, hooks{})
	dir := ran(t, all)
	mended := changed(all, func(h *record.Header) { h.Budget, h.ConfigHash = 9, "01" })
	part := ResumeOptions{Force: true, Part: true}
	check.Error(t, "a part", check.Err(Resume(dir, mended, mended[1:2], part)), "2 records", "that were not chosen (beale/walker/000: steps is 2")
	plan := resume(t, dir, mended, mended, part)
	check.Same(t, "removed", plan.Remove, ids(all))
	check.Equal(t, "all", counts(plan), "0 kept, 3 run, 0 notes")
	part.Part = false
	check.Contains(t, "the note", strings.Join(resume(t, dir, mended, mended[1:2], part).Notes, "\n"), "--force removes 2 records that no cell")
}

// A damaged cells.json does not say what was chosen before. Missing cells must not be forgotten
// because of it.
func TestResumeWithDamagedList(t *testing.T) {
	all := cells(t, 6, 2, hooks{})
	dir := ran(t, all[:2]) // of which more were chosen
	check.OK(t, os.WriteFile(filepath.Join(dir, "cells.json"), []byte("{"), 0o666))
	for force, want := range map[bool]string{false: "[beale/walker 000-004]", true: "[beale/walker 000-001]"} {
		plan := resume(t, dir, all, all[1:2], ResumeOptions{Whole: all[:5], Force: force})
		check.Equal(t, "list", fmt.Sprint(plan.List.Chosen), want)
		check.Equal(t, "notes", len(plan.Notes), 1)
	}
}

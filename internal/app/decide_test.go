package app

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/internal/judge"
	"popbench/internal/protocol/conform"
	"popbench/internal/views/report/reporttest"
)

// decidable makes thirty runs of a suite with the names of the paper's, with random search for a rival, and returns the
// folder of the study.
func decidable(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	suite := check.Temporary(t, "ackley.yaml", `
name: paper-ackley-6d
steps: 3
repetitions: 30
problems: [ackley6]
algorithms:
  - {name: popbo, label: POP-BO}
  - {name: random, label: qEUBO}
  - {name: random, label: "POP-BO, beta0 = 0.1"}
`)
	seed := uint64(2)
	check.Must((&App{Workers: 2}).Run(t.Context(), RunOptions{Suite: suite, Master: &seed, Out: filepath.Join(dir, "paper-ackley-6d")}))(t)
	return dir
}

// claimsFile is what claims.json says of a plan.
type claimsFile struct {
	Plan struct {
		SHA256   string
		Replaces []string
	}
	Claims []struct {
		ID, Verdict string
		Parts       []struct {
			Runs    int
			Decided *struct {
				Look   int
				Reason string
			}
		}
	}
}

func readClaims(t *testing.T, dir string) (file claimsFile, text string) {
	t.Helper()
	data := check.Must(os.ReadFile(filepath.Join(dir, "claims.json")))(t)
	check.OK(t, json.Unmarshal(data, &file))
	return file, string(data)
}

// Deciding writes a plan first, runs what open claims need, and gives the same verdicts after an interruption and when
// claims are only checked. A plan is never changed in silence.
func TestDecide(t *testing.T) {
	dir := decidable(t)
	a, events := watched()
	decide := func(change func(*DecideOptions)) (*OfPaper, error) {
		d := DecideOptions{Terms: judge.DefaultTerms()}
		if change != nil {
			d.Given = true
			change(&d)
		}
		*events = nil
		v, err := a.Verify(t.Context(), VerifyOptions{Dir: dir, Out: dir, Decide: &d})
		if err != nil {
			return nil, err
		}
		return v.Each[0], nil
	}
	sixty := func(d *DecideOptions) { d.Terms.MaxRuns = 60 }
	dry := check.Must(decide(func(d *DecideOptions) { sixty(d); d.DryRun = true }))(t).Planned
	check.Equal(t, "looks", len(dry.Plan.Looks), 2)
	check.Contains(t, "commands", strings.Join(dry.Commands, "\n"), "--seeds 31-60 --only ackley6/POP-BO", filepath.Join("decided", "paper-ackley-6d"))
	check.That(t, check.Err(os.Stat(filepath.Join(dir, "decide.json"))) != nil, "a dry run wrote the plan")

	told := func() (text string) {
		for _, e := range *events {
			switch e := e.(type) {
			case Doing:
				text += e.Text + "\n"
			case Note:
				text += "note: " + e.Text + "\n"
			}
		}
		return text
	}
	check.Must(decide(sixty))(t)
	plan := check.Text(t, filepath.Join(dir, "decide.json"))
	first, text := readClaims(t, dir)
	check.Contains(t, "told", told(), "looks after 30 and 60 fresh runs", "look 1 of 2, after 30 fresh runs\n", "look 2 of 2, after 60 fresh runs\n", first.Plan.SHA256[:12])
	check.Equal(t, "cells of the first look", of[Begun](*events)[0].Run, 60)
	check.Contains(t, "the plan", plan, `"seed": 2`)
	decided := filepath.Join(dir, "decided", "paper-ackley-6d")
	fresh := check.Must(reporttest.ReadDir(decided))(t)
	for _, r := range fresh.Records {
		h := r.Header
		check.That(t, h.Seed == 2 && !strings.Contains(h.Algorithm.Label, "beta0") && h.Repetition >= 30, "%s was run with seed %d", h.Cell, h.Seed)
	}
	check.Equal(t, "fresh runs", len(fresh.Records), 120) // some claim is open after thirty runs of its two methods
	for _, c := range first.Claims {
		for _, part := range c.Parts {
			check.That(t, (part.Decided != nil) == strings.HasPrefix(c.ID, "ack") && (part.Decided == nil || part.Runs == 30*part.Decided.Look), "%s: %+v", c.ID, part)
		}
	}
	status := func() *Status { return check.Must(a.Status(dir))(t) }
	check.Equal(t, "plan", status().Plan, filepath.Join(dir, "decide.json"))
	check.Equal(t, "decided", status().Decided, true)
	if testing.Short() {
		return // what follows does the same side by side
	}

	archived := func() conform.Result {
		t.Helper()
		return planned(t, check.Must(a.Export(t.Context(), decided, filepath.Join(dir, "decided.zip"), Archive))(t).Out)
	}
	check.Equal(t, "a plan before its runs", archived(), conform.Result{Check: "the plan is older than its runs", Verdict: conform.OK,
		Note: "120 runs noted the SHA-256 of decide.json before they began"})

	lost := check.Must(filepath.Glob(filepath.Join(decided, "records", "*", "*", "*7.jsonl")))(t)
	check.Equal(t, "records that are lost", len(lost), 12)
	for _, path := range lost {
		check.OK(t, os.Remove(path))
	}
	only := VerifyOptions{Dir: dir, Out: dir}
	check.Must(a.Verify(t.Context(), only))(t)
	check.Equal(t, "decided after an interruption", status().Decided, false)
	check.OK(t, os.WriteFile(filepath.Join(dir, "index.html"), nil, 0o666))
	check.Must(decide(nil))(t)
	check.Contains(t, "told", told(), "has the verdicts of before; ", "report "+dir)
	again := check.Must(reporttest.ReadDir(decided))(t)
	check.Equal(t, "runs after an interruption", len(again.Records), len(fresh.Records))
	for i, r := range again.Records {
		check.Same(t, r.Header.Cell, r, fresh.Records[i])
	}
	_, now := readClaims(t, dir)
	check.Equal(t, "verdicts after an interruption", now, text)
	check.Must(a.Verify(t.Context(), only))(t)
	_, now = readClaims(t, dir)
	check.Equal(t, "verdicts when claims are only checked", now, text)

	wider := func(d *DecideOptions) { sixty(d); d.Terms.Margin = 0.5 }
	check.Error(t, "other terms", check.Err(decide(wider)), "margin is 0.067, not 0.5", "--replan")
	check.Must(decide(func(d *DecideOptions) { wider(d); d.Replan = true }))(t)
	second, _ := readClaims(t, dir)
	check.That(t, len(second.Plan.Replaces) == 1 && second.Plan.Replaces[0] == first.Plan.SHA256 && second.Plan.SHA256 != first.Plan.SHA256,
		"after another plan: %+v", second.Plan)
	check.Equal(t, "runs of a plan that was replaced", archived().Verdict, conform.Failed)
	check.Contains(t, "the note", archived().Note, "120 of 120 runs noted another", "120 of them that of a plan that it replaces")

	check.OK(t, os.WriteFile(filepath.Join(dir, "decide.json"), []byte(strings.Replace(plan, `"alpha": 0.05`, `"alpha":  0.05`, 1)), 0o666))
	check.Error(t, "an edited plan", check.Err(a.Verify(t.Context(), only)), "decide.json", "was edited")
	check.That(t, archived().Verdict == conform.Failed && strings.Contains(archived().Note, "was edited"), "an edited plan: %+v", archived())
}

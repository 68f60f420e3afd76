package runlog

import (
	"bytes"
	"errors"
	"path/filepath"
	"strings"
	"testing"
)

// Keys, names and kinds of every method's records of format 1.
func TestReadFormat1(t *testing.T) {
	r, err := ReadDir(filepath.Join("testdata", "format1"))
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Records) != 12 || len(r.Issues) != 0 {
		t.Fatalf("%d records, issues %v", len(r.Records), r.Issues)
	}
	names := map[string]string{
		"popbo":  "beta state, norm_bound state, log_likelihood state, optimistic_advantage state, duality_gap certificate, solves work, newton work, retries work, failures work, lengthscale_1 state",
		"qeubo":  "acquisition state, log_posterior state, fit_gradient certificate, solves work, newton work, evaluations work, failures work, variance state, lengthscale_1 state",
		"sgp":    "acquisition state, evaluations work, climbs work, unfinished_climbs certificate, moves work, bounces work, refused_moves certificate, fit_evaluations work, fit_failures work, lengthscale_1 state",
		"dts":    "log_evidence state, residual certificate, soft_copeland_score state, duel_variance state, features state, posteriors work, newton work, failures work, variance state, lengthscale_1 state",
		"gpucb":  "value_observation state, beta state, posterior_mean state, posterior_sd state, evaluations work, fit_evaluations work, failures work, variance state, lengthscale_1 state",
		"random": "",
	}
	for _, rec := range r.Records {
		a := &rec.Header.Algorithm
		var got []string
		for _, m := range a.Metrics {
			got = append(got, m.Name+" "+string(m.Kind))
		}
		if got := strings.Join(got, ", "); got != names[a.Name] {
			t.Errorf("metrics of %s: %s", a.Name, got)
		}
		feedback, disclosed := Comparisons, DisclosedKernel
		switch a.Name {
		case "gpucb":
			feedback = Values
		case "popbo":
			disclosed = DisclosedKernelAndNorm
		case "random":
			disclosed = DisclosedNone
		}
		if a.Feedback != feedback || a.Disclosed != disclosed {
			t.Errorf("%s: feedback %s, disclosed %s, want %s and %s", a.Name, a.Feedback, a.Disclosed, feedback, disclosed)
		}
		if a.InForce != nil {
			t.Errorf("%s: in force %v, which format 1 does not tell", a.Name, a.InForce)
		}
		if bytes.Contains(a.Settings, []byte("grant")) {
			t.Errorf("%s: settings %s", a.Name, a.Settings)
		}
		s := &rec.Steps[19]
		if rec.Header.Budget != 20 {
			t.Errorf("%s: budget %d, want 20", rec.Header.Cell, rec.Header.Budget)
		}
		if s.TrueLogLikelihood >= 0 {
			t.Errorf("%s: log-likelihood %g", rec.Header.Cell, s.TrueLogLikelihood)
		}
		if len(s.Utility) != 2 || s.Recommendations[0].Utility == 0 {
			t.Errorf("%s: utility %g, recommendation %+v", rec.Header.Cell, s.Utility, s.Recommendations[0])
		}
		if _, err := Encode(rec); err == nil || !strings.Contains(err.Error(), "format is 1, this program writes 2") {
			t.Errorf("written: %v", err)
		}
	}
}

// Format 1 is read as strictly as format 2, and no file has keys of both.
func TestFormat1Refuses(t *testing.T) {
	data, err := Encode(example(t))
	if err != nil {
		t.Fatal(err)
	}
	mixed := bytes.Replace(data, []byte(`"format":2`), []byte(`"format":1`), 1)
	if _, err := Decode("x", mixed); err == nil || !strings.Contains(err.Error(), "the line does not decode") {
		t.Errorf("keys of format 2: %v", err)
	}
	name := filepath.Join("testdata", "format1", "records", "gp1", "POP-BO", "000.jsonl")
	rec, err := ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	rec.Header.Format = Format
	rec.Header.Algorithm.Metrics[0].Kind = "loud"
	var issue *Issue
	if _, err := Encode(rec); err == nil || errors.As(err, &issue) || !strings.Contains(err.Error(), `metric "beta" is of kind "loud"`) {
		t.Errorf("an unknown kind: %v", err)
	}
}

// Records of two formats are a mixture.
func TestMixtureOfFormats(t *testing.T) {
	m := newMixtures()
	old, now := example(t).Header, example(t).Header
	old.Format = format1
	m.add(&old)
	m.add(&now)
	if all := m.issues("d"); len(all) != 1 || all[0].Mixture != "format" || !strings.Contains(all[0].What, "record format 1 (1, first") {
		t.Errorf("issues %+v", all)
	}
}

// A cell whose program failed before it said what it is belongs to no other program, nor to a problem with another box.
func TestNoMixtureOfFailures(t *testing.T) {
	m := newMixtures()
	good, early := example(t).Header, example(t).Header
	good.Algorithm.Program = &Program{Command: []string{"a"}, Name: "A", Version: "1"}
	good.Problem.Program = &Program{Command: []string{"p"}, Name: "P"}
	early.Algorithm.Program, early.Problem.Program = &Program{Command: []string{"a"}}, &Program{Command: []string{"p"}}
	early.Problem.Lo, early.Problem.Hi = nil, nil
	m.add(&good)
	m.add(&early)
	if all := m.issues("d"); len(all) != 0 {
		t.Errorf("issues %+v", all)
	}
	other := good
	other.Algorithm.Program = &Program{Command: []string{"a"}, Name: "A", Version: "2"}
	m.add(&other)
	if all := m.issues("d"); len(all) != 1 || all[0].Mixture != "external program" {
		t.Errorf("issues %+v", all)
	}
}

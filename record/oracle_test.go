package record

import (
	"encoding/json"
	"testing"

	"popbench/internal/check"
)

// ties returns the example with an oracle that has ties; its second step is one.
func ties(t *testing.T) *Record {
	r := example(t)
	r.Header.Oracle = &Oracle{Model: "probit", Scale: 0.5, JND: 0.1, Ties: "latent"}
	r.Steps[1].Winner, r.Steps[1].Tie = 0, true
	return r
}

// calibrated returns the example with a computed scale.
func calibrated(t *testing.T) *Record {
	r := example(t)
	r.Header.Oracle = &Oracle{Model: "logistic", Scale: 0.25, Calibration: &Calibration{
		ErrorRate: 0.2, On: "top-1%", Status: Converged, Bracket: &ScaleRange{0.2, 0.3}, Points: 1000, Top: 10, Pairs: 45, Exact: true, Iterations: 40,
	}}
	return r
}

// Below each oracle stands what a report calls it.
func TestOracleKind(t *testing.T) {
	check.GoldenLines(t, "kinds.golden", func(line string) string {
		var o *Oracle
		check.OK(t, json.Unmarshal([]byte(line), &o))
		return o.Kind()
	})
}

func TestOracleRefusals(t *testing.T) {
	rate := 0.51
	for want, change := range map[string]func(r *Record){
		`oracle: model is "cauchy"`:           func(r *Record) { r.Header.Oracle.Model = "cauchy" },
		"oracle: scale = 0, scale_range":      func(r *Record) { r.Header.Oracle.Scale = 0 },
		"oracle: scale = -1, scale_range":     func(r *Record) { r.Header.Oracle.Scale = -1 },
		"does not fit the model flip":         func(r *Record) { r.Header.Oracle.Model = "flip" },
		"oracle: scale_range [2, 1]":          func(r *Record) { r.Header.Oracle.ScaleRange = &ScaleRange{2, 1} },
		"oracle: error_rate is not":           func(r *Record) { r.Header.Oracle = &Oracle{Model: "flip", ErrorRate: &rate} },
		`oracle: jnd = 0.1 and ties = ""`:     func(r *Record) { r.Header.Oracle.Ties = "" },
		`oracle: jnd = 0 and ties = "hard"`:   func(r *Record) { r.Header.Oracle.JND, r.Header.Oracle.Ties = 0, "hard" },
		"step 2: it is a tie with winner = 1": func(r *Record) { r.Steps[1].Winner = 1 },
		"step 2: it is a tie with winner = 0": func(r *Record) { r.Header.Oracle.JND, r.Header.Oracle.Ties = 0, "" },

		"calibration.on is \"best\"":            func(r *Record) { *r = *calibrated(t); r.Header.Oracle.Calibration.On = "best" },
		"calibration.error_rate = 0.5":          func(r *Record) { *r = *calibrated(t); r.Header.Oracle.Calibration.ErrorRate = 0.5 },
		`calibration.status is ""`:              func(r *Record) { *r = *calibrated(t); r.Header.Oracle.Calibration.Status = "" },
		"calibration.bracket does not contain":  func(r *Record) { *r = *calibrated(t); r.Header.Oracle.Calibration.Bracket.Hi = 0.24 },
		"calibration has 5 points, 10 top ones": func(r *Record) { *r = *calibrated(t); r.Header.Oracle.Calibration.Points = 5 },
	} {
		r := ties(t)
		change(r)
		check.Error(t, "error", check.Err(Encode(r)), want)
	}
}

// mixed are the kinds of mixture that two records with changed headers make.
func mixed(t *testing.T, changes ...func(*Header)) (kinds []string) {
	t.Helper()
	m := newMixtures()
	for _, change := range changes {
		h := calibrated(t).Header
		change(&h)
		m.add(&h)
	}
	for _, issue := range m.issues("dir") {
		kinds = append(kinds, issue.Mixture)
	}
	return kinds
}

// Records of two oracles are not of one problem; a computed or drawn scale may differ between runs. A cell whose program
// failed before it said what it is belongs to no other program, nor to a problem with another box.
func TestMixtures(t *testing.T) {
	programs := func(algorithm, problem Program) func(*Header) {
		return func(h *Header) {
			algorithm.Command, problem.Command = []string{"a"}, []string{"p"}
			h.Algorithm.Program, h.Problem.Program = &algorithm, &problem
			if problem.Name == "" {
				h.Problem.Lo, h.Problem.Hi = nil, nil
			}
		}
	}
	same, good := func(*Header) {}, programs(Program{Name: "A", Version: "1"}, Program{Name: "P"})
	check.Same(t, "another model", mixed(t, same, func(h *Header) { h.Oracle.Model = "probit" }), []string{"problem"})
	check.Same(t, "no oracle", mixed(t, same, func(h *Header) { h.Oracle = nil }), []string{"problem"})
	check.Equal(t, "mixtures of another computed scale", len(mixed(t, same, func(h *Header) { h.Oracle.Scale = 0.26 })), 0)
	check.Equal(t, "mixtures of a failure", len(mixed(t, good, programs(Program{}, Program{}))), 0)
	check.Same(t, "another version", mixed(t, good, programs(Program{Name: "A", Version: "2"}, Program{Name: "P"})), []string{"external program"})
}

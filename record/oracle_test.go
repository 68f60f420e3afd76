package record

import (
	"reflect"
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

// A record keeps its oracle and its ties, and without them has no such keys.
func TestOracleRoundTrip(t *testing.T) {
	for what, r := range map[string]*Record{"ties": ties(t), "calibrated": calibrated(t)} {
		data := encoded(t, r)
		got := check.Must(Decode(what, data))(t)
		check.That(t, reflect.DeepEqual(got.Header.Oracle, r.Header.Oracle) && got.Steps[1].Tie == r.Steps[1].Tie,
			"%s: read %+v, tie %v", what, got.Header.Oracle, got.Steps[1].Tie)
	}
	check.Lacks(t, "without an oracle", string(encoded(t, example(t))), "oracle", "tie\"")
	check.Contains(t, "a tie", string(encoded(t, ties(t))), `"winner":0,"tie":true,"true_log_likelihood"`)
	nothing := calibrated(t) // the cell failed before the scale was known
	nothing.Steps, nothing.Footer = nil, Footer{Status: Failed, Error: "no scale"}
	nothing.Header.Problem.Factor = 0
	nothing.Header.Oracle = &Oracle{Model: "logistic", Calibration: &Calibration{ErrorRate: 0.2, On: "top-2.5%"}}
	encoded(t, nothing)
}

func TestOracleKind(t *testing.T) {
	rate := 0.1
	for want, o := range map[string]*Oracle{
		"logistic with scale 1 (Bradley–Terry–Luce)":              nil,
		"probit with scale 0.5, ties within 0.1 (latent)":         ties(t).Header.Oracle,
		"logistic with error rate 0.2 on the pairs of top-1%":     calibrated(t).Header.Oracle,
		"flip with error rate 0.1":                                {Model: "flip", ErrorRate: &rate},
		"noiseless":                                               {Model: "noiseless"},
		"logistic with a scale from 0.1 to 10 in each repetition": {Model: "logistic", Scale: 3, ScaleRange: &ScaleRange{0.1, 10}},
		"noiseless, ties within 2 (hard)":                         {Model: "noiseless", JND: 2, Ties: "hard"},
	} {
		check.Equal(t, "kind", o.Kind(), want)
	}
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
	} {
		r := ties(t)
		change(r)
		check.Error(t, "error", check.Err(Encode(r)), want)
	}
	for want, change := range map[string]func(c *Calibration){
		"calibration.on is \"best\"":            func(c *Calibration) { c.On = "best" },
		"calibration.error_rate = 0.5":          func(c *Calibration) { c.ErrorRate = 0.5 },
		`calibration.status is ""`:              func(c *Calibration) { c.Status = "" },
		"calibration.bracket does not contain":  func(c *Calibration) { c.Bracket.Hi = 0.24 },
		"calibration has 5 points, 10 top ones": func(c *Calibration) { c.Points = 5 },
	} {
		r := calibrated(t)
		change(r.Header.Oracle.Calibration)
		check.Error(t, "error", check.Err(Encode(r)), want)
	}
}

// Records of two oracles are not of one problem. A computed or drawn scale may differ between runs.
func TestOraclesDoNotMix(t *testing.T) {
	mixed := func(change func(*Header)) bool {
		m := newMixtures()
		for _, change := range []func(*Header){func(*Header) {}, change} {
			h := calibrated(t).Header
			o := *h.Oracle
			h.Oracle = &o
			change(&h)
			m.add(&h)
		}
		for _, issue := range m.issues("dir") {
			if issue.Mixture == "problem" {
				return true
			}
		}
		return false
	}
	for what, change := range map[string]func(*Header){
		"another model": func(h *Header) { h.Oracle.Model = "probit" },
		"none":          func(h *Header) { h.Oracle = nil },
	} {
		check.That(t, mixed(change), "%s is not seen", what)
	}
	check.That(t, !mixed(func(h *Header) { h.Oracle.Scale = 0.26 }), "another computed scale is taken for another problem")
}

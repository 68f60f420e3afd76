package runlog

import (
	"encoding/json"
	"regexp"
)

// Reading records of format 1. It differs from format 2 in the names of keys and metrics, and its
// header describes the algorithm by its settings only. What follows from them is filled in. The
// prior in force is unknown: format 1 has only the settings of the suite file.

// format1 is the version that this file reads.
const format1 = 1

// header1 is a Header with the keys of format 1.
type header1 struct {
	Kind             string     `json:"kind"`
	Format           int        `json:"format"`
	Suite            string     `json:"suite"`
	SuiteTitle       string     `json:"suite_title,omitempty"`
	Paper            string     `json:"paper,omitempty"`
	Cell             string     `json:"cell"`
	Problem          Problem    `json:"problem"`
	Algorithm        algorithm1 `json:"algorithm"`
	Repetition       int        `json:"repetition"`
	Seed             uint64     `json:"seed"`
	Budget           int        `json:"steps"`
	Snapshots        []int      `json:"snapshots,omitempty"`
	PilotComparisons int        `json:"pilot"`
	ConfigHash       string     `json:"config_hash"`
	Build
}

type algorithm1 struct {
	Name     string          `json:"name"`
	Label    string          `json:"label"`
	Settings json.RawMessage `json:"settings"`
}

// disclosed1 is the setting that asked for disclosure.
var disclosed1 = regexp.MustCompile(`"grant":"([a-z-]*)",?`)

// header returns the header in the present layout, except for the metrics.
func (h *header1) header() Header {
	a := Algorithm{Name: h.Algorithm.Name, Label: h.Algorithm.Label, Settings: h.Algorithm.Settings, Feedback: Comparisons, Disclosed: DisclosedNone}
	if a.Name == "gpucb" {
		a.Feedback = Values
	}
	if m := disclosed1.FindSubmatch(a.Settings); m != nil {
		a.Disclosed, a.Settings = Disclosure(m[1]), disclosed1.ReplaceAll(a.Settings, nil)
	}
	return Header{
		Kind: h.Kind, Format: h.Format, Suite: h.Suite, SuiteTitle: h.SuiteTitle, Paper: h.Paper, Cell: h.Cell,
		Problem: h.Problem, Algorithm: a, Repetition: h.Repetition, Seed: h.Seed, Budget: h.Budget, Snapshots: h.Snapshots,
		PilotComparisons: h.PilotComparisons, ConfigHash: h.ConfigHash, Build: h.Build,
	}
}

// step1 is a Step with the keys of format 1.
type step1 struct {
	Kind              string            `json:"kind"`
	T                 int               `json:"t"`
	Points            [][]float64       `json:"points"`
	New               int               `json:"new"`
	Utility           []float64         `json:"truth"`
	Winner            int               `json:"winner"`
	TrueLogLikelihood float64           `json:"truth_loglik"`
	Recommendations   []recommendation1 `json:"reports"`
	Metrics           Metrics           `json:"metrics,omitempty"`
	Belief            *belief1          `json:"belief,omitempty"`
}

type recommendation1 struct {
	Rule    string    `json:"rule"`
	X       []float64 `json:"x"`
	Utility float64   `json:"truth"`
}

type belief1 struct {
	X        []float64 `json:"x"`
	Utility  []float64 `json:"truth"`
	Estimate []float64 `json:"estimate"`
	Lower    []float64 `json:"lower"`
	Upper    []float64 `json:"upper"`
}

// step returns the step in the present layout.
func (s *step1) step() Step {
	out := Step{
		Kind: s.Kind, T: s.T, Points: s.Points, New: s.New, Utility: s.Utility, Winner: s.Winner,
		TrueLogLikelihood: s.TrueLogLikelihood, Metrics: s.Metrics, Belief: (*Belief)(s.Belief),
	}
	for _, r := range s.Recommendations {
		out.Recommendations = append(out.Recommendations, Recommendation(r))
	}
	for i, m := range out.Metrics {
		if name, ok := names1[m.Name]; ok {
			out.Metrics[i].Name = name
		}
	}
	return out
}

// names1 maps the names of metrics in format 1 to those of format 2, where they differ.
var names1 = map[string]string{
	"loglik": "log_likelihood", "advantage": "optimistic_advantage", "max_gap": "duality_gap", // popbo
	"unfinished": "unfinished_climbs", "refused": "refused_moves", // sgp
	"evidence": "log_evidence", "score": "soft_copeland_score", "doubt": "duel_variance", "fits": "posteriors", // dts
	"value": "value_observation", "mean": "posterior_mean", "deviation": "posterior_sd", // gpucb
}

// kinds1 gives the kinds of metrics by their names in format 2. Others are of kind state.
var kinds1 = map[string]Kind{
	"solves": Work, "newton": Work, "retries": Work, "failures": Work, "evaluations": Work,
	"climbs": Work, "moves": Work, "bounces": Work, "fit_evaluations": Work, "fit_failures": Work, "posteriors": Work,
	"duality_gap": Certificate, "fit_gradient": Certificate, "residual": Certificate,
	"unfinished_climbs": Certificate, "refused_moves": Certificate,
}

// types1 returns the types of a step's metrics, which a header of format 1 does not declare.
func types1(metrics Metrics) []MetricType {
	var all []MetricType
	for _, m := range metrics {
		kind, ok := kinds1[m.Name]
		if !ok {
			kind = State
		}
		all = append(all, MetricType{m.Name, kind})
	}
	return all
}

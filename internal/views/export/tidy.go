package export

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"popbench/internal/outcome"
	"popbench/internal/page/document"
	"popbench/internal/words"
	"popbench/record"
)

// Values is the name of the table of a tidy export, beside Failures.
const Values = "values.csv"

// The values of the column against.
const (
	optimum   = string(outcome.Optimum)
	bestFound = string(outcome.Found)
	// zero means that the optimum is unknown, and the number relative to 0: a suboptimality is then minus the value of f.
	// Unlike regret against the best value of a folder, it means the same beside runs of another folder.
	zero = "zero"
)

// bestValue is a metric where the optimum is unknown: the best f of any point queried or recommended until then.
const bestValue = "best-value"

// outcomeKind is the kind of the metrics of package outcome; an algorithm's have the kinds of package record.
const outcomeKind = "outcome"

// columns has the columns of Values; Import reads them too.
var columns = []field{
	{"suite", "string", "name of the suite", nil},
	{"problem", "string", "name of the problem", nil},
	{"dimension", "integer", "number of coordinates of a point; empty if unknown", nil},
	{"algorithm", "string", "name of the algorithm", nil},
	{"label", "string", "name of the algorithm with its settings, unique in the suite", nil},
	{"feedback", "string", "what the algorithm learns from", &enum{[]string{string(record.Comparisons), string(record.Values)}}},
	{"pilot_comparisons", "integer", "comparisons of random points before the first step, for hyper-parameters only", nil},
	{"seed", "integer", "seed of the suite", nil},
	{"repetition", "integer", "run, from 0; the runs of a suite with the same repetition share instance, start and oracle noise", nil},
	{"step", "integer", "step, from 1; a step is one query and its answer", nil},
	{"metric", "string", "suboptimality: f* − f(recommended point); instantaneous-regret: f* − f(queried point), the mean over the new points of the query; cumulative-regret: the sum of the latter; best-value, where f* is unknown: the largest f of any point queried or recommended so far; the other outcomes, each after that step: " +
		words.List(words.Each(derived, func(m *outcome.Measure) string { return string(m.Name) })) + "; numbers of the algorithm: see kind", nil},
	{"kind", "string", "outcome: of every run, as in metric; work, certificate, state: a number that the algorithm reports, which counts work, bounds an error, or describes its model",
		&enum{[]string{outcomeKind, string(record.Work), string(record.Certificate), string(record.State)}}},
	{"rule", "string", "recommendation rule of a suboptimality; empty for other metrics", nil},
	{"selected", "boolean", "false for rules that the settings do not select; empty for metrics without a rule", nil},
	{"against", "string", "what an outcome is measured against: the certified optimum f*, or, where that is unknown, once the best value that any run of the folder found, and once zero, so that a suboptimality is minus the value of f",
		&enum{[]string{optimum, bestFound, zero}}},
	{"value", "number", "the number, in the suite's scale of f, with the digits that restore it; the instantaneous regret of a query without a new point is empty", nil},
}

// Tidy writes a line for every number of every complete run, a table of the runs that are left out, and two descriptions of
// both (Frictionless Data Package v1, Croissant 1.0).
func Tidy(folders []Folder, create Create) (*Summary, error) {
	t, err := newTable(create, Values, "Every number of every complete run, one a line.", columns,
		"suite", "problem", "label", "seed", "repetition", "step", "metric", "kind", "rule", "against")
	if err != nil {
		return nil, err
	}
	about, best := &provenance{}, &bests{}
	first := map[string]*Folder{} // where a run is, by the columns that name it
	twice := ""
	summary, failures, err := export(folders, create, func(f *Folder, rec *record.Record) (string, error) {
		about.add(&rec.Header)
		run := fmt.Sprintf("%s of %s with the seed %d", rec.Header.Cell, rec.Header.Suite, rec.Header.Seed)
		if g := first[run]; g == nil {
			first[run] = f
		} else if twice == "" {
			twice = fmt.Sprintf("Some runs are in several folders, such as %s, in %s and %s: no column tells them apart. Export each folder alone.",
				run, g.Name, f.Name)
		}
		best, err := best.of(f, rec)
		writeRun(t, rec, best)
		return "", err
	})
	if err != nil {
		return nil, err
	}
	if err := t.close(); err != nil {
		return nil, err
	}
	if twice != "" {
		summary.Warnings = append(summary.Warnings, twice)
	}
	about.Warnings = summary.Warnings
	p := newPackage(about, t, failures)
	if err := writeJSON(create, DataPackage, "  ", p); err != nil {
		return nil, err
	}
	return summary, writeJSON(create, Croissant, "  ", p.croissant())
}

// writeRun writes the lines of a run. Best is nil where the optimum is known.
func writeRun(t *table, rec *record.Record, best *outcome.BestFound) {
	h := &rec.Header
	cell := []string{h.Suite, h.Problem.Name, "", h.Algorithm.Name, h.Algorithm.Label, string(h.Algorithm.Feedback),
		strconv.Itoa(h.PilotComparisons), strconv.FormatUint(h.Seed, 10), strconv.Itoa(h.Repetition)}
	if d := dimension(h); d > 0 {
		cell[2] = strconv.Itoa(d)
	}
	rules := outcome.Rules(rec)
	runs := []measured{{optimum, outcome.NewRun(rec, rules)}}
	if best != nil {
		runs = []measured{{zero, runs[0].Run}, {bestFound, outcome.NewRun(rec, rules)}}
		runs[1].Against(best)
	}
	series := seriesOf(runs)
	var soFar *outcome.BestFound
	cumulative := make([]float64, len(runs)) // regret
	for k := range rec.Steps {
		s := &rec.Steps[k]
		line := func(metric, kind, rule, selected, against string, value float64) {
			t.csv.Line(slices.Concat(cell, []string{strconv.Itoa(s.T), metric, kind, rule, selected, against, document.Digits(value)}))
		}
		for r, run := range runs {
			regret := run.Regret[k]
			cumulative[r] += regret
			if s.New == 0 {
				regret = math.NaN()
			}
			line(string(outcome.InstantRegret), outcomeKind, "", "", run.against, regret)
			line(string(outcome.CumulativeRegret), outcomeKind, "", "", run.against, cumulative[r])
			for i, rule := range rules {
				if v := run.Suboptimality[i][k]; !math.IsNaN(v) { // it may recommend no point at some steps
					line(string(outcome.Suboptimality), outcomeKind, rule, strconv.FormatBool(i == 0), run.against, v)
				}
			}
		}
		if best != nil {
			soFar = soFar.Add(&record.Record{Header: *h, Steps: rec.Steps[k : k+1]})
			line(bestValue, outcomeKind, "", "", zero, soFar.Value)
		}
		for _, v := range series {
			if !math.IsNaN(v.values[k]) {
				line(string(v.metric), outcomeKind, "", "", v.against, v.values[k])
			}
		}
		for i, m := range s.Metrics {
			line(m.Name, string(h.Algorithm.Metrics[i].Kind), "", "", "", m.Value)
		}
	}
}

// derived are the outcomes that follow from the points and recommendations of a run. An imported table has no points, so
// Import ignores these outcomes.
var derived = words.Only(outcome.Measures, func(m *outcome.Measure) bool {
	return m.Name != outcome.Suboptimality && m.Name != outcome.CumulativeRegret && m.Over != outcome.Whole
})

// measured is a run as measured against a reference.
type measured struct {
	against string
	*outcome.Run
}

// measuredSeries is a metric after each step, NaN where it does not apply.
type measuredSeries struct {
	metric  outcome.Metric
	against string
	values  []float64
}

// seriesOf are the derived outcomes of a run: a series for each reference, or a single one if the optimum is not in it.
// Relative to zero there are only sums of differences from the optimum.
func seriesOf(runs []measured) (all []measuredSeries) {
	for _, m := range derived {
		if !m.AgainstOptimum() {
			all = append(all, measuredSeries{m.Name, "", m.Series(runs[0].Run)})
			continue
		}
		for _, r := range runs {
			if r.against != zero || !math.IsNaN(m.Terms(r.Run)) {
				all = append(all, measuredSeries{m.Name, r.against, m.Series(r.Run)})
			}
		}
	}
	return all
}

// provenance says where the numbers are from.
type provenance struct {
	Programs []string `json:"programs"`           // that made the records
	Groups   []group  `json:"groups"`             // in the order of the table
	Warnings []string `json:"warnings,omitempty"` // missing records, mixtures
}

// group is what the runs of an algorithm on a problem have in common.
type group struct {
	Suite      string            `json:"suite"`
	SuiteTitle string            `json:"suite_title,omitempty"`
	Problem    string            `json:"problem"`
	Title      string            `json:"title,omitempty"`
	Source     string            `json:"source,omitempty"`
	Lo         []float64         `json:"lo,omitempty"`
	Hi         []float64         `json:"hi,omitempty"`
	Scale      string            `json:"scale,omitempty"`
	Shift      *float64          `json:"shift,omitempty"`
	Factor     *float64          `json:"factor,omitempty"`
	Optimum    []float64         `json:"optimum,omitempty"` // one, or one a run where each has its own function
	Algorithm  string            `json:"algorithm"`
	Label      string            `json:"label"`
	Settings   json.RawMessage   `json:"settings"`
	Disclosed  record.Disclosure `json:"disclosed"`
	Oracle     string            `json:"oracle,omitempty"` // unless it is Bradley-Terry-Luce
	ConfigHash string            `json:"config_hash"`
	Imported   *record.Imported  `json:"imported,omitempty"`
	Runs       int               `json:"runs"`
}

// add takes in a complete run.
func (p *provenance) add(h *record.Header) {
	if h.Imported == nil {
		p.Programs = words.Include(p.Programs, h.Program())
	}
	k := len(p.Groups) - 1 // runs come group by group
	if k < 0 || p.Groups[k].Suite != h.Suite || p.Groups[k].Problem != h.Problem.Name || p.Groups[k].Label != h.Algorithm.Label {
		g := group{Suite: h.Suite, SuiteTitle: h.SuiteTitle, Problem: h.Problem.Name, Title: h.Problem.Title, Source: h.Problem.Source,
			Algorithm: h.Algorithm.Name, Label: h.Algorithm.Label, Settings: h.Algorithm.Settings, Disclosed: h.Algorithm.Disclosed,
			ConfigHash: h.ConfigHash, Imported: h.Imported}
		if h.Oracle != nil {
			g.Oracle = h.Oracle.Kind()
		}
		if h.Imported == nil {
			g.Lo, g.Hi, g.Scale = h.Problem.Lo, h.Problem.Hi, h.Problem.Scale
			// A pointer into the header would keep the record.
			g.Shift, g.Factor = new(h.Problem.Shift), new(h.Problem.Factor)
		}
		p.Groups = append(p.Groups, g)
		k++
	}
	g := &p.Groups[k]
	if g.Runs++; h.Problem.Optimum != nil {
		g.Optimum = append(g.Optimum, *h.Problem.Optimum)
	}
}

func newPackage(about *provenance, values, failures *table) *dataPackage {
	var suites []string
	for i := range about.Groups {
		g := &about.Groups[i]
		suites = words.Include(suites, g.Suite)
		if o := slices.Compact(slices.Clone(g.Optimum)); len(o) == 1 { // all runs have the same
			g.Optimum = o
		}
	}
	return &dataPackage{
		Profile: "tabular-data-package",
		// A name may have lower-case letters, digits and some marks, and a suite's name in lower case has no others.
		Name:        "popbench-" + strings.ToLower(strings.Join(suites, "-")),
		Title:       "Records of " + words.List(suites),
		Description: "Numbers of the runs of a benchmark of preferential Bayesian optimisation. A text that begins with =, +, -, @, a tab or an apostrophe has another apostrophe in front.",
		Resources:   []*resource{&values.resource, &failures.resource},
		Popbench:    about,
	}
}

package export

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"popbench/internal/nearest"
	"popbench/internal/outcome"
	"popbench/internal/page/document"
	"popbench/internal/printable"
	"popbench/internal/words"
	"popbench/record"
)

// ImportOptions say what a table does not.
type ImportOptions struct {
	File  string // path of the table, for errors; records have its name
	Suite string // name of the suite where the table has no such column
	Only  string // take the lines of this suite only; "" for all, which must then be of one suite
}

// Import reads a table with the columns of Values and returns its runs as complete records, which are marked as imported.
// The table may have its lines in any order, and lack the columns that needed does not name. Import keeps all numbers in
// memory. Its errors are one line, with file, line and column.
func Import(r io.Reader, o ImportOptions) ([]*record.Record, error) {
	sum := sha256.New()
	in := &importer{o: o, csv: document.NewCSVReader(io.TeeReader(r, sum)), runs: map[string]*imported{}, kept: map[string]string{}}
	err := in.read()
	if err == nil && in.order == nil {
		err = in.at(1, "", "the table has no runs%s", map[bool]string{true: " of the suite " + o.Only}[o.Only != ""])
	}
	if err != nil {
		return nil, err
	}
	from := record.Imported{File: printable.Shorten(path.Base(filepath.ToSlash(o.File))), SHA256: hex.EncodeToString(sum.Sum(nil))}
	var records []*record.Record
	for _, run := range in.order {
		rec, err := run.record(from)
		if err == nil {
			_, err = record.Encode(rec) // checks everything else
		}
		var wrong *lineError
		switch {
		case errors.As(err, &wrong):
			return nil, in.at(wrong.line, wrong.column, "%s", wrong.what)
		case err != nil:
			return nil, in.at(run.line, "", "the run that begins here makes no record: %v", err)
		}
		records = append(records, rec)
	}
	return records, nil
}

// needed are the columns that a table must have.
var needed = []string{"problem", "algorithm", "repetition", "step", "metric", "value"}

// outcomes are the metrics of the kind outcome.
var outcomes = []string{string(outcome.Suboptimality), string(outcome.InstantRegret), string(outcome.CumulativeRegret), bestValue}

// DefaultRule is the name of the recommendation rule where a table does not say it.
const DefaultRule = "recommended"

type importer struct {
	o     ImportOptions
	csv   *document.CSVReader
	names []string // of the columns
	cells []string // of the present line
	suite string
	from  int // line of the suite's name
	runs  map[string]*imported
	order []*imported
	kept  map[string]string
}

// imported is a run of a table.
type imported struct {
	line    int // its first
	header  record.Header
	against string
	dim     int
	rules   []string
	chosen  string // the selected rule; "" if no line says so
	metrics []record.MetricType
	steps   map[int]*importedStep
}

type importedStep struct {
	line           int
	regret         *float64 // NaN if the query has no new point
	cumulative     *float64
	best           *float64 // of any point so far; nil if the table does not say it
	cumulativeLine int
	suboptimality  map[string]float64 // by rule
	own            map[string]float64
}

// lineError is an error in a line of the table.
type lineError struct {
	line         int
	column, what string
}

func (e *lineError) Error() string { return e.what }

// at makes an error of one line.
func (in *importer) at(line int, column, format string, args ...any) error {
	where := fmt.Sprintf("%s:%d: ", in.o.File, line)
	if column != "" {
		where += "column " + column + ": "
	}
	return errors.New(printable.Cut(printable.Quote(where+fmt.Sprintf(format, args...)), 2*printable.MaxLine))
}

// read reads all lines.
func (in *importer) read() error {
	cells, err := in.csv.Line()
	if err != nil {
		return in.unreadable(err)
	}
	if err := in.head(slices.Clone(cells)); err != nil {
		return err
	}
	for {
		cells, err := in.csv.Line()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return in.unreadable(err)
		}
		in.cells = cells
		if err := in.line(); err != nil {
			var wrong *lineError
			if errors.As(err, &wrong) {
				return in.at(cmp.Or(wrong.line, in.lineOf(wrong.column)), wrong.column, "%s", wrong.what)
			}
			return err
		}
	}
}

func (in *importer) unreadable(err error) error {
	var wrong *document.CSVError
	switch {
	case errors.As(err, &wrong):
		return in.at(wrong.Line, "", "%s; it has to be a table of comma-separated values", wrong.What)
	case errors.Is(err, io.EOF):
		return in.at(1, "", "the file is empty; its first line has to name the columns: %s", strings.Join(needed, ","))
	}
	return fmt.Errorf("%s cannot be read: %w", printable.Quote(in.o.File), err)
}

// head checks the names of the columns.
func (in *importer) head(names []string) error {
	var known []string
	for _, c := range columns {
		known = append(known, c.name)
	}
	for i, name := range names {
		switch {
		case !slices.Contains(known, name):
			return in.at(1, "", "column %.*q is unknown; %s", printable.MaxLabel, name, nearest.Hint(name, known, "the columns are "+strings.Join(known, ", ")))
		case slices.Contains(names[:i], name):
			return in.at(1, name, "the table has it twice")
		}
	}
	for _, name := range needed {
		if !slices.Contains(names, name) {
			return in.at(1, "", "there is no column %s; a table needs %s", name, words.List(needed))
		}
	}
	in.names = names
	return nil
}

// text returns a cell, or the default if it is empty or the table has no such column.
func (in *importer) text(column, byDefault string) string {
	k := slices.Index(in.names, column)
	if k < 0 {
		return byDefault
	}
	return cmp.Or(in.cells[k], byDefault)
}

// keep returns a text that shares no memory with its line, and the same memory for equal texts.
func (in *importer) keep(text string) string {
	if _, ok := in.kept[text]; !ok {
		text = strings.Clone(text)
		in.kept[text] = text
	}
	return in.kept[text]
}

func (in *importer) lineOf(column string) int {
	return in.csv.At(max(0, slices.Index(in.names, column)))
}

// whole returns a cell as a whole number from low to high.
func (in *importer) whole(column, byDefault string, low, high uint64) (uint64, error) {
	text := in.text(column, byDefault)
	v, err := strconv.ParseUint(text, 10, 64)
	if err != nil || v < low || v > high {
		return 0, &lineError{0, column, fmt.Sprintf("%.*q is not a whole number from %d to %d", printable.MaxLabel, text, low, high)}
	}
	return v, nil
}

// among returns a cell that is one of some words.
func (in *importer) among(column, byDefault string, words ...string) (string, error) {
	text := in.text(column, byDefault)
	if !slices.Contains(words, text) {
		return "", &lineError{0, column, fmt.Sprintf("%.*q is not one of %s", printable.MaxLabel, text, strings.Join(words, ", "))}
	}
	return text, nil
}

const (
	maxDimension  = 1_000_000
	maxRepetition = 999_999 // which a record can have
	maxStep       = 1_000_000
)

// line reads a line into its run.
func (in *importer) line() error {
	suite := in.text("suite", in.o.Suite)
	switch {
	case in.o.Only != "" && suite != in.o.Only:
		return nil
	case in.order == nil:
		in.suite, in.from = suite, in.lineOf("suite")
	case suite != in.suite:
		return &lineError{0, "suite", fmt.Sprintf("%.*q, but %q in line %d; a results folder has one suite: choose it with --suite",
			printable.MaxLabel, suite, in.suite, in.from)}
	}
	run, err := in.run()
	if err != nil {
		return err
	}
	t, err := in.whole("step", "", 1, maxStep)
	if err != nil {
		return err
	}
	text := in.text("value", "")
	value, err := strconv.ParseFloat(text, 64)
	idle := text == "" && in.text("metric", "") == string(outcome.InstantRegret)
	if !idle && (err != nil || math.IsNaN(value) || math.IsInf(value, 0)) {
		return &lineError{0, "value", fmt.Sprintf("%.*q is not a finite number", printable.MaxLabel, text)}
	}
	s := run.steps[int(t)]
	if s == nil {
		s = &importedStep{line: in.lineOf("step"), suboptimality: map[string]float64{}, own: map[string]float64{}}
		run.steps[int(t)] = s
	}
	if idle {
		value = math.NaN()
	}
	return in.number(run, s, value)
}

// run returns the run of the present line.
func (in *importer) run() (*imported, error) {
	h := record.Header{Suite: in.suite, Problem: record.Problem{Name: in.text("problem", ""), Scale: "imported", Factor: 1, Lo: []float64{}, Hi: []float64{}}}
	h.Algorithm = record.Algorithm{Name: in.text("algorithm", ""), Settings: json.RawMessage("{}"), Disclosed: record.DisclosedNone}
	h.Algorithm.Label = in.text("label", h.Algorithm.Name)
	feedback, err := in.among("feedback", string(record.Comparisons), string(record.Comparisons), string(record.Values))
	if err != nil {
		return nil, err
	}
	h.Algorithm.Feedback = record.Feedback(feedback)
	repetition, err := in.whole("repetition", "", 0, maxRepetition)
	if err != nil {
		return nil, err
	}
	h.Repetition = int(repetition)
	pilot, err := in.whole("pilot_comparisons", "0", 0, math.MaxInt32)
	if err != nil {
		return nil, err
	}
	h.PilotComparisons = int(pilot)
	if h.Seed, err = in.whole("seed", "0", 0, math.MaxUint64); err != nil {
		return nil, err
	}
	dim, err := in.whole("dimension", "0", 0, maxDimension)
	if err != nil {
		return nil, err
	}
	cell := record.CellID(h.Problem.Name, h.Algorithm.Label, h.Repetition)
	run := in.runs[cell]
	if run == nil {
		run = &imported{line: in.lineOf("problem"), header: h, dim: int(dim), steps: map[int]*importedStep{}}
		in.runs[cell] = run
		in.order = append(in.order, run)
		return run, nil
	}
	a, b := &run.header, &h
	for _, same := range []struct {
		column      string
		first, here any
	}{
		{"algorithm", a.Algorithm.Name, b.Algorithm.Name}, {"feedback", a.Algorithm.Feedback, b.Algorithm.Feedback}, {"seed", a.Seed, b.Seed},
		{"pilot_comparisons", a.PilotComparisons, b.PilotComparisons}, {"dimension", run.dim, int(dim)},
	} {
		if same.first != same.here {
			return nil, &lineError{0, same.column,
				fmt.Sprintf("%s, but %s in line %d, which is of the same run", short(same.here), short(same.first), run.line)}
		}
	}
	return run, nil
}

func short(v any) string { return printable.Cut(fmt.Sprint(v), printable.MaxLabel) }

// number takes the value of the present line into a step.
func (in *importer) number(run *imported, s *importedStep, value float64) error {
	metric := in.keep(in.text("metric", ""))
	twice := func() error {
		return &lineError{0, "metric", fmt.Sprintf("the step has %.*q already, in line %d or later", printable.MaxLabel, metric, s.line)}
	}
	isOutcome := slices.Contains(outcomes, metric)
	isDerived := slices.ContainsFunc(derived, func(m *outcome.Measure) bool { return string(m.Name) == metric })
	byDefault := ""
	if isOutcome || isDerived {
		byDefault = outcomeKind
	}
	kind, err := in.among("kind", byDefault, outcomeKind, string(record.Work), string(record.Certificate), string(record.State))
	if err != nil {
		return err
	}
	if kind != outcomeKind {
		if _, ok := s.own[metric]; ok {
			return twice()
		}
		s.own[metric] = value
		k := slices.IndexFunc(run.metrics, func(m record.MetricType) bool { return m.Name == metric })
		if k < 0 {
			run.metrics = append(run.metrics, record.MetricType{Name: metric, Kind: record.Kind(kind)})
		} else if run.metrics[k].Kind != record.Kind(kind) {
			return &lineError{0, "kind", fmt.Sprintf("%s, but %s in an earlier line of the run", kind, run.metrics[k].Kind)}
		}
		return nil
	}
	if isDerived {
		return nil
	}
	if !isOutcome {
		return &lineError{0, "metric", fmt.Sprintf("%.*q is not an outcome; the outcomes are %s", printable.MaxLabel, metric, words.List(outcomes))}
	}
	against, err := in.among("against", optimum, optimum, bestFound, zero)
	if err != nil || against == bestFound { // which follows from zero, and differs from folder to folder
		return err
	}
	if run.against = cmp.Or(run.against, against); against != run.against {
		return &lineError{0, "against", fmt.Sprintf("%s, but %s in an earlier line of the run", against, run.against)}
	}
	switch outcome.Metric(metric) {
	case bestValue:
		switch {
		case against == optimum:
			return &lineError{0, "against", "a best-value is against zero, of a problem whose optimum is unknown"}
		case s.best != nil:
			return twice()
		}
		s.best = &value
	case outcome.InstantRegret:
		if s.regret != nil {
			return twice()
		}
		s.regret = &value
	case outcome.CumulativeRegret:
		if s.cumulative != nil {
			return twice()
		}
		s.cumulative, s.cumulativeLine = &value, in.lineOf("value")
	case outcome.Suboptimality:
		return in.suboptimality(run, s, value, twice)
	}
	return nil
}

func (in *importer) suboptimality(run *imported, s *importedStep, value float64, twice func() error) error {
	rule := in.keep(in.text("rule", DefaultRule))
	if _, ok := s.suboptimality[rule]; ok {
		return twice()
	}
	s.suboptimality[rule] = value
	run.rules = words.Include(run.rules, rule)
	selected, err := in.among("selected", "", "", "true", "false")
	if err != nil {
		return err
	}
	switch {
	case selected == "true" && run.chosen != "" && run.chosen != rule:
		return &lineError{0, "selected", fmt.Sprintf("true of the rule %q, and of %q in an earlier line of the run", rule, run.chosen)}
	case selected == "false" && run.chosen == rule:
		return &lineError{0, "selected", fmt.Sprintf("false of the rule %q, which an earlier line of the run selects", rule)}
	case selected == "true":
		run.chosen = rule
	}
	return nil
}

// record makes the record of a run.
func (run *imported) record(from record.Imported) (*record.Record, error) {
	if run.rules == nil {
		return nil, &lineError{run.line, "", "the run that begins here has no suboptimality against an optimum or zero"}
	}
	chosen := cmp.Or(run.chosen, run.rules[0])
	slices.SortStableFunc(run.rules, func(a, b string) int {
		return cmp.Compare(map[bool]int{true: 0, false: 1}[a == chosen], map[bool]int{true: 0, false: 1}[b == chosen])
	})
	rec := &record.Record{Header: run.header, Footer: record.Footer{Status: record.OK}}
	h := &rec.Header
	from.Dimension = run.dim
	h.Imported, h.Budget, h.Algorithm.Metrics = &from, len(run.steps), run.metrics
	h.ConfigHash = from.SHA256[:16]
	if run.against == optimum {
		h.Problem.Optimum = new(float64)
	}
	h.Seal()
	sum := 0.0
	for t := 1; t <= len(run.steps); t++ {
		in := run.steps[t]
		if in == nil {
			return nil, &lineError{run.line, "step",
				fmt.Sprintf("the run that begins here has %s, and none is step %d; it needs every step from 1", words.Count(len(run.steps), "step"), t)}
		}
		if in.regret == nil {
			return nil, &lineError{in.line, "metric", fmt.Sprintf("there is no instantaneous-regret of step %d; a run needs it at every step", t)}
		}
		s := record.Step{Kind: "step", T: t, Points: [][]float64{}, Utility: []float64{}}
		if !math.IsNaN(*in.regret) {
			sum += *in.regret
			s.New, s.Utility = 1, []float64{0 - *in.regret}
		}
		if in.best != nil {
			s.Utility = append([]float64{*in.best}, s.Utility...)
		}
		if in.cumulative != nil && !(math.Abs(*in.cumulative-sum) <= 1e-9*(1+math.Abs(sum))) {
			return nil, &lineError{in.cumulativeLine, "value",
				fmt.Sprintf("the cumulative-regret is %g, the instantaneous ones up to step %d sum up to %g", *in.cumulative, t, sum)}
		}
		for _, rule := range run.rules {
			if v, ok := in.suboptimality[rule]; ok {
				s.Recommendations = append(s.Recommendations, record.Recommendation{Rule: rule, X: []float64{}, Utility: 0 - v})
			} else if rule == chosen {
				return nil, &lineError{in.line, "metric",
					fmt.Sprintf("there is no suboptimality of step %d by the rule %q; a run needs that of its selected rule at every step", t, rule)}
			}
		}
		for _, m := range run.metrics {
			v, ok := in.own[m.Name]
			if !ok {
				return nil, &lineError{in.line, "metric", fmt.Sprintf("there is no %q of step %d, which other steps of the run have", m.Name, t)}
			}
			s.Metrics = append(s.Metrics, record.Metric{Name: m.Name, Value: v})
		}
		rec.Steps = append(rec.Steps, s)
	}
	return rec, nil
}

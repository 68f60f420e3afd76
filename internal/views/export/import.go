package export

import (
	"cmp"
	"crypto/sha256"
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
	"unique"

	"popbench/internal/outcome"
	"popbench/internal/page/document"
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
	in := &importer{o: o, csv: document.NewCSVReader(io.TeeReader(r, sum)), runs: map[string]*imported{}}
	err := in.read()
	if err == nil && in.order == nil {
		err = in.at(1, "", "the table has no runs%s", map[bool]string{true: " of the suite " + o.Only}[o.Only != ""])
	}
	if err != nil {
		return nil, err
	}
	from := record.Imported{File: words.Shorten(path.Base(filepath.ToSlash(o.File))), SHA256: fmt.Sprintf("%x", sum.Sum(nil))}
	var records []*record.Record
	for _, run := range in.order {
		rec, err := in.record(run, from)
		if err != nil {
			return nil, err
		}
		if _, err := record.Encode(rec); err != nil { // checks everything else
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

// defaultRule is the name of the recommendation rule where a table does not say it.
const defaultRule = "recommended"

type importer struct {
	o     ImportOptions
	csv   *document.CSVReader
	names []string // of the columns
	cells []string // of the present line
	wrong error    // the first thing that is wrong with the present line
	suite string
	from  int // line of the suite's name
	runs  map[string]*imported
	order []*imported
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
	numbers        map[number]float64
	cumulativeLine int
}

// number is what a number of a step is. A regret is NaN if the query has no new point.
type number struct {
	metric string
	rule   string // of a suboptimality
	own    bool   // the algorithm reports it
}

// at makes an error of one line.
func (in *importer) at(line int, column, format string, args ...any) error {
	where := fmt.Sprintf("%s:%d: ", in.o.File, line)
	if column != "" {
		where += "column " + column + ": "
	}
	return errors.New(words.Cut(words.Quote(where+fmt.Sprintf(format, args...)), 2*words.MaxLine))
}

// refuse says what is wrong with a cell of the present line, unless something else is. The line then does not count.
func (in *importer) refuse(column, format string, args ...any) {
	if in.wrong == nil {
		in.wrong = in.at(in.lineOf(column), column, format, args...)
	}
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
	for in.wrong == nil {
		in.cells, err = in.csv.Line()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return in.unreadable(err)
		}
		in.line()
	}
	return in.wrong
}

func (in *importer) unreadable(err error) error {
	var wrong *document.CSVError
	switch {
	case errors.As(err, &wrong):
		return in.at(wrong.Line, "", "%s; it has to be a table of comma-separated values", wrong.What)
	case errors.Is(err, io.EOF):
		return in.at(1, "", "the file is empty; its first line has to name the columns: %s", strings.Join(needed, ","))
	}
	return fmt.Errorf("%s cannot be read: %w", words.Quote(in.o.File), err)
}

// head checks the names of the columns.
func (in *importer) head(names []string) error {
	known := words.Each(columns, field.name)
	if len(names) == 1 && strings.ContainsAny(names[0], ";\t") {
		return in.at(1, "", "the line has one column, %.*q; separate the cells by commas", words.MaxLabel, names[0])
	}
	for i, name := range names {
		switch {
		case !slices.Contains(known, name):
			return in.at(1, "", "column %.*q is unknown; %s", words.MaxLabel, name, words.Hint(name, known, "the columns are "+strings.Join(known, ", ")))
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
func keep(text string) string { return unique.Make(text).Value() }

func (in *importer) lineOf(column string) int {
	return in.csv.At(max(0, slices.Index(in.names, column)))
}

// whole returns a cell as a whole number from low to high.
func (in *importer) whole(column, byDefault string, low, high uint64) uint64 {
	text := in.text(column, byDefault)
	v, err := strconv.ParseUint(text, 10, 64)
	if err != nil || v < low || v > high {
		in.refuse(column, "%.*q is not a whole number from %d to %d", words.MaxLabel, text, low, high)
	}
	return v
}

// among returns a cell that is one of some words.
func (in *importer) among(column, byDefault string, allowed ...string) string {
	text := in.text(column, byDefault)
	if !slices.Contains(allowed, text) {
		in.refuse(column, "%.*q is not one of %s", words.MaxLabel, text, strings.Join(allowed, ", "))
	}
	return text
}

const (
	maxDimension  = 1_000_000
	maxRepetition = 999_999 // which a record can have
	maxStep       = 1_000_000
)

// line reads a line into its run.
func (in *importer) line() {
	suite := in.text("suite", in.o.Suite)
	switch {
	case in.o.Only != "" && suite != in.o.Only:
		return
	case in.order == nil:
		in.suite, in.from = suite, in.lineOf("suite")
	case suite != in.suite:
		in.refuse("suite", "%.*q, but %q in line %d; a results folder has one suite: choose it with --suite", words.MaxLabel, suite, in.suite, in.from)
	}
	run := in.run()
	t := int(in.whole("step", "", 1, maxStep))
	text := in.text("value", "")
	value, err := strconv.ParseFloat(text, 64)
	if text == "" && in.text("metric", "") == string(outcome.InstantRegret) {
		value = math.NaN()
	} else if err != nil || math.IsNaN(value) || math.IsInf(value, 0) || strings.ContainsAny(text, "_xX") { // Go takes 1_0
		in.refuse("value", "%.*q is not a finite number", words.MaxLabel, text)
	}
	if run.steps[t] == nil {
		run.steps[t] = &importedStep{line: in.lineOf("step"), numbers: map[number]float64{}}
	}
	in.number(run, run.steps[t], value)
}

// run returns the run of the present line.
func (in *importer) run() *imported {
	h := record.Header{Suite: in.suite, Problem: record.Problem{Name: in.text("problem", ""), Scale: "imported", Factor: 1, Lo: []float64{}, Hi: []float64{}}}
	h.Algorithm = record.Algorithm{Name: in.text("algorithm", ""), Settings: json.RawMessage("{}"), Disclosed: record.DisclosedNone}
	h.Algorithm.Label = in.text("label", h.Algorithm.Name)
	h.Algorithm.Feedback = record.Feedback(in.among("feedback", string(record.Comparisons), string(record.Comparisons), string(record.Values)))
	h.Repetition = int(in.whole("repetition", "", 0, maxRepetition))
	h.PilotComparisons = int(in.whole("pilot_comparisons", "0", 0, math.MaxInt32))
	h.Seed = in.whole("seed", "0", 0, math.MaxUint64)
	dim := int(in.whole("dimension", "0", 0, maxDimension))
	cell := record.CellID(h.Problem.Name, h.Algorithm.Label, h.Repetition)
	run := in.runs[cell]
	if run == nil {
		run = &imported{line: in.lineOf("problem"), header: h, dim: dim, steps: map[int]*importedStep{}}
		in.runs[cell] = run
		in.order = append(in.order, run)
	}
	first := &run.header
	for _, same := range []struct {
		column      string
		first, here any
	}{
		{"algorithm", first.Algorithm.Name, h.Algorithm.Name}, {"feedback", first.Algorithm.Feedback, h.Algorithm.Feedback}, {"seed", first.Seed, h.Seed},
		{"pilot_comparisons", first.PilotComparisons, h.PilotComparisons}, {"dimension", run.dim, dim},
	} {
		if same.first != same.here {
			in.refuse(same.column, "%s, but %s in line %d, which is of the same run", short(same.here), short(same.first), run.line)
		}
	}
	return run
}

func short(v any) string { return words.Cut(fmt.Sprint(v), words.MaxLabel) }

// number takes the value of the present line into a step.
func (in *importer) number(run *imported, s *importedStep, value float64) {
	metric := keep(in.text("metric", ""))
	isOutcome := slices.Contains(outcomes, metric)
	isDerived := slices.ContainsFunc(derived, func(m *outcome.Measure) bool { return string(m.Name) == metric })
	byDefault := ""
	if isOutcome || isDerived {
		byDefault = outcomeKind
	} else if in.text("kind", "") == "" {
		in.refuse("metric", "%.*q is not one of %s; another metric needs a kind", words.MaxLabel, metric, strings.Join(outcomes, ", "))
	}
	kind := in.among("kind", byDefault, outcomeKind, string(record.Work), string(record.Certificate), string(record.State))
	n := number{metric: metric, own: kind != outcomeKind}
	switch {
	case n.own:
	case isDerived:
		return
	case !isOutcome:
		in.refuse("metric", "%.*q is not an outcome; the outcomes are %s", words.MaxLabel, metric, words.List(outcomes))
	default:
		against := in.among("against", optimum, optimum, bestFound, zero)
		if against == bestFound { // which follows from zero, and differs from folder to folder
			return
		}
		if run.against = cmp.Or(run.against, against); against != run.against {
			in.refuse("against", "%s, but %s in an earlier line of the run", against, run.against)
		}
		if metric == bestValue && against == optimum {
			in.refuse("against", "a best-value is against zero, of a problem whose optimum is unknown")
		}
		if metric == string(outcome.Suboptimality) {
			n.rule = keep(in.text("rule", defaultRule))
		}
	}
	if _, twice := s.numbers[n]; twice {
		in.refuse("metric", "the step has %.*q already, in line %d or later", words.MaxLabel, metric, s.line)
	}
	s.numbers[n] = value
	switch {
	case n.own:
		k := slices.IndexFunc(run.metrics, func(m record.MetricType) bool { return m.Name == metric })
		if k < 0 {
			run.metrics = append(run.metrics, record.MetricType{Name: metric, Kind: record.Kind(kind)})
		} else if run.metrics[k].Kind != record.Kind(kind) {
			in.refuse("kind", "%s, but %s in an earlier line of the run", kind, run.metrics[k].Kind)
		}
	case metric == string(outcome.CumulativeRegret):
		s.cumulativeLine = in.lineOf("value")
	case metric == string(outcome.Suboptimality):
		run.rules = words.Include(run.rules, n.rule)
		in.selects(run, n.rule)
	}
}

// selects takes in whether the present line says that its rule is the selected one.
func (in *importer) selects(run *imported, rule string) {
	selected := in.among("selected", "", "", "true", "false")
	switch {
	case selected == "true" && run.chosen != "" && run.chosen != rule:
		in.refuse("selected", "true of the rule %q, and of %q in an earlier line of the run", rule, run.chosen)
	case selected == "false" && run.chosen == rule:
		in.refuse("selected", "false of the rule %q, which an earlier line of the run selects", rule)
	case selected == "true":
		run.chosen = rule
	}
}

// optimumSlack is the rounding of a table, as a share of its numbers: many print the optimum with seven digits.
const optimumSlack = 1e-6

// record makes the record of a run.
func (in *importer) record(run *imported, from record.Imported) (*record.Record, error) {
	if run.rules == nil {
		return nil, in.at(run.line, "", "the run that begins here has no suboptimality against an optimum or zero")
	}
	chosen := cmp.Or(run.chosen, run.rules[0])
	rules := slices.DeleteFunc(slices.Clone(run.rules), func(rule string) bool { return rule == chosen })
	rules = slices.Insert(rules, 0, chosen)
	rec := &record.Record{Header: run.header, Footer: record.Footer{Status: record.OK}}
	h := &rec.Header
	from.Dimension = run.dim
	h.Imported, h.Budget, h.Algorithm.Metrics = &from, len(run.steps), run.metrics
	h.ConfigHash = from.SHA256[:16]
	if run.against == optimum {
		h.Problem.Optimum = new(float64)
	}
	h.Seal()
	sum, least, most, leastLine, largeLine := 0.0, 0.0, 0.0, 0, 0
	compare := func(v float64, line int) {
		if math.Abs(v) > 1e300 {
			largeLine = cmp.Or(largeLine, line)
		}
		most = max(most, v)
		if v < least {
			least, leastLine = v, line
		}
	}
	for t := 1; t <= len(run.steps); t++ {
		step := run.steps[t]
		if step == nil {
			return nil, in.at(run.line, "step", "the run that begins here has %s, and none is step %d; it needs every step from 1",
				words.Count(len(run.steps), "step"), t)
		}
		regret, ok := step.numbers[number{metric: string(outcome.InstantRegret)}]
		if !ok {
			return nil, in.at(step.line, "metric", "there is no instantaneous-regret of step %d; a run needs it at every step", t)
		}
		s := record.Step{Kind: "step", T: t, Points: [][]float64{}, Utility: []float64{}}
		if best, ok := step.numbers[number{metric: bestValue}]; ok {
			s.Utility = append(s.Utility, best)
		}
		if !math.IsNaN(regret) {
			sum += regret
			compare(regret, step.line)
			s.New, s.Utility = 1, append(s.Utility, 0-regret)
		}
		if v, ok := step.numbers[number{metric: string(outcome.CumulativeRegret)}]; ok && !(math.Abs(v-sum) <= 1e-9*(1+math.Abs(sum))) {
			return nil, in.at(step.cumulativeLine, "value", "the cumulative-regret is %g, the instantaneous ones up to step %d sum up to %g", v, t, sum)
		}
		for _, rule := range rules {
			if v, ok := step.numbers[number{metric: string(outcome.Suboptimality), rule: rule}]; ok {
				s.Recommendations = append(s.Recommendations, record.Recommendation{Rule: rule, X: []float64{}, Utility: 0 - v})
				compare(v, step.line)
			} else if rule == chosen {
				return nil, in.at(step.line, "metric",
					"there is no suboptimality of step %d by the rule %q; a run needs that of its selected rule at every step", t, rule)
			}
		}
		for _, m := range run.metrics {
			v, ok := step.numbers[number{metric: m.Name, own: true}]
			if !ok {
				return nil, in.at(step.line, "metric", "there is no %q of step %d, which other steps of the run have", m.Name, t)
			}
			s.Metrics = append(s.Metrics, record.Metric{Name: m.Name, Value: v})
		}
		rec.Steps = append(rec.Steps, s)
	}
	if largeLine > 0 {
		return nil, in.at(largeLine, "value", "sums of a suboptimality or regret have to be finite; give at most 1e300")
	}
	if run.against == optimum && least < -optimumSlack*(1+most) {
		return nil, in.at(leastLine, "value", "the step has a suboptimality or regret of %g, but nothing is better than the optimum; give the optimum minus f", least)
	}
	return rec, nil
}

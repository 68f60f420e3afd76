package compare

import (
	"fmt"
	"slices"

	"popbench/internal/outcome"
	"popbench/internal/words"
	"popbench/record"
)

// digest is the part of a results folder that a comparison keeps.
type digest struct {
	name   string // BASE or HEAD
	found  *record.Contents
	header record.Header // of the first record
	groups []*group
	index  map[string]*group             // the groups by key
	best   map[string]*outcome.BestFound // by problem, where the optimum is unknown
	// imported has the groups of imported records, which are not compared: this harness made neither side of them.
	imported []string
}

// group holds the runs of an algorithm on a problem, on one side: the metrics of each run, and
// one record as an example.
type group struct {
	key     string        // ID of the cells, without the repetition
	header  record.Header // of the first record, if possible one with an instance of the problem
	other   string        // a cell whose record has another configuration; "" if all have the same
	example *record.Record
	metrics []metric // of the example, the first complete record
	runs    []run
}

type run struct {
	repetition int
	failure    string // "" if the run is complete
	instance   [3]float64
	values     []float64 // of a complete run, one for each metric
	terms      []float64 // by how much each grows with the best value found, where the optimum is unknown
}

func (g *group) cell(r *run) string { return fmt.Sprintf("%s/%03d", g.key, r.repetition) }

// instances are the names of the numbers in run.instance.
var instances = [3]string{"optimum", "shift", "factor"}

// read reads the metrics of a results folder. It refuses a folder with an unreadable record,
// and one with records of several suites or programs.
func read(name string, in record.Source) (*digest, error) {
	f := &digest{name: name, index: map[string]*group{}, best: map[string]*outcome.BestFound{}}
	var err error
	f.found, err = in.Each(func(r *record.Record, _ *record.Timing) error {
		if r.Header.Imported != nil {
			f.imported = words.Include(f.imported, record.Group(r.Header.Cell))
			return nil
		}
		if f.groups == nil {
			f.header = r.Header
		}
		key := record.Group(r.Header.Cell)
		g := f.index[key]
		if g == nil {
			g = &group{key: key, header: r.Header}
			f.groups, f.index[key] = append(f.groups, g), g
		}
		g.add(r)
		if p := &r.Header.Problem; r.OK() && p.Optimum == nil {
			f.best[p.Name] = f.best[p.Name].Add(r)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if err := readable(name, f.found); err != nil {
		return nil, err
	}
	for i := range f.found.Issues {
		if issue := &f.found.Issues[i]; issue.Mixture != "" {
			return nil, fmt.Errorf("%s is itself a mixture: %s: %s; give a folder with one suite, made by one program", name, f.found.Dir, issue.What)
		}
	}
	if f.groups == nil {
		return nil, fmt.Errorf("%s (%s) has imported records only, which say nothing about a change of this program; give records that bench run made",
			name, f.found.Dir)
	}
	return f, nil
}

func readable(name string, found *record.Contents) error {
	for i := range found.Issues {
		if issue := &found.Issues[i]; issue.Mixture == "" {
			return fmt.Errorf("%s has a record that cannot be used: %w", name, issue)
		}
	}
	if found.Records == 0 {
		return fmt.Errorf("%s (%s) has no records; make them with bench run SUITE.yaml", name, found.Dir)
	}
	return nil
}

func (g *group) add(r *record.Record) {
	h := &r.Header
	if g.header.Problem.Factor == 0 && h.Problem.Factor != 0 {
		g.header.Problem = h.Problem
	}
	if g.other == "" && (h.ConfigHash != g.header.ConfigHash || h.Seed != g.header.Seed) {
		g.other = h.Cell
	}
	one := run{repetition: h.Repetition, instance: [3]float64{optimum(h), h.Problem.Shift, h.Problem.Factor}}
	if !r.OK() {
		one.failure = r.Footer.Error
	} else {
		if g.example == nil {
			g.example, g.metrics = r, measured(r)
		}
		measures := outcome.NewRun(r, outcome.Rules(g.example))
		for _, m := range g.metrics {
			term := 0.0
			if h.Problem.Optimum == nil && m.kind == Quality {
				term = m.terms(measures)
			}
			one.values, one.terms = append(one.values, m.of(measures)), append(one.terms, term)
		}
	}
	g.runs = append(g.runs, one)
}

// optimum returns the optimum of a record's problem, 0 if it is unknown.
func optimum(h *record.Header) float64 {
	if h.Problem.Optimum == nil {
		return 0
	}
	return *h.Problem.Optimum
}

// column returns the values of a metric for the given runs. If the optimum is unknown, they are against the best value
// found.
func (g *group) column(q metric, runs []*run, found *outcome.BestFound) []float64 {
	k := slices.IndexFunc(g.metrics, func(m metric) bool { return m.name == q.name })
	v := make([]float64, len(runs))
	for i, r := range runs {
		v[i] = r.values[k]
		if found != nil {
			v[i] += float64(r.terms[k] * found.Value)
		}
	}
	return v
}

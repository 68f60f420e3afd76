package compare

import (
	"cmp"
	"fmt"
	"math"
	"path"
	"slices"
	"strings"

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

// group holds the runs of an algorithm on a problem, on one side, and one record as an example.
type group struct {
	key     string         // ID of the cells, without the repetition
	header  record.Header  // of the first record, if possible one with an instance of the problem
	other   string         // a cell whose record has another configuration; "" if all have the same
	example *record.Record // the first complete one
	runs    []run
}

type run struct {
	repetition   int
	failure      string // "" if the run is complete
	instance     [3]float64
	*outcome.Run // nil if it failed
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
		g.example = cmp.Or(g.example, r)
		one.Run = outcome.NewRun(r, outcome.Rules(g.example))
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
	rules := outcome.Rules(g.example)
	v := make([]float64, len(runs))
	for i, r := range runs {
		v[i] = q.of(rules, r.Run)
		if found != nil && q.kind == Quality {
			v[i] += float64(q.terms(r.Run) * found.Value)
		}
	}
	return v
}

// Kind says what a metric measures. It determines the minimum effect.
type Kind string

const (
	Quality Kind = "quality" // in the unit of the objective
	Cost    Kind = "cost"    // a work count, summed over the steps
	Gap     Kind = "gap"     // the logarithm of a certificate
)

// metric is one number of a run. Lower is better. It is NaN if a run does not have it.
type metric struct {
	name string
	kind Kind
	of   func(rules []string, run *outcome.Run) float64 // rules are those of the run's group
	// terms is by how much a quality grows if the optimum grows by 1; nil of other kinds. NaN if only the run can tell.
	terms func(*outcome.Run) float64
	named outcome.Metric // the metric that it is, if it is compared only where it is named; else ""
}

// quality is a metric that package outcome defines. Where higher is better, the number is 1 minus the metric.
func quality(m *outcome.Measure) metric {
	if m.Higher {
		return metric{name: "1 − " + m.Title, kind: Quality, of: func(_ []string, run *outcome.Run) float64 { return 1 - m.Final(run) }, terms: m.Terms}
	}
	return metric{name: m.Title, kind: Quality, of: func(_ []string, run *outcome.Run) float64 { return m.Final(run) }, terms: m.Terms}
}

// recommended returns the metrics of the points that a rule recommends: after the last step, and averaged over all steps.
// The average matters to a user who stops early. It also detects a curve that is a step late but ends at the same value. For
// the selected rule these are metrics of package outcome.
func recommended(rule string) []metric {
	once := func(*outcome.Run) float64 { return 1 }
	return []metric{
		{name: "suboptimality (" + rule + ")", kind: Quality, terms: once, of: func(rules []string, run *outcome.Run) float64 {
			return run.FinalSuboptimality(slices.Index(rules, rule))
		}},
		{name: "mean suboptimality (" + rule + ")", kind: Quality, terms: once, of: func(rules []string, run *outcome.Run) float64 {
			return run.MeanSuboptimality(slices.Index(rules, rule), 1, run.Steps())
		}},
	}
}

// gapName is the metric with the largest duality gap of a step's solves.
const gapName = "duality_gap"

// gapFloor is the gap below which solves are equally good: the difference affects no result.
const gapFloor = 1e-9

// metrics returns the metrics that both records have. Rules are matched by name, except the
// selected ones.
func metrics(a, b *record.Record) []metric {
	var all []metric
	for _, name := range []outcome.Metric{outcome.Suboptimality, outcome.MeanSuboptimality, outcome.CumulativeRegret} {
		all = append(all, quality(outcome.Find(name)))
	}
	ours, theirs := outcome.Rules(a), outcome.Rules(b)
	for i, rule := range ours {
		if k := slices.Index(theirs, rule); k >= 0 && i+k > 0 { // unless both select it
			all = append(all, recommended(rule)...)
		}
	}
	for _, m := range a.Header.Algorithm.Metrics {
		// By the header, since a compact record has metrics in its last step only.
		if !slices.ContainsFunc(b.Header.Algorithm.Metrics, func(o record.MetricType) bool { return o.Name == m.Name }) {
			continue
		}
		switch {
		case m.Kind == record.Work:
			all = append(all, metric{name: m.Name, kind: Cost, of: func(_ []string, run *outcome.Run) float64 { return run.Total(m.Name).Sum }})
		case m.Name == gapName:
			all = append(all, metric{name: "log10 " + m.Name, kind: Gap, of: func(_ []string, run *outcome.Run) float64 {
				return math.Log10(max(gapFloor, run.Total(m.Name).Max))
			}})
		}
	}
	for _, m := range outcome.Measures {
		if !slices.ContainsFunc(all, func(q metric) bool { return q.name == m.Title }) {
			q := quality(m)
			q.named = m.Name
			all = append(all, q)
		}
	}
	return all
}

// choose returns the metrics whose names match one of the patterns of path.Match. Without a pattern it leaves out the
// metrics that are compared only where they are named: with every further row, the adjustment for all rows finds less.
func choose(all []metric, patterns []string) []metric {
	return slices.DeleteFunc(all, func(m metric) bool {
		if patterns == nil {
			return m.named != ""
		}
		return !slices.ContainsFunc(patterns, func(p string) bool {
			return matches(p, m.name) || m.named != "" && matches(p, string(m.named))
		})
	})
}

// unknown returns an error if a pattern matches no metric that both sides have.
func unknown(patterns, known []string) error {
	for _, p := range patterns {
		if !slices.ContainsFunc(known, func(name string) bool { return matches(p, name) }) {
			return fmt.Errorf("no metric %q on both sides; they have %s", p, strings.Join(known, ", "))
		}
	}
	return nil
}

// matches reports whether a pattern matches. A malformed pattern matches only itself.
func matches(pattern, name string) bool {
	ok, err := path.Match(pattern, name)
	return ok || err != nil && pattern == name
}

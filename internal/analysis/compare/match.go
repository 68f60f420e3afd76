package compare

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"popbench/internal/analysis/outcome"
	"popbench/internal/words"
	"popbench/record"
)

// matched holds the runs of two folders that can be compared.
type matched struct {
	samples  []sample
	failures []Failure
	warnings []string
	notes    []note
}

// note is a sentence about some groups, or about all if keys is nil.
type note struct {
	text string
	keys []string
}

func (n note) String() string {
	if n.keys == nil {
		return n.text
	}
	return several(n.keys) + ": " + n.text
}

// sample holds the metrics of the complete runs of an algorithm on a problem.
type sample struct {
	problem, title, algorithm string
	paired                    bool
	optimum                   float64            // or what stands for it
	found                     *outcome.BestFound // what stands for it; nil if it is known
	metrics                   []metric
	values                    [2][][]float64 // BASE, HEAD: [metric][run]; paired runs in the same order
}

// runs returns the number of runs of each side.
func (s *sample) runs() [2]int { return [2]int{len(s.values[0][0]), len(s.values[1][0])} }

// digest is the part of a results folder that a comparison keeps.
type digest struct {
	name   string // BASE or HEAD
	found  *record.Contents
	header record.Header // of the first record
	groups []*group
	best   map[string]*outcome.BestFound // by problem, where the optimum is unknown
	// imported has the groups of imported records, which are not compared: this harness made neither side of them.
	imported []string
}

// group holds the runs of an algorithm on a problem, on one side: the metrics of each run, and
// one record as an example.
type group struct {
	key     string        // ID of the cells, without the repetition
	header  record.Header // of the first record, if possible one with an instance of the problem
	other   string        // a cell whose record has another configuration; "" if there is none
	example *record.Record
	metrics []metric // those of the example, the first complete record
	runs    []run
	values  []float64 // of the complete runs, one for each metric
	terms   []float64 // by how much each grows with the best value found, where the optimum is unknown
}

// run is the summary of a record.
type run struct {
	repetition int
	failure    string // "" if the run is complete
	instance   [3]float64
	at         int // index of the first of its values in the group
}

func (g *group) cell(r *run) string { return fmt.Sprintf("%s/%03d", g.key, r.repetition) }

// instances are the names of the numbers in run.instance.
var instances = [3]string{"optimum", "shift", "factor"}

// read reads the metrics of a results folder. It refuses a folder with an unreadable record,
// and one with records of several suites or programs.
func read(name string, in record.Source) (*digest, error) {
	f := &digest{name: name, best: map[string]*outcome.BestFound{}}
	index := map[string]*group{}
	var err error
	f.found, err = in.Each(func(r *record.Record, _ *record.Timing) error {
		if r.Header.Imported != nil {
			f.imported = words.Include(f.imported, record.Group(r.Header.Cell))
			return nil
		}
		if len(index) == 0 {
			f.header = r.Header
		}
		key := record.Group(r.Header.Cell)
		g, ok := index[key]
		if !ok {
			g = &group{key: key, header: r.Header}
			index[key] = g
			f.groups = append(f.groups, g)
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
		return nil, fmt.Errorf("%s (%s) has imported records only, which say nothing about a change of this program; give records that bench run made", name, f.found.Dir)
	}
	return f, nil
}

// readable refuses a folder with a record that cannot be read.
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
	one := run{repetition: h.Repetition, instance: [3]float64{optimum(h), h.Problem.Shift, h.Problem.Factor}, at: len(g.values)}
	if !r.OK() {
		one.failure = r.Footer.Error
		g.runs = append(g.runs, one)
		return
	}
	if g.example == nil {
		g.example, g.metrics = r, measured(r)
	}
	measures := outcome.NewRun(r, outcome.Rules(g.example))
	for _, m := range g.metrics {
		g.values = append(g.values, m.of(measures))
		if h.Problem.Optimum == nil && m.kind == Quality {
			g.terms = append(g.terms, m.terms(measures))
		} else {
			g.terms = append(g.terms, 0)
		}
	}
	g.runs = append(g.runs, one)
}

// optimum is that of a record's problem, 0 if it is unknown.
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
		v[i] = g.values[r.at+k]
		if found != nil {
			v[i] += float64(g.terms[r.at+k] * found.Value)
		}
	}
	return v
}

// match pairs the groups of both sides. It returns an error if groups or runs do not belong
// together.
func match(base, head *digest, o Options) (*matched, error) {
	m := &matched{}
	m.noteProvenance(base, head)
	var known []string // metrics
	var missing []string
	for _, ours := range base.groups {
		j := slices.IndexFunc(head.groups, func(g *group) bool { return g.key == ours.key })
		if j < 0 {
			missing = append(missing, ours.key)
			continue
		}
		problem := ours.header.Problem.Name
		m.notePrograms(ours, head.groups[j])
		names, lacks, err := m.add(ours, head.groups[j], base.best[problem].Join(head.best[problem]), o)
		if err != nil {
			return nil, err
		}
		missing = append(missing, lacks...)
		for _, n := range names {
			if !slices.Contains(known, n) {
				known = append(known, n)
			}
		}
	}
	if len(missing) > 0 {
		if !o.AllowMissing {
			return nil, fmt.Errorf("HEAD has no record of %s, which BASE has; %s --allow missing to compare the rest", several(missing), head.whyMissing(missing[0]))
		}
		m.note("HEAD has no record of %s, which BASE has. Not compared.", several(missing))
	}
	var extra []string
	for _, g := range head.groups {
		if !slices.ContainsFunc(base.groups, func(b *group) bool { return b.key == g.key }) {
			extra = append(extra, g.key)
		}
	}
	if len(extra) > 0 {
		m.note("BASE has no record of %s, which HEAD has. Not compared.", several(extra))
	}
	if err := unknown(o.Metrics, known); err != nil {
		return nil, err
	}
	if len(m.samples) == 0 && len(m.failures) == 0 {
		return nil, errors.New("BASE and HEAD have no algorithm on the same problem with two complete runs or more; give folders of the same suite")
	}
	return m, nil
}

// whyMissing says why a group or a run is missing, as far as it is known, and leads to what can be done.
func (f *digest) whyMissing(name string) string {
	if f.found.List != nil {
		for _, p := range f.found.List.LeftOut {
			if name == p.Group || strings.HasPrefix(name, p.Group+"/") {
				return fmt.Sprintf("it was left out on purpose (%s); give", strings.TrimSuffix(p.Reason, "."))
			}
		}
	}
	return "let bench run finish, or give"
}

func (m *matched) note(format string, args ...any) {
	m.notes = append(m.notes, note{text: fmt.Sprintf(format, args...)})
}

// noteOn adds a note on a group. If several groups have the same note, it appears once.
func (m *matched) noteOn(g *group, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	i := slices.IndexFunc(m.notes, func(n note) bool { return n.keys != nil && n.text == text })
	if i < 0 {
		i = len(m.notes)
		m.notes = append(m.notes, note{text: text})
	}
	m.notes[i].keys = append(m.notes[i].keys, g.key)
}

// noteFound says what the regret on a problem is measured against, once for all its groups.
func (m *matched) noteFound(title string, found *outcome.BestFound) {
	m.notes = include(m.notes, foundNote(title, found))
}

func foundNote(title string, found *outcome.BestFound) string {
	return fmt.Sprintf("%s: %s", title, found.Note())
}

// texts returns the notes as text.
func (m *matched) texts() (all []string) {
	for _, n := range m.notes {
		all = append(all, n.String())
	}
	return all
}

// noteProvenance notes differences of the two folders that do not prevent a comparison.
func (m *matched) noteProvenance(base, head *digest) {
	x, y := &base.header, &head.header
	if x.Suite != y.Suite {
		m.note("The suites are called %q and %q.", x.Suite, y.Suite)
	}
	if x.Version != y.Version {
		m.note("BASE was made by popbench %s, HEAD by %s.", x.Version, y.Version)
	}
	if x.Go != y.Go || x.Platform != y.Platform && (x.Arithmetic == "" || x.Arithmetic != y.Arithmetic) {
		m.note("BASE was compiled by %s for %s, HEAD by %s for %s: floating-point numbers may differ in the last digits, and so may the steps after them.", x.Go, x.Platform, y.Go, y.Platform)
	}
	for _, f := range []*digest{base, head} {
		for _, text := range f.found.Notes() {
			m.note("%s: %s", f.name, text)
		}
		if f.imported != nil {
			m.note("%s: the records of %s were imported. Not compared.", f.name, several(f.imported))
		}
	}
}

// warnings returns warnings about missing records in either folder.
func warnings(base, head *digest) (all []string) {
	for _, f := range []*digest{base, head} {
		for _, text := range f.found.Warnings() {
			all = append(all, f.name+": "+text)
		}
	}
	return all
}

// add matches the runs of one algorithm on one problem. It returns the names of the metrics
// that both sides have, and the cells that HEAD lacks. Found is the best value that both folders found, if the optimum is
// unknown.
func (m *matched) add(base, head *group, found *outcome.BestFound, o Options) (names, missing []string, err error) {
	a, b := &base.header, &head.header
	if err := m.checkSettings(base, head, o); err != nil {
		return nil, nil, err
	}
	s := sample{problem: a.Problem.Name, title: a.Problem.Title, algorithm: a.Algorithm.Label, optimum: optimum(a), found: found, paired: a.Seed == b.Seed}
	if s.title == "" {
		s.title = s.problem
	}
	if found != nil {
		s.optimum = found.Value
	}
	var runs [2][]*run
	if s.paired {
		runs, missing, err = m.pairs(base, head)
	} else {
		runs, err = m.independent(base, head)
	}
	if err != nil {
		return nil, nil, err
	}
	if min(len(runs[0]), len(runs[1])) < 2 {
		m.noteOn(base, "fewer than two complete runs on a side. Not compared.")
		return nil, missing, nil
	}
	if err := m.checkRules(base, base.example, head.example, o); err != nil {
		return nil, nil, err
	}
	for _, g := range []*group{base, head} {
		if g.header.SharesPilot() && oneFunction(runs[0]) {
			m.noteOn(base, "all runs share one draw of %d pilot comparisons; the comparison is conditional on it.", g.header.PilotComparisons)
		}
	}
	all := metrics(base.example, head.example)
	for _, q := range all {
		if names = append(names, q.name); q.named != "" {
			names = append(names, string(q.named))
		}
	}
	s.metrics = choose(all, o.Metrics)
	for i, g := range []*group{base, head} {
		for _, q := range s.metrics {
			s.values[i] = append(s.values[i], g.column(q, runs[i], found))
		}
	}
	m.complete(base, &s)
	if len(s.metrics) > 0 {
		m.samples = append(m.samples, s)
		if found != nil && slices.ContainsFunc(s.metrics, func(q metric) bool { return q.kind == Quality }) {
			m.noteFound(s.title, found)
		}
	}
	return names, missing, nil
}

// checkSettings refuses groups of different experiments, and notes the differences that the
// options allow.
func (m *matched) checkSettings(base, head *group, o Options) error {
	for name, g := range map[string]*group{"BASE": base, "HEAD": head} {
		if g.other != "" {
			return fmt.Errorf("the records of %s in %s have several configurations (%s and %s differ); run the suite again with --force",
				g.key, name, g.header.Cell, g.other)
		}
	}
	a, b := base.header, head.header
	if a.Budget != b.Budget {
		return fmt.Errorf("%s: the runs have %d steps in BASE and %d in HEAD; run one of them again with the other's number of steps", base.key, a.Budget, b.Budget)
	}
	p, q := &a.Problem, &b.Problem
	switch {
	case len(p.Lo) == 0 || len(q.Lo) == 0: // all cells of a side failed before they had a box
		p.Lo, p.Hi, q.Lo, q.Hi = nil, nil, nil, nil
	case p.Factor != 0 && q.Factor != 0 && (p.Optimum == nil) != (q.Optimum == nil):
		which := map[bool][2]any{true: {"unknown", optimum(&b)}, false: {optimum(&a), "unknown"}}[p.Optimum == nil]
		return fmt.Errorf("%s: the problem's optimum is %v in BASE and %v in HEAD; state it for both, or for neither, and run one of them again", base.key, which[0], which[1])
	}
	all := differences(leaves(encode(configuration(&a))), leaves(encode(configuration(&b))))
	if len(all) == 0 {
		return nil
	}
	text := fmt.Sprintf("%s is %s in BASE and %s in HEAD", all[0].path, all[0].values[0], all[0].values[1])
	if n := len(all); n > 1 {
		text += fmt.Sprintf(" (and %d more differ)", n-1)
	}
	if !o.AllowSettings {
		return fmt.Errorf("%s: %s; run both with the same settings, or give --allow settings to compare them", base.key, text)
	}
	m.noteOn(base, "%s.", text)
	return nil
}

// configuration returns what must be the same on both sides, with the keys of suite files.
func configuration(h *record.Header) any {
	p := h.Problem
	var arms any
	if p.Arms != nil {
		arms = p.Arms.SHA256
	}
	return struct {
		Lo        []float64 `json:"lo"`
		Hi        []float64 `json:"hi"`
		Arms      any       `json:"arms"` // SHA-256
		Scale     string    `json:"scale"`
		Oracle    string    `json:"oracle"`
		Algorithm string    `json:"algorithm"`
		Settings  any       `json:"settings"`
		Disclose  any       `json:"disclose"`
		First     int       `json:"first_duels"`
		Pilot     int       `json:"pilot.comparisons"`
		PilotPer  any       `json:"pilot.per"`
	}{p.Lo, p.Hi, arms, p.Scale, h.Oracle.Kind(), h.Algorithm.Name, h.Algorithm.Settings, h.Algorithm.Disclosed, h.FirstDuels, h.PilotComparisons, cmp.Or(h.PilotPer, "problem")}
}

// pairs matches runs of the same repetition, which have the same function, start and oracle.
// It also returns the cells that HEAD lacks.
func (m *matched) pairs(base, head *group) (runs [2][]*run, missing []string, err error) {
	theirs := map[int]*run{}
	for i := range head.runs {
		theirs[head.runs[i].repetition] = &head.runs[i]
	}
	var mended, neither []string
	for i := range base.runs {
		a := &base.runs[i]
		b := theirs[a.repetition]
		delete(theirs, a.repetition)
		switch {
		case b == nil:
			missing = append(missing, base.cell(a))
		case a.failure == "" && b.failure == "":
			if err := sameInstance(base.cell(a), a, b); err != nil {
				return runs, nil, err
			}
			runs[0], runs[1] = append(runs[0], a), append(runs[1], b)
		case a.failure == "":
			m.failures = append(m.failures, Failure{head.cell(b), b.failure})
		case b.failure == "":
			mended = append(mended, base.cell(a))
		default:
			neither = append(neither, base.cell(a))
		}
	}
	if len(mended) > 0 {
		m.note("Failed in BASE, but not in HEAD: %s. Not compared.", several(mended))
	}
	if len(neither) > 0 {
		m.note("Failed on both sides: %s. Not compared.", several(neither))
	}
	if n := len(theirs); n > 0 {
		m.noteOn(base, "HEAD has %d more %s than BASE. Not compared.", n, words.Plural(n, "run"))
	}
	return runs, missing, nil
}

// independent returns the runs of both sides, which have different seeds.
func (m *matched) independent(base, head *group) (runs [2][]*run, err error) {
	a, b := &base.header, &head.header
	m.noteOn(base, "the seeds are %d and %d, so no two runs have the same start and oracle; compared as independent samples. With the same seed, fewer runs would suffice.", a.Seed, b.Seed)
	var failed [2][]Failure
	for i, g := range []*group{base, head} {
		for k := range g.runs {
			if r := &g.runs[k]; r.failure == "" {
				runs[i] = append(runs[i], r)
			} else {
				failed[i] = append(failed[i], Failure{g.cell(r), r.failure})
			}
		}
	}
	// A single failure may not be new, but a larger share of failures is.
	if len(failed[1])*len(base.runs) > len(failed[0])*len(head.runs) {
		m.failures = append(m.failures, failed[1]...)
	}
	for i, name := range []string{"BASE", "HEAD"} {
		if n := len(failed[i]); n > 0 {
			m.noteOn(base, "%d %s failed in %s. Not compared.", n, words.Plural(n, "run"), name)
		}
	}
	one := [2]bool{oneFunction(runs[0]), oneFunction(runs[1])}
	switch {
	case !one[0] || !one[1] || len(runs[0]) == 0 || len(runs[1]) == 0:
		return runs, nil
	case a.SharesPilot() || b.SharesPilot():
		n := max(a.PilotComparisons, b.PilotComparisons)
		return runs, fmt.Errorf("%s: the seeds are %d and %d, and all runs of a seed share the hyper-parameters that its %d pilot comparisons determine, so they are not independent; run HEAD with the seed of BASE, or both with a pilot for each repetition", base.key, a.Seed, b.Seed, n)
	}
	return runs, sameInstance(base.cell(runs[0][0]), runs[0][0], runs[1][0])
}

// oneFunction reports whether all runs have the same function, as opposed to one drawn for
// each.
func oneFunction(runs []*run) bool {
	return !slices.ContainsFunc(runs, func(r *run) bool { return r.instance[0] != runs[0].instance[0] })
}

// sameInstance refuses runs on different functions. The last digits may differ, since the
// platforms may.
func sameInstance(cell string, a, b *run) error {
	for i, name := range instances {
		if x, y := a.instance[i], b.instance[i]; math.Abs(x-y) > valueSlack*(1+math.Abs(x)) {
			return fmt.Errorf("%s: the problem's %s is %.10g in BASE and %.10g in HEAD, so these are different functions; compare versions with the same function", cell, name, x, y)
		}
	}
	return nil
}

// valueSlack allows for rounding in values of the objective.
const valueSlack = 1e-9

// several names the first entries of a list, and counts the rest.
func several(list []string) string {
	switch n := len(list); n {
	case 1:
		return list[0]
	case 2:
		return list[0] + " and " + list[1]
	default:
		return fmt.Sprintf("%s and %d more", list[0], n-1)
	}
}

package compare

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"popbench/internal/runlog"
)

// matched is what two folders have to compare.
type matched struct {
	samples  []sample
	failures []Failure
	notes    []note
}

// note is a sentence, about some of the groups or about all.
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

// sample is the complete runs of an algorithm on a problem, as numbers.
type sample struct {
	problem, title, algorithm string
	paired                    bool
	optimum                   float64
	metrics                   []metric
	values                    [2][][]float64 // BASE, HEAD: [metric][run]; paired ones in the same order
}

// runs is how many of each side there are.
func (s *sample) runs() [2]int { return [2]int{len(s.values[0][0]), len(s.values[1][0])} }

// group is the records of an algorithm on a problem, on one side.
type group struct {
	key     string // of the cells, without the repetition
	records []*runlog.Record
}

func (g *group) header() *runlog.Header { return &g.records[0].Header }

func groups(res *runlog.Results) (all []group) {
	index := map[string]int{}
	for _, r := range res.Records {
		key := r.Header.Cell[:strings.LastIndexByte(r.Header.Cell, '/')]
		i, ok := index[key]
		if !ok {
			i = len(all)
			index[key] = i
			all = append(all, group{key: key})
		}
		all[i].records = append(all[i].records, r)
	}
	return all
}

// match puts together what belongs together. The error names what does not.
func match(base, head *runlog.Results, o Options) (*matched, error) {
	if err := readable(base, head); err != nil {
		return nil, err
	}
	m := &matched{}
	m.noteProvenance(base, head)
	ours, theirs := groups(base), groups(head)
	var known []string // metrics
	var missing []string
	for i := range ours {
		j := slices.IndexFunc(theirs, func(g group) bool { return g.key == ours[i].key })
		if j < 0 {
			missing = append(missing, ours[i].key)
			continue
		}
		names, lacks, err := m.add(&ours[i], &theirs[j], o)
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
			return nil, fmt.Errorf("HEAD has no record of %s, which BASE has; let bench run finish, or give --allow-missing to compare the rest", several(missing))
		}
		m.note("HEAD has no record of %s, which BASE has. Not compared.", several(missing))
	}
	var extra []string
	for _, g := range theirs {
		if !slices.ContainsFunc(ours, func(b group) bool { return b.key == g.key }) {
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

func (m *matched) note(format string, args ...any) {
	m.notes = append(m.notes, note{text: fmt.Sprintf(format, args...)})
}

// noteOn is about a group; what is to be said of several is said once.
func (m *matched) noteOn(g *group, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	i := slices.IndexFunc(m.notes, func(n note) bool { return n.keys != nil && n.text == text })
	if i < 0 {
		i = len(m.notes)
		m.notes = append(m.notes, note{text: text})
	}
	m.notes[i].keys = append(m.notes[i].keys, g.key)
}

// texts are the notes as the user reads them.
func (m *matched) texts() (all []string) {
	for _, n := range m.notes {
		all = append(all, n.String())
	}
	return all
}

// noteProvenance says where two folders differ without being two experiments.
func (m *matched) noteProvenance(base, head *runlog.Results) {
	a, b := side(base), side(head)
	if a.Suite != b.Suite {
		m.note("The suites are called %q and %q.", a.Suite, b.Suite)
	}
	x, y := &base.Records[0].Header, &head.Records[0].Header
	if x.Version != y.Version {
		m.note("BASE is of popbench %s, HEAD of %s.", x.Version, y.Version)
	}
	if x.Go != y.Go || x.Platform != y.Platform {
		m.note("BASE was compiled by %s for %s, HEAD by %s for %s: floating-point numbers may differ in the last digits, and steps after them.", x.Go, x.Platform, y.Go, y.Platform)
	}
	for _, s := range []struct {
		name string
		res  *runlog.Results
	}{{"BASE", base}, {"HEAD", head}} {
		for _, i := range s.res.Issues {
			if i.Mixture {
				m.note("In %s %s.", s.name, i.What)
			}
		}
	}
}

// readable refuses folders in which something cannot be read.
func readable(base, head *runlog.Results) error {
	for _, s := range []struct {
		name string
		res  *runlog.Results
	}{{"BASE", base}, {"HEAD", head}} {
		for i := range s.res.Issues {
			if issue := &s.res.Issues[i]; !issue.Mixture {
				return fmt.Errorf("%s has a record that cannot be used: %w", s.name, issue)
			}
		}
		if len(s.res.Records) == 0 {
			return fmt.Errorf("%s (%s) has no records; bench run SUITE.yaml makes them", s.name, s.res.Dir)
		}
	}
	return nil
}

// add puts the runs of one algorithm on one problem together. It returns the
// names of the metrics that both sides have, and the cells that HEAD lacks.
func (m *matched) add(base, head *group, o Options) (names, missing []string, err error) {
	a, b := base.header(), head.header()
	if err := m.checkSettings(base, head, o); err != nil {
		return nil, nil, err
	}
	s := sample{problem: a.Problem.Name, title: a.Problem.Title, algorithm: a.Algorithm.Label, optimum: a.Problem.Optimum, paired: a.Seed == b.Seed}
	if s.title == "" {
		s.title = s.problem
	}
	var runs [2][]*runlog.Record
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
	all := metrics(runs[0][0], runs[1][0])
	for _, q := range all {
		names = append(names, q.name)
	}
	s.metrics = choose(all, o.Metrics)
	for i := range runs {
		for _, q := range s.metrics {
			v := make([]float64, len(runs[i]))
			for k, r := range runs[i] {
				v[k] = q.of(r)
			}
			s.values[i] = append(s.values[i], v)
		}
	}
	if len(s.metrics) > 0 {
		m.samples = append(m.samples, s)
	}
	return names, missing, nil
}

// checkSettings refuses groups that are not of one experiment, and notes what
// the user allows to differ.
func (m *matched) checkSettings(base, head *group, o Options) error {
	for _, s := range []struct {
		name string
		*group
	}{{"BASE", base}, {"HEAD", head}} {
		first := s.header()
		for _, r := range s.records {
			if r.Header.ConfigHash != first.ConfigHash || r.Header.Seed != first.Seed {
				return fmt.Errorf("the records of %s in %s are not of one configuration (%s and %s differ); run the suite again with --force",
					s.key, s.name, first.Cell, r.Header.Cell)
			}
		}
	}
	a, b := base.header(), head.header()
	if a.Steps != b.Steps {
		return fmt.Errorf("%s: the runs have %d steps in BASE and %d in HEAD; run one of them again with as many as the other", base.key, a.Steps, b.Steps)
	}
	field, values, n := firstDifference(leaves(encode(configuration(a))), leaves(encode(configuration(b))))
	if n == 0 {
		return nil
	}
	text := fmt.Sprintf("%s is %s in BASE and %s in HEAD", field, values[0], values[1])
	if n > 1 {
		text += fmt.Sprintf(" (and %d more differ)", n-1)
	}
	if !o.AllowSettings {
		return fmt.Errorf("%s: %s; run both with the same settings, or give --allow-different-settings if that is what you compare", base.key, text)
	}
	m.noteOn(base, "%s.", text)
	return nil
}

// configuration is what has to be the same, by the names that suite files use.
func configuration(h *runlog.Header) any {
	p := h.Problem
	return struct {
		Lo        []float64 `json:"lo"`
		Hi        []float64 `json:"hi"`
		Scale     string    `json:"scale"`
		Algorithm string    `json:"algorithm"`
		Settings  any       `json:"settings"`
		Pilot     int       `json:"pilot"`
	}{p.Lo, p.Hi, p.Scale, h.Algorithm.Name, h.Algorithm.Settings, h.Pilot}
}

// pairs are the runs of the same repetition, which met the same function, start
// and luck. It returns the cells that HEAD lacks, too.
func (m *matched) pairs(base, head *group) (runs [2][]*runlog.Record, missing []string, err error) {
	theirs := map[int]*runlog.Record{}
	for _, r := range head.records {
		theirs[r.Header.Repetition] = r
	}
	var mended, neither []string
	for _, a := range base.records {
		b := theirs[a.Header.Repetition]
		delete(theirs, a.Header.Repetition)
		switch {
		case b == nil:
			missing = append(missing, a.Header.Cell)
		case a.OK() && b.OK():
			if err := sameInstance(&a.Header, &b.Header); err != nil {
				return runs, nil, err
			}
			runs[0], runs[1] = append(runs[0], a), append(runs[1], b)
		case a.OK():
			m.failures = append(m.failures, Failure{b.Header.Cell, b.Footer.Error})
		case b.OK():
			mended = append(mended, a.Header.Cell)
		default:
			neither = append(neither, a.Header.Cell)
		}
	}
	if len(mended) > 0 {
		m.note("Failed in BASE, but not in HEAD: %s. Not compared.", several(mended))
	}
	if len(neither) > 0 {
		m.note("Failed on both sides: %s. Not compared.", several(neither))
	}
	if n := len(theirs); n > 0 {
		m.noteOn(base, "HEAD has %d more %s than BASE. Not compared.", n, plural(n, "run"))
	}
	return runs, missing, nil
}

// independent are the runs of two seeds.
func (m *matched) independent(base, head *group) (runs [2][]*runlog.Record, err error) {
	a, b := base.header(), head.header()
	m.noteOn(base, "the seeds are %d and %d, so that no two runs met the same start and luck; compared as independent samples. With one seed for both, fewer runs would tell as much.", a.Seed, b.Seed)
	var failed [2][]Failure
	for i, g := range []*group{base, head} {
		for _, r := range g.records {
			if r.OK() {
				runs[i] = append(runs[i], r)
			} else {
				failed[i] = append(failed[i], Failure{r.Header.Cell, r.Footer.Error})
			}
		}
	}
	// No failure can be told to be new, but that there are more can.
	if len(failed[1])*len(base.records) > len(failed[0])*len(head.records) {
		m.failures = append(m.failures, failed[1]...)
	}
	for i, name := range []string{"BASE", "HEAD"} {
		if n := len(failed[i]); n > 0 {
			m.noteOn(base, "%d %s failed in %s. Not compared.", n, plural(n, "run"), name)
		}
	}
	one := [2]bool{oneFunction(runs[0]), oneFunction(runs[1])}
	switch {
	case !one[0] || !one[1] || len(runs[0]) == 0 || len(runs[1]) == 0:
		return runs, nil
	case a.Pilot > 0:
		return runs, fmt.Errorf("%s: the seeds are %d and %d, and all runs of a seed share the settings that its %d pilot comparisons decide, so that they are not independent; run HEAD with the seed of BASE", base.key, a.Seed, b.Seed, a.Pilot)
	}
	return runs, sameInstance(&runs[0][0].Header, &runs[1][0].Header)
}

// oneFunction reports whether all runs are of the same function, not each of
// one that was drawn for it.
func oneFunction(runs []*runlog.Record) bool {
	return !slices.ContainsFunc(runs, func(r *runlog.Record) bool {
		return r.Header.Problem.Optimum != runs[0].Header.Problem.Optimum
	})
}

// sameInstance refuses runs on different functions. The last digits may be of
// another platform.
func sameInstance(a, b *runlog.Header) error {
	for _, v := range []struct {
		name string
		a, b float64
	}{
		{"optimum", a.Problem.Optimum, b.Problem.Optimum},
		{"shift", a.Problem.Shift, b.Problem.Shift},
		{"factor", a.Problem.Factor, b.Problem.Factor},
	} {
		if math.Abs(v.a-v.b) > valueSlack*(1+math.Abs(v.a)) {
			return fmt.Errorf("%s: the problem's %s is %.10g in BASE and %.10g in HEAD, so that these are two functions; compare runs of versions that have the same one", a.Cell, v.name, v.a, v.b)
		}
	}
	return nil
}

// valueSlack allows for rounding in values of the objective.
const valueSlack = 1e-9

// several names the first of a list.
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

func plural(n int, noun string) string {
	if n == 1 {
		return noun
	}
	return noun + "s"
}

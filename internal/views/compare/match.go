package compare

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"popbench/internal/outcome"
	"popbench/internal/words"
	"popbench/record"
)

// match pairs the groups of both sides. It returns an error if groups or runs do not belong
// together.
func match(base, head *digest, o Options) (*matched, error) {
	m := &matched{base: base, head: head}
	m.noteProvenance()
	for _, ours := range base.groups {
		theirs := head.index[ours.key]
		if theirs == nil {
			m.missing = append(m.missing, ours.key)
			continue
		}
		m.notePrograms(ours, theirs)
		if err := m.add(ours, theirs, o); err != nil {
			return nil, err
		}
	}
	if len(m.missing) > 0 {
		if !o.AllowMissing {
			return nil, fmt.Errorf("HEAD has no record of %s, which BASE has; %s --allow missing to compare the rest",
				several(m.missing), head.whyMissing(m.missing[0]))
		}
		m.note("HEAD has no record of %s, which BASE has. Not compared.", several(m.missing))
	}
	if extra := words.Only(head.groups, func(g *group) bool { return base.index[g.key] == nil }); extra != nil {
		m.note("BASE has no record of %s, which HEAD has. Not compared.", several(words.Each(extra, func(g *group) string { return g.key })))
	}
	if m.known != nil { // otherwise no run of both sides is complete, and there is no metric at all
		if err := unknown(o.Metrics, m.known); err != nil {
			return nil, err
		}
	}
	if len(m.samples) == 0 && len(m.failures) == 0 {
		return nil, errors.New("BASE and HEAD have no algorithm on the same problem with two complete runs or more; give folders of one suite, with at least two repetitions")
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

// noteProvenance notes differences of the two folders that do not prevent a comparison, and warns of missing records.
func (m *matched) noteProvenance() {
	x, y := &m.base.header, &m.head.header
	if x.Suite != y.Suite {
		m.note("The suites are called %q and %q.", x.Suite, y.Suite)
	}
	if x.Version != y.Version {
		m.note("BASE was made by popbench %s, HEAD by %s.", x.Version, y.Version)
	}
	if x.Go != y.Go || x.Platform != y.Platform && (x.Arithmetic == "" || x.Arithmetic != y.Arithmetic) {
		m.note("BASE was compiled by %s for %s, HEAD by %s for %s: floating-point numbers may differ in the last digits, and so may the steps after them.",
			x.Go, x.Platform, y.Go, y.Platform)
	}
	for _, f := range []*digest{m.base, m.head} {
		for _, text := range f.found.Warnings() {
			m.warnings = append(m.warnings, f.name+": "+text)
		}
		for _, text := range f.found.Notes() {
			m.note("%s: %s", f.name, text)
		}
		if f.imported != nil {
			m.note("%s: the records of %s were imported. Not compared.", f.name, several(f.imported))
		}
	}
}

// add matches the runs of one algorithm on one problem.
func (m *matched) add(base, head *group, o Options) error {
	a, b := &base.header, &head.header
	if err := m.checkSettings(base, head, o); err != nil {
		return err
	}
	found := m.base.best[a.Problem.Name].Join(m.head.best[a.Problem.Name])
	s := sample{Subject: Subject{Problem: a.Problem.Name, Title: cmp.Or(a.Problem.Title, a.Problem.Name), Algorithm: a.Algorithm.Label},
		optimum: optimum(a), found: found, paired: a.Seed == b.Seed}
	if found != nil {
		s.optimum = found.Value
	}
	pair := m.independent
	if s.paired {
		pair = m.pairs
	}
	runs, err := pair(base, head)
	if err != nil {
		return err
	}
	if min(len(runs[0]), len(runs[1])) < 2 {
		m.noteOn(base, "fewer than two complete runs on a side. Not compared.")
		return nil
	}
	if err := m.checkRules(base, base.example, head.example, o); err != nil {
		return err
	}
	for _, g := range []*group{base, head} {
		if g.header.SharesPilot() && oneFunction(runs[0]) {
			m.noteOn(base, "all runs share one draw of %d pilot comparisons; the comparison is conditional on it.", g.header.PilotComparisons)
		}
	}
	all := metrics(base.example, head.example)
	for _, q := range all {
		m.known = words.Include(m.known, q.name)
		if q.named != "" {
			m.known = words.Include(m.known, string(q.named))
		}
	}
	var lost []string // metrics that are missing in some run
	for _, q := range choose(all, o.Metrics) {
		x, y := base.column(q, runs[0], found), head.column(q, runs[1], found)
		if slices.ContainsFunc(slices.Concat(x, y), math.IsNaN) {
			lost = append(lost, q.name)
			continue
		}
		s.metrics = append(s.metrics, q)
		s.values[0], s.values[1] = append(s.values[0], x), append(s.values[1], y)
	}
	if lost != nil {
		m.noteOn(base, "not every run has %s. Not compared.", several(lost))
	}
	if len(s.metrics) > 0 {
		m.samples = append(m.samples, s)
		if found != nil && slices.ContainsFunc(s.metrics, func(q metric) bool { return q.kind == Quality }) {
			m.note("%s: %s", s.Title, found.Note())
		}
	}
	return nil
}

// checkSettings refuses groups of different experiments, and notes the differences that the
// options allow.
func (m *matched) checkSettings(base, head *group, o Options) error {
	for i, g := range []*group{base, head} {
		if g.other != "" {
			return fmt.Errorf("the records of %s in %s have several configurations (%s and %s differ); run the suite again with --force",
				g.key, []string{"BASE", "HEAD"}[i], g.header.Cell, g.other)
		}
	}
	a, b := base.header, head.header
	if a.Budget != b.Budget {
		return fmt.Errorf("%s: the runs have %d steps in BASE and %d in HEAD; run one of them again with the other's number of steps",
			base.key, a.Budget, b.Budget)
	}
	p, q := &a.Problem, &b.Problem
	switch {
	case len(p.Lo) == 0 || len(q.Lo) == 0: // all cells of a side failed before they had a box
		p.Lo, p.Hi, q.Lo, q.Hi = nil, nil, nil, nil
	case p.Factor != 0 && q.Factor != 0 && (p.Optimum == nil) != (q.Optimum == nil):
		which := map[bool][2]any{true: {"unknown", optimum(&b)}, false: {optimum(&a), "unknown"}}[p.Optimum == nil]
		return fmt.Errorf("%s: the problem's optimum is %v in BASE and %v in HEAD; state it for both, or for neither, and run one of them again",
			base.key, which[0], which[1])
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
	}{p.Lo, p.Hi, arms, p.Scale, h.Oracle.Kind(), h.Algorithm.Name, h.Algorithm.Settings, h.Algorithm.Disclosed, h.FirstDuels, h.PilotComparisons,
		cmp.Or(h.PilotPer, "problem")}
}

// pairs matches runs of the same repetition, which have the same function, start and oracle.
func (m *matched) pairs(base, head *group) (runs [2][]*run, err error) {
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
			m.missing = append(m.missing, base.cell(a))
		case a.failure == "" && b.failure == "":
			if err := sameInstance(base.cell(a), a, b); err != nil {
				return runs, err
			}
			runs[0], runs[1] = append(runs[0], a), append(runs[1], b)
		case a.failure == "":
			m.failures = append(m.failures, record.Failure{Cell: head.cell(b), Error: b.failure})
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
	return runs, nil
}

// independent returns the runs of both sides, which have different seeds.
func (m *matched) independent(base, head *group) (runs [2][]*run, err error) {
	a, b := &base.header, &head.header
	m.noteOn(base, "the seeds are %d and %d, so no two runs have the same start and oracle; compared as independent samples. With the same seed, fewer runs would suffice.",
		a.Seed, b.Seed)
	var failed [2][]record.Failure
	for i, g := range []*group{base, head} {
		for k := range g.runs {
			if r := &g.runs[k]; r.failure == "" {
				runs[i] = append(runs[i], r)
			} else {
				failed[i] = append(failed[i], record.Failure{Cell: g.cell(r), Error: r.failure})
			}
		}
		if n := len(failed[i]); n > 0 {
			m.noteOn(base, "%s failed in %s. Not compared.", words.Count(n, "run"), []string{"BASE", "HEAD"}[i])
		}
	}
	// A single failure may not be new, but a larger share of failures is.
	if len(failed[1])*len(base.runs) > len(failed[0])*len(head.runs) {
		m.failures = append(m.failures, failed[1]...)
	}
	if !oneFunction(runs[0]) || !oneFunction(runs[1]) || len(runs[0]) == 0 || len(runs[1]) == 0 {
		return runs, nil
	}
	if a.SharesPilot() || b.SharesPilot() {
		n := max(a.PilotComparisons, b.PilotComparisons)
		return runs, fmt.Errorf("%s: the seeds are %d and %d, and all runs of a seed share the hyper-parameters that its %d pilot comparisons determine, so they are not independent; run HEAD with the seed of BASE, or both with a pilot for each repetition",
			base.key, a.Seed, b.Seed, n)
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
			return fmt.Errorf("%s: the problem's %s is %.10g in BASE and %.10g in HEAD, so these are different functions; compare versions with the same function",
				cell, name, x, y)
		}
	}
	return nil
}

// checkRules refuses records that select different rules, unless the options allow it. It
// notes the rules that one side lacks.
func (m *matched) checkRules(g *group, a, b *record.Record, o Options) error {
	ours, theirs := outcome.Rules(a), outcome.Rules(b)
	if ours[0] != theirs[0] {
		text := fmt.Sprintf("the selected rule is %s in BASE and %s in HEAD", ours[0], theirs[0])
		if !o.AllowSettings {
			return fmt.Errorf("%s: %s; select one rule for both, or give --allow settings to compare them", g.key, text)
		}
		m.noteOn(g, "%s: suboptimality compares these two.", text)
	}
	lack := func(rules, in []string) []string {
		return slices.DeleteFunc(rules, func(r string) bool { return slices.Contains(in, r) })
	}
	for _, side := range []struct {
		has, lacks string
		rules      []string
	}{{"BASE", "HEAD", lack(outcome.Rules(a), theirs)}, {"HEAD", "BASE", lack(outcome.Rules(b), ours)}} {
		if len(side.rules) > 0 {
			m.noteOn(g, "%s recommends by %s, and %s does not. Not compared.", side.has, several(side.rules), side.lacks)
		}
	}
	return nil
}

// matched holds the runs of two folders that can be compared.
type matched struct {
	base, head *digest
	known      []string // metrics of both sides
	missing    []string // groups and cells that HEAD lacks
	samples    []sample
	failures   []record.Failure
	warnings   []string
	notes      []note
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

// note adds a note on everything unless the note is there already.
func (m *matched) note(format string, args ...any) { m.noteOn(nil, format, args...) }

// noteOn adds a note on a group, nil for everything. If several groups have the same note, it appears once.
func (m *matched) noteOn(g *group, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	i := slices.IndexFunc(m.notes, func(n note) bool { return n.text == text && (n.keys == nil) == (g == nil) })
	if i < 0 {
		i = len(m.notes)
		m.notes = append(m.notes, note{text: text})
	}
	if g != nil {
		m.notes[i].keys = append(m.notes[i].keys, g.key)
	}
}

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

// notePrograms notes how the programs of the suite's owner differ between two groups.
func (m *matched) notePrograms(base, head *group) {
	a, b := base.representative(), head.representative()
	m.noteProgram(a.Algorithm.Label, a.Algorithm.Program, b.Algorithm.Program)
	m.noteProgram("The objective "+a.Problem.Name, a.Problem.Program, b.Problem.Program)
}

// representative is the header of a complete record, if possible: only that says what a program reported.
func (g *group) representative() *record.Header {
	if g.example != nil {
		return &g.example.Header
	}
	return &g.header
}

// noteProgram notes how a program differs between the sides. Differences of the program itself are what is to be compared.
// Differences of its surroundings, such as the version of a library, become warnings: they may explain a verdict. It repeats
// nothing, since groups share programs.
func (m *matched) noteProgram(of string, base, head *record.Program) {
	if base == nil || head == nil {
		return
	}
	note := func(format string, args ...any) { m.note("%s: %s", of, fmt.Sprintf(format, args...)) }
	warn := func(format string, args ...any) {
		m.warnings = words.Include(m.warnings, of+": "+fmt.Sprintf(format, args...))
	}
	if !slices.Equal(base.Command, head.Command) {
		note("started by %s in BASE and by %s in HEAD.", words.Command(base.Command), words.Command(head.Command))
	}
	var changed, only []string
	for _, d := range differences(files(base), files(head)) {
		switch {
		case d.values[1] == absent:
			only = append(only, d.path+" is in BASE only")
		case d.values[0] == absent:
			only = append(only, d.path+" is in HEAD only")
		default:
			changed = words.Include(changed, d.path)
		}
	}
	if len(changed) > 0 {
		only = slices.Insert(only, 0, words.List(changed)+words.Choose(len(changed), " differs", " differ"))
	}
	if len(only) > 0 {
		note("%s.", strings.Join(only, "; "))
	}
	if base.Threads != head.Threads {
		warn("%s in BASE and %d in HEAD, which may change last digits, and the steps after them.", words.Count(base.Threads, "thread"), head.Threads)
	}
	if base.Random || head.Random {
		note("it says that equal seeds may give other results.")
	}
	if base.Name == "" || head.Name == "" { // all its runs failed before it reported anything
		return
	}
	if base.Name != head.Name || base.Version != head.Version {
		note("reports %q in BASE and %q in HEAD.", strings.TrimSpace(base.Name+" "+base.Version), strings.TrimSpace(head.Name+" "+head.Version))
	}
	var others []string
	for _, d := range differences(leaves(base.Provenance), leaves(head.Provenance)) {
		text := fmt.Sprintf("%s is %s in BASE and %s in HEAD", d.path, d.values[0], d.values[1])
		// These say which program it is, not where it runs.
		if last := d.path[strings.LastIndexByte(d.path, '.')+1:]; last == "commit" || last == "dirty" || last == "extension" {
			note("reports that %s.", text)
			continue
		}
		others = append(others, text)
	}
	if len(others) > 0 {
		more := ""
		if n := len(others) - maxProvenance; n > 0 {
			others, more = others[:maxProvenance], fmt.Sprintf(" (and %d more differ)", n)
		}
		warn("reports that %s%s. A difference in the results may be due to that.", strings.Join(others, ", "), more)
	}
}

const maxProvenance = 5

// files are the hashes of a program's files by their paths.
func files(p *record.Program) []record.Leaf {
	return words.Each(p.Files, func(f record.ProgramFile) record.Leaf { return record.Leaf{Path: f.Path, Value: f.SHA256} })
}

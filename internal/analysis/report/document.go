package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Document is the table in words: sheets of text cells, with footnotes.
type Document struct {
	Title    string
	Warnings []string // shown before everything else
	Facts    []Fact   // what was run
	Summary  []string // the verdict, a sentence for each algorithm
	Sheets   []Sheet
	Notes    []string // footnotes; a reference to the first is 1
}

// Fact is one thing about the runs.
type Fact struct{ Name, Value string }

// Sheet is a table of text cells.
type Sheet struct {
	ID      string // one word, unique in the document
	Title   string
	Caption string
	Columns []Column
	Rows    [][]Cell
	Notes   []int // about the whole sheet
}

// Column is a sheet's column. The cells of a Head column name their row; those
// of a Words column are words, the others numbers.
type Column struct {
	Title string
	Head  bool
	Words bool
}

// Left reports whether the column is set flush left.
func (c Column) Left() bool { return c.Head || c.Words }

// Cell is a text with references to footnotes.
type Cell struct {
	Text  string
	Notes []int
}

// notes numbers footnotes in the order in which they are first referred to.
type notes []string

func (n *notes) ref(texts ...string) (refs []int) {
	for _, t := range texts {
		i := slices.Index(*n, t)
		if i < 0 {
			i = len(*n)
			*n = append(*n, t)
		}
		if !slices.Contains(refs, i+1) {
			refs = append(refs, i+1)
		}
	}
	slices.Sort(refs)
	return refs
}

// layout is what the sheets of a table have in common.
type layout struct {
	*Table
	notes
	algorithms []string // labels
	selected   []string // rules that the settings select; one, as a rule
}

// Document puts the table into words.
func (t *Table) Document() *Document {
	l := &layout{Table: t}
	for i := range t.Rows {
		row := &t.Rows[i]
		l.algorithms = include(l.algorithms, row.Algorithm.Label)
		if len(row.Rules) > 0 {
			l.selected = include(l.selected, row.Rules[0].Rule)
		}
	}
	d := &Document{Title: t.Suite, Warnings: t.Warnings, Summary: t.summary()}
	if t.Title != "" {
		d.Title += ": " + t.Title
	}
	var seeds []string
	for _, s := range t.Seeds {
		seeds = append(seeds, strconv.FormatUint(s, 10))
	}
	if t.Experiment != nil {
		d.Facts = append(d.Facts, Fact{"Repeats", t.repeats()})
	}
	d.Facts = append(d.Facts, []Fact{
		{"Runs", t.Size()},
		{"Seed", strings.Join(seeds, ", ")},
		{"Program", strings.Join(t.Programs, "; ")},
	}...)
	d.Sheets = append(d.Sheets, l.outcome())
	if s := l.verdicts(); len(s.Columns) > l.heads() {
		d.Sheets = append(d.Sheets, s)
	}
	if s := l.rules(); len(s.Columns) > l.heads()+1 {
		d.Sheets = append(d.Sheets, s)
	}
	d.Sheets = append(d.Sheets, l.regret())
	if t.Growth != nil {
		d.Sheets = append(d.Sheets, l.growth(), l.growthClaims())
	}
	if t.Times != nil {
		d.Sheets = append(d.Sheets, l.times(t.Times))
	}
	if s := l.coverage(); len(s.Columns) > l.heads() {
		d.Sheets = append(d.Sheets, s)
	}
	if s := l.beliefs(); len(s.Rows) > 0 {
		d.Sheets = append(d.Sheets, s)
	}
	if s := l.solver(); len(s.Columns) > l.heads() {
		d.Sheets = append(d.Sheets, s)
	}
	if t.Paper != nil {
		if s := l.printed(); len(s.Rows) > 0 {
			d.Sheets = append(d.Sheets, s)
		}
	}
	if s := l.prior(); len(s.Columns) > l.heads() {
		d.Sheets = append(d.Sheets, s)
	}
	if s := l.fits(); len(s.Rows) > 0 {
		d.Sheets = append(d.Sheets, s)
	}
	if t.Experiment != nil {
		d.Sheets = append(d.Sheets, l.setup())
	}
	d.Notes = l.notes
	return d
}

func include(list []string, s string) []string {
	if slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}

// heads is the number of columns that name a row.
func (l *layout) heads() int {
	if len(l.algorithms) > 1 {
		return 2
	}
	return 1
}

// start returns a sheet whose rows have their names, the group's notes at them.
func (l *layout) start(id, title, caption string) Sheet {
	s := Sheet{ID: id, Title: title, Caption: caption, Columns: []Column{{Title: "Problem", Head: true}, {Title: "Algorithm", Head: true}}[:l.heads()]}
	for i := range l.Rows {
		row := &l.Rows[i]
		cells := []Cell{{Text: row.Name()}, {Text: row.Algorithm.Label}}[:l.heads()]
		cells[l.heads()-1].Notes = l.ref(row.Group.Notes...)
		s.Rows = append(s.Rows, cells)
	}
	return s
}

// column adds a column, unless every cell of it is empty.
func (l *layout) column(s *Sheet, title string, cell func(*Row) Cell) {
	cells := make([]Cell, len(l.Rows))
	empty := true
	for i := range l.Rows {
		cells[i] = cell(&l.Rows[i])
		if cells[i].Text == "" {
			cells[i].Text = none
		}
		empty = empty && cells[i].Text == none
	}
	if empty {
		return
	}
	s.Columns = append(s.Columns, Column{Title: title})
	for i := range cells {
		s.Rows[i] = append(s.Rows[i], cells[i])
	}
}

func (l *layout) outcome() Sheet {
	var by string
	if len(l.selected) == 1 {
		by = " by " + l.selected[0]
	}
	general := l.ref(l.Results.Notes...)
	s := l.start("suboptimality", fmt.Sprintf("Suboptimality of the reported point after %s", count(l.Steps, "step")),
		fmt.Sprintf("f(x*) − f(x) at the point x reported%s: mean ± standard deviation over %s, with the 95 %% bootstrap interval of the mean. Lower is better.", by, l.overRuns()))
	s.Notes = general
	if len(l.selected) > 1 {
		l.column(&s, "Rule", func(row *Row) (c Cell) {
			if len(row.Rules) > 0 {
				c.Text = row.Rules[0].Rule
			}
			return c
		})
		s.Columns[len(s.Columns)-1].Words = true
	}
	ours := "Mean ± std"
	if len(l.algorithms) == 1 {
		ours = l.algorithms[0]
	}
	of := func(f func(*Row) string) func(*Row) Cell {
		return func(row *Row) (c Cell) {
			if len(row.Rules) > 0 {
				c.Text = f(row)
			}
			return c
		}
	}
	l.column(&s, ours, of(func(row *Row) string { return meanStd(&row.Rules[0].True) }))
	l.column(&s, "95 % interval", of(func(row *Row) string { return interval(&row.Rules[0].True) }))
	n := len(s.Columns)
	if l.Paper != nil {
		l.column(&s, "Against grid", of(func(row *Row) string { return meanStd(row.Rules[0].Grid) }))
		if len(s.Columns) > n {
			s.Caption += " Against grid: the same with the best value of the paper's grid for f(x*), which is the paper's metric."
		}
		l.column(&s, "Paper prints", func(row *Row) (c Cell) {
			if row.Printed != nil {
				c.Text = printed(*row.Printed)
				method, _ := l.Paper.Method(row.Algorithm.Name)
				c.Notes = l.ref(l.remarks(row.Group, method)...)
			}
			return c
		})
	}
	n = len(s.Columns)
	l.column(&s, "Random point", func(row *Row) (c Cell) {
		if u := row.Uniform; u != nil {
			c.Text = shortPair(u.Mean, u.Std)
		}
		return c
	})
	l.column(&s, l.bestTitle("Best"), func(row *Row) (c Cell) {
		if u := row.Uniform; u != nil {
			c.Text = shortPair(u.BestMean, u.BestStd)
		}
		return c
	})
	if len(s.Columns) > n {
		s.Caption += " Random point: one uniform point. " + l.bestTitle("Best") + ": the best of so many uniform points, if it could be told without seeing f."
	}
	return s
}

// bestTitle is "Best of 31", or without the number where it differs.
func (l *layout) bestTitle(best string) string {
	k := 0
	for i := range l.Rows {
		if u := l.Rows[i].Uniform; u != nil {
			if k != 0 && u.K != k {
				return best + " of several"
			}
			k = u.K
		}
	}
	return fmt.Sprintf("%s of %d", best, k)
}

// words for an outcome, lower being better.
func (o Outcome) words() string {
	switch o {
	case Lower:
		return "better"
	case Higher:
		return "worse"
	case Equal:
		return "no clear difference"
	}
	return ""
}

func (l *layout) verdicts() Sheet {
	s := l.start("verdict", "Verdict",
		"Is our mean better (lower) or worse (higher) by more than the sampling error? Two-sided 5 % level, row by row.")
	n := len(s.Columns)
	l.column(&s, "Against the paper", func(row *Row) (c Cell) {
		if c.Text = row.Verdict.Paper.words(); c.Text != "" {
			c.Text += ", " + pValue(row.Verdict.PaperTest.P)
		}
		return c
	})
	if len(s.Columns) > n {
		s.Caption += fmt.Sprintf(" Against the paper: Welch's test on the paper's metric, with the printed standard deviation and %d runs.", l.Paper.Runs)
	}
	n = len(s.Columns)
	l.column(&s, "Against a random point", func(row *Row) Cell { return Cell{Text: row.Verdict.Random.words()} })
	l.column(&s, "Against the "+l.bestTitle("best"), func(row *Row) Cell { return Cell{Text: row.Verdict.Best.words()} })
	if len(s.Columns) > n {
		s.Caption += " Against random points: is their mean outside our 95 % interval?"
	}
	for j := l.heads(); j < len(s.Columns); j++ {
		s.Columns[j].Words = true
	}
	return s
}

func (l *layout) rules() Sheet {
	s := l.start("rules", fmt.Sprintf("Suboptimality by reporting rule after %s", count(l.Steps, "step")),
		"Mean ± standard deviation [95 % interval of the mean], against the certified optimum.")
	var rules []string
	for i := range l.Rows {
		for _, r := range l.Rows[i].Rules {
			rules = include(rules, r.Rule)
		}
	}
	for _, rule := range rules {
		title := rule
		if len(l.selected) == 1 && rule == l.selected[0] {
			title += " (selected)"
		}
		l.column(&s, title, func(row *Row) (c Cell) {
			if k := slices.IndexFunc(row.Rules, func(r RuleSummary) bool { return r.Rule == rule }); k >= 0 {
				v := &row.Rules[k].True
				c.Text = meanStd(v)
				if ci := interval(v); ci != none {
					c.Text += " " + ci
				}
			}
			return c
		})
	}
	return s
}

func (l *layout) regret() Sheet {
	s := l.start("regret", fmt.Sprintf("Cumulative regret after %s", count(l.Steps, "step")),
		fmt.Sprintf("R_T = Σ f(x*) − f(x_t) over the proposed points, T = %d. Exponent: p of R_t ∝ t^p, least squares in log-log.", l.Steps))
	l.column(&s, "R_T", func(row *Row) Cell { return Cell{Text: meanStd(&row.Regret)} })
	l.column(&s, "95 % interval", func(row *Row) Cell { return Cell{Text: interval(&row.Regret)} })
	l.column(&s, "Exponent", func(row *Row) Cell { return Cell{Text: number(row.Exponent, 2)} })
	return s
}

// solver is how the solver fared, and how long it took.
func (l *layout) solver() Sheet {
	s := l.start("solver", "Solver and time", "")
	var about []string
	health := func(f func(h *Health) string) func(*Row) Cell {
		return func(row *Row) (c Cell) {
			if row.Health.Known {
				c.Text = f(&row.Health)
			}
			return c
		}
	}
	n := len(s.Columns)
	l.column(&s, "Solves", health(func(h *Health) string { return strconv.Itoa(h.Solves) }))
	l.column(&s, "Retried", health(func(h *Health) string { return strconv.Itoa(h.Retries) }))
	l.column(&s, "Failed", health(func(h *Health) string { return strconv.Itoa(h.Failures) }))
	l.column(&s, "Largest gap", health(func(h *Health) string { return strconv.FormatFloat(h.MaxGap, 'e', 1, 64) }))
	if len(s.Columns) > n {
		about = append(about, "Retried: solves that did not converge the first way and were done another way. Failed: never converged, and not used. Largest gap: duality gap of any solve that was used.")
	}
	times := func(f func(t *Times) float64) func(*Row) Cell {
		return func(row *Row) (c Cell) {
			if row.Times.Runs > 0 {
				c.Text = duration(f(&row.Times))
			}
			return c
		}
	}
	switch missing := l.timeNotes(); {
	case slices.ContainsFunc(l.Rows, func(row Row) bool { return row.Times.Runs > 0 }):
		l.column(&s, "Step, median", func(row *Row) Cell {
			c := times(func(t *Times) float64 { return t.StepMedian })(row)
			if row.TimeNote != "" {
				c.Notes = l.ref(row.TimeNote)
			}
			return c
		})
		l.column(&s, "Step, mean", times(func(t *Times) float64 { return t.Step }))
		l.column(&s, "Run, mean", times(func(t *Times) float64 { return t.Run }))
		about = append(about, fmt.Sprintf("Times are wall clock, to propose a query and to learn from its answer and report; a run uses one core. They were measured (%s) and vary from run to run, unlike all other numbers.", strings.Join(l.machines(), "; ")))
	case len(s.Columns) > n:
		s.Notes = l.ref(missing...)
	}
	s.Caption = strings.Join(about, " ")
	return s
}

func (t *Table) timeNotes() (notes []string) {
	for i := range t.Rows {
		if n := t.Rows[i].TimeNote; n != "" {
			notes = append(notes, n)
		}
	}
	return notes
}

// printed is the paper's table, of the problems that were run; below each row
// what came out here, if several of its methods were run.
func (l *layout) printed() Sheet {
	s := Sheet{ID: "paper", Title: "What the paper prints", Caption: l.Paper.Source + fmt.Sprintf(": mean ± standard deviation over %d runs after %d steps.", l.Paper.Runs, l.Paper.Steps)}
	s.Columns = []Column{{Title: "Problem", Head: true}}
	var labels []string // by method
	runs := 0
	for _, m := range l.Paper.Methods {
		label, ok := l.labelled(m, l.Paper.Method)
		labels = append(labels, label)
		if ok {
			runs++
		}
	}
	both := runs > 1
	if both {
		s.Title += ", and what came out here"
		s.Caption += " Here: the same against the best value of its grid."
		s.Columns = append(s.Columns, Column{Title: "From", Head: true})
	}
	for _, m := range l.Paper.Methods {
		s.Columns = append(s.Columns, Column{Title: m})
	}
	var done []string
	for i := range l.Rows {
		g := l.Rows[i].Group
		if l.Paper.Rank(g.Problem.Name) == len(l.Paper.Rows) || slices.Contains(done, g.Problem.Name) {
			continue
		}
		done = append(done, g.Problem.Name)
		row := func(of string, cell func(j int, method string) Cell) {
			cells := []Cell{{Text: g.Name()}}
			if both {
				cells = append(cells, Cell{Text: of})
			}
			for j, m := range l.Paper.Methods {
				cells = append(cells, cell(j, m))
			}
			s.Rows = append(s.Rows, cells)
		}
		row("paper", func(_ int, m string) Cell {
			v, _ := l.Paper.Value(g.Problem.Name, m)
			return Cell{printed(v), l.ref(l.remarks(g, m)...)}
		})
		if !both {
			continue
		}
		row("here", func(j int, _ string) Cell {
			k := slices.IndexFunc(l.Rows, func(row Row) bool {
				return row.Problem.Name == g.Problem.Name && row.Algorithm.Label == labels[j] && len(row.Rules) > 0
			})
			if k < 0 {
				return Cell{Text: none}
			}
			return Cell{Text: meanStd(l.Rows[k].Rules[0].Grid)}
		})
	}
	return s
}

// summary counts the verdicts of each algorithm.
func (t *Table) summary() (lines []string) {
	var labels []string
	for i := range t.Rows {
		labels = include(labels, t.Rows[i].Algorithm.Label)
	}
	for _, label := range labels {
		paper := "the paper"
		var line string
		add := func(rival string, of func(*Verdict) Outcome) {
			n := map[Outcome]int{}
			var total int
			for i := range t.Rows {
				if o := of(&t.Rows[i].Verdict); t.Rows[i].Algorithm.Label == label && o != Unknown {
					n[o]++
					total++
				}
			}
			if total > 0 {
				line += " Against " + rival + ": " + tally(n, total) + "."
			}
		}
		for i := range t.Rows {
			if row := &t.Rows[i]; row.Algorithm.Label == label && row.Printed != nil {
				method, _ := t.Paper.Method(row.Algorithm.Name)
				paper = "the paper's " + method
			}
		}
		add(paper, func(v *Verdict) Outcome { return v.Paper })
		add("a random point", func(v *Verdict) Outcome { return v.Random })
		add((&layout{Table: t}).bestTitle("the best")+" random points", func(v *Verdict) Outcome { return v.Best })
		if line != "" {
			lines = append(lines, label+"."+line)
		}
	}
	return lines
}

// tally is "better on 1 of 7 problems, worse on 4, no clear difference on 2".
func tally(n map[Outcome]int, total int) string {
	var parts []string
	for _, o := range []Outcome{Lower, Higher, Equal} {
		switch {
		case n[o] == 0:
		case total == 1:
			return o.words()
		case n[o] == total:
			parts = append(parts, fmt.Sprintf("%s on all %s", o.words(), count(total, "problem")))
		case parts == nil:
			parts = append(parts, fmt.Sprintf("%s on %d of %s", o.words(), n[o], count(total, "problem")))
		default:
			parts = append(parts, fmt.Sprintf("%s on %d", o.words(), n[o]))
		}
	}
	return strings.Join(parts, ", ")
}

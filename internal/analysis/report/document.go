package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"popbench/internal/analysis/document"
	"popbench/internal/analysis/outcome"
	"popbench/internal/analysis/words"
)

// layout is what the sheets of a table have in common.
type layout struct {
	*outcome.Table
	document.Notes
	algorithms []string // labels
	selected   []string // rules that the settings select; one, as a rule
}

// Document puts the table into words.
func Document(t *outcome.Table) *document.Document {
	l := &layout{Table: t}
	for i := range t.Rows {
		row := &t.Rows[i]
		l.algorithms = words.Include(l.algorithms, row.Algorithm.Label)
		if len(row.Rules) > 0 {
			l.selected = words.Include(l.selected, row.Rules[0].Rule)
		}
	}
	d := &document.Document{Title: t.Suite, Warnings: t.Warnings, Summary: summary(t)}
	if t.Title != "" {
		d.Title += ": " + t.Title
	}
	var seeds []string
	for _, s := range t.Seeds {
		seeds = append(seeds, strconv.FormatUint(s, 10))
	}
	if t.Experiment != nil {
		d.Facts = append(d.Facts, document.Fact{Name: "Repeats", Value: repeats(t.Results)})
	}
	d.Facts = append(d.Facts, []document.Fact{
		{Name: "Runs", Value: t.Size()},
		{Name: "Seed", Value: strings.Join(seeds, ", ")},
		{Name: "Program", Value: strings.Join(t.Programs, "; ")},
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
	d.Notes = l.Notes
	return d
}

// heads is the number of columns that name a row.
func (l *layout) heads() int {
	if len(l.algorithms) > 1 {
		return 2
	}
	return 1
}

// start returns a sheet whose rows have their names, the group's notes at them.
func (l *layout) start(id, title, caption string) document.Sheet {
	s := document.Sheet{ID: id, Title: title, Caption: caption, Columns: []document.Column{{Title: "Problem", Head: true}, {Title: "Algorithm", Head: true}}[:l.heads()]}
	for i := range l.Rows {
		row := &l.Rows[i]
		cells := []document.Cell{{Text: row.Name()}, {Text: row.Algorithm.Label}}[:l.heads()]
		cells[l.heads()-1].Notes = l.Ref(row.Group.Notes...)
		s.Rows = append(s.Rows, cells)
	}
	return s
}

// column adds a column, unless every cell of it is empty.
func (l *layout) column(s *document.Sheet, title string, cell func(*outcome.Row) document.Cell) {
	cells := make([]document.Cell, len(l.Rows))
	empty := true
	for i := range l.Rows {
		cells[i] = cell(&l.Rows[i])
		if cells[i].Text == "" {
			cells[i].Text = document.None
		}
		empty = empty && cells[i].Text == document.None
	}
	if empty {
		return
	}
	s.Columns = append(s.Columns, document.Column{Title: title})
	for i := range cells {
		s.Rows[i] = append(s.Rows[i], cells[i])
	}
}

func (l *layout) outcome() document.Sheet {
	var by string
	if len(l.selected) == 1 {
		by = " by " + l.selected[0]
	}
	general := l.Ref(l.Results.Notes...)
	s := l.start("suboptimality", fmt.Sprintf("Suboptimality of the reported point after %s", words.Count(l.Steps, "step")),
		fmt.Sprintf("f(x*) − f(x) at the point x reported%s: mean ± standard deviation over %s, with the 95 %% bootstrap interval of the mean. Lower is better.", by, l.OverRuns()))
	s.Notes = general
	if len(l.selected) > 1 {
		l.column(&s, "Rule", func(row *outcome.Row) (c document.Cell) {
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
	of := func(f func(*outcome.Row) string) func(*outcome.Row) document.Cell {
		return func(row *outcome.Row) (c document.Cell) {
			if len(row.Rules) > 0 {
				c.Text = f(row)
			}
			return c
		}
	}
	l.column(&s, ours, of(func(row *outcome.Row) string { return document.MeanStd(&row.Rules[0].True) }))
	l.column(&s, "95 % interval", of(func(row *outcome.Row) string { return document.Interval(&row.Rules[0].True) }))
	n := len(s.Columns)
	if l.Paper != nil {
		l.column(&s, "Against grid", of(func(row *outcome.Row) string { return document.MeanStd(row.Rules[0].Grid) }))
		if len(s.Columns) > n {
			s.Caption += " Against grid: the same with the best value of the paper's grid for f(x*), which is the paper's metric."
		}
		l.column(&s, "Paper prints", func(row *outcome.Row) (c document.Cell) {
			if row.Printed != nil {
				c.Text = printed(*row.Printed)
				method, _ := l.Paper.Method(row.Algorithm.Name)
				c.Notes = l.Ref(remarks(l.Results, row.Group, method)...)
			}
			return c
		})
	}
	n = len(s.Columns)
	l.column(&s, "Random point", func(row *outcome.Row) (c document.Cell) {
		if u := row.Uniform; u != nil {
			c.Text = document.ShortPair(u.Mean, u.Std)
		}
		return c
	})
	l.column(&s, l.bestTitle("Best"), func(row *outcome.Row) (c document.Cell) {
		if u := row.Uniform; u != nil {
			c.Text = document.ShortPair(u.BestMean, u.BestStd)
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
func relationWords(o outcome.Relation) string {
	switch o {
	case outcome.Lower:
		return "better"
	case outcome.Higher:
		return "worse"
	case outcome.Equal:
		return "no clear difference"
	}
	return ""
}

func (l *layout) verdicts() document.Sheet {
	s := l.start("verdict", "Verdict",
		"Is our mean better (lower) or worse (higher) by more than the sampling error? Two-sided 5 % level, row by row.")
	n := len(s.Columns)
	l.column(&s, "Against the paper", func(row *outcome.Row) (c document.Cell) {
		if c.Text = relationWords(row.Verdict.Paper); c.Text != "" {
			c.Text += ", " + document.PValue(row.Verdict.PaperTest.P)
		}
		return c
	})
	if len(s.Columns) > n {
		s.Caption += fmt.Sprintf(" Against the paper: Welch's test on the paper's metric, with the printed standard deviation and %d runs.", l.Paper.Runs)
	}
	n = len(s.Columns)
	l.column(&s, "Against a random point", func(row *outcome.Row) document.Cell { return document.Cell{Text: relationWords(row.Verdict.Random)} })
	l.column(&s, "Against the "+l.bestTitle("best"), func(row *outcome.Row) document.Cell { return document.Cell{Text: relationWords(row.Verdict.Best)} })
	if len(s.Columns) > n {
		s.Caption += " Against random points: is their mean outside our 95 % interval?"
	}
	for j := l.heads(); j < len(s.Columns); j++ {
		s.Columns[j].Words = true
	}
	return s
}

func (l *layout) rules() document.Sheet {
	s := l.start("rules", fmt.Sprintf("Suboptimality by reporting rule after %s", words.Count(l.Steps, "step")),
		"Mean ± standard deviation [95 % interval of the mean], against the certified optimum.")
	var rules []string
	for i := range l.Rows {
		for _, r := range l.Rows[i].Rules {
			rules = words.Include(rules, r.Rule)
		}
	}
	for _, rule := range rules {
		title := rule
		if len(l.selected) == 1 && rule == l.selected[0] {
			title += " (selected)"
		}
		l.column(&s, title, func(row *outcome.Row) (c document.Cell) {
			if k := slices.IndexFunc(row.Rules, func(r outcome.RuleSummary) bool { return r.Rule == rule }); k >= 0 {
				v := &row.Rules[k].True
				c.Text = document.MeanStd(v)
				if ci := document.Interval(v); ci != document.None {
					c.Text += " " + ci
				}
			}
			return c
		})
	}
	return s
}

func (l *layout) regret() document.Sheet {
	s := l.start("regret", fmt.Sprintf("Cumulative regret after %s", words.Count(l.Steps, "step")),
		fmt.Sprintf("R_T = Σ f(x*) − f(x_t) over the proposed points, T = %d. Exponent: p of R_t ∝ t^p, least squares in log-log.", l.Steps))
	l.column(&s, "R_T", func(row *outcome.Row) document.Cell { return document.Cell{Text: document.MeanStd(&row.Regret)} })
	l.column(&s, "95 % interval", func(row *outcome.Row) document.Cell { return document.Cell{Text: document.Interval(&row.Regret)} })
	l.column(&s, "Exponent", func(row *outcome.Row) document.Cell { return document.Cell{Text: document.Number(row.Exponent, 2)} })
	return s
}

// solver is how the solver fared, and how long it took.
func (l *layout) solver() document.Sheet {
	s := l.start("solver", "Solver and time", "")
	var about []string
	health := func(f func(h *outcome.Health) string) func(*outcome.Row) document.Cell {
		return func(row *outcome.Row) (c document.Cell) {
			if row.Health.Known {
				c.Text = f(&row.Health)
			}
			return c
		}
	}
	n := len(s.Columns)
	l.column(&s, "Solves", health(func(h *outcome.Health) string { return strconv.Itoa(h.Solves) }))
	l.column(&s, "Retried", health(func(h *outcome.Health) string { return strconv.Itoa(h.Retries) }))
	l.column(&s, "Failed", health(func(h *outcome.Health) string { return strconv.Itoa(h.Failures) }))
	l.column(&s, "Largest gap", health(func(h *outcome.Health) string { return strconv.FormatFloat(h.MaxGap, 'e', 1, 64) }))
	if len(s.Columns) > n {
		about = append(about, "Retried: solves that did not converge the first way and were done another way. Failed: never converged, and not used. Largest gap: duality gap of any solve that was used.")
	}
	times := func(f func(t *outcome.Times) float64) func(*outcome.Row) document.Cell {
		return func(row *outcome.Row) (c document.Cell) {
			if row.Times.Runs > 0 {
				c.Text = document.Duration(f(&row.Times))
			}
			return c
		}
	}
	switch missing := timeNotes(l.Table); {
	case slices.ContainsFunc(l.Rows, func(row outcome.Row) bool { return row.Times.Runs > 0 }):
		l.column(&s, "Step, median", func(row *outcome.Row) document.Cell {
			c := times(func(t *outcome.Times) float64 { return t.StepMedian })(row)
			if row.TimeNote != "" {
				c.Notes = l.Ref(row.TimeNote)
			}
			return c
		})
		l.column(&s, "Step, mean", times(func(t *outcome.Times) float64 { return t.Step }))
		l.column(&s, "Run, mean", times(func(t *outcome.Times) float64 { return t.Run }))
		about = append(about, fmt.Sprintf("Times are wall clock, to propose a query and to learn from its answer and report; a run uses one core. They were measured (%s) and vary from run to run, unlike all other numbers.", strings.Join(l.Machines(), "; ")))
	case len(s.Columns) > n:
		s.Notes = l.Ref(missing...)
	}
	s.Caption = strings.Join(about, " ")
	return s
}

func timeNotes(t *outcome.Table) (notes []string) {
	for i := range t.Rows {
		if n := t.Rows[i].TimeNote; n != "" {
			notes = append(notes, n)
		}
	}
	return notes
}

// printed is the paper's table, of the problems that were run; below each row
// what came out here, if several of its methods were run.
func (l *layout) printed() document.Sheet {
	s := document.Sheet{ID: "paper", Title: "What the paper prints", Caption: l.Paper.Source + fmt.Sprintf(": mean ± standard deviation over %d runs after %d steps.", l.Paper.Runs, l.Paper.Steps)}
	s.Columns = []document.Column{{Title: "Problem", Head: true}}
	var labels []string // by method
	runs := 0
	for _, m := range l.Paper.Methods {
		label, ok := l.Labelled(m, l.Paper.Method)
		labels = append(labels, label)
		if ok {
			runs++
		}
	}
	both := runs > 1
	if both {
		s.Title += ", and what came out here"
		s.Caption += " Here: the same against the best value of its grid."
		s.Columns = append(s.Columns, document.Column{Title: "From", Head: true})
	}
	for _, m := range l.Paper.Methods {
		s.Columns = append(s.Columns, document.Column{Title: m})
	}
	var done []string
	for i := range l.Rows {
		g := l.Rows[i].Group
		if l.Paper.Rank(g.Problem.Name) == len(l.Paper.Rows) || slices.Contains(done, g.Problem.Name) {
			continue
		}
		done = append(done, g.Problem.Name)
		row := func(of string, cell func(j int, method string) document.Cell) {
			cells := []document.Cell{{Text: g.Name()}}
			if both {
				cells = append(cells, document.Cell{Text: of})
			}
			for j, m := range l.Paper.Methods {
				cells = append(cells, cell(j, m))
			}
			s.Rows = append(s.Rows, cells)
		}
		row("paper", func(_ int, m string) document.Cell {
			v, _ := l.Paper.Value(g.Problem.Name, m)
			return document.Cell{Text: printed(v), Notes: l.Ref(remarks(l.Results, g, m)...)}
		})
		if !both {
			continue
		}
		row("here", func(j int, _ string) document.Cell {
			k := slices.IndexFunc(l.Rows, func(row outcome.Row) bool {
				return row.Problem.Name == g.Problem.Name && row.Algorithm.Label == labels[j] && len(row.Rules) > 0
			})
			if k < 0 {
				return document.Cell{Text: document.None}
			}
			return document.Cell{Text: document.MeanStd(l.Rows[k].Rules[0].Grid)}
		})
	}
	return s
}

// summary counts the verdicts of each algorithm.
func summary(t *outcome.Table) (lines []string) {
	var labels []string
	for i := range t.Rows {
		labels = words.Include(labels, t.Rows[i].Algorithm.Label)
	}
	for _, label := range labels {
		paper := "the paper"
		var line string
		add := func(rival string, of func(*outcome.Verdict) outcome.Relation) {
			n := map[outcome.Relation]int{}
			var total int
			for i := range t.Rows {
				if o := of(&t.Rows[i].Verdict); t.Rows[i].Algorithm.Label == label && o != outcome.Unknown && o != outcome.TooFew {
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
		add(paper, func(v *outcome.Verdict) outcome.Relation { return v.Paper })
		add("a random point", func(v *outcome.Verdict) outcome.Relation { return v.Random })
		add((&layout{Table: t}).bestTitle("the best")+" random points", func(v *outcome.Verdict) outcome.Relation { return v.Best })
		if line != "" {
			lines = append(lines, label+"."+line)
		}
	}
	return lines
}

// tally is "better on 1 of 7 problems, worse on 4, no clear difference on 2".
func tally(n map[outcome.Relation]int, total int) string {
	var parts []string
	for _, o := range []outcome.Relation{outcome.Lower, outcome.Higher, outcome.Equal} {
		switch {
		case n[o] == 0:
		case total == 1:
			return relationWords(o)
		case n[o] == total:
			parts = append(parts, fmt.Sprintf("%s on all %s", relationWords(o), words.Count(total, "problem")))
		case parts == nil:
			parts = append(parts, fmt.Sprintf("%s on %d of %s", relationWords(o), n[o], words.Count(total, "problem")))
		default:
			parts = append(parts, fmt.Sprintf("%s on %d", relationWords(o), n[o]))
		}
	}
	return strings.Join(parts, ", ")
}

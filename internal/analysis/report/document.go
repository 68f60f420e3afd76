package report

import (
	"fmt"
	"slices"
	"strings"

	"popbench/internal/analysis/document"
	"popbench/internal/analysis/outcome"
	"popbench/internal/math/stats"
	"popbench/internal/words"
)

// layout is what the sheets of a table have in common.
type layout struct {
	*outcome.Table
	lines      []line   // by the selected rule
	algorithms []string // labels
	selected   []string // rules that the settings select; one, as a rule
}

func newLayout(t *outcome.Table) *layout {
	l := &layout{Table: t, lines: lines(t, false)}
	for i := range t.Rows {
		row := &t.Rows[i]
		l.algorithms = words.Include(l.algorithms, row.Algorithm.Label)
		if len(row.Rules) > 0 {
			l.selected = words.Include(l.selected, row.Rules[0].Rule)
		}
	}
	return l
}

// Document puts the table into words.
func Document(t *outcome.Table) *document.Document {
	l := newLayout(t)
	d := &document.Document{Title: document.Plain(t.Suite), Warnings: document.PlainAll(t.Warnings), Summary: l.summary()}
	if t.Title != "" {
		d.Title = document.Textf("%s: %s", t.Suite, t.Title)
	}
	fact := func(name document.Text, value string) {
		d.Facts = append(d.Facts, document.Fact{Name: name, Value: document.Plain(value)})
	}
	if t.Experiment != nil {
		fact("Repeats", repeats(t.Results))
	}
	fact("Runs", t.Size())
	fact("Seed", strings.Trim(strings.ReplaceAll(fmt.Sprint(t.Seeds), " ", ", "), "[]"))
	fact("Program", strings.Join(t.Programs, "; "))
	d.Add(l.outcome())
	d.Add(l.ranking())
	d.Add(l.verdicts())
	d.Add(l.rules())
	d.Add(l.regret())
	if t.Growth != nil {
		d.Add(l.growth())
		d.Add(l.growthClaims())
	}
	if t.Times != nil {
		d.Add(l.times(t.Times))
	}
	d.Add(l.coverage())
	d.Add(l.beliefs())
	d.Add(l.solver())
	if t.Paper != nil {
		d.Add(l.printed())
	}
	d.Add(l.prior())
	d.Add(l.fits())
	if t.Experiment != nil {
		d.Add(l.setup())
	}
	return d
}

// heads are the columns that name a row of a group; the group's notes are at the last.
func heads[R any](l *layout, of func(R) *outcome.Row) []document.Column[R] {
	heads := []document.Column[R]{
		{Title: "Problem", Head: true, Of: func(r R) document.Cell { return document.Words(of(r).Name()) }},
		{Title: "Algorithm", Head: true, Of: func(r R) document.Cell { return document.Words(of(r).Algorithm.Label) }},
	}
	if len(l.algorithms) == 1 {
		heads = heads[:1]
	}
	last := &heads[len(heads)-1]
	name := last.Of
	last.Of = func(r R) document.Cell { return name(r).With(document.PlainAll(of(r).Group.Notes)...) }
	return heads
}

// sheet is a table with a row for each group.
func (l *layout) sheet(s document.Sheet, columns ...column) document.Sheet {
	return document.Tabulate(s, l.lines, append(heads(l, func(v line) *outcome.Row { return v.Row }), columns...)...)
}

// clearly is when one mean suboptimality counts as higher than another.
var clearly = fmt.Sprintf("“Clearly” worse: the 95\u00a0%% bootstrap interval of the difference between runs of the same repetition, which share instance, starting points and oracle noise, "+
	"lies above zero. Algorithms that observe values are not ranked, and nothing is marked with fewer than %d runs.", stats.MinRuns)

// mark sets off the lowest suboptimality on a problem, and what is not clearly higher.
func (l *layout) mark(row *outcome.Row, c document.Cell) document.Cell {
	switch s := &row.Standing; {
	case len(l.algorithms) < 2 || s.Versus != outcome.Equal:
	case s.Lowest:
		c.Mark = document.Best
	default:
		c.Mark = document.Level
	}
	return c
}

func (l *layout) outcome() document.Sheet {
	s := document.Sheet{ID: "suboptimality", Title: document.Textf("Suboptimality of the recommended point after %s", words.Count(l.Steps, "step")),
		Notes: document.PlainAll(l.Results.Notes)}
	by := document.Text("")
	columns := []column{}
	if len(l.selected) == 1 {
		by = document.Textf(" by %s", l.selected[0])
	} else {
		columns = append(columns, ruleName)
	}
	s.Caption = document.Textf("$f(x^*) - f(x)$ at the point $x$ recommended%s: mean ± standard deviation over %s, and the 95\u00a0%% bootstrap interval of the mean. Lower is better.", by, l.OverRuns())
	ours := suboptimality
	if len(l.algorithms) == 1 {
		ours.Title = document.Plain(l.algorithms[0])
	}
	columns = append(columns, ours, suboptimalityInterval)
	if l.Paper != nil {
		columns = append(columns, gridSuboptimality, l.paperPrints())
	}
	best := bestPoint
	best.Title = l.bestTitle("Best")
	best.About = best.Title + ": the best of as many uniform points, if the best could be told without seeing $f$."
	return l.sheet(s, append(columns, randomPoint, best)...)
}

// paperPrints is the paper's number for the algorithm on the problem.
func (l *layout) paperPrints() column {
	return column{Title: "Paper prints", Key: "paper_", Of: func(v line) document.Cell {
		if v.Printed == nil {
			return document.Printed(0, 0).If(false)
		}
		method, _ := l.Paper.Method(v.Algorithm.Name)
		return document.Printed(v.Printed.Mean, v.Printed.Std).With(remarks(l.Results, v.Group, method)...)
	}}
}

// ranking is the suboptimality again, a row for each problem and a column for each algorithm, with the best marked.
func (l *layout) ranking() (s document.Sheet) {
	if len(l.algorithms) < 2 {
		return s
	}
	s = document.Sheet{ID: "ranking", Title: document.Textf("Best on each problem after %s", words.Count(l.Steps, "step")),
		Caption: "Suboptimality of the recommended point, mean ± standard deviation. Marked are the lowest mean of each row and what is not clearly worse. " + document.Plain(clearly)}
	var problems []*outcome.Row
	for i := range l.Rows {
		if row := &l.Rows[i]; !slices.ContainsFunc(problems, func(p *outcome.Row) bool { return p.Problem.Name == row.Problem.Name }) {
			problems = append(problems, row)
		}
	}
	columns := []document.Column[*outcome.Row]{{Title: "Problem", Head: true, Of: func(p *outcome.Row) document.Cell { return document.Words(p.Name()) }}}
	for _, label := range l.algorithms {
		columns = append(columns, document.Column[*outcome.Row]{Title: document.Plain(label), Of: func(p *outcome.Row) document.Cell {
			row := l.row(p.Problem.Name, label)
			if row == nil || len(row.Rules) == 0 {
				return document.MeanStd(nil)
			}
			return l.mark(row, document.MeanStd(&row.Rules[0].True))
		}})
	}
	return document.Tabulate(s, problems, columns...)
}

// row is that of an algorithm on a problem; nil if there is none.
func (l *layout) row(problem, label string) *outcome.Row {
	for i := range l.Rows {
		if row := &l.Rows[i]; row.Problem.Name == problem && row.Algorithm.Label == label {
			return row
		}
	}
	return nil
}

// bestTitle is "Best of 31", or without the number where it differs.
func (l *layout) bestTitle(best document.Text) document.Text {
	k := 0
	for i := range l.Rows {
		if u := l.Rows[i].Uniform; u != nil {
			if k != 0 && u.K != k {
				return best + " of several"
			}
			k = u.K
		}
	}
	return document.Textf("%s of %d", best, k)
}

// relationWords is a relation in words, lower being better; "" if nothing can be said.
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
	paper := againstPaper
	if l.Paper != nil {
		paper.About = document.Textf("Against the paper: Welch's test on the paper's metric, with the printed standard deviation and %d runs.", l.Paper.Runs)
	}
	words := paper.Of
	paper.Of = func(v line) document.Cell {
		c := words(v)
		if o := v.Verdict.Paper; o != outcome.Unknown && o != outcome.TooFew {
			c.Text += ", " + document.PSaid(v.Verdict.PaperTest.P)
		}
		return c
	}
	random, best := againstRandom, againstBest
	best.Title = "Against the " + l.bestTitle("best")
	random.About = "Against random points: does our 95\u00a0% interval contain their mean?"
	best.About = random.About
	return l.sheet(document.Sheet{ID: "verdict", Title: "Verdict",
		Caption: "Is our mean better (lower) or worse (higher) by more than the sampling error? Two-sided 5\u00a0% level, row by row."}, paper, random, best)
}

// rules is the sheet of the recommendation rules; it is empty if there is one only.
func (l *layout) rules() document.Sheet {
	var rules []string
	for i := range l.Rows {
		for _, r := range l.Rows[i].Rules {
			rules = words.Include(rules, r.Rule)
		}
	}
	if len(rules) < 2 {
		return document.Sheet{}
	}
	var columns []column
	for _, rule := range rules {
		title := document.Plain(rule)
		if len(l.selected) == 1 && rule == l.selected[0] {
			title += " (selected)"
		}
		columns = append(columns, column{Title: title, Of: func(v line) document.Cell {
			k := slices.IndexFunc(v.Rules, func(r outcome.RuleSummary) bool { return r.Rule == rule })
			if k < 0 {
				return document.MeanStd(nil)
			}
			c := document.MeanStd(&v.Rules[k].True)
			if ci := document.Interval(&v.Rules[k].True).Text; ci != "" {
				c.Text += " " + ci
			}
			return c
		}})
	}
	return l.sheet(document.Sheet{ID: "rules", Title: document.Textf("Suboptimality by recommendation rule after %s", words.Count(l.Steps, "step")),
		Caption: "Mean ± standard deviation [95\u00a0% interval of the mean], against the certified optimum."}, columns...)
}

func (l *layout) regret() document.Sheet {
	return l.sheet(document.Sheet{ID: "regret", Title: document.Textf("Cumulative regret after %s", words.Count(l.Steps, "step")),
		Caption: document.Textf("$R_T = \\sum f(x^*) - f(x_t)$ over the queried points, $T = %d$.", l.Steps)}, regret, regretInterval, exponent)
}

// solver is how the solver fared, and how long it took.
func (l *layout) solver() document.Sheet {
	s := document.Sheet{ID: "solver", Title: "Solver and time"}
	timed := slices.ContainsFunc(l.Rows, func(row outcome.Row) bool { return row.Times.Runs > 0 })
	if !timed {
		for i := range l.Rows {
			if n := l.Rows[i].TimeNote; n != "" && l.Rows[i].Health.Known {
				s.Notes = append(s.Notes, document.Plain(n))
			}
		}
		return l.sheet(s, solves, retries, failures, largestGap)
	}
	median := stepMedian
	median.About = document.Textf("Times are wall clock, to propose a query, to learn from its answer and to recommend; a run uses one core. They were measured on %s, and vary from run to run, unlike all other numbers.", strings.Join(l.Machines(), "; "))
	seconds := median.Of
	median.Of = func(v line) document.Cell {
		if v.TimeNote == "" {
			return seconds(v)
		}
		return seconds(v).With(document.Plain(v.TimeNote))
	}
	return l.sheet(s, solves, retries, failures, largestGap, median, stepMean, runMean)
}

// printed is the paper's table, of the problems that were run; below each row what came out here, if several of its methods
// were run.
func (l *layout) printed() document.Sheet {
	s := document.Sheet{ID: "paper", Title: "What the paper prints",
		Caption: document.Textf("%s: mean ± standard deviation over %d runs after %d steps.", l.Paper.Source, l.Paper.Runs, l.Paper.Steps)}
	type row struct {
		*outcome.Row
		here bool
	}
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
	columns := []document.Column[row]{{Title: "Problem", Head: true, Of: func(r row) document.Cell { return document.Words(r.Name()) }}}
	if both {
		s.Title += ", and what came out here"
		s.Caption += " Here: the same against the best value of its grid; the marks are those of all algorithms that were run here."
		columns = append(columns, document.Column[row]{Title: "From", Head: true, Of: func(r row) document.Cell {
			if r.here {
				return document.Words("here")
			}
			return document.Words("paper")
		}})
	}
	for j, m := range l.Paper.Methods {
		columns = append(columns, document.Column[row]{Title: document.Plain(m), Of: func(r row) document.Cell {
			if !r.here {
				v, _ := l.Paper.Value(r.Problem.Name, m)
				return document.Printed(v.Mean, v.Std).With(remarks(l.Results, r.Group, m)...)
			}
			own := l.row(r.Problem.Name, labels[j])
			if own == nil || len(own.Rules) == 0 {
				return document.MeanStd(nil)
			}
			return l.mark(own, document.MeanStd(own.Rules[0].Grid))
		}})
	}
	var rows []row
	var done []string
	for i := range l.Rows {
		r := &l.Rows[i]
		if l.Paper.Rank(r.Problem.Name) == len(l.Paper.Rows) || slices.Contains(done, r.Problem.Name) {
			continue
		}
		done = append(done, r.Problem.Name)
		rows = append(rows, row{r, false})
		if both {
			rows = append(rows, row{r, true})
		}
	}
	return document.Tabulate(s, rows, columns...)
}

// summary counts the verdicts of each algorithm.
func (l *layout) summary() (lines []document.Text) {
	for _, label := range l.algorithms {
		paper := document.Text("the paper")
		var line document.Text
		add := func(other document.Text, of func(*outcome.Verdict) outcome.Relation) {
			n := map[outcome.Relation]int{}
			var total int
			for i := range l.Rows {
				if o := of(&l.Rows[i].Verdict); l.Rows[i].Algorithm.Label == label && o != outcome.Unknown && o != outcome.TooFew {
					n[o]++
					total++
				}
			}
			if total > 0 {
				line += document.Textf(" Against %s: %s.", other, tally(n, total))
			}
		}
		for i := range l.Rows {
			if row := &l.Rows[i]; row.Algorithm.Label == label && row.Printed != nil {
				method, _ := l.Paper.Method(row.Algorithm.Name)
				paper = document.Textf("the paper's %s", method)
			}
		}
		add(paper, func(v *outcome.Verdict) outcome.Relation { return v.Paper })
		add("a random point", func(v *outcome.Verdict) outcome.Relation { return v.Random })
		add(l.bestTitle("the best")+" random points", func(v *outcome.Verdict) outcome.Relation { return v.Best })
		if line != "" {
			lines = append(lines, document.Textf("%s.%s", label, line))
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

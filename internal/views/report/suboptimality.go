package report

import (
	"fmt"
	"slices"
	"strings"

	"popbench/internal/math/stats"
	"popbench/internal/outcome"
	"popbench/internal/page/document"
	"popbench/internal/paper"
	"popbench/internal/words"
)

// clearly is when one mean counts as worse than another.
var clearly = fmt.Sprintf("“Clearly” worse: the 95\u00a0%% bootstrap interval of the difference between runs of the same repetition, which share instance, starting points and oracle noise, "+
	"lies above zero. Algorithms that observe values are not ranked, and nothing is marked with fewer than %d runs.", stats.MinRuns)

// mark sets off the best headline on a problem, and what is not clearly worse.
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
	s.Caption = document.Textf("$f(x^*) - f(x)$ at the point $x$ recommended%s: mean ± standard deviation over %s, and the 95\u00a0%% bootstrap interval of the mean. Lower is better.",
		by, l.OverRuns())
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
	// This sheet also has the groups without runs, whose notes say why.
	return l.sheetOf(s, lines(l.Table, false), append(columns, randomPoint, best)...)
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

// ranking is the headline again, a row for each problem and a column for each algorithm, with the best marked.
func (l *layout) ranking() (s document.Sheet) {
	if len(l.algorithms) < 2 {
		return s
	}
	s = document.Sheet{ID: "ranking", Title: document.Textf("Best on each problem after %s", words.Count(l.Steps, "step")),
		Caption: "Suboptimality of the recommended point, mean ± standard deviation."}
	of := func(row *outcome.Row) document.Cell { return document.MeanStd(&row.Rules[0].True) }
	if m := l.Headline; m.Name != outcome.Suboptimality {
		s.Caption = metricTitle(m) + ", mean with its 95\u00a0% bootstrap interval."
		of = func(row *outcome.Row) document.Cell { return metricColumn(m).Of(line{row, 0}) }
	}
	s.Caption += document.Textf(" Marked are the %s mean of each row and what is not clearly worse. %s", direction(l.Table, "lowest"), clearly)
	s.Caption += aboutBestFound(l.Table)
	return l.byAlgorithm(s, l.problems(), func(row *outcome.Row) document.Cell {
		if len(row.Rules) == 0 {
			return document.MeanStd(nil)
		}
		return l.mark(row, of(row))
	}, nil)
}

// byAlgorithm is a sheet with a row for each problem, nil for all of them together, and a column for each algorithm.
func (l *layout) byAlgorithm(s document.Sheet, problems []*outcome.Row, of func(*outcome.Row) document.Cell,
	ofAll func(label string) document.Cell) document.Sheet {
	columns := []document.Column[*outcome.Row]{{Title: "Problem", Head: true, Of: func(p *outcome.Row) document.Cell {
		if p == nil {
			return document.Words("All problems")
		}
		return document.Words(p.Name())
	}}}
	for _, label := range l.algorithms {
		columns = append(columns, document.Column[*outcome.Row]{Title: document.Plain(label), Of: func(p *outcome.Row) document.Cell {
			if p == nil {
				return ofAll(label)
			}
			if row := l.Row(p.Problem.Name, label); row != nil {
				return of(row)
			}
			return document.Cell{}
		}})
	}
	return document.Tabulate(s, problems, columns...)
}

// bestTitle is "Best of 31", or without the number where it differs.
func (l *layout) bestTitle(best document.Text) document.Text {
	k := 0
	for _, row := range l.Rows {
		if u := row.Uniform; u != nil {
			if k != 0 && u.K != k {
				return best + " of several"
			}
			k = u.K
		}
	}
	return document.Textf("%s of %d", best, k)
}

func (l *layout) verdicts() document.Sheet {
	paper := againstPaper
	if l.Paper != nil {
		paper.About = document.Textf("Against the paper: Welch's test on the paper's metric, with the printed standard deviation and %d runs.", l.Paper.Runs)
	}
	words := paper.Of
	paper.Of = func(v line) document.Cell {
		c := words(v)
		if o := v.Against.Paper; o != outcome.Unknown && o != outcome.TooFew {
			c.Text += ", " + document.PSaid(v.Against.PaperTest.P)
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
	for _, row := range l.Rows {
		for _, r := range row.Rules {
			rules = words.Include(rules, r.Rule)
		}
	}
	if len(rules) < 2 {
		return document.Sheet{}
	}
	against := document.Text(", against the certified optimum.")
	if unknown := aboutBestFound(l.Table); unknown != "" {
		against = "." + unknown
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
		Caption: "Mean ± standard deviation [95\u00a0% interval of the mean]" + against}, columns...)
}

// summary counts the verdicts of each algorithm.
func (l *layout) summary() (lines []document.Text) {
	several := len(words.Once(words.Each(l.Rows, func(r *outcome.Row) string { return r.Problem.Name }))) > 1
	for _, label := range l.algorithms {
		paper := document.Text("the paper")
		var line document.Text
		add := func(other document.Text, of func(*outcome.Relations) outcome.Relation) {
			n := map[outcome.Relation]int{}
			var total int
			var last string
			for _, row := range l.Rows {
				if o := of(&row.Against); row.Algorithm.Label == label && o != outcome.Unknown && o != outcome.TooFew {
					n[o]++
					total++
					last = row.Name()
				}
			}
			switch {
			case total == 1 && several:
				line += document.Textf(" Against %s: %s on %s.", other, tally(n, total), last)
			case total > 0:
				line += document.Textf(" Against %s: %s.", other, tally(n, total))
			}
		}
		for _, row := range l.Rows {
			if row.Algorithm.Label == label && row.Printed != nil {
				method, _ := l.Paper.Method(row.Algorithm.Name)
				paper = document.Textf("the paper's %s", method)
			}
		}
		add(paper, func(v *outcome.Relations) outcome.Relation { return v.Paper })
		add("a random point", func(v *outcome.Relations) outcome.Relation { return v.Random })
		add(l.bestTitle("the best")+" random points", func(v *outcome.Relations) outcome.Relation { return v.Best })
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
			return relationWords[o]
		case n[o] == total && total == 2:
			parts = append(parts, relationWords[o]+" on both problems")
		case n[o] == total:
			parts = append(parts, fmt.Sprintf("%s on all %s", relationWords[o], words.Count(total, "problem")))
		case parts == nil:
			parts = append(parts, fmt.Sprintf("%s on %d of %s", relationWords[o], n[o], words.Count(total, "problem")))
		default:
			parts = append(parts, fmt.Sprintf("%s on %d", relationWords[o], n[o]))
		}
	}
	return strings.Join(parts, ", ")
}

// printed is the paper's table of the problems that were run; below each row what came out here, if several methods were.
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
	columns := []document.Column[row]{document.Names("Problem", func(r row) string { return r.Name() })}
	if both {
		s.Title += ", and what came out here"
		s.Caption += " Here: the same against the best value of its grid; the marks are those of all algorithms that were run here."
		from := map[bool]string{true: "here", false: "paper"}
		columns = append(columns, document.Names("From", func(r row) string { return from[r.here] }))
	}
	for j, m := range l.Paper.Methods {
		columns = append(columns, document.Column[row]{Title: document.Plain(m), Of: func(r row) document.Cell {
			if !r.here {
				v, _ := l.Paper.Value(r.Problem.Name, m)
				return document.Printed(v.Mean, v.Std).With(remarks(l.Results, r.Group, m)...)
			}
			own := l.Row(r.Problem.Name, labels[j])
			if own == nil || len(own.Rules) == 0 {
				return document.MeanStd(nil)
			}
			if l.Headline.Name != outcome.Suboptimality { // the marks are about the headline
				return document.MeanStd(own.Rules[0].Grid)
			}
			return l.mark(own, document.MeanStd(own.Rules[0].Grid))
		}})
	}
	var rows []row
	for _, of := range l.ByProblem() {
		r := of[0]
		if l.Paper.Rank(r.Problem.Name) == len(l.Paper.Rows) || r.BestFound != nil {
			continue
		}
		rows = append(rows, row{r, false})
		if both {
			rows = append(rows, row{r, true})
		}
	}
	return document.Tabulate(s, rows, columns...)
}

// remarks are footnotes on the paper's number for a method on a problem: what it is known to have wrong, and how it compares
// with random points.
func remarks(r *outcome.Results, g *outcome.Group, method string) []document.Text {
	v, ok := r.Paper.Value(g.Problem.Name, method)
	if !ok {
		return nil
	}
	notes := document.PlainAll(r.Paper.About(g.Problem.Name, method))
	if u := g.Uniform(); u != nil {
		// The printed numbers are against the grid; a random point's are then, too.
		shift := g.MeanShift()
		switch {
		case v.Mean >= u.Mean+shift:
			notes = append(notes, "The paper's mean is not below that of one uniform random point.")
		case method == paper.Own && v.Mean > u.BestMean+shift:
			notes = append(notes, document.Textf("The paper's mean is above that of the best of %d uniform random points, if the best could be told.", u.K))
		}
	}
	return notes
}

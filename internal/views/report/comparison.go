package report

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"

	"popbench/internal/judge"
	"popbench/internal/math/stats"
	"popbench/internal/outcome"
	"popbench/internal/page/document"
	"popbench/internal/page/figure"
	"popbench/internal/views/about"
	"popbench/internal/views/profile"
	"popbench/internal/words"
)

// Comparison compares the algorithms of a table: with a reference, by ranks, and by how soon they reach targets.
type Comparison struct {
	*judge.Pairwise                  // nil if there is nothing to compare
	Ranked          []string         // algorithms that have runs on all problems of the ranks; nil if there are no ranks
	Blocks          int              // problems of the ranks
	Ranks           judge.Ranks      // of Ranked
	Profile         *profile.Profile // of the ranked algorithms; nil without a profile
	NoProfile       string           // why there is no profile; "" if there is one
}

// newComparison compares the algorithms. Reference "" stands for the first algorithm of the suite. The error is for a label
// that the results do not have.
func newComparison(t *outcome.Table, reference string, margin *float64) (*Comparison, error) {
	if reference != "" && !slices.Contains(t.Labels, reference) {
		quoted := words.Each(t.Labels, words.Quote)
		return nil, fmt.Errorf("report: --reference %s is not an algorithm of %s; %s", words.Quote(reference), words.Quote(t.Suite),
			words.Hint(reference, quoted, "it has "+words.List(quoted)))
	}
	c := &Comparison{Pairwise: judge.NewPairwise(t.Results, cmp.Or(reference, t.First()), margin)}
	c.rank(t)
	c.profile(t)
	return c, nil
}

// rank ranks the algorithms by the headline metric over the problems that all of them have.
func (c *Comparison) rank(t *outcome.Table) {
	var labels, problems []string
	for _, row := range t.Rows {
		if row.Standing.Best != nil {
			labels, problems = words.Include(labels, row.Algorithm.Label), words.Include(problems, row.Problem.Name)
		}
	}
	var scores [][]float64
	few := false
	for _, p := range problems {
		var block []float64
		for _, label := range labels {
			if row := t.Row(p, label); row != nil && row.Standing.Best != nil {
				block = append(block, row.Score(t.Headline))
				few = few || len(row.Runs) < stats.MinRuns
			}
		}
		if len(block) == len(labels) {
			scores = append(scores, block)
		}
	}
	if len(labels) < 2 || len(scores) < 2 {
		return // the ranks on one problem are its table
	}
	c.Ranked, c.Blocks, c.Ranks = labels, len(scores), judge.NewRanks(scores, few)
}

// profile measures how soon targets are reached by the algorithms that are ranked.
func (c *Comparison) profile(t *outcome.Table) {
	ranked := *t.Results
	ranked.Groups = words.Only(t.Groups, (*outcome.Group).Ranked)
	options := profile.Default()
	options.NoIntervals = true
	var err error
	if len(ranked.Groups) == 0 {
		c.NoProfile = "no algorithm is ranked"
	} else if c.Profile, err = profile.New(&ranked, options); err != nil {
		c.NoProfile = err.Error()
	}
}

// ranksSheet has the average ranks, the best first.
func (c *Comparison) ranksSheet(l *layout) (s document.Sheet) {
	if c.Ranked == nil {
		return s
	}
	s = document.Sheet{ID: "ranks", Title: "Average rank",
		Caption: profile.AboutRanks(l.Headline, l.Steps, c.Blocks, &c.Ranks) + aboutBestFound(l.Table)}
	return document.Tabulate(s, c.Ranks.Order(),
		document.Names("Algorithm", func(a int) string { return c.Ranked[a] }),
		document.Column[int]{Title: "Average rank", Better: "lower is better", Of: func(a int) document.Cell { return document.Number(c.Ranks.Ranks[a], 2) }},
		document.Texts("Clearly better than", func(a int) string { return c.Ranks.BetterThan(a, c.Ranked, c.Ranks.Better) }))
}

// ranksCSV has the average ranks and the critical difference.
func ranksCSV(r *figure.Ranks) func(io.Writer) error {
	type row = at[figure.Ranks]
	return csvOf(indices([]*figure.Ranks{r}, func(r *figure.Ranks) int { return len(r.Labels) }),
		document.WordsAt("label", func(r row) string { return r.of.Labels[r.k] }),
		document.NumberAt("rank", func(r row) float64 { return r.of.Ranks[r.k] }),
		document.NumberAt("critical_difference", func(r row) float64 { return r.of.Critical }))
}

// differs explains the differences from the reference.
func (c *Comparison) differs(l *layout) document.Text {
	unit := document.Text("in the unit of the metric")
	if c.Relative {
		unit = "in units of $U$, the mean suboptimality of a random point"
		if c.Measure.Over == outcome.Sum {
			unit += " at every step"
		}
	}
	text := document.Textf("%s after %s, minus that of %s in the same repetition, which shares instance, starting points and oracle noise; %s.",
		words.Capital(c.Measure.Title), words.Count(l.Steps, "step"), c.Reference, unit)
	if c.Measure.Name == outcome.ToTarget {
		text += " A run that misses the target counts as one step more than it made, unlike in expected running times."
	}
	return text
}

// rule explains the findings.
func (c *Comparison) rule() document.Text {
	text := document.Textf(" Better or worse: $p \\le$ %.2g, and the interval leaves out zero. ", outcome.Alpha)
	if c.Margin > 0 {
		unit := map[bool]document.Text{true: " U"}[c.Relative]
		text += document.Textf("Same: the interval lies within ±%g%s, the margin, which the option --margin sets. ", c.Margin, unit)
	} else {
		text += "Same: no run differs; a margin, which the option --margin sets, allows more. "
	}
	return text + "Undecided: none of these; more runs would decide."
}

// side is where an algorithm is better than the reference.
func (c *Comparison) side() string {
	return map[bool]string{true: "Above", false: "Below"}[c.Measure.Higher]
}

// tests says how a family is tested, and whether it is too small to find anything.
func tests(family []*judge.Versus) document.Text {
	text := document.Textf(" $p$: Wilcoxon’s signed-rank test, adjusted for the %s of this table (Holm).", words.Count(len(family), "test"))
	if blind := judge.TestsOf(family).Blind(outcome.Alpha); blind != nil {
		text += document.Textf(" Some have fewer runs than the %d that a difference needs to be found in this table, whatever the data.",
			blind.Needed(outcome.Alpha))
	}
	return text
}

type versusColumn = document.Column[*judge.Versus]

// versusColumns returns the columns of a comparison.
func (c *Comparison) versusColumns() []versusColumn {
	difference := document.Text("Difference")
	if unit := c.Unit(); unit != "" {
		difference = document.Textf("Difference (%s)", unit)
	}
	return []versusColumn{
		{Title: "Finding", Key: "finding", Words: true, Of: func(v *judge.Versus) document.Cell { return document.Words(v.Verdict.String()) }},
		{Title: difference, Key: "difference", Of: func(v *judge.Versus) document.Cell {
			cell := document.SignedEstimate(v.Value, v.CI)
			if v.Unitless {
				cell = cell.With("The suboptimality of a random point is not known: the difference is in the unit of the objective, and no margin applies.")
			}
			return cell
		}},
		{Title: "$p$", Key: "p_adjusted", Of: func(v *judge.Versus) document.Cell { return document.P(v.Adjusted) }},
		{Title: "Runs", Key: "pairs", Of: func(v *judge.Versus) document.Cell { return document.Count(v.Runs[0]) }},
	}
}

// nameOf is the column of the algorithms.
func nameOf(v *judge.Versus) document.Cell {
	cell := document.Words(v.Label)
	if v.Values {
		cell = cell.With(document.Plain(outcome.ValuesNote))
	}
	return cell
}

// overallSheet compares each algorithm with the reference over all problems, the best first.
func (c *Comparison) overallSheet(l *layout) (s document.Sheet) {
	if c.Pairwise == nil || c.Overall == nil {
		return s
	}
	s = document.Sheet{ID: "pairwise", Title: document.Textf("Better than %s?", c.Reference)}
	s.Caption = c.differs(l)
	several := len(c.Problems) > len(c.Overall)
	if several {
		s.Caption += " The mean over the problems, with its 95\u00a0% bootstrap interval; problems are resampled separately, and count as given."
	} else {
		s.Caption += " The mean with its 95\u00a0% bootstrap interval."
	}
	s.Caption += document.Textf(" %s zero is better.", c.side()) + tests(c.Overall) + c.rule() + aboutBestFound(l.Table)
	columns := append([]versusColumn{{Title: "Algorithm", Head: true, Of: nameOf}}, c.versusColumns()...)
	if several {
		columns = append(columns, versusColumn{Title: "Problems", Of: func(v *judge.Versus) document.Cell {
			cell := document.Count(v.Over)
			if v.Over < len(c.of(v.Label)) {
				cell = cell.With(document.Textf("The mean leaves out problems on which fewer than %d runs have a pair, or $U$ is not known.", stats.MinRuns))
			}
			return cell
		}}, versusColumn{Title: "Single problems", Words: true, Of: func(v *judge.Versus) document.Cell {
			return document.Words(judge.Tally(c.of(v.Label)))
		}})
	}
	return document.Tabulate(s, c.BestFirst(), columns...)
}

// of are the comparisons of an algorithm on each problem.
func (c *Comparison) of(label string) []*judge.Versus {
	return words.Only(c.Problems, func(p *judge.Versus) bool { return p.Label == label })
}

// problemsSheet compares on each problem. It is empty if that is the same as the comparison over all problems.
func (c *Comparison) problemsSheet(l *layout) (s document.Sheet) {
	if c.Pairwise == nil || len(c.Overall) == len(c.Problems) {
		return s
	}
	about := document.Text("The same on each problem.")
	if c.Overall == nil { // no table above explains it
		about = c.differs(l) + document.Textf(" The mean with its 95\u00a0%% bootstrap interval. %s zero is better.", c.side()) + c.rule() + aboutBestFound(l.Table)
	}
	columns := append([]versusColumn{
		document.Names("Problem", func(v *judge.Versus) string { return v.Title }),
		{Title: "Algorithm", Head: true, Of: nameOf},
	}, c.versusColumns()...)
	return document.Tabulate(document.Sheet{ID: "pairwise-problems", Title: document.Textf("Compared with %s on each problem", c.Reference),
		Caption: about + tests(c.Problems)},
		c.Problems, columns...)
}

// words sum up the comparison over all problems.
func (c *Comparison) words() (all []document.Text) {
	if c == nil || c.Pairwise == nil {
		return nil
	}
	for _, f := range judge.All() {
		found := words.Only(c.Overall, func(v *judge.Versus) bool { return v.Verdict == f })
		labels := words.Each(found, func(v *judge.Versus) string { return v.Label })
		as := map[judge.Verdict]document.Text{judge.Better: "than", judge.Worse: "than", judge.Same: "as"}[f]
		switch {
		case labels == nil:
		case as != "":
			all = append(all, document.Textf("%s %s %s %s.", words.List(labels), f.Said(len(labels)), as, c.Reference))
		default:
			all = append(all, document.Textf("Undecided: %s.", words.List(labels)))
		}
	}
	return all
}

// pairwiseCSV has every comparison with the reference, first over all problems: there the problem is empty.
func (c *Comparison) pairwiseCSV() func(io.Writer) error {
	return csvOf(slices.Concat(c.Overall, c.Problems), append([]versusColumn{
		document.WordsAt("problem", func(v *judge.Versus) string { return v.Problem }),
		document.WordsAt("label", func(v *judge.Versus) string { return v.Label }),
		document.WordsAt("reference", func(*judge.Versus) string { return c.Reference }),
		document.WordsAt("metric", func(*judge.Versus) string { return string(c.Measure.Name) }),
		document.NumberAt("margin", func(v *judge.Versus) float64 {
			if v.Unitless {
				return 0
			}
			return c.Margin
		}),
		document.NumberAt("effect", func(v *judge.Versus) float64 { return v.Effect }),
		document.NumberAt("p", func(v *judge.Versus) float64 { return v.P }),
	}, c.versusColumns()...)...)
}

// targetSheet has the comparisons to the target, a row for each problem and a column for each algorithm.
func (l *layout) targetSheet(c *Comparison) document.Sheet {
	s := document.Sheet{ID: "to-target", Title: "Comparisons to target",
		Caption: document.Textf("Comparisons until the recommended point has at most a tenth of $U$, the mean suboptimality of a random point, and all later ones too: the expected running time, which is the comparisons of all runs divided by the number of runs that get there, its 95\u00a0%% bootstrap interval, and how many get there. Lower is better; a dash: no run does.") +
			aboutBestFound(l.Table)}
	problems := l.problems()
	if c.Profile == nil {
		s.Caption += document.Textf(" There are no profiles: %s.", c.NoProfile)
	} else if n := len(c.Profile.Problems); n < len(problems) {
		s.Caption += document.Textf(" The figures are of the %s of which every ranked algorithm has a complete run and $U$ is known.",
			words.Count(n, "problem"))
	}
	measure, n := outcome.Find(outcome.ToTarget), len(problems)
	if n > 1 {
		problems = append(problems, nil) // all of them
	}
	return l.byAlgorithm(s, problems, func(row *outcome.Row) document.Cell {
		m := row.Metric(measure)
		cell := document.RunningTime(m.Mean, m.CI, m.Reached)
		if len(l.algorithms) > 1 && m.Reached.Count > 0 && m.N >= stats.MinRuns && l.soonest(row.Problem.Name, measure) == m.Mean && row.Ranked() {
			cell.Mark = document.Best
		}
		return cell
	}, func(label string) document.Cell { return l.allTargets(label, n) })
}

// soonest is the least expected running time on a problem, of ranked algorithms with as many runs as a ranking needs.
func (l *layout) soonest(problem string, m *outcome.Measure) float64 {
	least := math.Inf(1)
	for _, v := range l.lines {
		if v.Problem.Name == problem && v.Ranked() && v.Metric(m).N >= stats.MinRuns {
			least = min(least, v.Metric(m).Mean)
		}
	}
	return least
}

// allTargets is the expected running time over all problems; missing if the algorithm lacks one.
func (l *layout) allTargets(label string, problems int) document.Cell {
	var attempts []stats.Attempt
	for _, v := range l.lines {
		if v.Algorithm.Label == label {
			if a := v.Attempts(); len(a) > 0 {
				attempts = append(attempts, a...)
				problems--
			}
		}
	}
	if problems > 0 {
		return document.Cell{}
	}
	return document.RunningTime(stats.ERT(attempts), stats.NoInterval(), stats.Reached(attempts))
}

// sharesCSV has where the lines of a figure of distribution functions rise.
func sharesCSV(s *figure.Shares) func(io.Writer) error {
	type row struct {
		label string
		figure.Share
	}
	var rows []row
	for _, l := range pointers(s.Lines) {
		rows = append(rows, row{l.Label, figure.Share{X: s.From}})
		for _, p := range l.Points(s.To) {
			rows = append(rows, row{l.Label, p})
		}
	}
	return csvOf(rows,
		document.WordsAt("series", func(r row) string { return r.label }),
		document.NumberAt("x", func(r row) float64 { return r.X }),
		document.NumberAt("share", func(r row) float64 { return r.Share.Share }))
}

// differences is the figure of a comparison over all problems.
func differences(r *outcome.Results, p *judge.Pairwise) *figure.Differences {
	d := &figure.Differences{Name: "pairwise", Title: "Compared with " + p.Reference, Axis: "difference in " + p.Measure.Title, Margin: p.Margin,
		Higher: p.Measure.Higher}
	if unit := p.Unit(); unit != "" {
		d.Axis += " (" + unit + ")"
	}
	styles := about.Styles(r)
	for _, v := range p.BestFirst() {
		row := figure.DifferenceRow{Label: v.Label, Style: styles[v.Label], Value: v.Value, CI: v.CI, Finding: v.Verdict.String()}
		if v.Over > 1 {
			for _, one := range p.Problems {
				if one.Label == v.Label && !one.Unitless {
					row.Problems = append(row.Problems, one.Value)
				}
			}
		}
		d.Rows = append(d.Rows, row)
	}
	return d
}

// RanksChart is the figure of average ranks, without the critical difference if no test could be made. Labels are those of
// the algorithms that ranks has, by their index.
func RanksChart(name, title string, labels []string, ranks *judge.Ranks, marked func(label string) bool) *figure.Ranks {
	r := &figure.Ranks{Name: name, Title: title, Critical: ranks.Critical}
	untested := ranks.Few || math.IsNaN(ranks.P)
	if untested {
		r.Critical = math.NaN()
	}
	order := ranks.Order()
	last := 0 // of the group before
	for i, k := range order {
		r.Labels, r.Ranks, r.Marks = append(r.Labels, labels[k]), append(r.Ranks, ranks.Ranks[k]), append(r.Marks, marked(labels[k]))
		j := i
		for j+1 < len(order) && !ranks.Differ(k, order[j+1]) {
			j++
		}
		if !untested && j > i && (len(r.Alike) == 0 || j > last) {
			r.Alike = append(r.Alike, [2]int{i, j})
			last = j
		}
	}
	return r
}

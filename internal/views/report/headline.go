package report

import (
	"cmp"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"

	"popbench/internal/math/stats"
	"popbench/internal/outcome"
	"popbench/internal/page/document"
	"popbench/internal/page/figure"
	"popbench/internal/views/about"
	"popbench/internal/views/charting"
	"popbench/internal/words"
)

// Headline is the outcome of a suite in a line for each algorithm, the best by the
// suite's headline metric first.
type Headline struct {
	document.Sheet
	Styles []int         // of the lines of the figures, by row
	About  document.Text // what its words mean; may be empty
}

// standing is how an algorithm did on the problems.
type standing struct {
	label                string
	style                int
	unranked             string         // why it is not ranked; "" if it is
	lowest, level, above int            // problems on which its mean is the lowest; not clearly higher; clearly higher
	few                  int            // problems with too few runs to tell
	versus               string         // how it compares with the lowest, on the last problem
	random               [2]int         // problems: clearly better than a random point; where that is known
	ranks                [][]float64    // of a shown metric, by problem
	rows                 []*outcome.Row // by problem
	inside               stats.Share
}

// NewHeadline sums up the table; in brief without times, and without the coverage
// unless the suite is about that.
func NewHeadline(t *outcome.Table, brief bool) *Headline {
	styles := charting.Styles(t.Results)
	var shown []*outcome.Measure // first the metric that ranks
	for _, name := range about.Metrics(t.Results) {
		shown = append(shown, outcome.Find(name))
	}
	var all []*standing
	find := func(g *outcome.Group) *standing {
		label := g.Algorithm.Label
		if k := slices.IndexFunc(all, func(s *standing) bool { return s.label == label }); k >= 0 {
			return all[k]
		}
		s := &standing{label: label, style: styles[label], ranks: make([][]float64, len(shown))}
		switch {
		case g.Imported != nil:
			s.unranked = "imported, not ranked"
		case !g.Ranked():
			s.unranked = "observes noisy values, not ranked"
		}
		all = append(all, s)
		return s
	}
	problems := 0
	for _, rows := range t.ByProblem() {
		if rows = slices.DeleteFunc(rows, func(row *outcome.Row) bool { return len(row.Runs) == 0 }); len(rows) > 0 {
			problems++
		}
		running := slices.DeleteFunc(slices.Clone(rows), func(row *outcome.Row) bool { return !row.Ranked() })
		for _, row := range rows {
			s := find(row.Group)
			s.rows = append(s.rows, row)
			if s.unranked == "" {
				for i, m := range shown {
					if row.Metric(m).N > 0 {
						s.ranks[i] = append(s.ranks[i], rank(running, row, func(row *outcome.Row) float64 { return row.Score(m) }))
					}
				}
				s.count(row)
			}
			if v := row.Against.Random; t.Headline.Name == outcome.Suboptimality && v != outcome.Unknown && v != outcome.TooFew {
				s.random[1]++
				if row.Against.Random == outcome.Lower {
					s.random[0]++
				}
			}
			if row.Coverage.NormKnown {
				s.inside.Count += row.Coverage.Inside.Runs.Count
				s.inside.N += row.Coverage.Inside.Runs.N
			}
		}
	}
	// Settings of one algorithm keep their order, which follows a parameter.
	if slices.ContainsFunc(all, func(s *standing) bool { return s.rows[0].Algorithm.Name != all[0].rows[0].Algorithm.Name }) {
		slices.SortStableFunc(all, func(a, b *standing) int {
			if a, b := a.ranks[0] != nil, b.ranks[0] != nil; a != b {
				return map[bool]int{true: -1, false: 1}[a]
			}
			return cmp.Compare(stats.Mean(a.ranks[0]), stats.Mean(b.ranks[0]))
		})
	}
	return headline(t, all, shown, problems, brief)
}

// direction returns a text about how something stands if lower is better, or its opposite if higher headlines are better.
func direction(t *outcome.Table, text string) string {
	if t.Headline.Higher {
		return strings.NewReplacer("lowest", "highest", "Lowest", "Highest", "higher", "lower", "Higher", "Lower", "above", "below").Replace(text)
	}
	return text
}

// rank is the place of a row among the others, from 1; equal rows share their mean rank.
func rank(rows []*outcome.Row, row *outcome.Row, of func(*outcome.Row) float64) float64 {
	below, equal := 0, 0
	for _, r := range rows {
		switch v := of(r); {
		case v < of(row):
			below++
		case v == of(row):
			equal++
		}
	}
	return float64(below) + float64(equal+1)/2
}

// count adds how a row stands on its problem.
func (s *standing) count(row *outcome.Row) {
	switch at := &row.Standing; {
	case at.Best == nil: // its algorithm does not have the metric
	case at.Versus == outcome.TooFew:
		s.few++
		s.versus = ""
	case at.Lowest:
		s.lowest++
		s.versus = "the lowest"
	case at.Versus == outcome.Higher:
		s.above++
		s.versus = "higher than " + at.Best.Algorithm.Label
	default:
		s.level++
		s.versus = "no clear difference from " + at.Best.Algorithm.Label
	}
}

// words say how the algorithm did, if there are several.
func (s *standing) words(problems int, several bool) string {
	var parts []string
	switch on := func(n int) string { return fmt.Sprintf("on %d of %d", n, problems) }; {
	case s.unranked != "":
		parts = append(parts, s.unranked)
	case !several:
	case s.lowest+s.level+s.above == 0: // too few runs everywhere, which a note says
	case problems == 1:
		parts = append(parts, s.versus)
	case s.lowest > 0 && s.level > 0:
		parts = append(parts, fmt.Sprintf("lowest %s, not clearly higher on %d", on(s.lowest), s.level))
	case s.lowest > 0:
		parts = append(parts, "lowest "+on(s.lowest))
	case s.level > 0:
		parts = append(parts, "not clearly above the lowest "+on(s.level))
	case s.few > 0:
		parts = append(parts, "higher than the lowest "+on(s.above))
	default:
		parts = append(parts, "higher than the lowest on all")
	}
	switch n := s.random; {
	case n[1] == 0:
	case n[0] == n[1]:
		parts = append(parts, "better than a random point")
	case n[0] == 0:
		parts = append(parts, "not better than a random point")
	default:
		parts = append(parts, fmt.Sprintf("better than a random point on %d", n[0]))
	}
	if n := len(s.rows); n < problems {
		parts = append(parts, fmt.Sprintf("has runs on %d of %d problems only", n, problems))
	}
	if parts == nil {
		return ""
	}
	return words.Capital(strings.Join(parts, "; "))
}

// headline lays the standings out: with one problem its numbers, with several the ranks among the algorithms.
func headline(t *outcome.Table, all []*standing, shown []*outcome.Measure, problems int, brief bool) *Headline {
	h := &Headline{Sheet: document.Sheet{ID: "headline", Title: "In short"}}
	several := len(all) > 1
	for _, s := range all {
		h.Styles = append(h.Styles, s.style)
	}
	// Words are explained only where they are said.
	compared := slices.ContainsFunc(all, func(s *standing) bool { return s.lowest+s.level+s.above > 0 })
	few := slices.ContainsFunc(all, func(s *standing) bool {
		return slices.ContainsFunc(s.rows, func(row *outcome.Row) bool { return len(row.Runs) < stats.MinRuns })
	})
	if several && compared {
		h.About = document.Plain(direction(t, "“Higher”: the 95\u00a0% interval of the difference from the lowest, between runs of the same instance, starting points and oracle noise, leaves out zero; “not clearly”: it does not."))
	}
	type standingColumn = document.Column[*standing]
	columns := []standingColumn{{Title: "Algorithm", Head: true, Of: func(s *standing) document.Cell { return document.Words(s.label) }}}
	inWords := standingColumn{Title: "In words",
		Words: true, Of: func(s *standing) document.Cell { return document.Words(direction(t, s.words(problems, several))) }}
	number := func(i int) standingColumn {
		c := metricColumn(shown[i])
		return standingColumn{Title: c.Title, Better: c.Better, Of: func(s *standing) document.Cell { return c.Of(line{s.rows[0], 0}) }}
	}
	rank := func(i int) standingColumn {
		title := strings.TrimPrefix(shown[i].Title, "cumulative ")
		// The mean of no ranks is a missing value.
		return standingColumn{Title: document.Textf("Rank, %s", title), Better: "lower is better",
			Of: func(s *standing) document.Cell { return document.Number(stats.Mean(s.ranks[i]), 1) }}
	}
	column := number
	switch {
	case problems == 1:
		interval := ""
		if slices.ContainsFunc(all, func(s *standing) bool { return !math.IsNaN(s.rows[0].Regret.CI.Lo) }) {
			interval = " with its 95\u00a0% interval"
		}
		h.Caption = document.Textf("Mean over the runs after %s%s.", words.Count(t.Steps, "step"), interval)
	case several:
		column = rank
		h.Caption = document.Textf("Ranks of the means after %s among the algorithms, averaged over the %d problems; 1 is the %s.",
			words.Count(t.Steps, "step"), problems, direction(t, "lowest"))
	default:
		shown = nil
	}
	for i := range shown {
		columns = append(columns, column(i))
	}
	columns = slices.Insert(columns, min(2, len(columns)), inWords)
	if !brief || t.AboutCoverage() {
		columns = append(columns, standingColumn{Title: "Truth inside", Of: func(s *standing) document.Cell { return document.Percent(s.inside.Value()) },
			About: "Truth inside: runs in which it is in the confidence set after every step."})
	}
	if !brief {
		columns = append(columns, standingColumn{Title: "A step", Of: func(s *standing) document.Cell {
			var steps float64
			for _, row := range s.rows {
				if row.Times.Runs == 0 {
					return document.Seconds(math.NaN())
				}
				steps += row.Times.Step
			}
			return document.Seconds(steps / float64(len(s.rows)))
		}})
	}
	if few {
		h.Caption += document.Textf(" With fewer than %d runs there is no interval, and nothing is said to differ.", stats.MinRuns)
	}
	h.Caption += aboutBestFound(t)
	h.Sheet = document.Tabulate(h.Sheet, all, columns...)
	return h
}

// Swatches are samples of the lines of the rows.
func (h *Headline) Swatches() (all []template.HTML, err error) {
	for _, style := range h.Styles {
		svg, err := figure.Swatch(style).Inline()
		if err != nil {
			return nil, err
		}
		all = append(all, template.HTML(svg))
	}
	return all, nil
}

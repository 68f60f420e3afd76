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
	"popbench/internal/words"
)

// Headline is the outcome of a suite in a line for each algorithm, the best by the suite's headline metric first.
type Headline struct {
	document.Sheet
	Styles []int         // of the lines of the figures, by row
	About  document.Text // what its words mean; may be empty
	Suite  string        // on a page of several
}

// standing is how an algorithm did on the problems.
type standing struct {
	label string
	rows  []*outcome.Row // by problem
}

// standings are those of the algorithms that have runs.
func (l *layout) standings() (all []*standing) {
	for _, v := range l.lines {
		k := slices.IndexFunc(all, func(s *standing) bool { return s.label == v.Algorithm.Label })
		if k < 0 {
			k, all = len(all), append(all, &standing{label: v.Algorithm.Label})
		}
		all[k].rows = append(all[k].rows, v.Row)
	}
	// Settings of one algorithm keep their order, which follows a parameter.
	if slices.ContainsFunc(all, func(s *standing) bool { return s.rows[0].Algorithm.Name != all[0].rows[0].Algorithm.Name }) {
		place := map[*standing]float64{} // the last without ranks
		for _, s := range all {
			if place[s] = l.meanRank(s, l.Headline); math.IsNaN(place[s]) {
				place[s] = math.Inf(1)
			}
		}
		slices.SortStableFunc(all, func(a, b *standing) int { return cmp.Compare(place[a], place[b]) })
	}
	return all
}

// meanRank is the rank by a metric among the algorithms that are ranked, averaged over the problems; NaN without any.
func (l *layout) meanRank(s *standing, m *outcome.Measure) float64 {
	var ranks []float64
	for _, row := range s.rows {
		if row.Ranked() && row.Metric(m).N > 0 {
			others := words.Only(l.lines, func(v line) bool { return v.Ranked() && v.Problem.Name == row.Problem.Name })
			ranks = append(ranks, rank(words.Each(others, func(v line) float64 { return v.Score(m) }), row.Score(m)))
		}
	}
	return stats.Mean(ranks)
}

// direction returns a text about how something stands if lower is better, or its opposite if higher headlines are better.
func direction(t *outcome.Table, text string) string {
	if t.Headline.Higher {
		return strings.NewReplacer("lowest", "highest", "Lowest", "Highest", "higher", "lower", "Higher", "Lower", "above", "below").Replace(text)
	}
	return text
}

// rank is the place of one of the scores among them, from 1; equal scores share their mean rank.
func rank(scores []float64, one float64) float64 {
	below := stats.Count(scores, func(v float64) bool { return v < one })
	equal := stats.Count(scores, func(v float64) bool { return v == one })
	return float64(below) + float64(equal+1)/2
}

// stands is how a row stands on its problem: among the lowest or above them; "" if it is not ranked.
func stands(row *outcome.Row) string {
	switch at := &row.Standing; {
	case at.Best == nil:
		return ""
	case at.Versus == outcome.TooFew:
		return "few runs"
	case at.Lowest:
		return "lowest"
	case at.Versus == outcome.Higher:
		return "above"
	}
	return "level"
}

// at counts the problems on which it has a place.
func (s *standing) at(is string) int {
	return stats.Count(s.rows, func(row *outcome.Row) bool { return stands(row) == is })
}

// compared reports whether it has enough runs on some problem to be compared with the lowest.
func (s *standing) compared() bool { return s.at("lowest")+s.at("level")+s.at("above") > 0 }

// words say how the algorithm did, if there are several.
func (s *standing) words(l *layout, problems int, several bool) string {
	var parts []string
	lowest, level, above := s.at("lowest"), s.at("level"), s.at("above")
	switch on := func(n int) string { return fmt.Sprintf("on %d of %d", n, problems) }; {
	case s.rows[0].Imported != nil:
		parts = append(parts, "imported, not ranked")
	case !s.rows[0].Ranked():
		parts = append(parts, "observes noisy values, not ranked")
	case !several:
	case !s.compared(): // too few runs everywhere, which a note says
	case problems == 1 && lowest > 0:
		parts = append(parts, "the lowest")
	case problems == 1 && above > 0:
		parts = append(parts, "higher than "+s.rows[0].Standing.Best.Algorithm.Label)
	case problems == 1:
		parts = append(parts, "no clear difference from "+s.rows[0].Standing.Best.Algorithm.Label)
	case lowest > 0 && level > 0:
		parts = append(parts, fmt.Sprintf("lowest %s, not clearly higher on %d", on(lowest), level))
	case lowest > 0:
		parts = append(parts, "lowest "+on(lowest))
	case level > 0:
		parts = append(parts, "not clearly above the lowest "+on(level))
	case s.at("few runs") > 0:
		parts = append(parts, "higher than the lowest "+on(above))
	default:
		parts = append(parts, "higher than the lowest on all")
	}
	better := stats.Count(s.rows, func(row *outcome.Row) bool { return row.Against.Random == outcome.Lower })
	known := stats.Count(s.rows, func(row *outcome.Row) bool { return relationWords[row.Against.Random] != "" })
	switch {
	case known == 0 || l.Headline.Name != outcome.Suboptimality:
	case better == known:
		parts = append(parts, "better than a random point")
	case better == 0:
		parts = append(parts, "not better than a random point")
	default:
		parts = append(parts, fmt.Sprintf("better than a random point on %d", better))
	}
	if n := len(s.rows); n < problems {
		parts = append(parts, fmt.Sprintf("has runs on %d of %d problems only", n, problems))
	}
	if parts == nil {
		return ""
	}
	return words.Capital(strings.Join(parts, "; "))
}

// newHeadline sums up the table: with one problem its numbers, with several the ranks among the algorithms; in brief without
// times, and without the coverage unless the suite is about that.
func newHeadline(t *outcome.Table, brief bool) *Headline {
	l := newLayout(t)
	h := &Headline{Sheet: document.Sheet{ID: "headline", Title: "In short"}}
	shown := words.Each(about.Metrics(t.Results), outcome.Find) // first the metric that ranks
	all, problems, styles := l.standings(), len(l.problems()), about.Styles(t.Results)
	several := len(all) > 1
	h.Styles = words.Each(all, func(s *standing) int { return styles[s.label] })
	// Words are explained only where they are said.
	compared := slices.ContainsFunc(all, (*standing).compared)
	few := slices.ContainsFunc(l.lines, func(v line) bool { return len(v.Runs) < stats.MinRuns })
	if several && compared {
		h.About = document.Plain(direction(t, "“Higher”: the 95\u00a0% interval of the difference from the lowest, between runs of the same instance, starting points and oracle noise, leaves out zero; “not clearly”: it does not."))
	}
	type standingColumn = document.Column[*standing]
	columns := []standingColumn{document.Names("Algorithm", func(s *standing) string { return s.label })}
	inWords := standingColumn{Title: "In words",
		Words: true, Of: func(s *standing) document.Cell { return document.Words(direction(t, s.words(l, problems, several))) }}
	number := func(i int) standingColumn {
		c := metricColumn(shown[i])
		return standingColumn{Title: c.Title, Better: c.Better, Of: func(s *standing) document.Cell { return c.Of(line{s.rows[0], 0}) }}
	}
	rank := func(i int) standingColumn {
		title := strings.TrimPrefix(shown[i].Title, "cumulative ")
		return standingColumn{Title: document.Textf("Rank, %s", title), Better: "lower is better",
			Of: func(s *standing) document.Cell { return document.Number(l.meanRank(s, shown[i]), 1) }}
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
		columns = append(columns, standingColumn{Title: "Truth inside", Of: func(s *standing) document.Cell {
			var inside stats.Share
			for _, row := range s.rows {
				inside.Count += row.Coverage.Inside.Runs.Count
				inside.N += row.Coverage.Inside.Runs.N
			}
			return document.Percent(inside.Value())
		}, About: "Truth inside: runs in which it is in the confidence set after every step."})
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
func (h *Headline) Swatches() (all []template.HTML) {
	for _, style := range h.Styles {
		all = append(all, figure.Swatch(style).Inline())
	}
	return all
}

package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"popbench/internal/analysis/chart"
	"popbench/internal/analysis/document"
	"popbench/internal/analysis/figure"
	"popbench/internal/analysis/outcome"
	"popbench/internal/analysis/profile"
	"popbench/internal/judge"
	"popbench/internal/math/stats"
	"popbench/internal/nearest"
	"popbench/internal/printable"
	"popbench/internal/words"
)

// Comparison compares the algorithms of a table with each other: with a reference, by ranks, and by how soon they reach
// targets.
type Comparison struct {
	*judge.Pairwise                  // nil if there is nothing to compare
	Ranked          []string         // algorithms that have runs on all problems of the ranks; nil if there are no ranks
	Blocks          int              // problems of the ranks
	Ranks           profile.Ranks    // of Ranked
	Profile         *profile.Profile // of the algorithms that are ranked; nil if there is none
	NoProfile       string           // why; "" if there is one
}

// NewComparison compares the algorithms. Reference "" is the first of the suite. The error is for a label that the results
// do not have.
func NewComparison(t *outcome.Table, reference string, margin *float64) (*Comparison, error) {
	if reference != "" && !slices.Contains(t.Labels, reference) {
		quoted := make([]string, len(t.Labels))
		for i, l := range t.Labels {
			quoted[i] = printable.Quote(l)
		}
		return nil, fmt.Errorf("report: --reference %s is not an algorithm of %s; %s", printable.Quote(reference), printable.Quote(t.Suite),
			nearest.Hint(reference, quoted, "it has "+words.List(quoted)))
	}
	c := &Comparison{Pairwise: judge.NewPairwise(t.Results, cmp.Or(reference, t.First()), margin)}
	c.rank(t)
	c.profile(t)
	return c, nil
}

// rank ranks the algorithms by the headline metric over the problems that all of them have.
func (c *Comparison) rank(t *outcome.Table) {
	l := newLayout(t)
	var labels, problems []string
	for i := range t.Rows {
		if row := &t.Rows[i]; row.Standing.Best != nil {
			labels, problems = words.Include(labels, row.Algorithm.Label), words.Include(problems, row.Problem.Name)
		}
	}
	var scores [][]float64
	few := false
	for _, p := range problems {
		var block []float64
		for _, label := range labels {
			if row := l.row(p, label); row != nil && row.Standing.Best != nil {
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
	c.Ranked, c.Blocks, c.Ranks = labels, len(scores), profile.NewRanks(scores, few)
}

// profile measures how soon targets are reached by the algorithms that are ranked.
func (c *Comparison) profile(t *outcome.Table) {
	ranked := *t.Results
	ranked.Groups = slices.DeleteFunc(slices.Clone(t.Groups), func(g outcome.Group) bool { return !g.Ranked() })
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
	s = document.Sheet{ID: "ranks", Title: "Average rank", Caption: document.Textf("Rank of the mean %s after %s, averaged over %s; 1 is the best. ", l.Headline.Title, words.Count(l.Steps, "step"), words.Count(c.Blocks, "problem")) + c.Ranks.Caption() + l.aboutBestFound()}
	type column = document.Column[int]
	return document.Tabulate(s, c.Ranks.Order(),
		column{Title: "Algorithm", Head: true, Of: func(a int) document.Cell { return document.Words(c.Ranked[a]) }},
		column{Title: "Average rank", Better: "lower is better", Of: func(a int) document.Cell { return document.Number(c.Ranks.Ranks[a], 2) }},
		column{Title: "Clearly better than", Words: true, Of: func(a int) document.Cell { return document.Words(c.Ranks.BetterThan(a, c.Ranked)) }})
}

// sheets are the tables of the comparison.
func (c *Comparison) sheets(l *layout) []document.Sheet {
	return []document.Sheet{c.overallSheet(l), c.problemsSheet(l), c.ranksSheet(l), l.targetSheet(c)}
}

// exhibits are the figures of the comparison, with the sheets that they belong to.
func (c *Comparison) exhibits(page *Page, hang func(f *figure.Figure, sheet string, data func(io.Writer) error) error) error {
	t := page.Table
	if c.Pairwise != nil && c.Overall != nil {
		d := chart.NewDifferences(t.Results, c.Pairwise)
		if err := hang(figure.Differences(d), "pairwise", func(w io.Writer) error { return WritePairwiseCSV(c.Pairwise, w) }); err != nil {
			return err
		}
	}
	if c.Ranked != nil {
		reference := ""
		if c.Pairwise != nil {
			reference = c.Reference
		}
		r := chart.NewRanks("ranks", "Average rank", c.Ranked, c.Ranks.Ranks, c.Ranks.Critical, c.Ranks.Differ, func(label string) bool { return label == reference })
		r.Stands = "the reference"
		if err := hang(figure.Ranks(r), "ranks", func(w io.Writer) error { return WriteRanksCSV(r, w) }); err != nil {
			return err
		}
	}
	if c.Profile == nil {
		return nil
	}
	order := make([]int, len(c.Profile.Algorithms))
	for i := range order {
		order[i] = i
	}
	for _, s := range c.Profile.Charts(order, chart.Styles(t.Results)) {
		if err := hang(figure.Shares(s), "to-target", func(w io.Writer) error { return WriteSharesCSV(s, w) }); err != nil {
			return err
		}
	}
	return nil
}

// WriteRanksCSV writes the average ranks and the critical difference.
func WriteRanksCSV(r *chart.Ranks, w io.Writer) error {
	rows := make([]int, len(r.Labels))
	for i := range rows {
		rows[i] = i
	}
	return document.WriteCSV(w, rows,
		document.WordsAt("label", func(i int) string { return r.Labels[i] }),
		document.NumberAt("rank", func(i int) float64 { return r.Ranks[i] }),
		document.NumberAt("critical_difference", func(int) float64 { return r.Critical }))
}

package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"popbench/internal/judge"
	"popbench/internal/math/stats"
	"popbench/internal/page/document"
	"popbench/internal/words"
	"popbench/record"
)

func rowNames[R any](of func(R) Subject) []document.Column[R] {
	return []document.Column[R]{
		document.Names("Problem", func(r R) string { return of(r).Title }),
		document.Names("Algorithm", func(r R) string { return of(r).Algorithm }),
		document.Names("Metric", func(r R) string { return of(r).Metric }),
	}
}

// Document puts the comparison into words. Rows in which no run differs are counted, not shown.
func (c *Comparison) Document() *document.Document {
	d := &document.Document{
		Title: document.Textf("%s: %s", c.title(), c.Headline()), Warnings: document.PlainAll(c.Warnings),
		Facts:   sides(c.Base, c.Head),
		Summary: []document.Text{document.Plain(c.Summary())},
		Notes:   document.PlainAll(c.Notes),
	}
	rows := words.Only(c.Rows, func(r *Row) bool { return !r.Identical() })
	names := rowNames(func(r *Row) Subject { return r.Subject })
	names[2].Of = func(r *Row) document.Cell {
		cell := document.Words(r.Metric)
		if r.Found != nil {
			cell = cell.With(document.Plain(r.Title + ": " + r.Found.Note()))
		}
		return cell
	}
	d.Add(document.Tabulate(document.Sheet{ID: "comparison", Title: "Better or worse",
		Caption: document.Textf("Means over the runs; lower is better. A rule in brackets is a recommendation rule that the settings do not select. Difference: HEAD − BASE, with its 95\u00a0%% bootstrap interval; relative to the standard deviation of BASE (σ), to its mean (%%), or in decades of a gap. $r$: rank-biserial correlation, 1 if every run is worse. $p$: Wilcoxon's test, adjusted for all rows (Holm). Better or worse: $p \\le$ %g, $r$ and difference of one sign, and the difference at least %gσ of a quality, %g\u00a0%% of a cost, a decade of a gap. Same: the interval within that.",
			c.Options.Alpha, c.Options.MinEffect, 100*c.Options.MinCost)}, rows,
		append(names,
			document.Cells("Runs", func(r *Row) document.Cell { return document.Words(r.runs()) }),
			document.Cells("BASE", func(r *Row) document.Cell { return document.Short(r.Mean[0]) }),
			document.Cells("HEAD", func(r *Row) document.Cell { return document.Short(r.Mean[1]) }),
			document.Cells("Difference", func(r *Row) document.Cell { return document.Signed(r.Value) }),
			document.Cells("95\u00a0% interval", func(r *Row) document.Cell { return document.SignedInterval(r.CI) }),
			document.Cells("Relative", func(r *Row) document.Cell { return r.relative() }),
			document.Cells("$r$", func(r *Row) document.Cell { return document.Number(r.Effect, 2) }),
			document.Cells("$p$", func(r *Row) document.Cell { return document.P(r.Adjusted) }),
			document.Texts("Verdict", func(r *Row) string { return r.Verdict.String() }))...))
	d.Add(document.Tabulate(document.Sheet{ID: "failures", Title: "Runs that newly fail",
		Caption: "They are complete in BASE, or failed less often. Runs with the same error, apart from numbers, share a line with the error of the first."},
		record.Causes(c.Failures),
		document.Cells("Runs", func(x record.Cause) document.Cell { return document.Count(len(x.Cells)) }),
		document.Names("Which", func(x record.Cause) string { return x.Where() }),
		document.Texts("Error", func(x record.Cause) string { return x.Error })))
	return d
}

func (c *Comparison) title() string {
	if c.Base.Name == "" && c.Head.Name == "" {
		return "HEAD against BASE"
	}
	return cmp.Or(c.Base.Name, "BASE") + " → " + cmp.Or(c.Head.Name, "HEAD")
}

var headlines = map[judge.Verdict]string{judge.Worse: "a regression", judge.Better: "better, and no regression", judge.Same: "the same",
	judge.Undecided: "no regression found"}

// Headline is the verdict in a few words.
func (c *Comparison) Headline() string { return headlines[c.Verdict] }

// Summary counts the verdicts of the rows.
func (c *Comparison) Summary() string {
	identical := stats.Count(c.Rows, func(r *Row) bool { return r.Identical() })
	var parts []string
	for _, v := range []judge.Verdict{judge.Worse, judge.Better, judge.Same, judge.Undecided} {
		n := stats.Count(c.Rows, func(r *Row) bool { return r.Verdict == v })
		if n == 0 {
			continue
		}
		part := fmt.Sprintf("%d %s", n, v)
		if v == judge.Same && identical > 0 {
			part += fmt.Sprintf(" (%d without any difference, not shown)", identical)
		}
		parts = append(parts, part)
	}
	text := fmt.Sprintf("Of %s: %s.", words.Count(len(c.Rows), "row"), strings.Join(parts, ", "))
	if len(c.Rows) == 0 {
		text = "No row could be compared."
	}
	if k := len(c.Failures); k > 0 {
		text += fmt.Sprintf(" %s newly %s.", words.Count(k, "run"), words.Choose(k, "fails", "fail"))
	}
	return text
}

// Regression says in one line what is worse; "" if nothing is.
func (c *Comparison) Regression() string {
	var parts []string
	worse := words.Only(c.Rows, func(r *Row) bool { return r.Verdict == judge.Worse })
	if len(worse) > 0 {
		r := worse[0]
		parts = append(parts, fmt.Sprintf("%d of %d rows worse, the first: %s of %s on %s, %s to %s (%s, %s%s)", len(worse), len(c.Rows),
			r.Metric, r.Algorithm, r.Title, document.Short(r.Mean[0]), document.Short(r.Mean[1]), r.relative(), document.PSaid(r.Adjusted), r.against()))
	}
	causes := record.Causes(c.Failures)
	for _, x := range causes[:min(1, len(causes))] {
		part := fmt.Sprintf("%s newly failing, %s: %s", words.Count(len(x.Cells), "run"), x.Where(), x.Error)
		if k := len(c.Failures) - len(x.Cells); k > 0 {
			part += fmt.Sprintf("; and %d more for %d other %s", k, len(causes)-1, words.Plural(len(causes)-1, "cause"))
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, "; ")
}

func sides(base, head Side) []document.Fact {
	text := func(s Side) document.Text {
		name := ""
		if !strings.Contains(s.Program, s.Name) {
			name = s.Name + "; "
		}
		return document.Textf("%s%s, %s of %s, %s", name, words.Quote(s.Dir), words.Count(s.Records, "record"), s.Suite, s.Program)
	}
	return []document.Fact{{Name: "BASE", Value: text(base)}, {Name: "HEAD", Value: text(head)}}
}

// Document puts the power into words.
func (p *Power) Document() *document.Document {
	d := &document.Document{Title: "How often bench compare would notice",
		Facts: sides(p.Base, p.Head), Warnings: document.PlainAll(p.Warnings), Notes: document.PlainAll(p.Notes)}
	caption := document.Textf("Share of %d draws in which at least one row is worse, so that bench compare exits with 1; better; or either; each with its 95\u00a0%% Wilson interval. Runs of each algorithm on each problem, drawn without replacement from %d of each side.",
		p.Sizes[0].Worse.N, p.Pool)
	if p.Null {
		d.Title = "How often bench compare would raise a false alarm"
		caption += document.Textf(" BASE and HEAD are made the same before each draw, so each share is of false alarms. That of either should not exceed %g.",
			p.Options.Alpha)
	}
	names := rowNames(func(i int) Subject { return p.Sizes[0].Rows[i].Subject })
	for _, size := range p.Sizes {
		names = append(names, document.Cells(document.Textf("%d runs", size.Runs),
			func(i int) document.Cell { return document.Percent(size.Rows[i].Worse.Value()) }))
	}
	d.Add(document.Tabulate(document.Sheet{ID: "power", Title: "By the number of runs", Caption: caption}, p.Sizes,
		document.Cells("Runs", func(s PowerOf) document.Cell { return document.Count(s.Runs) }),
		document.Cells("Worse", func(s PowerOf) document.Cell { return document.PercentInterval(s.Worse) }),
		document.Cells("Better", func(s PowerOf) document.Cell { return document.PercentInterval(s.Better) }),
		document.Cells("Either", func(s PowerOf) document.Cell { return document.PercentInterval(s.Alarm) })))
	var ever []int // rows that are worse in some draw
	for i := range p.Sizes[0].Rows {
		if slices.ContainsFunc(p.Sizes, func(s PowerOf) bool { return s.Rows[i].Worse.Count > 0 }) {
			ever = append(ever, i)
		}
	}
	d.Add(document.Tabulate(document.Sheet{ID: "rows", Title: "Worse, by row",
		Caption: "Share of the draws in which this row is worse. Rows that never are have no line."}, ever, names...))
	return d
}

func (r *Row) runs() string {
	if r.Paired {
		return strconv.Itoa(r.Runs[0])
	}
	return fmt.Sprintf("%d, %d", r.Runs[0], r.Runs[1])
}

// against is ", against the best value found in 60 runs"; "" if the optimum is known.
func (r *Row) against() string {
	if r.Found == nil {
		return ""
	}
	return ", against " + r.Found.String()
}

// relative is the difference in units of its minimum, missing without a minimum.
func (r *Row) relative() document.Cell {
	var text document.Text
	switch {
	case r.Kind == Gap:
		text = document.Textf("%s decades", document.Signed(r.Value))
	case r.Kind == Cost && r.Mean[0] != 0:
		text = document.Textf("%s\u00a0%%", document.Signed(100*r.Value/r.Mean[0]))
	case r.Kind != Cost && r.Std != 0:
		text = document.Textf("%sσ", document.Signed(r.Value/r.Std))
	}
	return document.Prose(text)
}

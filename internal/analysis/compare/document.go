package compare

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"

	"popbench/internal/analysis/document"
	"popbench/internal/math/stats"
	"popbench/internal/printable"
	"popbench/internal/runlog"
)

// Document puts the comparison into words. Rows in which no run differs are
// counted, not shown.
func (c *Comparison) Document() *document.Document {
	d := &document.Document{
		Title: c.title() + ": " + c.Headline(), Warnings: c.Warnings,
		Facts:   sides(c.Base, c.Head),
		Summary: []string{c.Summary()},
		Notes:   c.Notes,
	}
	s := document.Sheet{ID: "comparison", Title: "Better or worse",
		Caption: fmt.Sprintf("Means over the runs; lower is better. A rule in brackets is a reporting rule that the settings do not select. Difference: HEAD − BASE, with its 95 %% bootstrap interval; relative to the standard deviation of BASE (σ), to its mean (%%), or in decades of a gap. r: rank-biserial correlation, 1 if every run is worse. p: Wilcoxon's test, adjusted for all rows (Holm). Better or worse: p ≤ %g, r and difference of one sign, and the difference not below %gσ of a quality, %g %% of a cost, a decade of a gap. Same: the interval within that.",
			c.Options.Alpha, c.Options.MinEffect, 100*c.Options.MinCost),
		Columns: []document.Column{{Title: "Problem", Head: true}, {Title: "Algorithm", Head: true}, {Title: "Metric", Head: true}, {Title: "Runs"}, {Title: "BASE"}, {Title: "HEAD"}, {Title: "Difference"}, {Title: "95 % interval"}, {Title: "Relative"}, {Title: "r"}, {Title: "p"}, {Title: "Verdict", Words: true}},
	}
	for i := range c.Rows {
		if r := &c.Rows[i]; !r.Identical() {
			s.Rows = append(s.Rows, cells(r.Title, r.Algorithm, r.Metric, r.runs(), short(r.Mean[0]), short(r.Mean[1]), signed(r.Difference), interval(r.CI), r.relative(), fixed(r.Effect), pText(r.Adjusted), string(r.Verdict)))
		}
	}
	if len(s.Rows) > 0 {
		d.Sheets = append(d.Sheets, s)
	}
	if len(c.Failures) > 0 {
		f := document.Sheet{ID: "failures", Title: "Runs that newly fail", Caption: "They are complete in BASE, or failed less often. Runs with the same error, apart from numbers, share a line with the error of the first.",
			Columns: []document.Column{{Title: "Runs"}, {Title: "Which", Head: true}, {Title: "Error", Words: true}}}
		for _, x := range c.causes() {
			f.Rows = append(f.Rows, cells(strconv.Itoa(len(x.Cells)), x.Where(), x.Error))
		}
		d.Sheets = append(d.Sheets, f)
	}
	return d
}

// title names what is compared.
func (c *Comparison) title() string {
	if c.Base.Name == "" && c.Head.Name == "" {
		return "HEAD against BASE"
	}
	return cmp.Or(c.Base.Name, "BASE") + " → " + cmp.Or(c.Head.Name, "HEAD")
}

// Headline is the verdict in a few words.
func (c *Comparison) Headline() string {
	switch c.Verdict {
	case Worse:
		return "a regression"
	case Better:
		return "better, and no regression"
	case Same:
		return "the same"
	}
	return "no regression found"
}

// Summary counts the verdicts of the rows.
func (c *Comparison) Summary() string {
	n := map[Verdict]int{}
	identical := 0
	for i := range c.Rows {
		if c.Rows[i].Identical() {
			identical++
		}
		n[c.Rows[i].Verdict]++
	}
	var parts []string
	for _, v := range []Verdict{Worse, Better, Same, Undecided} {
		if n[v] == 0 {
			continue
		}
		part := fmt.Sprintf("%d %s", n[v], v)
		if v == Same && identical > 0 {
			part += fmt.Sprintf(" (%d without any difference, not shown)", identical)
		}
		parts = append(parts, part)
	}
	text := fmt.Sprintf("Of %d %s: %s.", len(c.Rows), plural(len(c.Rows), "row"), strings.Join(parts, ", "))
	if len(c.Rows) == 0 {
		text = "No row could be compared."
	}
	if k := len(c.Failures); k > 0 {
		text += fmt.Sprintf(" %d %s newly fail%s.", k, plural(k, "run"), map[bool]string{true: "s"}[k == 1])
	}
	return text
}

// Regression says in one line what is worse; "" if nothing is.
func (c *Comparison) Regression() string {
	var first string
	n := 0
	for i := range c.Rows {
		if r := &c.Rows[i]; r.Verdict == Worse {
			if n++; n == 1 {
				first = fmt.Sprintf("%s of %s on %s, %s to %s (%s, p %s)", r.Metric, r.Algorithm, r.Title, short(r.Mean[0]), short(r.Mean[1]), r.relative(), pSaid(r.Adjusted))
			}
		}
	}
	var parts []string
	if n > 0 {
		parts = append(parts, fmt.Sprintf("%d of %d rows worse, the first: %s", n, len(c.Rows), first))
	}
	causes := c.causes()
	for _, x := range causes[:min(1, len(causes))] {
		part := fmt.Sprintf("%d %s newly failing, %s: %s", len(x.Cells), plural(len(x.Cells), "run"), x.Where(), x.Error)
		if k := len(c.Failures) - len(x.Cells); k > 0 {
			part += fmt.Sprintf("; and %d more for %d other %s", k, len(causes)-1, plural(len(causes)-1, "cause"))
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, "; ")
}

// causes are the failures, grouped by error.
func (c *Comparison) causes() []runlog.Cause {
	all := make([]runlog.Failure, len(c.Failures))
	for i, f := range c.Failures {
		all[i] = runlog.Failure(f)
	}
	return runlog.Causes(all)
}

func sides(base, head Side) []document.Fact {
	text := func(s Side) string {
		name := ""
		if s.Name != "" {
			name = s.Name + "; "
		}
		return fmt.Sprintf("%s%s, %d %s of %s, %s", name, printable.Quote(s.Dir), s.Records, plural(s.Records, "record"), s.Suite, s.Program)
	}
	return []document.Fact{{Name: "BASE", Value: text(base)}, {Name: "HEAD", Value: text(head)}}
}

// Document puts the power into words.
func (p *Power) Document() *document.Document {
	d := &document.Document{Title: "How often bench compare would notice", Facts: sides(p.Base, p.Head), Warnings: p.Warnings, Notes: p.Notes}
	caption := fmt.Sprintf("Share of %d draws in which at least one row is worse, so that bench compare exits with 1; better; or either; each with its 95 %% Wilson interval. Runs of each algorithm on each problem, drawn without replacement from %d of each side.", p.Sizes[0].Worse.N, p.Pool)
	if p.Null {
		d.Title = "How often bench compare would raise a false alarm"
		caption += fmt.Sprintf(" BASE and HEAD are made the same before each draw, so that each share is of false alarms: that of either should not exceed %g.", p.Options.Alpha)
	}
	all := document.Sheet{ID: "power", Title: "By the number of runs", Caption: caption,
		Columns: []document.Column{{Title: "Runs"}, {Title: "Worse"}, {Title: "Better"}, {Title: "Either"}}}
	rows := document.Sheet{ID: "rows", Title: "Worse, by row", Caption: "Share of the draws in which this row is worse. Rows that never are have no line.",
		Columns: []document.Column{{Title: "Problem", Head: true}, {Title: "Algorithm", Head: true}, {Title: "Metric", Head: true}}}
	for _, size := range p.Sizes {
		all.Rows = append(all.Rows, cells(strconv.Itoa(size.Runs), share(size.Worse), share(size.Better), share(size.Alarm)))
		rows.Columns = append(rows.Columns, document.Column{Title: fmt.Sprintf("%d runs", size.Runs)})
	}
	for i, r := range p.Sizes[0].Rows {
		line := cells(r.Title, r.Algorithm, r.Metric)
		ever := false
		for _, size := range p.Sizes {
			line = append(line, document.Cell{Text: percent(size.Rows[i].Worse.Value())})
			ever = ever || size.Rows[i].Worse.Count > 0
		}
		if ever {
			rows.Rows = append(rows.Rows, line)
		}
	}
	d.Sheets = []document.Sheet{all}
	if len(rows.Rows) > 0 {
		d.Sheets = append(d.Sheets, rows)
	}
	return d
}

func cells(texts ...string) []document.Cell {
	c := make([]document.Cell, len(texts))
	for i, t := range texts {
		c[i].Text = t
	}
	return c
}

func (r *Row) runs() string {
	if r.Paired {
		return strconv.Itoa(r.Runs[0])
	}
	return fmt.Sprintf("%d, %d", r.Runs[0], r.Runs[1])
}

// relative is the difference in the unit of its minimum.
func (r *Row) relative() string {
	switch r.Kind {
	case Cost:
		return ratio(100*r.Difference, r.Mean[0], " %")
	case Gap:
		return signed(r.Difference) + " decades"
	}
	return ratio(r.Difference, r.Std, "σ")
}

func ratio(a, b float64, unit string) string {
	if b == 0 {
		return none
	}
	return signed(a/b) + unit
}

const none = "—" // a number that there is not

// short is a number with three digits, in a form that stays narrow.
func short(v float64) string {
	if math.IsNaN(v) {
		return none
	}
	text := strconv.FormatFloat(v, 'g', 3, 64)
	if a := math.Abs(v); a >= 1000 && a < 1e7 {
		text = strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strings.Replace(text, "-", "−", 1)
}

func signed(v float64) string {
	if v > 0 {
		return "+" + short(v)
	}
	return short(v)
}

func fixed(v float64) string {
	return strings.Replace(strconv.FormatFloat(v, 'f', 2, 64), "-", "−", 1)
}

func interval(ci stats.Interval) string {
	if math.IsNaN(ci.Lo) {
		return none
	}
	return "[" + signed(ci.Lo) + ", " + signed(ci.Hi) + "]"
}

func pText(p float64) string {
	switch {
	case p < 0.0001:
		return "<0.0001"
	case p < 0.1:
		return strconv.FormatFloat(p, 'f', 4, 64)
	}
	return strconv.FormatFloat(p, 'f', 2, 64)
}

// pSaid is "= 0.02" or "< 0.0001".
func pSaid(p float64) string {
	if text := pText(p); text[0] != '<' {
		return "= " + text
	}
	return "< 0.0001"
}

func percent(v float64) string { return strconv.FormatFloat(100*v, 'f', 1, 64) + " %" }

func share(s stats.Share) string {
	ci := s.Wilson(stats.Level)
	return fmt.Sprintf("%s [%s, %s]", percent(s.Value()), strconv.FormatFloat(100*ci.Lo, 'f', 1, 64), strconv.FormatFloat(100*ci.Hi, 'f', 1, 64))
}

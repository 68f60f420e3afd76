package console

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"popbench/internal/app"
	"popbench/internal/page/document"
	"popbench/internal/words"
)

// Status formats a status for people.
func Status(s *app.Status) string {
	var b strings.Builder
	if n := len(s.Runs); n > 1 {
		complete := words.Only(s.Runs, func(r app.RunStatus) bool { return r.Whole() })
		fmt.Fprintf(&b, "%d of %d runs complete\n", len(complete), n)
	}
	for i := range s.Runs {
		writeRun(&b, &s.Runs[i], len(s.Runs) == 1)
	}
	if s.Plan != "" {
		fmt.Fprintf(&b, "%s: %s\n", words.Quote(s.Plan), map[bool]string{true: "the claims are decided", false: "not all claims are decided"}[s.Decided])
	}
	if len(s.Next) == 0 && s.Complete {
		b.WriteString("next:    nothing is missing\n")
	}
	head := "next:   "
	const most = 8
	for _, command := range s.Next[:min(most, len(s.Next))] {
		fmt.Fprintf(&b, "%s %s\n", head, command)
		head = "        "
	}
	if more := len(s.Next) - most; more > 0 {
		fmt.Fprintf(&b, "         and %s; --json has them\n", words.Count(more, "more command"))
	}
	return b.String()
}

func countsText(c app.Counts) string {
	text := fmt.Sprintf("%d of %s complete", c.Complete, words.Count(c.Cells(), "cell"))
	for _, x := range []struct {
		n    int
		what string
	}{{c.Failed, "failed"}, {c.Missing, "missing"}, {c.LeftOut, "left out"}} {
		if x.n > 0 {
			text += fmt.Sprintf(", %d %s", x.n, x.what)
		}
	}
	return text
}

// writeRun writes the state of a run, with details if it is the only one.
func writeRun(b *strings.Builder, r *app.RunStatus, details bool) {
	text := countsText(r.Counts)
	if r.Unread {
		text = "cannot be read"
	}
	fmt.Fprintf(b, "%s: %s\n", words.Quote(r.Folder), text)
	lines := func(what string, texts ...string) {
		for _, text := range texts {
			fmt.Fprintf(b, "  %s: %s\n", what, text)
		}
	}
	if r.Unknown {
		lines("note", "no cells.json lists the cells, so it is unknown whether some are missing")
	}
	if details && r.InSuite > r.Cells()+r.LeftOut && (len(r.Parts) == 0 || r.Merged) {
		lines("note", fmt.Sprintf("the suite has %s; --seeds, --only or --quick chose these", words.Count(r.InSuite, "cell")))
	}
	if details {
		writeTable(b, r)
	}
	lines("failed", r.Causes[:min(maxCauses, len(r.Causes))]...)
	if details {
		lines("left out", r.Left...)
	}
	lines("note", r.Notes[:min(maxCauses, len(r.Notes))]...)
	if r.Merged || len(r.Parts) == 0 {
		return
	}
	complete := words.Only(r.Parts, func(p app.PartStatus) bool { return p.FolderStatus != nil && p.Done() })
	rest := ""
	if r.NotBegun > 0 {
		rest = " and not counted"
	}
	lines("parts", fmt.Sprintf("%d of %d complete, %d not begun%s", len(complete), len(r.Parts), r.NotBegun, rest))
	for _, p := range r.Parts {
		if p.FolderStatus != nil && !p.Done() {
			lines("  "+p.Part, countsText(p.Counts))
		}
	}
}

// maxTable is the largest table of problems and algorithms, in rows and in characters of a line.
const (
	maxTableRows  = 24
	maxTableWidth = 76
)

// writeTable writes the complete cells of each algorithm on each problem, or only the incomplete ones if the table were
// large.
func writeTable(b *strings.Builder, r *app.RunStatus) {
	if r.Done() || len(r.Groups) < 2 {
		return
	}
	var problems, labels []string
	of := map[[2]string]app.Counts{}
	for _, g := range r.Groups {
		problems, labels = words.Include(problems, g.Problem), words.Include(labels, g.Algorithm)
		of[[2]string{g.Problem, g.Algorithm}] = g.Counts
	}
	table := document.Sheet{Columns: []document.Heading{{Head: true}}}
	for _, l := range labels {
		table.Columns = append(table.Columns, document.Heading{Title: document.Plain(l)})
	}
	for _, p := range problems {
		row := []document.Cell{document.Words(p)}
		for _, l := range labels {
			g := of[[2]string{p, l}]
			row = append(row, document.Words(fmt.Sprintf("%d/%d", g.Complete, g.Cells())))
		}
		table.Rows = append(table.Rows, row)
	}
	lines := brief(&table, math.MaxInt)
	if len(problems) <= maxTableRows && utf8.RuneCountInString(lines[0]) <= maxTableWidth {
		for _, line := range lines {
			b.WriteString("  " + line + "\n")
		}
		return
	}
	const most = 10
	groups := words.Only(r.Groups, func(g app.GroupStatus) bool { return !g.Done() })
	slices.SortStableFunc(groups, func(a, b app.GroupStatus) int { return cmp.Compare(b.Failed+b.Missing, a.Failed+a.Missing) })
	for _, g := range groups[:min(most, len(groups))] {
		fmt.Fprintf(b, "  %s/%s: %s\n", g.Problem, g.Algorithm, countsText(g.Counts))
	}
	if more := len(groups) - most; more > 0 {
		fmt.Fprintf(b, "  and %d more\n", more)
	}
}

package document

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

const textWidth = 100 // columns of a terminal that prose is wrapped to

// signs and words of the marks in plain text and Markdown.
var (
	markSigns = map[Mark]string{Best: "*", Level: "†"}
	markWords = map[Mark]string{Best: "the best of its row", Level: "not clearly worse than the best"}
)

// WriteText writes the document for a terminal.
func WriteText(w io.Writer, d *Document) error {
	b := bufio.NewWriter(w)
	notes := newNotes(d)
	writeWrapped(b, "", d.Title.String())
	for _, text := range d.Warnings {
		writeWrapped(b, "! ", text.String())
	}
	for _, f := range d.Facts {
		writeWrapped(b, "  ", f.Name.String()+": "+f.Value.String())
	}
	for _, s := range d.Summary {
		fmt.Fprintln(b)
		writeWrapped(b, "", s.String())
	}
	for i := range d.Sheets {
		fmt.Fprintln(b)
		writeTextSheet(b, &d.Sheets[i], notes)
	}
	if len(notes.texts) > 0 {
		fmt.Fprintln(b)
	}
	for i, n := range notes.texts {
		mark := fmt.Sprintf("[%d] ", i+1)
		writeHanging(b, mark, strings.Repeat(" ", len(mark)), n.String())
	}
	return b.Flush()
}

func writeTextSheet(b *bufio.Writer, s *Sheet, notes *notes) {
	title := s.Title.String() + notes.marks(s.Notes)
	fmt.Fprintln(b, title)
	fmt.Fprintln(b, strings.Repeat("═", utf8.RuneCountInString(title)))
	writeWrapped(b, "", s.Caption.String())
	fmt.Fprintln(b)

	texts := make([][]string, len(s.Rows))
	width := make([]int, len(s.Columns))
	for j, column := range s.Columns {
		width[j] = utf8.RuneCountInString(column.Title.String())
		marked := slices.ContainsFunc(s.Rows, func(row []Cell) bool { return row[j].Mark != Unmarked })
		for i, row := range s.Rows {
			c := row[j]
			text := c.Text.String()
			if c.Mark != Unmarked {
				text += " " + markSigns[c.Mark]
			} else if marked && c.Notes == nil { // numbers stay below each other
				text += "  "
			}
			texts[i] = append(texts[i], text+notes.marks(c.Notes))
			width[j] = max(width[j], utf8.RuneCountInString(texts[i][j]))
		}
	}
	last := len(s.Columns) - 1
	indent := 2 * last
	for _, w := range width[:last] {
		indent += w
	}
	if s.Columns[last].Wrap {
		width[last] = min(width[last], max(textWidth-indent, utf8.RuneCountInString(s.Columns[last].Title.String())))
	}
	line := func(cell func(j int) string) {
		var l strings.Builder
		for j, c := range s.Columns {
			text := cell(j)
			if j > 0 {
				l.WriteString("  ")
			}
			if c.Wrap {
				writeHanging(b, l.String(), strings.Repeat(" ", indent), text)
				return
			}
			l.WriteString(c.Pad(text, width[j]))
		}
		fmt.Fprintln(b, strings.TrimRight(l.String(), " "))
	}
	line(func(j int) string { return s.Columns[j].Title.String() })
	line(func(j int) string { return strings.Repeat("─", width[j]) })
	for i := range texts {
		line(func(j int) string { return texts[i][j] })
	}
	if legend := s.legend(markSigns[Best], markSigns[Level]); legend != "" {
		fmt.Fprintln(b)
		writeWrapped(b, "", legend)
	}
}

// legend explains the marks that the sheet has, given their signs; "" if it has none.
func (s *Sheet) legend(best, level string) string {
	signs := map[Mark]string{Best: best, Level: level}
	var parts []string
	for _, mark := range []Mark{Best, Level} {
		marked := func(c Cell) bool { return c.Mark == mark }
		if slices.ContainsFunc(s.Rows, func(row []Cell) bool { return slices.ContainsFunc(row, marked) }) {
			parts = append(parts, signs[mark]+": "+markWords[mark])
		}
	}
	if parts == nil {
		return ""
	}
	return strings.Join(parts, "; ") + "."
}

// marks are references to footnotes, " [1][2]".
func (n *notes) marks(texts []Text) string { return n.between(" [", "][", "]", texts) }

// between joins the references to the texts; "" without texts.
func (n *notes) between(before, separator, after string, texts []Text) string {
	refs := strings.Fields(strings.Trim(fmt.Sprint(n.refs(texts)), "[]"))
	if len(refs) == 0 {
		return ""
	}
	return before + strings.Join(refs, separator) + after
}

func writeWrapped(b *bufio.Writer, indent, text string) { writeHanging(b, indent, indent, text) }

// writeHanging wraps text, with one indent for the first line and another for the rest.
func writeHanging(b *bufio.Writer, first, rest, text string) {
	words := strings.Split(text, " ")
	line := first + words[0]
	for _, word := range words[1:] {
		if utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > textWidth {
			fmt.Fprintln(b, line)
			line = rest + word
		} else {
			line += " " + word
		}
	}
	fmt.Fprintln(b, line)
}

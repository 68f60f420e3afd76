package document

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

const textWidth = 100 // columns of a terminal that prose is wrapped to

// WriteText writes the document for a terminal.
func WriteText(w io.Writer, d *Document) error {
	b := bufio.NewWriter(w)
	writeWrapped(b, "", d.Title)
	for _, text := range d.Warnings {
		writeWrapped(b, "! ", text)
	}
	for _, f := range d.Facts {
		writeWrapped(b, "  ", f.Name+": "+f.Value)
	}
	for _, s := range d.Summary {
		fmt.Fprintln(b)
		writeWrapped(b, "", s)
	}
	for i := range d.Sheets {
		fmt.Fprintln(b)
		writeTextSheet(b, &d.Sheets[i])
	}
	if len(d.Notes) > 0 {
		fmt.Fprintln(b)
	}
	for i, n := range d.Notes {
		mark := fmt.Sprintf("[%d] ", i+1)
		writeHanging(b, mark, strings.Repeat(" ", len(mark)), n)
	}
	return b.Flush()
}

func writeTextSheet(b *bufio.Writer, s *Sheet) {
	fmt.Fprintln(b, strings.ToUpper(s.Title)+marks(s.Notes))
	writeWrapped(b, "", s.Caption)
	fmt.Fprintln(b)

	width := make([]int, len(s.Columns))
	for j, c := range s.Columns {
		width[j] = utf8.RuneCountInString(c.Title)
		for _, row := range s.Rows {
			width[j] = max(width[j], utf8.RuneCountInString(row[j].Text+marks(row[j].Notes)))
		}
	}
	line := func(cell func(j int) string) {
		var l strings.Builder
		for j, c := range s.Columns {
			text := cell(j)
			pad := strings.Repeat(" ", width[j]-utf8.RuneCountInString(text))
			if j > 0 {
				l.WriteString("  ")
			}
			if c.Left() {
				text += pad
			} else {
				text = pad + text
			}
			l.WriteString(text)
		}
		fmt.Fprintln(b, strings.TrimRight(l.String(), " "))
	}
	line(func(j int) string { return s.Columns[j].Title })
	line(func(j int) string { return strings.Repeat("─", width[j]) })
	for _, row := range s.Rows {
		line(func(j int) string { return row[j].Text + marks(row[j].Notes) })
	}
}

// marks are references to footnotes, " [1][2]".
func marks(notes []int) string {
	if len(notes) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteByte(' ')
	for _, n := range notes {
		fmt.Fprintf(&b, "[%d]", n)
	}
	return b.String()
}

func writeWrapped(b *bufio.Writer, indent, text string) {
	writeHanging(b, indent, indent, text)
}

// writeHanging wraps text, with one indent for the first line and another for
// the rest.
func writeHanging(b *bufio.Writer, first, rest, text string) {
	line := first
	empty := true
	for _, word := range strings.Split(text, " ") {
		if !empty && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > textWidth {
			fmt.Fprintln(b, line)
			line, empty = rest, true
		}
		if !empty {
			line += " "
		}
		line += word
		empty = false
	}
	fmt.Fprintln(b, line)
}

package document

import (
	"bufio"
	"fmt"
	"io"
	"regexp"
	"strings"
)

// WriteMarkdown writes the document in GitHub's Markdown.
func WriteMarkdown(w io.Writer, d *Document) error {
	b := bufio.NewWriter(w)
	notes := newNotes(d)
	fmt.Fprintf(b, "# %s\n\n", markdownText(d.Title))
	for _, text := range d.Warnings {
		fmt.Fprintf(b, "> **%s**\n\n", markdownText(text))
	}
	for _, f := range d.Facts {
		fmt.Fprintf(b, "- %s: %s\n", markdownText(f.Name), markdownText(f.Value))
	}
	for _, s := range d.Summary {
		fmt.Fprintf(b, "\n**%s**\n", markdownText(s))
	}
	for _, s := range d.Sheets {
		fmt.Fprintf(b, "\n## %s%s\n\n%s\n\n|", markdownText(s.Title), notes.superscripts(s.Notes), markdownText(s.Caption))
		for _, c := range s.Columns {
			fmt.Fprintf(b, " %s |", markdownText(c.Title))
		}
		b.WriteString("\n|")
		for _, c := range s.Columns {
			b.WriteString(map[bool]string{true: " :--- |", false: " ---: |"}[c.Left()])
		}
		b.WriteString("\n")
		for _, row := range s.Rows {
			b.WriteString("|")
			for _, c := range row {
				fmt.Fprintf(b, " "+markdownMark[c.Mark]+"%s |", markdownText(c.Text), notes.superscripts(c.Notes))
			}
			b.WriteString("\n")
		}
		if legend := s.legend("**bold**", markSigns[Level]); legend != "" {
			fmt.Fprintf(b, "\n%s\n", legend)
		}
	}
	if len(notes.texts) > 0 {
		b.WriteString("\n## Notes\n\n")
	}
	for i, n := range notes.texts {
		fmt.Fprintf(b, "%d. %s\n", i+1, markdownText(n))
	}
	return b.Flush()
}

var markdownMark = map[Mark]string{Unmarked: "%s", Best: "**%s**", Level: "%s " + markSigns[Level]}

func (n *notes) superscripts(texts []Text) string { return n.between("<sup>", ",", "</sup>", texts) }

// markdownEscapes are for what Markdown or HTML would take for markup, or GitHub for a formula.
var markdownEscapes = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "|", `\|`, "<", "&lt;", ">", "&gt;", "&", "&amp;", "[", `\[`, "]", `\]`, "#", `\#`, "~", `\~`, "$", `\$`)

func markdownText(t Text) string {
	s := markdownEscapes.Replace(strings.TrimSpace(t.String()))
	if start := blockStart.FindStringSubmatchIndex(s); start != nil {
		s = s[:start[3]-1] + `\` + s[start[3]-1:]
	}
	return s
}

// blockStart is what makes a list, a rule or a heading of a line that begins with it, up to the sign to escape.
var blockStart = regexp.MustCompile(`^(\d+[.)]|[-+=])(?:$|[-+= ])`)

package document

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// WriteMarkdown writes the document in GitHub's Markdown.
func WriteMarkdown(w io.Writer, d *Document) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "# %s\n\n", markdownText(d.Title))
	for _, text := range d.Warnings {
		fmt.Fprintf(b, "> **%s**\n\n", markdownText(text))
	}
	for _, f := range d.Facts {
		fmt.Fprintf(b, "- %s: %s\n", f.Name, markdownText(f.Value))
	}
	for _, s := range d.Summary {
		fmt.Fprintf(b, "\n**%s**\n", markdownText(s))
	}
	for i := range d.Sheets {
		s := &d.Sheets[i]
		fmt.Fprintf(b, "\n## %s%s\n\n%s\n\n", markdownText(s.Title), superscripts(s.Notes), markdownText(s.Caption))
		b.WriteString("|")
		for _, c := range s.Columns {
			fmt.Fprintf(b, " %s |", markdownText(c.Title))
		}
		b.WriteString("\n|")
		for _, c := range s.Columns {
			if c.Left() {
				b.WriteString(" :--- |")
			} else {
				b.WriteString(" ---: |")
			}
		}
		b.WriteString("\n")
		for _, row := range s.Rows {
			b.WriteString("|")
			for _, c := range row {
				fmt.Fprintf(b, " %s%s |", markdownText(c.Text), superscripts(c.Notes))
			}
			b.WriteString("\n")
		}
	}
	if len(d.Notes) > 0 {
		b.WriteString("\n## Notes\n\n")
	}
	for i, n := range d.Notes {
		fmt.Fprintf(b, "%d. %s\n", i+1, markdownText(n))
	}
	return b.Flush()
}

func superscripts(notes []int) string {
	if len(notes) == 0 {
		return ""
	}
	return "<sup>" + strings.Trim(strings.Join(strings.Fields(fmt.Sprint(notes)), ","), "[]") + "</sup>"
}

// markdownText escapes what Markdown or HTML would take for markup.
var markdownEscapes = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "|", `\|`, "<", "&lt;", ">", "&gt;", "&", "&amp;", "[", `\[`, "]", `\]`, "#", `\#`, "\n", " ")

func markdownText(s string) string { return markdownEscapes.Replace(s) }

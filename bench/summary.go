package bench

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"popbench/internal/page/document"
	"popbench/internal/printable"
	"popbench/internal/terminal"
)

// maxRows is the largest number of rows of the screen that a summary takes, so that it stays in view together with the
// command.
const maxRows = 10

// maxWrapped is the largest number of rows of one sentence.
const maxWrapped = 3

// summary is what a command prints at its end.
type summary struct {
	result string          // the outcome in a sentence, all that is printed of it with --quiet
	bad    bool            // something went wrong or is missing
	about  []string        // further sentences
	table  *document.Sheet // whose rows are the items; nil for none
	items  []item          // as many as fit, each on one row unless there is -v
	whole  bool            // all of them
	more   string          // the command or the file that shows the others
	tail   []string        // printed whole, for copying: commands and addresses
}

// voice is how much a command prints.
type voice struct{ quiet, verbose bool }

// item is a line of a summary. Its first word may stand out.
type item struct {
	style terminal.Style
	word  string
	text  string
}

// print prints the summary, in maxRows rows unless it is to be whole. Standard output remembers errors.
func (s *summary) print(w io.Writer, v voice) {
	if v.quiet {
		fmt.Fprintln(w, s.result)
		return
	}
	screen := terminal.Of(w)
	var b strings.Builder
	left := maxRows
	wrapped := func(style terminal.Style, text string) {
		lines := printable.Wrap(text, screen.Width)
		if len(lines) > maxWrapped {
			lines = lines[:maxWrapped]
			lines[maxWrapped-1] = terminal.Cut(lines[maxWrapped-1]+" …", screen.Width)
		}
		for _, line := range lines {
			fmt.Fprintln(&b, screen.Paint(style, terminal.Cut(line, screen.Width)))
			left--
		}
	}
	style := terminal.Bold
	if s.bad {
		style = terminal.Red
	}
	wrapped(style, s.result)
	for _, text := range s.about {
		wrapped(terminal.Plain, text)
	}
	items := s.items
	if s.table != nil {
		var heads string
		heads, items = brief(s.table, screen.Width)
		fmt.Fprintln(&b, screen.Paint(terminal.Bold, heads))
		left--
	}
	for _, text := range s.tail {
		left -= rows(text, screen.Width)
	}
	shown, rest := len(items), ""
	if shown > left && !s.whole {
		rest = fmt.Sprintf("and %d more: %s", shown, s.more) // and no fewer digits for fewer items
		shown = max(left-rows(rest, screen.Width), 0)
		rest = fmt.Sprintf("and %d more: %s", len(items)-shown, s.more)
	}
	for _, it := range items[:shown] {
		word, text := it.word, it.text
		if !v.verbose {
			word = terminal.Cut(word, screen.Width)
			text = terminal.Cut(text, screen.Width-utf8.RuneCountInString(word))
		}
		fmt.Fprintln(&b, strings.TrimRight(screen.Paint(it.style, word)+text, " "))
	}
	for _, text := range append([]string{rest}, s.tail...) {
		if text != "" {
			fmt.Fprintln(&b, text)
		}
	}
	_, _ = io.WriteString(w, b.String())
}

// rows is the number of rows that a line takes on a screen.
func rows(text string, width int) int {
	return max(1, (utf8.RuneCountInString(text)+width-1)/width)
}

// open is a command that shows a file in a browser on some systems, and an address to follow on others.
func open(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	return "open " + fileURL(filepath.ToSlash(path))
}

// fileURL is the address of an absolute path with slashes (RFC 8089).
func fileURL(path string) string {
	drive := ""
	switch {
	case strings.HasPrefix(path, "//"): // a share of another machine, on Windows
		path = path[2:]
	case len(path) > 1 && path[1] == ':': // a drive
		drive, path = "/"+path[:2], path[2:]
	}
	return "file://" + drive + printable.URLPath(path)
}

// brief returns a sheet in lines of at most width characters: the heads of its columns, then its rows, without caption and
// notes. It leaves out columns that do not fit, except that it shortens words.
func brief(s *document.Sheet, width int) (heads string, items []item) {
	const leastWords = 16 // fewer say nothing
	var columns, widths []int
	used := 0
	for j, c := range s.Columns {
		w := utf8.RuneCountInString(c.Title.String())
		for _, row := range s.Rows {
			w = max(w, utf8.RuneCountInString(row[j].String()))
		}
		if c.Head {
			w = min(w, width/3)
		}
		left := width - used
		if w > left && c.Words && left >= leastWords {
			w = left
		}
		if w <= left {
			columns, widths = append(columns, j), append(widths, w)
			used += w + 2
		}
	}
	line := func(cell func(j int) string) string {
		var texts []string
		for i, j := range columns {
			text := terminal.Cut(cell(j), widths[i])
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(text))
			if s.Columns[j].Left() {
				text += pad
			} else {
				text = pad + text
			}
			texts = append(texts, text)
		}
		return strings.TrimRight(strings.Join(texts, "  "), " ")
	}
	for _, row := range s.Rows {
		items = append(items, item{text: line(func(j int) string { return row[j].String() })})
	}
	return line(func(j int) string { return s.Columns[j].Title.String() }), items
}

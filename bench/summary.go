package bench

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"popbench/internal/page/document"
	"popbench/internal/terminal"
	"popbench/internal/words"
)

// maxRows is the largest number of rows of the screen that a summary takes, so that it stays in view together with the
// command.
const maxRows = 10

// maxWrapped is the largest number of rows of one sentence.
const maxWrapped = 3

// summary is what a command prints at its end.
type summary struct {
	Result string          // the outcome in a sentence
	Bad    bool            // something went wrong or is missing
	About  []string        // further sentences
	Table  *document.Sheet // whose rows are the items; nil for none
	Items  []item          // as many as fit, each on one row unless they are long
	Whole  bool            // show all items
	Long   bool            // do not cut items to the width of the screen
	More   string          // the command or the file that shows the others
	Tail   []string        // printed whole, for copying: commands and addresses
}

// item is a line of a summary. Its first word may stand out.
type item struct {
	Style terminal.Style
	Word  string
	Text  string
}

// print prints the summary, in maxRows rows unless it is to be whole. Standard output remembers errors.
func (s summary) print(w io.Writer) {
	screen := terminal.Of(w)
	var b strings.Builder
	left := maxRows
	wrapped := func(style terminal.Style, text string) {
		lines := words.Wrap(text, screen.Width)
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
	if s.Bad {
		style = terminal.Red
	}
	wrapped(style, s.Result)
	for _, text := range s.About {
		wrapped(terminal.Plain, text)
	}
	items := s.Items
	if s.Table != nil {
		lines := brief(s.Table, screen.Width)
		fmt.Fprintln(&b, screen.Paint(terminal.Bold, lines[0]))
		items = words.Each(lines[1:], func(line string) item { return item{Text: line} })
		left--
	}
	for _, text := range s.Tail {
		left -= rows(text, screen.Width)
	}
	shown, rest := len(items), ""
	if shown > left && !s.Whole {
		rest = fmt.Sprintf("and %d more: %s", shown, s.More) // and no fewer digits for fewer items
		shown = max(left-rows(rest, screen.Width), 0)
		rest = fmt.Sprintf("and %d more: %s", len(items)-shown, s.More)
	}
	for _, it := range items[:shown] {
		word, text := it.Word, it.Text
		if !s.Long {
			word = terminal.Cut(word, screen.Width)
			text = terminal.Cut(text, screen.Width-utf8.RuneCountInString(word))
		}
		fmt.Fprintln(&b, strings.TrimRight(screen.Paint(it.Style, word)+text, " "))
	}
	for _, text := range append([]string{rest}, s.Tail...) {
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

// opening is a command that shows a file in a browser on some systems, and an address to follow on others.
func opening(path string) string {
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
	return "file://" + drive + words.URLPath(path)
}

// brief returns a sheet in lines of at most width characters: the heads of its columns, then its rows, without caption and
// notes. It leaves out columns that do not fit, except that it shortens words.
func brief(s *document.Sheet, width int) (lines []string) {
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
	add := func(cell func(j int) string) {
		var texts []string
		for i, j := range columns {
			texts = append(texts, s.Columns[j].Pad(terminal.Cut(cell(j), widths[i]), widths[i]))
		}
		lines = append(lines, strings.TrimRight(strings.Join(texts, "  "), " "))
	}
	add(func(j int) string { return s.Columns[j].Title.String() })
	for _, row := range s.Rows {
		add(func(j int) string { return row[j].String() })
	}
	return lines
}

package console

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"popbench/internal/app"
	"popbench/internal/judge"
	"popbench/internal/page/document"
	"popbench/internal/terminal"
	"popbench/internal/views/field"
	"popbench/internal/views/report"
	"popbench/internal/views/verify"
	"popbench/internal/words"
)

// MaxRows is the largest number of rows of the screen that a summary takes, so that it stays in view together with the
// command.
const MaxRows = 10

// maxWrapped is the largest number of rows of one sentence.
const maxWrapped = 3

// Summary is what a command prints at its end.
type Summary struct {
	Result string          // the outcome in a sentence
	Bad    bool            // something went wrong or is missing
	About  []string        // further sentences
	Table  *document.Sheet // whose rows are the items; nil for none
	Items  []Item          // as many as fit, each on one row unless they are long
	Whole  bool            // show all items
	Long   bool            // do not cut items to the width of the screen
	More   string          // the command or the file that shows the others
	Tail   []string        // printed whole, for copying: commands and addresses
}

// Item is a line of a summary. Its first word may stand out.
type Item struct {
	Style terminal.Style
	Word  string
	Text  string
}

// Print prints the summary, in MaxRows rows unless it is to be whole. Standard output remembers errors.
func (s Summary) Print(w io.Writer) {
	screen := terminal.Of(w)
	var b strings.Builder
	left := MaxRows
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
		items = words.Each(lines[1:], func(line string) Item { return Item{Text: line} })
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

// Open is a command that shows a file in a browser on some systems, and an address to follow on others.
func Open(path string) string {
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

// LeftOut returns a line for each reason for which cells were left out, the most frequent first.
func LeftOut(ran *app.Ran) (lines []string) {
	cells := map[string]int{}
	for _, p := range ran.LeftOut {
		cells[p.Reason]++
	}
	for _, reason := range slices.SortedFunc(maps.Keys(cells), func(a, b string) int { return cmp.Or(cells[b]-cells[a], cmp.Compare(a, b)) }) {
		lines = append(lines, fmt.Sprintf("left out: %s: %s", words.Count(cells[reason], "cell"), reason))
	}
	return lines
}

// PrintReports prints a line for each report of several.
func PrintReports(stdout io.Writer, dir string, reports []app.FolderReport) {
	s := Summary{
		Result: fmt.Sprintf("%s: %s written", words.Quote(dir), words.Count(len(reports), "report")),
		More:   "the page has them", Tail: []string{Open(filepath.Join(dir, "index.html"))},
	}
	for _, r := range reports {
		style := terminal.Plain
		if r.Card.Missing != nil || r.Card.Mixtures != nil {
			style = terminal.Red
		}
		s.Items = append(s.Items, Item{Style: style, Word: words.Quote(r.Folder) + ":", Text: fmt.Sprintf(" %s; %s", r.Card.Size, r.Card.State())})
	}
	s.Print(stdout)
}

// PrintReport prints how the algorithms did; self is the command that starts this program.
func PrintReport(stdout io.Writer, r *report.Report, self, dir, page string) {
	card := report.NewCard(r.Table, "")
	s := Summary{
		Result: fmt.Sprintf("%s: %s; %s", card.Suite, card.Size, card.State()), Bad: card.Missing != nil || card.Mixtures != nil, Table: &card.Headline.Sheet,
		More: self + " report --format text " + words.ShellQuote(dir), Tail: []string{page},
	}
	if card.Title != "" {
		s.About = []string{card.Title}
	}
	s.Print(stdout)
}

// PrintField prints the ranks of all methods, the reader's own first.
func PrintField(stdout io.Writer, f *field.Field, out string) {
	ranks := f.RankSheet()
	// Own methods are what the reader looks for, wherever they rank.
	own := func(row []document.Cell) int { return min(slices.Index(f.Mine, row[0].String()), 0) } // -1 for another one
	slices.SortStableFunc(ranks.Rows, func(a, b []document.Cell) int { return own(b) - own(a) })
	about := words.Each(f.Warnings, func(w string) string { return "! " + w })
	Summary{
		Result: fmt.Sprintf("%s: %s", f.Suite, f.Size()), Bad: f.Warnings != nil, Whole: f.Mine == nil,
		About: append(about, ranks.Title.String()), Table: &ranks,
		More: words.Quote(filepath.Join(out, "table.txt")) + " has them", Tail: []string{Open(filepath.Join(out, "index.html"))},
	}.Print(stdout)
}

// PrintTuning prints what was chosen.
func PrintTuning(stdout io.Writer, t *field.Tuning) {
	Summary{
		Result: fmt.Sprintf("%s: %s tuned on %s", t.Suite, words.Count(len(t.Methods), "method"), words.Count(len(t.Problems), "problem")),
		Whole:  true, Table: new(t.Sheet()),
	}.Print(stdout)
}

// verdictStyles are the styles of verdicts; others are plain.
var verdictStyles = map[judge.Verdict]terminal.Style{
	judge.Holds: terminal.Green, judge.Fails: terminal.Red, judge.Undecided: terminal.Yellow, judge.AtBorder: terminal.Yellow,
}

// ShortVerdict is a sentence with verdicts, without what the notes say too.
func ShortVerdict(text string) string { return strings.ReplaceAll(text, " at this sample size", "") }

// VerdictItems returns a line for each of the outcomes: verdict, claim, and what it says in a few words.
func VerdictItems(outcomes []*judge.Outcome) (items []Item) {
	verdicts, claims := 0, 0 // widths
	for _, o := range outcomes {
		verdicts, claims = max(verdicts, len(o.Verdict.String())), max(claims, len(o.Claim.ID))
	}
	for _, o := range outcomes {
		items = append(items, Item{
			Style: verdictStyles[o.Verdict],
			Word:  fmt.Sprintf("%-*s", verdicts, o.Verdict),
			Text:  fmt.Sprintf("  %-*s  %s", claims, o.Claim.ID, o.Claim.Short),
		})
	}
	return items
}

// PrintVerdicts prints a line for each claim, or if verbose the whole table and its notes.
func PrintVerdicts(stdout io.Writer, verdicts *judge.Verdicts, page string, verbose bool) error {
	if !verbose {
		Summary{Result: ShortVerdict(verify.Counts(verdicts)), Items: VerdictItems(verdicts.Outcomes), Whole: true, Tail: []string{Open(page)}}.Print(stdout)
		return nil
	}
	if err := document.WriteText(stdout, verify.Brief(verdicts)); err != nil {
		return err
	}
	_, err := fmt.Fprintf(stdout, "\n%s\n", Open(page))
	return err
}

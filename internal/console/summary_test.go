package console

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"popbench/internal/check"
	"popbench/internal/page/document"
)

// A summary takes at most ten rows of a screen of any width, whatever the names in it, and says how much it leaves out.
func TestSummaryFits(t *testing.T) {
	check.Sequential(t)
	long := strings.Repeat("Bergström’s ünusual näme ", 4)
	sheet := document.Sheet{Columns: []document.Heading{{Title: "Algorithm", Head: true}, {Title: "Rank"}, {Title: "In words", Words: true}, {Title: "Cumulative regret"}}}
	var items []Item
	for i := range 28 {
		items = append(items, Item{Word: "does not hold", Text: fmt.Sprintf("  claim-%d  %s", i, long)})
		sheet.Rows = append(sheet.Rows, []document.Cell{document.Words(long), document.Count(i), document.Words(long), document.Count(i)})
	}
	for name, s := range map[string]Summary{
		"items":     {Result: long, Items: items},
		"table":     {Result: "quick: complete", About: []string{long}, Table: &sheet},
		"long":      {Result: strings.Repeat(long, 9), About: []string{strings.Repeat("x", 900)}, Items: items},
		"few items": {Result: long, Items: items[:2]},
		"no items":  {Result: long},
	} {
		for _, width := range []int{20, 40, 60, 80, 132, 400} {
			t.Setenv("COLUMNS", fmt.Sprint(width))
			s.More, s.Tail = "bench verify r", []string{"open file:///r/index.html"}
			var b bytes.Buffer
			s.Print(&b)
			text, n, shown := b.String(), 0, 0
			for line := range strings.Lines(text) {
				line = strings.TrimSuffix(line, "\n")
				n += rows(line, width)
				shown += strings.Count(line, "claim-")
				check.That(t, utf8.RuneCountInString(line) <= width || strings.HasPrefix(line, "open ") || strings.HasPrefix(line, "and "),
					"%s: a line of %d: %q", name, utf8.RuneCountInString(line), line)
			}
			check.That(t, n <= MaxRows && strings.HasSuffix(text, "\nopen file:///r/index.html\n"), "%s: %d rows:\n%s", name, n, text)
			if name == "items" && shown > 0 {
				check.Contains(t, "summary", text, fmt.Sprintf("\nand %d more: bench verify r\n", len(items)-shown))
			}
			check.Equal(t, name+": that there is more is said", strings.Contains(text, "more: "), name != "few items" && name != "no items")
		}
	}
}

func TestSummaryAsAWhole(t *testing.T) {
	check.Sequential(t)
	t.Setenv("COLUMNS", "30")
	s := Summary{Result: "the result is a sentence that is longer than a row", More: "x", Tail: []string{"end"}}
	for i := range 28 {
		s.Items = append(s.Items, Item{Text: fmt.Sprintf("item %02d %s", i, strings.Repeat("x", 30))})
	}
	text := func() string {
		var b bytes.Buffer
		s.Print(&b)
		return b.String()
	}
	s.Whole = true
	check.Equal(t, "lines", strings.Count(text(), "\n"), 2+28+1)
	check.Equal(t, "cut items", strings.Count(text(), "…"), 28)
	s.Long = true
	check.Equal(t, "cut items if they are long", strings.Count(text(), "…"), 0)
}

func TestFileURL(t *testing.T) {
	check.Sequential(t)
	for path, want := range map[string]string{
		"/home/a b/Größe#1?%.html":   "file:///home/a%20b/Gr%C3%B6%C3%9Fe%231%3F%25.html",
		"/r/a-b_c.d~/index.html":     "file:///r/a-b_c.d~/index.html",
		"C:/Users/x y/index.html":    "file:///C:/Users/x%20y/index.html",
		"//server/share/index.html":  "file://server/share/index.html",
		"/r/\x1b[31m\n/'$(x)&;.html": "file:///r/%1B%5B31m%0A/%27%24%28x%29%26%3B.html",
	} {
		check.Equal(t, path, fileURL(path), want)
	}
	here := check.Must(os.Getwd())(t)
	check.Equal(t, "relative path", Open(filepath.Join("a", "index.html")), "open "+fileURL(filepath.ToSlash(here)+"/a/index.html"))
}

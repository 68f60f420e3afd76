package document

import (
	"encoding/csv"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"popbench/internal/check"
)

var writers = map[string]func(io.Writer, *Document) error{
	"text": WriteText, "markdown": WriteMarkdown, "latex": WriteLaTeX,
	"html": func(w io.Writer, d *Document) error {
		about := &About{Description: d.Title.String(), Field: "What it is.", Source: Source{Lead: "After", Paper: Link{d.Title.String(), "p.html"}, By: "A. Author", Part: d.Title},
			Methods: []Entry{{d.Title, d.Title, []Link{{"folder", ""}}}}, Cite: []Link{{d.Title.String(), ""}}, BibTeX: d.Title.String(), Docs: []Link{{"docs", ""}}}
		return WriteHTML(w, &Page{Document: d, About: about, Links: []Link{{"CSV", "x.csv"}}})
	},
}

// example has one of everything, with a label and a title that a user chose.
func example(user string) *Document {
	type row struct {
		name  string
		value float64
	}
	note := Textf("About %s.", user)
	d := &Document{
		Title: Textf("Results of %s", user), Warnings: []Text{Plain(user)}, Facts: []Fact{{"Runs", Plain(user)}}, Summary: []Text{Plain(user)},
		Notes: []Text{"About all."},
	}
	columns := []Column[row]{
		{Title: "Problem", Key: "problem", Head: true, Of: func(r row) Cell { return Words(r.name).With("About every row.") }},
		{Title: "Words", Key: "words", Words: true, Of: func(r row) Cell { return Words(user) }},
		{Title: Plain(user), Key: "value", Of: func(r row) Cell {
			c := Number(r.value, 2)
			c.Mark = Mark(r.value)
			if r.value == 2 {
				c.Notes = []Text{note, "About all."}
			}
			return c
		}, About: "Value: $R_T$."},
		{Title: "Missing", Key: "missing", About: "Never said.", Of: func(row) Cell { return Count(1).If(false) }},
	}
	rows := []row{{"a", 0}, {user, 1}, {"c", 2}}
	d.Add(Tabulate(Sheet{ID: "first", Title: Textf("Of %s", user), Caption: "What it is.", Notes: []Text{note}}, rows, columns...))
	d.Add(Tabulate(Sheet{ID: "second", Title: "No data"}, rows, columns[0], columns[3]))
	d.Add(Tabulate(Sheet{ID: "third", Title: "No rows"}, nil, columns...))
	return d
}

func TestWriters(t *testing.T) {
	d := example("β₀ = 0.1 [a|b] <i>*x*_y_</i> & $z^2$ 50% #1 {q} R_T f(x*) \\w ~ -- `c`")
	for name, write := range writers {
		var b strings.Builder
		check.OK(t, write(&b, d))
		_, body, found := strings.Cut(b.String(), "</head>\n")
		if !found {
			body = b.String()
		}
		check.Golden(t, "example."+name, strings.Replace(body, string(Script())+"\n", "", 1))
	}
	check.That(t, len(d.Sheets) == 1 && len(d.Sheets[0].Columns) == 3 && !strings.Contains(string(d.Sheets[0].Caption), "Never said"),
		"empty sheets or columns are left: %+v", d.Sheets)
	notes := d.Footnotes()
	check.That(t, len(notes) == 3 && notes[0] == "About all." && len(d.Sheets[0].Notes) == 2, "notes %q, those of the sheet %q", notes, d.Sheets[0].Notes)
}

// A last column of long texts leaves a table as wide as a terminal: it is wrapped, and its words stay in their column.
func TestLongTextsAreWrapped(t *testing.T) {
	long := strings.TrimSpace(strings.Repeat("some words ", 30))
	d := &Document{}
	d.Add(Tabulate(Sheet{ID: "s", Title: "S"}, []string{"a row with a name"},
		Column[string]{Title: "Name", Head: true, Of: func(name string) Cell { return Words(name) }},
		Column[string]{Title: "About", Words: true, Wrap: true, Of: func(string) Cell { return Words(long) }}))
	var b strings.Builder
	check.OK(t, WriteText(&b, d))
	lines := strings.Split(b.String(), "\n")
	widest := slices.MaxFunc(lines, func(x, y string) int { return utf8.RuneCountInString(x) - utf8.RuneCountInString(y) })
	n := utf8.RuneCountInString(widest)
	check.That(t, 90 < n && n <= textWidth, "the widest line has %d columns, of %d: %q", n, textWidth, widest)
	check.Contains(t, "the words in one line", oneLine(b.String()), "a row with a name "+long)
}

// Labels and titles may hold anything, and no form breaks.
func FuzzWriters(f *testing.F) {
	for _, s := range []string{"POP-BO", `\`, "$", `\$`, "$x$", "a_b", "{", "}", "|", "<b>", "</table>", "&amp;", "]]>", "50%", "#", "~", "^", "`", "---", "1. x", "- x", "+", "=", "\x00", "\n\n", "\u2028", "\xff", "R_T", "=1+1", "a\\"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, user string) {
		if user == "" {
			t.Skip("a column of empty words drops out")
		}
		d := example(user)
		out := map[string]string{}
		for name, write := range writers {
			var b strings.Builder
			check.OK(t, write(&b, d))
			out[name] = b.String()
		}
		checkLaTeX(t, out["latex"])
		checkMarkdown(t, out["markdown"], d)
		checkHTML(t, out["html"])
		want := oneLine("Of " + Plain(user).String())
		check.That(t, strings.Contains(oneLine(out["text"]), want), "the text does not have %q:\n%s", want, out["text"])
		var b strings.Builder
		check.OK(t, WriteCSV(&b, []int{0}, Column[int]{Key: "a", Of: func(int) Cell { return Words(user) }}, Column[int]{Key: "b", Of: func(int) Cell { return Count(1) }}))
		lines, err := csv.NewReader(strings.NewReader(b.String())).ReadAll()
		kept := strings.ReplaceAll(user, "\r\n", "\n")
		check.Ensure(t, err == nil && len(lines) == 2, "CSV of %q has %d lines, want 2: %v", user, len(lines), err)
		check.Equal(t, "cells of the line", len(lines[1]), 2)
		got := lines[1][0]
		check.That(t, got == kept || got == "'"+kept, "CSV of %q: %q", user, got)
	})
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// latexEscaped are pairs that stand for a character.
var latexEscaped = regexp.MustCompile(`\\[\\$&#%_{}]`)

// checkLaTeX fails unless braces and dollars are in pairs and nothing special is left but what the tables need.
func checkLaTeX(t *testing.T, tex string) {
	t.Helper()
	for _, line := range strings.Split(tex, "\n") {
		if strings.HasPrefix(line, "%") {
			continue
		}
		line = strings.TrimSuffix(line, "{!}{%")
		line = latexEscaped.ReplaceAllString(line, "")
		check.That(t, strings.Count(line, "$")%2 == 0 && !strings.ContainsAny(line, "#%"), "a special character is not escaped: %q", line)
		for i, part := range strings.Split(line, "$") {
			check.That(t, i%2 != 0 || !strings.ContainsAny(part, "_^"), "a script outside of a formula: %q", line)
		}
		cells := strings.Count(line, "&")
		check.That(t, cells == 0 || cells == 2, "%d ampersands in a row of three cells: %q", cells, line)
		depth := 0
		for _, r := range line {
			switch r {
			case '{':
				depth++
			case '}':
				depth--
			}
			check.That(t, depth >= 0 || strings.Contains(line, `\end{tabular}}`), "braces: %q", line)
		}
	}
	plain := latexEscaped.ReplaceAllString(tex[strings.Index(tex, "% Needs"):], "")
	check.Equal(t, "closing braces", strings.Count(plain, "}"), strings.Count(plain, "{"))
}

// markdownEscaped are pairs that stand for a character.
var markdownEscaped = regexp.MustCompile("\\\\[!-/:-@\\[-`{-~]")

// checkMarkdown fails unless the table stays a table, and the blocks what they are.
func checkMarkdown(t *testing.T, md string, d *Document) {
	t.Helper()
	rows, items := 0, 0
	for _, line := range strings.Split(md, "\n") {
		plain := markdownEscaped.ReplaceAllString(line, "")
		switch {
		case strings.HasPrefix(line, "|"):
			rows++
			check.That(t, strings.Count(plain, "|") == 4, "a row of three cells: %q", line)
		case regexp.MustCompile(`^\d+\. `).MatchString(line):
			items++
		case line != "" && !regexp.MustCompile(`^(#{1,2} |> \*\*|- |\*\*|What it is\.|†|[A-Za-z])`).MatchString(line):
			t.Errorf("a line of another kind: %q", line)
		}
		check.That(t, !strings.ContainsAny(strings.NewReplacer("<sup>", "", "</sup>", "", "> **", "").Replace(plain), "<>`[]$~"),
			"markup is not escaped: %q", line)
	}
	check.That(t, rows == 2+len(d.Sheets[0].Rows) && items == len(d.Footnotes()), "%d rows, %d notes", rows, items)
}

// checkHTML fails unless the page parses, and has the elements that it should.
func checkHTML(t *testing.T, page string) {
	t.Helper()
	count := map[string]int{}
	for _, e := range check.Elements(t, page) {
		count[e.Name.Local]++
	}
	for name, want := range map[string]int{"table": 1, "tr": 4, "td": 6, "strong": 1, "u": 1} {
		check.Equal(t, "elements "+name, count[name], want)
	}
	check.Equal(t, "elements b, i and script", count["b"]+count["i"]+count["script"], 3+1) // and the page's own script
}

// A page has to say what it is about.
func TestPageWithoutAbout(t *testing.T) {
	check.Error(t, "a page", WriteHTML(io.Discard, &Page{Document: &Document{Title: "A page"}}), "says nothing about itself")
}

// Package document holds tables and writes them as text, Markdown, CSV, LaTeX and HTML. A column is declared once, with its
// title, its key in CSV files and a function that makes the cell of a row; the cell knows its text and its numbers. Formulas
// are marked in texts, footnotes are texts that the writers number, and numbers of a kind look the same everywhere.
//
//	rows, Columns → Tabulate → Sheet → Document → WriteText, WriteMarkdown, WriteLaTeX, WriteHTML
//	rows, Columns → WriteCSV
package document

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Document is sheets of cells, with what is to be said of them.
type Document struct {
	Title    Text
	Warnings []Text // shown before everything else
	Facts    []Fact // what was run
	Summary  []Text // the verdict, a sentence for each algorithm
	Sheets   []Sheet
	Notes    []Text // about the document as a whole; Footnotes has the notes of sheets and cells too
}

// Fact is one thing about the runs.
type Fact struct{ Name, Value Text }

// Sheet is a table of cells.
type Sheet struct {
	ID      string // one word, unique in the document
	Title   Text
	Caption Text
	Columns []Heading
	Rows    [][]Cell
	Notes   []Text // about the whole sheet
}

// Heading is the head of a sheet's column. The cells of a Head column name their row. Cells of a Words column are words, of
// any other column numbers. A Wrap column, which is the last, is broken into lines.
type Heading struct {
	Title  Text
	Head   bool
	Words  bool
	Wrap   bool
	Better string // "lower is better" or the like; "" if neither holds, or if other words of the sheet say it
}

// Left reports whether the column is set flush left.
func (h Heading) Left() bool { return h.Head || h.Words }

// Pad fills a cell's text with spaces to a width.
func (h Heading) Pad(text string, width int) string {
	pad := strings.Repeat(" ", width-utf8.RuneCountInString(text))
	if h.Left() {
		return text + pad
	}
	return pad + text
}

// AddFact adds what is known of the runs, one or several values of a kind, unless nothing is.
func (d *Document) AddFact(name Text, values ...string) {
	if text := strings.Join(values, "; "); text != "" {
		d.Facts = append(d.Facts, Fact{name, Plain(text)})
	}
}

// Add adds sheets, but for those that have nothing but the names of rows.
func (d *Document) Add(sheets ...Sheet) {
	for _, s := range sheets {
		if slices.ContainsFunc(s.Columns, func(h Heading) bool { return !h.Head }) {
			d.Sheets = append(d.Sheets, s)
		}
	}
}

// Footnotes are the texts of all notes, each once, as a reader meets them. A reference to the first is 1.
func (d *Document) Footnotes() []Text { return newNotes(d).texts }

type notes struct {
	texts  []Text
	number map[Text]int
}

func newNotes(d *Document) *notes {
	n := &notes{number: map[Text]int{}}
	n.add(d.Notes)
	for _, s := range d.Sheets {
		n.add(s.Notes)
		for _, row := range s.Rows {
			for j := range row {
				n.add(row[j].Notes)
			}
		}
	}
	return n
}

func (n *notes) add(texts []Text) {
	for _, t := range texts {
		if n.number[t] == 0 {
			n.texts = append(n.texts, t)
			n.number[t] = len(n.texts)
		}
	}
}

// refs are the numbers of the texts, in increasing order.
func (n *notes) refs(texts []Text) (refs []int) {
	for _, t := range texts {
		refs = append(refs, n.number[t])
	}
	slices.Sort(refs)
	return slices.Compact(refs)
}

// ConfidenceSet is the confidence set of Thm. 1 of the paper.
const ConfidenceSet Text = `$\{f : \|f\| \le B, \ell_t(f) \ge \ell_t(\mathrm{MLE}) - \beta_t\}$`

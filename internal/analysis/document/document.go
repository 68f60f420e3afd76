package document

import "slices"

// Document is the table in words: sheets of text cells, with footnotes.
type Document struct {
	Title    string
	Warnings []string // shown before everything else
	Facts    []Fact   // what was run
	Summary  []string // the verdict, a sentence for each algorithm
	Sheets   []Sheet
	Notes    []string // footnotes; a reference to the first is 1
}

// Fact is one thing about the runs.
type Fact struct{ Name, Value string }

// Sheet is a table of text cells.
type Sheet struct {
	ID      string // one word, unique in the document
	Title   string
	Caption string
	Columns []Column
	Rows    [][]Cell
	Notes   []int // about the whole sheet
}

// Column is a sheet's column. The cells of a Head column name their row; those
// of a Words column are words, the others numbers.
type Column struct {
	Title string
	Head  bool
	Words bool
}

// Left reports whether the column is set flush left.
func (c Column) Left() bool { return c.Head || c.Words }

// Cell is a text with references to footnotes.
type Cell struct {
	Text  string
	Notes []int
}

// Notes numbers footnotes in the order in which they are first referred to.
type Notes []string

func (n *Notes) Ref(texts ...string) (refs []int) {
	for _, t := range texts {
		i := slices.Index(*n, t)
		if i < 0 {
			i = len(*n)
			*n = append(*n, t)
		}
		if !slices.Contains(refs, i+1) {
			refs = append(refs, i+1)
		}
	}
	slices.Sort(refs)
	return refs
}

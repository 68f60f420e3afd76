package document

import (
	"math"
	"strconv"
)

// Cell is what stands in a place of a table. Its constructors know both its text and its numbers.
type Cell struct {
	Text  Text // "" if the value is missing
	Mark  Mark
	Notes []Text
	data  []datum
}

// Mark sets a cell off from the others of its row.
type Mark int

const (
	Unmarked Mark = iota
	Best          // the best of its row
	Level         // not clearly worse than the best
)

// datum is a number or a word of a cell as a CSV file has it, at full precision, "" if it is missing.
type datum struct{ key, value string }

func number(key string, v float64) datum {
	switch {
	case math.IsNaN(v):
		return datum{key, ""}
	case math.IsInf(v, 1):
		return datum{key, "inf"}
	}
	return datum{key, strconv.FormatFloat(v, 'g', -1, 64)}
}

// one is a cell of one number, empty if it is missing.
func one(text string, v float64) Cell {
	return Cell{Text: Text(text), data: []datum{number("", v)}}.If(!math.IsNaN(v))
}

// Words is a cell of words that mean themselves.
func Words(s string) Cell { return Cell{Text: Plain(s), data: []datum{{"", s}}} }

// Prose is a cell of words with formulas.
func Prose(t Text) Cell { return Cell{Text: t, data: []datum{{"", t.String()}}} }

// Bool is true or false.
func Bool(b bool) Cell { return Words(strconv.FormatBool(b)) }

// Count is a number of things.
func Count(n int) Cell { return Words(strconv.Itoa(n)) }

// If is the cell, or the same cell with its values missing.
func (c Cell) If(known bool) Cell {
	if known {
		return c
	}
	data := make([]datum, len(c.data))
	for i, d := range c.data {
		data[i].key = d.key
	}
	c.Text, c.data = "", data
	return c
}

// Sort is the cell's first number, by which a table sorts; "" if the cell has no number, or if its text is that number.
func (c Cell) Sort() string {
	if len(c.data) == 0 {
		return ""
	}
	v, err := strconv.ParseFloat(c.data[0].value, 64)
	if err != nil {
		return ""
	}
	if text := strconv.FormatFloat(v, 'g', 6, 64); text != string(c.Text) {
		return text
	}
	return ""
}

// With is the cell with notes.
func (c Cell) With(notes ...Text) Cell {
	c.Notes = notes
	return c
}

// String is the cell's text with its formulas in Unicode, a dash if the value is missing.
func (c Cell) String() string { return c.shown().String() }

func (c Cell) shown() Text {
	if c.Text == "" {
		return None
	}
	return c.Text
}

// Coded is a cell of words that has a word of its own in CSV files.
func Coded(t Text, code string) Cell { return Cell{Text: t, data: []datum{{"", code}}} }

// None stands for a missing value.
const None = "—"

package document

import (
	"bufio"
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
)

// Column declares a column of rows of type R: sheets show the text of its cells, CSV files their numbers at full precision.
type Column[R any] struct {
	Title Text
	Key   string // in the head of a CSV file; a cell of several numbers appends to it, "regret_" and "mean"
	Head  bool   // it names the row
	Words bool   // its cells are words
	Wrap  bool   // its words may be long, and are broken into lines; of the last column only
	// Better says on pages which numbers are better: "lower is better"; "" if none are.
	Better string
	About  Text // what is to be said of the column, after the sheet's caption
	Of     func(R) Cell
}

// Tabulate fills a sheet. A column whose cells are all empty drops out, and what is to be said of it; other empty cells show
// a dash. A note at the names of all rows is about the sheet.
func Tabulate[R any](s Sheet, rows []R, columns ...Column[R]) Sheet {
	s.Rows = make([][]Cell, len(rows))
	said := map[Text]bool{}
	for _, c := range columns {
		cells := make([]Cell, len(rows))
		empty := true
		for i, r := range rows {
			cells[i] = c.Of(r)
			empty = empty && cells[i].Text == "" && !c.Head
			if cells[i].Text == "" {
				cells[i].Text = None
			}
		}
		if empty {
			continue
		}
		if c.Head && len(rows) > 1 {
			s.Notes = append(s.Notes, takeCommonNotes(cells)...)
		}
		s.Columns = append(s.Columns, Heading{Title: c.Title, Head: c.Head, Words: c.Words, Wrap: c.Wrap, Better: c.Better})
		for i := range cells {
			s.Rows[i] = append(s.Rows[i], cells[i])
		}
		if c.About != "" && !said[c.About] {
			said[c.About] = true
			if s.Caption != "" {
				s.Caption += " "
			}
			s.Caption += c.About
		}
	}
	return s
}

// takeCommonNotes takes away the notes that all cells have, and returns them.
func takeCommonNotes(cells []Cell) (common []Text) {
	for _, note := range cells[0].Notes {
		if !slices.ContainsFunc(cells, func(c Cell) bool { return !slices.Contains(c.Notes, note) }) {
			common = append(common, note)
		}
	}
	for i := range cells {
		cells[i].Notes = slices.DeleteFunc(slices.Clone(cells[i].Notes), func(t Text) bool { return slices.Contains(common, t) })
	}
	return common
}

// WriteCSV writes the columns, a line for each row after the head. The cells of a column have the same numbers in all rows,
// missing ones among them. Without rows it writes nothing.
func WriteCSV[R any](w io.Writer, rows []R, columns ...Column[R]) error {
	c := NewCSV(w)
	var head, line []string
	for i, r := range rows {
		line = line[:0]
		for _, column := range columns {
			for _, d := range column.Of(r).data {
				line = append(line, d.value)
				if i == 0 {
					head = append(head, column.Key+d.key)
				}
			}
		}
		if i == 0 {
			c.Line(head)
		}
		c.Line(line)
	}
	return c.Flush()
}

// WordsAt is a column of words of a CSV file.
func WordsAt[R any](key string, of func(R) string) Column[R] {
	return Column[R]{Key: key, Of: func(r R) Cell { return Cell{data: []datum{{"", of(r)}}} }}
}

// CountAt is a column of counts of a CSV file.
func CountAt[R any](key string, of func(R) int) Column[R] {
	return WordsAt(key, func(r R) string { return strconv.Itoa(of(r)) })
}

// NumberAt is a column of numbers of a CSV file, empty where they are NaN.
func NumberAt[R any](key string, of func(R) float64) Column[R] {
	return WordsAt(key, func(r R) string { return number("", of(r)).value })
}

// Names is a column of a sheet whose words name the rows.
func Names[R any](title Text, of func(R) string) Column[R] {
	return Column[R]{Title: title, Head: true, Of: func(r R) Cell { return Words(of(r)) }}
}

// Texts is a column of words of a sheet.
func Texts[R any](title Text, of func(R) string) Column[R] {
	return Column[R]{Title: title, Words: true, Of: func(r R) Cell { return Words(of(r)) }}
}

// Lines is a column of words that may be long, the last one of a sheet.
func Lines[R any](title Text, of func(R) string) Column[R] {
	return Column[R]{Title: title, Words: true, Wrap: true, Of: func(r R) Cell { return Words(of(r)) }}
}

// Cells is a column of numbers of a sheet.
func Cells[R any](title Text, of func(R) Cell) Column[R] { return Column[R]{Title: title, Of: of} }

// CSV writes comma-separated values. A text that a spreadsheet would read as a formula gets an apostrophe in front. So
// does a text that begins with an apostrophe, so that removing one always restores the text. Numbers stay numbers.
type CSV struct{ w *csv.Writer }

// NewCSV returns a writer to w. Call Flush after the last line.
func NewCSV(w io.Writer) CSV { return CSV{csv.NewWriter(w)} }

// Line writes a line. It keeps nothing of cells.
func (c CSV) Line(cells []string) {
	line := slices.Clone(cells)
	for i, s := range line {
		if s != "" && strings.IndexByte("=+-@'\t\r", s[0]) >= 0 {
			if _, err := strconv.ParseFloat(s, 64); err != nil {
				line[i] = "'" + s
			}
		}
	}
	_ = c.w.Write(line) // Flush reports the error
}

// Flush writes what is buffered, and returns the first error of any line.
func (c CSV) Flush() error {
	c.w.Flush()
	return c.w.Error()
}

// CSVReader reads what CSV writes, and what other programs write: it takes away the first apostrophe of a cell, and the
// byte order mark of a file. All lines have as many cells as the first.
type CSVReader struct{ r *csv.Reader }

// CSVError says what is wrong with a file.
type CSVError struct {
	Line int // from 1
	What string
}

func (e *CSVError) Error() string { return e.What }

// NewCSVReader returns a reader of r.
func NewCSVReader(r io.Reader) *CSVReader {
	b := bufio.NewReader(r)
	if mark, _ := b.Peek(3); string(mark) == "\ufeff" {
		_, _ = b.Discard(3)
	}
	return &CSVReader{csv.NewReader(b)}
}

// Line returns the next line that is not empty, or io.EOF. An error of the contents is a *CSVError.
func (c *CSVReader) Line() ([]string, error) {
	cells, err := c.r.Read()
	var wrong *csv.ParseError
	if errors.As(err, &wrong) {
		what := wrong.Err.Error()
		if errors.Is(err, csv.ErrFieldCount) {
			what = "the line has " + strconv.Itoa(len(cells)) + " cells, the first line has " + strconv.Itoa(c.r.FieldsPerRecord)
		}
		return nil, &CSVError{wrong.Line, what}
	}
	if err != nil {
		return nil, err
	}
	for i, s := range cells {
		cells[i] = strings.TrimPrefix(s, "'")
	}
	return cells, nil
}

// At returns the line, from 1, on which a cell of the last line begins.
func (c *CSVReader) At(cell int) int {
	line, _ := c.r.FieldPos(cell)
	return line
}

// Digits writes a number as CSV files have it: with the digits that restore it, and empty if it is missing.
func Digits(v float64) string { return number("", v).value }

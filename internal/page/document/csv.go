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

package document

import (
	"encoding/csv"
	"io"
	"slices"
	"strconv"
	"strings"
)

// csvWriter writes comma-separated values. A text that a spreadsheet would read as a formula gets an apostrophe in front. So
// does a text that begins with an apostrophe, so that removing one always restores the text. Numbers stay numbers.
type csvWriter struct{ w *csv.Writer }

func newCSV(w io.Writer) csvWriter { return csvWriter{csv.NewWriter(w)} }

func (c csvWriter) line(cells []string) {
	line := slices.Clone(cells)
	for i, s := range line {
		if s != "" && strings.IndexByte("=+-@'\t\r", s[0]) >= 0 {
			if _, err := strconv.ParseFloat(s, 64); err != nil {
				line[i] = "'" + s
			}
		}
	}
	_ = c.w.Write(line) // flush reports the error
}

func (c csvWriter) flush() error {
	c.w.Flush()
	return c.w.Error()
}

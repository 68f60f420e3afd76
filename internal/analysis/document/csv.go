package document

import (
	"encoding/csv"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"popbench/internal/math/stats"
)

// CSV writes comma-separated values. A text that a spreadsheet would read as a
// formula gets an apostrophe in front. So does a text that begins with an
// apostrophe, so that removing one always restores the text. Numbers stay numbers.
type CSV struct{ *csv.Writer }

// NewCSV returns a CSV that writes to w when it is flushed.
func NewCSV(w io.Writer) CSV { return CSV{csv.NewWriter(w)} }

// Write writes a line. Error reports what went wrong.
func (c CSV) Write(cells []string) {
	line := slices.Clone(cells)
	for i, s := range line {
		if s != "" && strings.IndexByte("=+-@'\t\r", s[0]) >= 0 {
			if _, err := strconv.ParseFloat(s, 64); err != nil {
				line[i] = "'" + s
			}
		}
	}
	_ = c.Writer.Write(line)
}

var summaryColumns = []string{"mean", "std", "stderr", "ci_lo", "ci_hi", "median", "q1", "q3", "min", "max"}

func SummaryHead(prefix string) []string {
	head := make([]string, len(summaryColumns))
	for i, c := range summaryColumns {
		head[i] = prefix + c
	}
	return head
}

func SummaryFields(s *stats.Summary) []string {
	fields := make([]string, len(summaryColumns))
	if s != nil {
		for i, v := range []float64{s.Mean, s.Std, s.StdErr, s.CI.Lo, s.CI.Hi, s.Median, s.Q1, s.Q3, s.Min, s.Max} {
			fields[i] = Field(v)
		}
	}
	return fields
}

func Field(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

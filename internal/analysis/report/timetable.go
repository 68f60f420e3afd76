package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"popbench/internal/analysis/document"
	"popbench/internal/analysis/outcome"
)

// times is the sheet of the computation time.
func (l *layout) times(t *outcome.TimeTable) document.Sheet {
	s := document.Sheet{ID: "times", Title: "Computation time", Columns: []document.Column{{Title: "Algorithm", Head: true}, {Title: "Step, median"}, {Title: "Step, mean"}, {Title: "Run, mean"}, {Title: "Relative to " + t.Paper.Unit}, {Title: "Paper prints"}},
		Caption: fmt.Sprintf("Wall clock over all problems and runs, to propose a query and to learn from its answer and report; a run uses one core. Relative to %s: the time of all runs divided by that of %s for the same ones, with the 95\u00a0%% bootstrap interval. The paper's numbers are those of its authors' programs: %s. Measured with %s.",
			t.Paper.Unit, t.Paper.Unit, t.Paper.Source, strings.Join(l.Machines(), "; "))}
	for i := range t.Rows {
		row := &t.Rows[i]
		cells := []document.Cell{{Text: row.Label}}
		if row.Runs == 0 {
			for range s.Columns[1:] {
				cells = append(cells, document.Cell{Text: document.None})
			}
			s.Rows = append(s.Rows, cells)
			continue
		}
		relative := document.None
		if v := row.Ratio.Value; !math.IsNaN(v) {
			relative = estimateCell(row.Ratio, ratioDecimals(v))
		}
		s.Rows = append(s.Rows, append(cells, document.Cell{Text: document.Duration(row.StepMedian)}, document.Cell{Text: document.Duration(row.Step)}, document.Cell{Text: document.Duration(row.Run)},
			document.Cell{Text: relative}, document.Cell{Text: document.Number(row.Printed, 2)}))
	}
	if t.Apart != "" {
		s.Notes = l.Ref(t.Apart)
	}
	return s
}

// ratioDecimals are enough for two digits of a ratio, and never fewer than two.
func ratioDecimals(v float64) int {
	if v <= 0 {
		return 2
	}
	return max(2, 1-int(math.Floor(math.Log10(v))))
}

// WriteCSV writes the table at full precision.
func WriteTimesCSV(t *outcome.TimeTable, w io.Writer) error {
	c := document.NewCSV(w)
	c.Write([]string{"label", "algorithm", "timed_runs", "step_seconds_median", "step_seconds_mean", "run_seconds_mean", "relative", "relative_ci_lo", "relative_ci_hi", "relative_to", "paper"})
	for i := range t.Rows {
		row := &t.Rows[i]
		times := make([]string, 3)
		if row.Runs > 0 {
			times = []string{document.Field(row.StepMedian), document.Field(row.Step), document.Field(row.Run)}
		}
		c.Write(slices.Concat([]string{row.Label, row.Algorithm, strconv.Itoa(row.Runs)}, times,
			[]string{document.Field(row.Ratio.Value), document.Field(row.Ratio.CI.Lo), document.Field(row.Ratio.CI.Hi), t.Paper.Unit, document.Field(row.Printed)}))
	}
	c.Flush()
	return c.Error()
}

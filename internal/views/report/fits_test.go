package report

import (
	"io"
	"slices"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/internal/outcome"
	"popbench/internal/page/document"
	"popbench/internal/views/report/reporttest"
	"popbench/record"
)

// fitsOf returns the cells of the sheet of fits, and the notes, of runs whose headers
// are changed.
func fitsOf(t *testing.T, change func(h *record.Header)) (table string, d *document.Document) {
	t.Helper()
	in := reporttest.Results(reporttest.Options{Problems: []string{"beale"}, Algorithms: []string{"popbo", "sgp"}, Runs: 5, Steps: 2})
	for _, rec := range in.Records {
		if rec.Header.Algorithm.Name == "popbo" {
			change(&rec.Header)
		}
	}
	d = Document(outcome.NewTable(mustCollect(t, in)), nil)
	return cells(d, "fits"), d
}

func TestFits(t *testing.T) {
	if table, _ := fitsOf(t, func(*record.Header) {}); table != "" {
		t.Errorf("nothing was fitted to pilots:\n%s", table)
	}

	// Four repetitions are inside, and one is at the upper end; of the other
	// coordinate two are at the lower end, one of them up to rounding.
	second := []float64{0.1, 0.1005, 0.102, 0.2, 0.3}
	ard := func(h *record.Header) {
		i := h.Repetition
		h.Algorithm.InForce = &record.InForce{
			Kernel: &record.Kernel{Family: "matern52", Variance: 1, Lengthscale: []float64{float64(10 * (i + 1)), second[i]}},
			Range:  &record.Range{Lo: []float64{1, 0.1}, Hi: []float64{50, 3}},
		}
	}
	table, d := fitsOf(t, ard)
	const want = "Beale | POP-BO | x1 | 5 | 30 | 20 to 40 | 10 to 50 | 1 to 50 | 0 (0\u00a0%) | 1 (20.0\u00a0%)\n" +
		"Beale | POP-BO | x2 | 5 | 0.102 | 0.1005 to 0.2 | 0.1 to 0.3 | 0.1 to 3 | 2 (40.0\u00a0%) | 0 (0\u00a0%)"
	check.That(t, table == want, "got\n%s\nwant\n%s", table, want)
	for _, write := range []func(io.Writer, *document.Document) error{document.WriteText, document.WriteMarkdown} {
		text := string(rendered(t, func(w io.Writer) error { return write(w, d) }))
		check.Contains(t, "the report", strings.ToLower(text), "lengthscales fitted to pilot comparisons", "20 to 40")
	}
}

// One pilot for all runs counts as one, and every number that rests on it is marked.
func TestSharedPilotIsMarked(t *testing.T) {
	shared := func(h *record.Header) {
		h.PilotPer = record.PerProblem
		h.Algorithm.InForce.Range = &record.Range{Lo: []float64{0.1}, Hi: []float64{2.51}}
	}
	table, d := fitsOf(t, shared)
	const want = "Beale | POP-BO | 1 | 2.5 | 2.5 to 2.5 | 2.5 to 2.5 | 0.1 to 2.51 | 0 (0\u00a0%) | 1 (100\u00a0%)"
	check.That(t, table == want, "got\n%s\nwant\n%s", table, want)
	marked := func(d *document.Document) (labels string) {
		for _, row := range sheetOf(d, "suboptimality").Rows {
			if slices.Contains(row[1].Notes, document.Plain(outcome.ConditionalNote(20))) {
				labels += row[1].String()
			}
		}
		return labels
	}
	check.Equal(t, "marked as conditional", marked(d), "POP-BO")

	// Repetitions with functions of their own have pilots of their own.
	_, d = fitsOf(t, func(h *record.Header) {
		shared(h)
		*h.Problem.Optimum += float64(h.Repetition)
	})
	check.Equal(t, "drawn functions are marked", marked(d), "")
	if _, d = fitsOf(t, func(*record.Header) {}); marked(d) != "" {
		t.Error("a pilot for each repetition is marked")
	}
}

package report

import (
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/internal/math/stats"
	"popbench/internal/outcome"
	"popbench/internal/views/charting"
	"popbench/internal/views/report/reporttest"
)

// Without a known norm only one part of the set can be checked, and the report says so; an algorithm without a confidence
// set has none.
func TestCoverageOfUnknownNorms(t *testing.T) {
	table := tableOf(t, reporttest.Options{Problems: []string{"beale", "gp1"}, Algorithms: []string{"popbo", "dts"}, Runs: 3, Steps: 4})
	for _, row := range table.Rows {
		check.Equal(t, "the set is known of "+row.Algorithm.Label, row.Coverage.Known, row.Algorithm.Name == "popbo")
		check.Equal(t, "its norm is known", row.Coverage.NormKnown, false)
	}
	text := textOf(t, Document(table, nil))
	check.Contains(t, "the table", text, "The RKHS norm of the objective is not known", "77.88 (Beale, B\u00a0=\u00a06)", "Likely: runs")
	check.Lacks(t, "the table", text, "Inside:", "(gp1,")
}

func TestBeliefsAreThoseOfTheRecords(t *testing.T) {
	in := reporttest.Results(reporttest.Options{Problems: []string{"gp1"}, Runs: 5, Steps: 6, Norm: 5, Snapshots: []int{2, 6}})
	// A run whose truth leaves the range, by a constant and more.
	b := in.Records[1].Steps[5].Belief
	b.Utility = slices.Clone(b.Utility)
	for i := range b.Utility {
		b.Utility[i] += 20
	}
	b.Utility[3]++
	r := mustCollect(t, in)
	row := outcome.NewTable(r).Rows[0]
	check.Equal(t, "steps of the beliefs", [2]int{row.Beliefs[0].Step, row.Beliefs[1].Step}, [2]int{2, 6})
	var width, rms, covered []float64
	for _, rec := range in.Records {
		b := rec.Steps[5].Belief
		n := float64(len(b.X))
		var w, c, d, dd float64
		for i := range b.X {
			w += (b.Upper[i] - b.Lower[i]) / n
			if b.Lower[i] <= b.Utility[i] && b.Utility[i] <= b.Upper[i] {
				c += 1 / n
			}
			d += (b.Estimate[i] - b.Utility[i]) / n
			dd += (b.Estimate[i] - b.Utility[i]) * (b.Estimate[i] - b.Utility[i]) / n
		}
		width, covered, rms = append(width, w), append(covered, c), append(rms, math.Sqrt(dd-d*d))
	}
	if covered[1] != 0 || math.Abs(covered[0]-1) > 1e-9 {
		t.Fatalf("covered %v: this proves nothing", covered)
	}
	got := row.Beliefs[1]
	for what, c := range map[string]struct {
		got stats.Summary
		of  []float64
	}{"width": {got.Width, width}, "error": {got.Error, rms}, "covered": {got.Covered, covered}} {
		mean, std := reporttest.Moments(c.of)
		close(t, what, c.got.Mean, mean)
		// A standard deviation of nearly equal numbers has fewer digits.
		check.That(t, math.Abs(c.got.Std-std) <= 1e-9, "%s: std %g, the records have %g", what, c.got.Std, std)
	}

	charts := charting.Beliefs(r)
	check.Equal(t, "charts, of the first runs", len(charts), charting.MaxBeliefs)
	c := &charts[1]
	check.Equal(t, "name", c.Name, "gp1-POP-BO-confidence-set-001")
	check.Equal(t, "file of the data", c.DataFile(), "data/gp1-POP-BO-confidence-set.csv")
	check.Equal(t, "ends", [2]float64{c.Lo, c.Hi}, [2]float64{0, 10})
	var visited []float64
	for _, s := range in.Records[1].Steps[:2] {
		for _, x := range s.Points {
			if !slices.Contains(visited, x[0]) {
				visited = append(visited, x[0])
			}
		}
	}
	check.Equal(t, "points that were visited", len(visited), 3)
	check.Same(t, "visited", c.Panels[0].Visited, visited)
	for i, step := range []int{2, 6} {
		s := &in.Records[1].Steps[step-1]
		likelihood, _ := s.Metrics.Get("log_likelihood")
		beta, _ := s.Metrics.Get("beta")
		want := s.TrueLogLikelihood >= likelihood-beta
		check.That(t, c.Inside[i] == want, "after %d comparisons the truth is inside: %v", step, c.Inside[i])
	}

	csv := string(rendered(t, func(w io.Writer) error { return WriteBeliefCSV(&charts[0], w) }))
	check.Equal(t, "lines, those of all runs, steps and points", strings.Count(csv, "\n"), 1+5*2*41)
	check.Contains(t, "the last line", csv, "gp1,POP-BO,4,6,10,")
}

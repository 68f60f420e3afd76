package report

import (
	"math"
	"slices"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/internal/outcome"
	"popbench/internal/views/charting"
	"popbench/internal/views/report/reporttest"
	"popbench/record"
)

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
	if len(row.Beliefs) != 2 || row.Beliefs[0].Step != 2 || row.Beliefs[1].Step != 6 {
		t.Fatalf("beliefs %+v", row.Beliefs)
	}
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
	for _, c := range []struct {
		what      string
		mean, std float64
		of        []float64
	}{{"width", got.Width.Mean, got.Width.Std, width}, {"error", got.Error.Mean, got.Error.Std, rms}, {"covered", got.Covered.Mean, got.Covered.Std, covered}} {
		t.Run(c.what, func(t *testing.T) {
			mean, std := reporttest.Moments(c.of)
			close(t, c.what, c.mean, mean)
			if math.Abs(c.std-std) > 1e-9 { // a difference of nearly equal numbers
				t.Errorf("%s: std %g, the records have %g", c.what, c.std, std)
			}
		})
	}

	charts := charting.Beliefs(r)
	if len(charts) != charting.MaxBeliefs {
		t.Fatalf("%d charts, want the first %d of 5 runs", len(charts), charting.MaxBeliefs)
	}
	c := &charts[1]
	check.Equal(t, "name", c.Name, "gp1-POP-BO-confidence-set-001")
	check.Equal(t, "file of the data", c.DataFile(), "data/gp1-POP-BO-confidence-set.csv")
	check.Equal(t, "left end", c.Lo, 0)
	check.Equal(t, "right end", c.Hi, 10)
	var visited []float64
	for _, s := range in.Records[1].Steps[:2] {
		for _, x := range s.Points {
			if !slices.Contains(visited, x[0]) {
				visited = append(visited, x[0])
			}
		}
	}
	check.That(t, slices.Equal(c.Panels[0].Visited, visited) && len(visited) == 3,
		"visited %v, the record has %v", c.Panels[0].Visited, visited)
	for i, step := range []int{2, 6} {
		s := &in.Records[1].Steps[step-1]
		want := s.TrueLogLikelihood >= metric(t, s, "log_likelihood")-metric(t, s, "beta")
		check.That(t, c.Inside[i] == want, "after %d comparisons the truth is inside: %v", step, c.Inside[i])
	}

	var csv strings.Builder
	check.OK(t, WriteBeliefCSV(&charts[0], &csv))
	if lines := strings.Count(csv.String(), "\n"); lines != 1+5*2*41 || !strings.Contains(csv.String(), "gp1,POP-BO,4,6,10,") {
		t.Errorf("%d lines, want those of all runs, steps and points:\n%.300s", lines, csv.String())
	}
}

func TestBeliefCaptions(t *testing.T) {
	in := reporttest.Results(reporttest.Options{Problems: []string{"gp1"}, Runs: 2, Steps: 30, Norm: 5, Snapshots: []int{10, 20, 30}})
	charts := charting.Beliefs(mustCollect(t, in))
	c := charts[0]
	for _, tc := range []struct {
		inside []bool
		want   string
	}{
		{[]bool{true, true, true}, "inside the set every time"},
		{[]bool{false, false, false}, "at none of these times"},
		{[]bool{true, false, false}, "outside of the set after 20, 30."},
	} {
		t.Run(tc.want, func(t *testing.T) {
			c.Inside = tc.inside
			check.Contains(t, "caption", c.Caption().String(), tc.want, "10, 20 and 30 comparisons", "plus a constant")
		})
	}
	c.Inside = nil
	check.Lacks(t, "caption", c.Caption().String(), "inside")
	got := charts[1].Caption().String()
	check.That(t, strings.HasPrefix(got, "The same for run 1."), "caption of the second %q", got)
	c.Panels = c.Panels[:1]
	check.Contains(t, "caption of one panel", c.Caption().String(), "after 10 comparisons.")
}

func metric(t *testing.T, s *record.Step, name string) float64 {
	t.Helper()
	v, ok := s.Metrics.Get(name)
	if !ok {
		t.Fatalf("there is no metric %s", name)
	}
	return v
}

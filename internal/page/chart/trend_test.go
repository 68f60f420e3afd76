package chart

import (
	"math"
	"testing"

	"popbench/internal/check"
)

func TestTrend(t *testing.T) {
	tr := &Trend{Name: "x", Title: "Time", What: "ms", Axis: "version", Ticks: []string{"a", "b", "c", "d"}, Log: true}
	tr.Add("New", 0, func(i int) float64 { return []float64{math.NaN(), 0, 2, 20}[i] })
	tr.Add("Gone", 1, func(int) float64 { return math.NaN() })
	for i, want := range []float64{math.NaN(), math.NaN(), 2, 20} {
		if got := tr.Lines[0].Values[i]; got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
			t.Errorf("value %d is %g, want %g", i, got, want)
		}
	}
	known := tr.Known()
	check.Equal(t, "the known part is logarithmic", known.Log, true)
	if len(known.Lines) != 1 {
		t.Fatalf("known lines %+v, want one", known.Lines)
	}
	points := known.Lines[0].Points
	check.That(t, len(points) == 2 && points[1].Mean == 20, "known points %+v, want two, the last at 20", points)
	const want = "Line chart. Time (ms), by version. Logarithmic scale. New: 2 first, 20 last."
	if got := tr.Alt(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

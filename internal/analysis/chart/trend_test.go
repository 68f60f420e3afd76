package chart

import (
	"math"
	"testing"
)

func TestTrend(t *testing.T) {
	tr := &Trend{Name: "x", Title: "Time", What: "ms", Axis: "version", Ticks: []string{"a", "b", "c", "d"}, Log: true}
	tr.Add("New", func(i int) float64 { return []float64{math.NaN(), 0, 2, 20}[i] })
	tr.Add("Gone", func(int) float64 { return math.NaN() })
	if v := tr.Lines[0].Values; !math.IsNaN(v[0]) || !math.IsNaN(v[1]) || v[2] != 2 || v[3] != 20 {
		t.Errorf("values %v", v)
	}
	known := tr.Known()
	if len(known.Lines) != 1 || len(known.Lines[0].Points) != 2 || known.Lines[0].Points[1].Mean != 20 || !known.Log {
		t.Errorf("known %+v", known)
	}
	const want = "Line chart. Time (ms), by version. Logarithmic scale. New: 2 first, 20 last."
	if got := tr.Alt(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

package record

import (
	"testing"

	"popbench/internal/check"
)

// A compact record has what a table needs: of each metric of work the sum over the steps, of each certificate the maximum,
// of states nothing. The record that it is made of stays as it is.
func TestCompact(t *testing.T) {
	r := example(t)
	r.Steps[0].Metrics[2].Value = 7e-9
	before := string(encoded(t, r))
	c := Compact(r)
	check.Equal(t, "the record it is made of", string(encoded(t, r)), before)
	check.Same(t, "metrics of the header", c.Header.Algorithm.Metrics, []MetricType{{"z", Work}, {"gap", Certificate}})
	check.Equal(t, "metrics of the first step", len(c.Steps[0].Metrics), 0)
	check.Same(t, "metrics of the last step", c.Steps[1].Metrics, Metrics{{"z", 6}, {"gap", 7e-9}})
	for i, s := range c.Steps {
		check.Same(t, "utilities", s.Utility, r.Steps[i].Utility)
		check.Same(t, "recommendations", s.Recommendations, []Recommendation{{Rule: "max-mle", Utility: 0.5}})
		check.That(t, s.Points == nil && !s.Self, "step %d: points %v, of itself: %v", s.T, s.Points, s.Self)
	}
	back := check.Must(Decode("x", encoded(t, c)))(t)
	check.Same(t, "read again", back.Steps, c.Steps)
	check.That(t, Compact(c) == c && Compact(imported(t)).Header.Compact == false, "what is compact, or imported, is made compact")
}

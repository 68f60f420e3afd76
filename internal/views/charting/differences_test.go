package charting

import (
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/internal/judge"
	"popbench/internal/outcome"
)

// The best comes first: the lowest of a regret, the highest of a metric of which more is better.
func TestDifferencesBeginWithTheBest(t *testing.T) {
	for metric, want := range map[outcome.Metric]string{outcome.Suboptimality: "far below near above", outcome.KendallTau: "above near below far"} {
		p := &judge.Pairwise{Reference: "r", Measure: outcome.Find(metric), Overall: []*judge.Versus{
			{Label: "near", Test: judge.Test{Value: 0.1}}, {Label: "far", Test: judge.Test{Value: -3}}, {Label: "above", Test: judge.Test{Value: 2}}, {Label: "below", Test: judge.Test{Value: -0.2}},
		}}
		var got []string
		for _, row := range Differences(&outcome.Results{}, p).Rows {
			got = append(got, row.Label)
		}
		check.Equal(t, string(metric), strings.Join(got, " "), want)
	}
}

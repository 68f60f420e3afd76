package judge

import (
	"testing"

	"popbench/internal/check"
	"popbench/internal/math/stats"
)

func TestBetterThan(t *testing.T) {
	labels := []string{"c", "a", "d", "b"}
	r := Ranks{stats.FriedmanResult{Ranks: []float64{2.5, 1, 4, 1.5}, P: 0.01}, 1.5, false}
	for i, want := range []string{"d", "c and all ranked after it", "none", "d"} {
		check.Equal(t, labels[i]+" is clearly better than", r.BetterThan(i, labels, r.Better), want)
	}
	r.P = 0.2
	check.Equal(t, "if the test of all finds nothing", r.BetterThan(1, labels, r.Better), "none")
}

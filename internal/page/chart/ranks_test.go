package chart

import (
	"fmt"
	"math"
	"testing"

	"popbench/internal/check"
)

func TestRanks(t *testing.T) {
	ranks := []float64{4.6, 1.2, 2.1, 3.0, 4.1}
	differ := func(a, b int) bool { return math.Abs(ranks[a]-ranks[b]) >= 1 }
	r := NewRanks("ranks", "Average rank", []string{"e", "a", "b", "c", "d"}, ranks, 1, differ, func(label string) bool { return label == "c" })
	check.Equal(t, "labels", fmt.Sprint(r.Labels), "[a b c d e]")
	r.Stands = "your algorithm"
	// Groups in which no two differ, none within another: a with b, b with c, d with e.
	check.Equal(t, "alike", fmt.Sprint(r.Alike), "[[0 1] [1 2] [3 4]]")
	check.Equal(t, "marks", fmt.Sprint(r.Marks), "[false false true false false]")
	check.Contains(t, "alternative text", r.Alt(), "a: 1.20.", "Not clearly different: b to c.")
	check.Contains(t, "caption", r.Caption().String(), "critical difference, 1.00", "your algorithm")
	none := NewRanks("ranks", "Average rank", []string{"x", "y", "z"}, []float64{1, 2, 3}, 9, func(a, b int) bool { return false }, func(string) bool { return false })
	check.Equal(t, "alike, if nothing differs", fmt.Sprint(none.Alike), "[[0 2]]")
}

package judge

import (
	"fmt"
	"math"
	"testing"

	"popbench/internal/check"
	"popbench/internal/math/stats"
)

// A side is worse or better if its test is significant, and it changed by the minimum at least, in the direction of the
// test; it is the same if the interval says that it changed by less.
func TestVerdictOnTwoSides(t *testing.T) {
	at := func(lo, hi float64) stats.Interval { return stats.Interval{Lo: lo, Hi: hi} }
	for _, c := range []struct {
		test                    Test
		relevant, clear, higher Verdict // by a minimum and by a margin of 0.05, and if higher values are better
	}{
		{Test{Adjusted: 0.01, Effect: 1, Value: 1.06, CI: at(1.01, 1.1)}, Worse, Worse, Better},
		{Test{Adjusted: 0.01, Effect: 1, Value: 1.04, CI: at(1.01, 1.1)}, Undecided, Worse, Better},
		{Test{Adjusted: 0.01, Effect: 1, Value: 1.06, CI: at(0.99, 1.1)}, Worse, Undecided, Undecided},
		{Test{Adjusted: 0.01, Effect: -1, Value: 1.06, CI: at(1.01, 1.1)}, Undecided, Undecided, Undecided},
		{Test{Adjusted: 0.06, Effect: 1, Value: 1.06, CI: at(1.01, 1.1)}, Undecided, Undecided, Undecided},
		{Test{Adjusted: 0.01, Effect: -1, Value: 0.94, CI: at(0.9, 0.99)}, Better, Better, Worse},
		{Test{Adjusted: 0.01, Effect: -1, Value: 0.96, CI: at(0.9, 0.99)}, Undecided, Better, Worse},
		{Test{Adjusted: 0.01, Effect: 1, Value: 0.94, CI: at(0.9, 0.99)}, Undecided, Undecided, Undecided},
		{Test{Adjusted: 0.01, Effect: 1, Value: 1.02, CI: at(0.96, 1.04)}, Same, Same, Same},
		{Test{Adjusted: 1, Value: 1, CI: at(0.94, 1.04)}, Undecided, Undecided, Undecided},
	} {
		c.test.Null, c.test.Runs = 1, [2]int{9, 9}
		what := fmt.Sprintf("verdict on %+v", c.test)
		check.Equal(t, what+" by a minimum", c.test.Relevant(0.05, 0.05), c.relevant)
		check.Equal(t, what+" by a margin", c.test.Clear(0.05, 0.05, false), c.clear)
		check.Equal(t, what+" by a margin, if higher is better", c.test.Clear(0.05, 0.05, true), c.higher)
		c.test.Runs[1] = stats.MinRuns - 1
		check.Equal(t, what+" by few runs", c.test.Relevant(0.05, 0.05), Undecided)
	}
}

// Of two independent samples the second counts as the change, and the least P value of any data is that of all orders.
func TestUnpairedSides(t *testing.T) {
	a := []float64{1, 2, 3, 4, 5, 6}
	x := Unpaired(a, []float64{2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5})
	check.Near(t, x.Value, 2, 1e-12, "difference of the means")
	check.That(t, x.Effect > 0 && x.Runs == [2]int{6, 7} && math.IsNaN(x.CI.Lo), "%+v", x)
	check.Near(t, x.least(), 2./1716, 1e-15, "the least P of 6 and 7 runs")
	same, other := Unpaired([]float64{3, 3}, []float64{3, 3}), Unpaired(a, a)
	check.That(t, same.Identical() && !other.Identical(), "samples of one value are identical, others are not")
}

// Every verdict has a word of its own, and one that decides a whole decides it whatever stands beside.
func TestVerdicts(t *testing.T) {
	words := map[string]bool{}
	for _, v := range All() {
		words[v.String()] = true
	}
	check.Equal(t, "words", len(words), 8)
	check.Equal(t, "word of an open question", Verdict("").String(), "")
	itself := func(v Verdict) Verdict { return v }
	for _, c := range []struct {
		parts  []Verdict
		agreed Verdict
		want   Verdict
	}{
		{[]Verdict{Holds, Holds}, Holds, Holds},
		{[]Verdict{Holds, NotRun, Fails, Undecided}, Holds, Fails},
		{[]Verdict{Undecided, NotRun, ""}, Holds, NotRun},
		{[]Verdict{AtBorder, "", Undecided}, Holds, ""},
		{[]Verdict{AtBorder, Undecided}, Holds, Undecided},
		{[]Verdict{Holds, AtBorder}, Holds, AtBorder},
		{[]Verdict{Same, Better, Undecided, Worse}, Same, Worse},
		{[]Verdict{Same, Better, Undecided}, Same, Undecided},
		{[]Verdict{Same, Better}, Same, Better},
		{nil, Same, Same},
	} {
		check.Equal(t, fmt.Sprintf("%v together", c.parts), Together(c.parts, itself, c.agreed), c.want)
	}
}

package judge

import (
	"fmt"
	"math"
	"testing"

	"popbench/internal/check"
	"popbench/internal/math/stats"
)

// A side is worse or better if its test is significant, and it changed by the minimum at least, in the direction of the
// test; it is the same if the interval says that it changed by less. Below the adjusted P, effect, value and interval of a
// test stand the verdicts by a minimum and by a margin of 0.05, and that if higher values are better.
func TestVerdictOnTwoSides(t *testing.T) {
	check.GoldenLines(t, "sides.golden", func(line string) string {
		x := Test{Null: 1, Runs: [2]int{9, 9}}
		check.Must(fmt.Sscan(line, &x.Adjusted, &x.Effect, &x.Value, &x.CI.Lo, &x.CI.Hi))(t)
		few := x
		few.Runs[1] = stats.MinRuns - 1
		check.Equal(t, line+": by few runs", few.Relevant(0.05, 0.05), Undecided)
		return fmt.Sprintf("%s, %s, %s", x.Relevant(0.05, 0.05), x.Clear(0.05, 0.05, false), x.Clear(0.05, 0.05, true))
	})
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

package judge

import (
	"fmt"
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

package cost

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"popbench/internal/check"
	"popbench/internal/judge"
	"popbench/internal/perflog"
)

// counted returns a measurement with counts only: one algorithm on four problems, with the
// given repetitions and five counts of about 1,000 per run. The counts vary by a sixth from
// run to run. The queries are drawn from r too, so they differ from those of any other
// measurement.
func counted(repetitions int, r *rand.Rand) *perflog.Measurement {
	m := &perflog.Measurement{Suite: "demo", ConfigHash: "00ff", Rounding: "0123"}
	for _, problem := range []string{"a", "b", "c", "d"} {
		for i := range repetitions {
			c := perflog.Cell{Key: perflog.Key{Problem: problem, Algorithm: "POP-BO", Dim: 2, T: 30}, Repetition: i, Queries: fmt.Sprintf("%016x", r.Uint64())}
			for j := range 5 {
				c.Work = append(c.Work, perflog.Count{Name: fmt.Sprintf("count%d", j), Value: math.Round(1000 * math.Exp(0.15*r.NormFloat64()))})
			}
			m.Cells = append(m.Cells, c)
		}
	}
	return m
}

// change returns a copy of the measurement in which every count is replaced by of.
func change(m *perflog.Measurement, of func(c perflog.Cell, count int, value float64) float64) *perflog.Measurement {
	changed := *m
	changed.Cells = nil
	for _, c := range m.Cells {
		work := c.Work
		c.Work = nil
		for j, w := range work {
			c.Work = append(c.Work, perflog.Count{Name: w.Name, Value: of(c, j, w.Value)})
		}
		changed.Cells = append(changed.Cells, c)
	}
	return &changed
}

func compareCounts(t *testing.T, base, head *perflog.Measurement) *Comparison {
	t.Helper()
	for _, m := range []*perflog.Measurement{base, head} {
		check.OK(t, m.Check())
	}
	return check.Must(Compare(base, head, 0.5))(t)
}

func generator(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 8)) }

// Of runs with the same queries a count must be equal: one more in one run is worse, even if other counts fell.
// Where queries differ, a count is worse if it grew significantly and by at least the minimum, in the mean and in the ranks.
func TestVerdictsOnWork(t *testing.T) {
	base, fresh := counted(12, generator(2)), counted(12, generator(3))
	asIs := func(_ perflog.Cell, _ int, v float64) float64 { return v }
	elsewhere := change(base, asIs) // the same counts with other queries
	for i := range elsewhere.Cells {
		elsewhere.Cells[i].Queries = fresh.Cells[i].Queries
	}
	type edit = func(c perflog.Cell, count int, v float64) float64
	times := func(factor float64) edit { return func(_ perflog.Cell, _ int, v float64) float64 { return factor * v } }
	only := func(count int, factor, others float64) edit {
		return func(_ perflog.Cell, j int, v float64) float64 {
			return map[bool]float64{true: factor, false: others}[j == count] * v
		}
	}
	once := func(more, others float64) edit { // adds to a count of one run, and to all others
		return func(c perflog.Cell, count int, v float64) float64 {
			if c.Problem == "c" && c.Repetition == 7 && count == 2 {
				return v + more
			}
			return v + others
		}
	}
	for name, c := range map[string]struct {
		head *perflog.Measurement
		of   edit
		want map[judge.Verdict]int
	}{
		"nothing":                   {base, asIs, map[judge.Verdict]int{judge.Same: 20}},
		"one more":                  {base, once(1, 0), map[judge.Verdict]int{judge.Same: 19, judge.Worse: 1}},
		"one less":                  {base, once(-1, 0), map[judge.Verdict]int{judge.Same: 19, judge.Better: 1}},
		"one more, the others less": {base, once(1, -100), map[judge.Verdict]int{judge.Better: 19, judge.Worse: 1}},

		"all grow":  {fresh, times(1.4), map[judge.Verdict]int{judge.Worse: 25}},
		"one grows": {fresh, only(1, 1.4, 1), map[judge.Verdict]int{judge.Worse: 5, judge.Undecided: 20}},
		// Significant on all problems together, but not on any single one.
		"one grows a little": {fresh, only(1, 1.12, 1), map[judge.Verdict]int{judge.Worse: 1, judge.Undecided: 24}},
		// Like doubling the β of POP-BO: most counts fall, others grow by chance.
		"most fall":               {fresh, only(4, 1.03, 0.6), map[judge.Verdict]int{judge.Better: 20, judge.Undecided: 5}},
		"by what does not matter": {elsewhere, times(1.04), map[judge.Verdict]int{judge.Same: 25}},
		"by what does":            {elsewhere, times(1.06), map[judge.Verdict]int{judge.Worse: 25}},
		"not at all":              {elsewhere, asIs, map[judge.Verdict]int{judge.Same: 20}},
		"in the ranks only": {elsewhere, func(c perflog.Cell, _ int, v float64) float64 {
			return map[bool]float64{true: 0, false: 1.05}[c.Repetition == 0] * v
		}, map[judge.Verdict]int{judge.Undecided: 25}},
		"in the mean only": {elsewhere, func(c perflog.Cell, _ int, v float64) float64 {
			return map[bool]float64{true: 9, false: 0.99}[c.Repetition == 0] * v
		}, map[judge.Verdict]int{judge.Undecided: 25}},
	} {
		got := compareCounts(t, base, change(c.head, c.of))
		check.Same(t, name, got.verdicts(), c.want)
		check.Equal(t, name+": is worse", got.Err() != nil, c.want[judge.Worse] > 0)
	}
}

// Runs with the same queries are compared exactly, even if other runs have different ones.
func TestSomeQueriesAreTheSame(t *testing.T) {
	base := counted(12, generator(4))
	head := change(base, func(c perflog.Cell, j int, v float64) float64 {
		if c.Repetition == 11 {
			return 3 * v
		}
		return v
	})
	for i := range head.Cells {
		if c := &head.Cells[i]; c.Repetition == 11 {
			c.Queries = "00000000000000ff"
		}
	}
	got := compareCounts(t, base, head)
	check.That(t, got.Err() == nil && got.verdicts()[judge.Undecided] == 25, "one run differs: %v, %v", got.Err(), got.verdicts())
	head.Cells[0].Work[0].Value++
	got = compareCounts(t, base, head)
	check.That(t, got.Err() != nil && got.verdicts()[judge.Worse] == 1 && got.Work[0].Verdict == judge.Worse,
		"one run differs, and another has one more with the same queries: %v", got.verdicts())
	// With other rounding the same queries need not have the same counts.
	head.Rounding = "4567"
	got = compareCounts(t, base, head)
	check.That(t, got.Err() == nil && got.OtherRounding, "the same with another rounding: %v", got.verdicts())
}

func TestTooFewRepetitions(t *testing.T) {
	double := func(_ perflog.Cell, _ int, v float64) float64 { return 2 * v }
	for repetitions, want := range map[int]string{2: "25 of 25 tests have too few runs to be significant for any data; with this many tests at least 10 runs are needed", 12: ""} {
		c := compareCounts(t, counted(repetitions, generator(5)), change(counted(repetitions, generator(6)), double))
		check.Equal(t, fmt.Sprintf("%d repetitions", repetitions), c.tooFew(), want)
		check.That(t, (c.Err() == nil) == (want != ""), "%d repetitions: %v", repetitions, c.verdicts())
	}
}

// A count that is 0 in base has no ratio.
func TestFromNothing(t *testing.T) {
	base := change(counted(12, generator(7)), func(perflog.Cell, int, float64) float64 { return 0 })
	head := change(counted(12, generator(8)), func(_ perflog.Cell, j int, v float64) float64 { return float64(j) * v })
	got := compareCounts(t, base, head)
	n := got.verdicts()
	check.That(t, n[judge.Worse] == 16 && n[judge.Same] == 4, "%v", n)
	text := compareText(t, got)
	check.Lacks(t, "the text", text, "NaN", "Inf")
	check.Contains(t, "the text", text, "none before, P")
}

package cost

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
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

// With the same queries a count must be equal: a single additional one in one run is worse,
// even if other counts fell.
func TestSameQueriesAreComparedExactly(t *testing.T) {
	base := counted(12, generator(1))
	for name, c := range map[string]struct {
		of   func(c perflog.Cell, count int, v float64) float64
		want map[judge.Verdict]int
	}{
		"nothing": {func(_ perflog.Cell, _ int, v float64) float64 { return v }, map[judge.Verdict]int{judge.Same: 20}},
		"one more": {func(c perflog.Cell, count int, v float64) float64 {
			if c.Problem == "c" && c.Repetition == 7 && count == 2 {
				return v + 1
			}
			return v
		}, map[judge.Verdict]int{judge.Same: 19, judge.Worse: 1}},
		"one less": {func(c perflog.Cell, count int, v float64) float64 {
			if c.Problem == "c" && c.Repetition == 7 && count == 2 {
				return v - 1
			}
			return v
		}, map[judge.Verdict]int{judge.Same: 19, judge.Better: 1}},
		"one more, the others less": {func(c perflog.Cell, count int, v float64) float64 {
			if count != 2 {
				return v
			}
			if c.Problem == "c" && c.Repetition == 7 {
				return v + 1
			}
			return v - 100
		}, map[judge.Verdict]int{judge.Same: 16, judge.Better: 3, judge.Worse: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			got := compareCounts(t, base, change(base, c.of))
			check.That(t, reflect.DeepEqual(got.verdicts(), c.want), "%v, want %v", got.verdicts(), c.want)
			err := got.Err()
			check.That(t, (err != nil) == (c.want[judge.Worse] > 0), "%v", err)
		})
	}
}

// If a change does not affect the distribution of counts, at most one comparison of 20 counts in twenty has the verdict
// worse, although queries differ and half the counts grew. WorkAlpha allows that share for better and worse together.
func TestOtherQueriesOfEqualCostAreNotWorse(t *testing.T) {
	n := check.Few(20, 100)
	grew, worse, better := 0, 0, 0
	for seed := range uint64(n) {
		c := compareCounts(t, counted(12, generator(1000+seed)), counted(12, generator(3000+seed)))
		for _, w := range c.Work {
			if w.Head > w.Base {
				grew++
			}
			check.That(t, w.Exact == 0 && w.Tested(), "not tested: %v", w)
		}
		if c.Err() != nil {
			worse++
		}
		if c.verdicts()[judge.Better] > 0 {
			better++
		}
	}
	check.That(t, worse <= n/20 && better <= n/20 && grew >= 15*n/2,
		"of %d comparisons %d say worse, %d better; %d of %d counts grew", n, worse, better, grew, 20*n)
}

// Where queries differ, a count is worse if it grew significantly and by at least the
// minimum, in the mean and in the ranks.
func TestOtherQueries(t *testing.T) {
	base, fresh := counted(12, generator(2)), counted(12, generator(3))
	asIs := change(base, func(_ perflog.Cell, _ int, v float64) float64 { return v })
	for i := range asIs.Cells {
		asIs.Cells[i].Queries = fresh.Cells[i].Queries
	}
	for name, c := range map[string]struct {
		head *perflog.Measurement
		of   func(c perflog.Cell, count int, v float64) float64
		want map[judge.Verdict]int
	}{
		"all grow": {fresh, func(_ perflog.Cell, _ int, v float64) float64 { return 1.4 * v }, map[judge.Verdict]int{judge.Worse: 25}},
		"one grows": {fresh, func(_ perflog.Cell, j int, v float64) float64 {
			return map[bool]float64{true: 1.4, false: 1}[j == 1] * v
		}, map[judge.Verdict]int{judge.Worse: 5, judge.Undecided: 20}},
		// Significant on all problems together, but not on any single one.
		"one grows a little": {fresh, func(_ perflog.Cell, j int, v float64) float64 {
			return map[bool]float64{true: 1.12, false: 1}[j == 1] * v
		}, map[judge.Verdict]int{judge.Worse: 1, judge.Undecided: 24}},
		// Like doubling the β of POP-BO: most counts fall, others grow by chance.
		"most fall": {fresh, func(_ perflog.Cell, j int, v float64) float64 {
			return map[bool]float64{true: 1.03, false: 0.6}[j == 4] * v
		}, map[judge.Verdict]int{judge.Better: 20, judge.Undecided: 5}},
		"by what does not matter": {asIs, func(_ perflog.Cell, _ int, v float64) float64 { return 1.04 * v }, map[judge.Verdict]int{judge.Same: 25}},
		"by what does":            {asIs, func(_ perflog.Cell, _ int, v float64) float64 { return 1.06 * v }, map[judge.Verdict]int{judge.Worse: 25}},
		"not at all":              {asIs, func(_ perflog.Cell, _ int, v float64) float64 { return v }, map[judge.Verdict]int{judge.Same: 20}},
		"in the ranks only": {asIs, func(c perflog.Cell, _ int, v float64) float64 {
			if c.Repetition == 0 {
				return 0
			}
			return 1.05 * v
		}, map[judge.Verdict]int{judge.Undecided: 25}},
		"in the mean only": {asIs, func(c perflog.Cell, _ int, v float64) float64 {
			if c.Repetition == 0 {
				return 9 * v
			}
			return 0.99 * v
		}, map[judge.Verdict]int{judge.Undecided: 25}},
	} {
		t.Run(name, func(t *testing.T) {
			got := compareCounts(t, base, change(c.head, c.of))
			if !reflect.DeepEqual(got.verdicts(), c.want) {
				t.Errorf("%v, want %v", got.verdicts(), c.want)
				for _, w := range got.Work {
					t.Log(w)
				}
			}
			err := got.Err()
			check.That(t, (err != nil) == (c.want[judge.Worse] > 0), "%v", err)
		})
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
	if got := compareCounts(t, base, head); got.Err() != nil || got.verdicts()[judge.Undecided] != 25 {
		t.Errorf("one run differs: %v, %v", got.Err(), got.verdicts())
	}
	head.Cells[0].Work[0].Value++
	got := compareCounts(t, base, head)
	check.That(t, got.Err() != nil && got.verdicts()[judge.Worse] == 1 && got.Work[0].Verdict == judge.Worse,
		"one run differs, and another has one more with the same queries: %v", got.verdicts())
	// With other rounding the same queries need not have the same counts.
	head.Rounding = "4567"
	if got := compareCounts(t, base, head); got.Err() != nil || !got.OtherRounding {
		t.Errorf("the same with another rounding: %v", got.verdicts())
	}
}

func TestTooFewRepetitions(t *testing.T) {
	double := func(_ perflog.Cell, _ int, v float64) float64 { return 2 * v }
	for repetitions, want := range map[int]string{2: "25 of 25 tests have too few runs to be significant for any data; with this many tests at least 10 runs are needed", 12: ""} {
		t.Run(fmt.Sprintf("%d repetitions", repetitions), func(t *testing.T) {
			c := compareCounts(t, counted(repetitions, generator(5)), change(counted(repetitions, generator(6)), double))
			check.Equal(t, fmt.Sprintf("%d repetitions", repetitions), c.tooFew(), want)
			check.That(t, (c.Err() == nil) == (want != ""), "%d repetitions: %v", repetitions, c.verdicts())
		})
	}
}

// A count that is 0 in base has no ratio.
func TestFromNothing(t *testing.T) {
	base := change(counted(12, generator(7)), func(perflog.Cell, int, float64) float64 { return 0 })
	head := change(counted(12, generator(8)), func(_ perflog.Cell, j int, v float64) float64 { return float64(j) * v })
	got := compareCounts(t, base, head)
	n := got.verdicts()
	check.That(t, n[judge.Worse] == 16 && n[judge.Same] == 4, "%v", n)
	if text := compareText(t, got); strings.Contains(text, "NaN") || strings.Contains(text, "Inf") || !strings.Contains(text, "none before, P") {
		t.Errorf("the text says\n%s", text)
	}
}

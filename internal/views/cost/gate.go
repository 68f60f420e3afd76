// Package cost compares the cost of a step of each algorithm with an earlier measurement, and shows its history. It reads
// only measurements (internal/perflog).
//
// Work counts depend on the queries alone: after one different query the rest of a run differs. So they are compared exactly
// if all queries of a cell are the same in both measurements, and otherwise by a paired test over the repetitions. Times
// vary with the machine, and are compared as multiples of the calibration.
package cost

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"popbench/internal/judge"
	"popbench/internal/math/stats"
	"popbench/internal/perflog"
	"popbench/internal/words"
)

// Comparison compares a measurement, head, with an earlier one, base.
type Comparison struct {
	Base, Head *perflog.Measurement
	Tolerance  float64 // of times
	Work       []*Work // all counts
	Times      []Time  // of all series; empty unless both measurements have times
	// OtherRounding: floating point rounds differently in the two measurements, so counts
	// may differ even if queries do not. No count is then compared exactly.
	OtherRounding bool
}

// Time compares the total time of all steps of an algorithm on a problem, in calibrations.
type Time struct {
	perflog.Key // T is the last row's
	Base, Head  float64
	Worse       bool
	Short       bool // too short to compare
	steps       int
}

// shortest is the mean time of a step, in calibrations, below which times depend mainly on the clock and the caches.
const shortest = 0.2

// Compare compares head with base. A count of an algorithm on a problem is worse if it grew at all in a run with the same
// queries, or over all runs significantly and by at least WorkTolerance. A time in calibrations is worse if it grew by more
// than the factor 1 + tolerance. It is an error if the settings differ, or if one lacks a cell or a row of the other.
func Compare(base, head *perflog.Measurement, tolerance float64) (*Comparison, error) {
	if base.ConfigHash != head.ConfigHash {
		return nil, fmt.Errorf("suite %s has other cells or settings than %s in the earlier measurement (config-hash %s, was %s); measure the earlier version again",
			head.Suite, base.Suite, head.ConfigHash, base.ConfigHash)
	}
	c := &Comparison{Base: base, Head: head, Tolerance: tolerance, OtherRounding: base.Rounding != head.Rounding}
	var err error
	if c.Work, err = compareWork(base.Cells, head.Cells, !c.OtherRounding); err != nil {
		return nil, err
	}
	if len(base.Passes) > 0 && len(head.Passes) > 0 {
		c.Times, err = compareTimes(base, head, tolerance)
	}
	return c, err
}

func compareTimes(base, head *perflog.Measurement, tolerance float64) ([]Time, error) {
	name := func(r perflog.Row) string { return r.Key.String() }
	if err := sameNames(words.Each(base.Rows(), name), words.Each(head.Rows(), name)); err != nil {
		return nil, err
	}
	at := map[perflog.Key]int{}
	for i, r := range head.Rows() {
		at[r.Key] = i
	}
	sums := map[perflog.Key]*Time{}
	for i, b := range base.Rows() {
		j := at[b.Key]
		series := b.Key
		series.T = 0
		if sums[series] == nil {
			sums[series] = &Time{Key: series}
		}
		s := sums[series]
		s.T = max(s.T, b.T)
		s.Base += base.Least(i).Calibrations * float64(b.Steps)
		s.Head += head.Least(j).Calibrations * float64(b.Steps)
		s.steps += b.Steps
	}
	var list []Time
	for _, key := range slices.SortedFunc(maps.Keys(sums), perflog.CompareKeys) {
		s := sums[key]
		s.Short = s.Base < shortest*float64(s.steps)
		s.Worse = !s.Short && s.Head > (1+tolerance)*s.Base
		list = append(list, *s)
	}
	return list, nil
}

// sameNames returns an error if one of the measurements lacks cells or rows of the other: its file may have been cut off.
func sameNames(base, head []string) error {
	lacks := func(which string, has, want []string) error {
		lost := words.Only(want, func(name string) bool { return !slices.Contains(has, name) })
		if lost == nil {
			return nil
		}
		return fmt.Errorf("the %s measurement lacks %d of %d, the first %s; copy its file again if it was cut off, or measure again",
			which, len(lost), len(want), lost[0])
	}
	return cmp.Or(lacks("earlier", base, head), lacks("later", head, base))
}

// Err returns an error that summarises what got worse, or nil if nothing did.
func (c *Comparison) Err() error {
	var what []string
	if n := c.verdicts()[judge.Worse]; n > 0 {
		what = append(what, fmt.Sprintf("%d of %d work counts grew", n, len(c.Work)))
	}
	if n := stats.Count(c.Times, func(t Time) bool { return t.Worse }); n > 0 {
		what = append(what, fmt.Sprintf("%d of %d algorithms on a problem take more than %g times as long", n, len(c.Times), 1+c.Tolerance))
	}
	if what == nil {
		return nil
	}
	return errors.New(strings.Join(what, "; "))
}

// verdicts counts the verdicts on work counts.
func (c *Comparison) verdicts() map[judge.Verdict]int {
	n := map[judge.Verdict]int{}
	for _, w := range c.Work {
		n[w.Verdict]++
	}
	return n
}

// Write writes the comparison as text: all counts that differ in any run, worse ones first, and all times.
func (c *Comparison) Write(w io.Writer) error {
	var b strings.Builder
	n := c.verdicts()
	order := []judge.Verdict{judge.Worse, judge.Undecided, judge.Better, judge.Same}
	fmt.Fprint(&b, "work: ")
	for i, v := range order {
		fmt.Fprintf(&b, "%s%d %s", map[bool]string{true: ", "}[i > 0], n[v], v)
	}
	fmt.Fprintf(&b, ", of %d counts\n", len(c.Work))
	if c.OtherRounding {
		fmt.Fprintf(&b, "  counts are not compared exactly: %s and %s round differently, or the two builds do\n", c.Base.CPU, c.Head.CPU)
	}
	for _, v := range order {
		for _, x := range c.Work {
			if !x.Equal() && x.Verdict == v {
				fmt.Fprintf(&b, "  %v\n", x)
			}
		}
	}
	if tested := family(c.Work).Size(); tested > 0 {
		fmt.Fprintf(&b, "  where queries differ: signed-rank tests over the runs, P adjusted by Holm for %d tests; worse means P at most %g and at least ×%g\n",
			tested, WorkAlpha, 1+WorkTolerance)
	}
	if note := c.tooFew(); note != "" {
		fmt.Fprintf(&b, "  %s\n", note)
	}
	if len(c.Times) == 0 {
		fmt.Fprintln(&b, "times are not compared: one of the two has only counts")
	} else {
		fmt.Fprintf(&b, "total time of all steps, in calibrations; up to ×%g is tolerated\n", 1+c.Tolerance)
	}
	for _, t := range c.Times {
		mark := ""
		switch {
		case t.Worse:
			mark = "  " + judge.Worse.String()
		case t.Short:
			mark = "  too short to compare"
		}
		fmt.Fprintf(&b, "  problem=%s/algorithm=%s/d=%d: %.4g, was %.4g, ×%.2f%s\n", t.Problem, t.Algorithm, t.Dim, t.Head, t.Base, t.Head/t.Base, mark)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// String describes a count that differs, in one line.
func (w *Work) String() string {
	text := fmt.Sprintf("algorithm=%s, all problems, %s: ", w.Algorithm, w.Name)
	if w.Problem != "" {
		text = fmt.Sprintf("problem=%s/algorithm=%s/d=%d %s: %.6g per step, was %.6g, ", w.Problem, w.Algorithm, w.Dim, w.Name, w.Head, w.Base)
	}
	if math.IsInf(w.Value, 1) {
		text += "none before"
	} else {
		text += fmt.Sprintf("×%.3f", w.Value)
	}
	if !math.IsNaN(w.CI.Lo) {
		text += fmt.Sprintf(" [%.3f, %.3f]", w.CI.Lo, w.CI.Hi)
	}
	if w.Tested() {
		text += fmt.Sprintf(", P %.2g", w.Adjusted)
	}
	if w.Exact > 0 {
		text += fmt.Sprintf(", same queries in %d of %d runs", w.Exact, w.Runs[0])
	}
	if w.Grew+w.Fell > 0 {
		text += fmt.Sprintf(", of which %d grew and %d fell", w.Grew, w.Fell)
	}
	return text + "  " + w.Verdict.String()
}

// tooFew returns a warning if a test has too few repetitions to be significant.
func (c *Comparison) tooFew() string {
	all := family(c.Work)
	few := all.Blind(WorkAlpha)
	if few == nil {
		return ""
	}
	return fmt.Sprintf("%d of %d tests have too few runs to be significant for any data; with this many tests at least %d runs are needed",
		len(few), all.Size(), few.Needed(WorkAlpha))
}

// The limits of bench compare, used where queries differ. WorkTolerance is the smallest relevant change of a count, as a
// share of base's mean. WorkAlpha bounds the probability of any false verdict of worse or better.
const (
	WorkTolerance = 0.05
	WorkAlpha     = 0.05
)

// Work compares one count of an algorithm over all repetitions, on one problem or on all problems together.
type Work struct {
	perflog.Key // T is the number of steps; for all problems together only Algorithm is set
	Name        string
	Exact       int             // runs with the same queries, whose counts must be equal
	Grew, Fell  int             // exact runs whose count changed; 0 for all problems together
	Base, Head  float64         // mean per step, on one problem
	counts      []stats.Stratum // of base and head, for each problem
	differ      bool            // in a run with other queries
	// Test is of the ratio of head to base; for all problems together of the mean of their ratios. It is adjusted over all
	// counts. If all queries are the same, or no count differs, it has the ratio and no P.
	judge.Test
}

// Tested reports whether the count was tested: the queries differ, and the count too.
func (w *Work) Tested() bool { return !w.Identical() }

// Equal reports whether the count is the same in every repetition.
func (w *Work) Equal() bool { return !w.Tested() && w.Grew+w.Fell == 0 }

// compareWork compares all counts, but none exactly if floating point rounds differently and exact is false. A count that is
// tested on several problems is also tested on all of them together, to find a change where each has too few repetitions.
func compareWork(base, head []perflog.Cell, exact bool) ([]*Work, error) {
	list, err := pair(base, head, exact)
	if err != nil {
		return nil, err
	}
	type key struct{ algorithm, name string }
	problems := map[key][]*Work{}
	for _, w := range list {
		w.compare()
		if k := (key{w.Algorithm, w.Name}); w.Base != 0 { // otherwise the ratio is undefined
			problems[k] = append(problems[k], w)
		}
	}
	for _, k := range slices.SortedFunc(maps.Keys(problems), func(a, b key) int {
		return cmp.Or(cmp.Compare(a.algorithm, b.algorithm), cmp.Compare(a.name, b.name))
	}) {
		together := &Work{Key: perflog.Key{Algorithm: k.algorithm}, Name: k.name}
		for _, w := range problems[k] {
			together.counts = append(together.counts, w.counts...)
			together.Exact += w.Exact
		}
		if stats.Count(problems[k], (*Work).Tested) > 1 {
			together.test()
			list = append(list, together)
		}
	}
	family(list).Adjust()
	for _, w := range list {
		w.Verdict = w.judge()
	}
	return list, nil
}

func family(list []*Work) judge.Family {
	return words.Each(list, func(w *Work) *judge.Test { return &w.Test })
}

// pair returns each count of an algorithm on a problem, with its values in both measurements. In exact runs, those with the
// same queries, they are compared already.
func pair(base, head []perflog.Cell, exact bool) (list []*Work, err error) {
	if err := sameNames(words.Each(base, perflog.Cell.String), words.Each(head, perflog.Cell.String)); err != nil {
		return nil, err
	}
	now := map[string]perflog.Cell{}
	for _, c := range head {
		now[c.String()] = c
	}
	all := map[perflog.Key][]*Work{} // by the order of their names in a cell
	for _, b := range base {
		h := now[b.String()]
		counts, known := all[b.Key]
		if !known {
			counts = words.Each(b.Work, func(c perflog.Count) *Work {
				return &Work{Key: b.Key, Name: c.Name, counts: []stats.Stratum{{nil, nil}}}
			})
			all[b.Key], list = counts, append(list, counts...)
		}
		its := words.Each(counts, func(w *Work) string { return w.Name })
		for _, c := range []perflog.Cell{b, h} {
			if names := words.Each(c.Work, func(c perflog.Count) string { return c.Name }); !slices.Equal(names, its) {
				return nil, fmt.Errorf("%v has the counts %s, but %s in the earlier measurement; measure the earlier version again",
					c, strings.Join(names, ", "), strings.Join(its, ", "))
			}
		}
		for i, w := range counts {
			w.add(b.Work[i].Value, h.Work[i].Value, exact && b.Queries == h.Queries)
		}
	}
	slices.SortStableFunc(list, func(a, b *Work) int { return perflog.CompareKeys(a.Key, b.Key) })
	return list, nil
}

// add takes in the counts of a run.
func (w *Work) add(base, head float64, exact bool) {
	both := w.counts[0]
	both[0], both[1] = append(both[0], base), append(both[1], head)
	switch {
	case !exact:
		w.differ = w.differ || head != base
		return
	case head > base:
		w.Grew++
	case head < base:
		w.Fell++
	}
	w.Exact++
}

// compare compares the counts on one problem. Their correction and verdict follow later.
func (w *Work) compare() {
	base, head, steps := w.counts[0][0], w.counts[0][1], float64(w.T)
	w.Base, w.Head = stats.Mean(base)/steps, stats.Mean(head)/steps
	w.Test = judge.Untested(len(base), w.Head/w.Base)
	if w.differ {
		w.test()
	}
}

// test tests the paired counts of base and head, on each problem in units of the mean in base.
func (w *Work) test() {
	var d []float64
	for _, s := range w.counts {
		unit := stats.Mean(s[0])
		if unit == 0 {
			unit = 1
		}
		for k := range s[0] {
			d = append(d, (s[1][k]-s[0][k])/unit)
		}
	}
	w.Test = judge.Paired(d)
	w.Null = 1
	w.Estimate(w.counts, func(m [][]float64) float64 {
		var sum float64
		for _, s := range m {
			sum += s[1] / s[0]
		}
		return sum / float64(len(m))
	})
	if math.IsNaN(w.Value) {
		w.Value = math.Inf(1) // base has no such work
	}
}

// judge returns the verdict. With the same queries no test is needed.
func (w *Work) judge() judge.Verdict {
	switch {
	case w.Grew > 0:
		return judge.Worse
	case w.Equal():
		return judge.Same
	case !w.Tested():
		return judge.Better
	}
	return w.Relevant(WorkAlpha, WorkTolerance)
}

package perf

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"popbench/internal/stats"
)

// Verdict is on head, by comparison with base, in the words of bench compare.
type Verdict string

const (
	Worse     Verdict = "worse"     // more of it with the same queries; or significantly more, and by what matters
	Better    Verdict = "better"    // the same the other way
	Same      Verdict = "same"      // equal, or the interval of the ratio is within what does not matter
	Undecided Verdict = "undecided" // too few repetitions to tell
)

// What bench compare has too. Where queries differ, WorkTolerance is the smallest
// change of a count that matters, as a share of base's mean, and WorkAlpha bounds
// the chance that any count is called worse or better when none is.
const (
	WorkTolerance = 0.05
	WorkAlpha     = 0.05
)

// resamples of the bootstrap behind the intervals.
const resamples = 2000

// Work compares one count of an algorithm on a problem, over all repetitions.
type Work struct {
	Key         // T is the number of steps
	Name        string
	Repetitions int
	Exact       int            // repetitions in which all queries are the same, so that the count has to be
	Grew, Fell  int            // of the exact ones
	Base, Head  float64        // mean a step
	Ratio       float64        // Head / Base
	CI          stats.Interval // of the ratio, where it is tested
	Effect      float64        // rank-biserial correlation, positive if head is worse
	P, Adjusted float64        // of the signed-rank test, and by Holm over all counts; NaN where there is nothing to test
	Verdict     Verdict
}

// Tested reports whether the count was tested: queries differ, and so does the
// count.
func (w *Work) Tested() bool { return !math.IsNaN(w.P) }

// Equal reports whether the count is the same in every repetition.
func (w *Work) Equal() bool { return !w.Tested() && w.Grew+w.Fell == 0 }

// series is what is compared at once: an algorithm on a problem.
type series struct {
	Key
	exact      []bool      // by repetition: all queries are the same
	base, head [][]float64 // counts, by name and repetition
	names      []string
}

// compareWork compares all counts. Whether any cell is exact is for the caller to
// say: where floating point rounds differently, none is.
func compareWork(base, head []Cell, exact bool) ([]Work, error) {
	all, err := pair(base, head, exact)
	if err != nil {
		return nil, err
	}
	var list []Work
	var p []float64
	for _, s := range all {
		for i := range s.names {
			w := s.compare(i)
			list, p = append(list, w), append(p, w.P)
		}
	}
	for i, adjusted := range stats.Holm(p) {
		list[i].Adjusted = adjusted
		list[i].Verdict = list[i].judge()
	}
	return list, nil
}

// pair puts the cells of both measurements side by side, sorted by key.
func pair(base, head []Cell, exact bool) ([]*series, error) {
	now := map[string]Cell{}
	for _, c := range head {
		now[c.String()] = c
	}
	all := map[Key]*series{}
	for _, b := range base {
		h, ok := now[b.String()]
		if !ok {
			return nil, fmt.Errorf("%v was measured before and is not now", b)
		}
		s := all[b.Key]
		if s == nil {
			s = &series{Key: b.Key, names: names(b.Work), base: make([][]float64, len(b.Work)), head: make([][]float64, len(b.Work))}
			all[b.Key] = s
		}
		for _, c := range []Cell{b, h} {
			if !slices.Equal(names(c.Work), s.names) {
				return nil, fmt.Errorf("%v counts %s, %s before; measure anew what to compare with", c, strings.Join(names(c.Work), ", "), strings.Join(s.names, ", "))
			}
		}
		s.exact = append(s.exact, exact && b.Queries == h.Queries)
		for i := range s.names {
			s.base[i] = append(s.base[i], b.Work[i].Value)
			s.head[i] = append(s.head[i], h.Work[i].Value)
		}
	}
	var sorted []*series
	for _, k := range slices.SortedFunc(maps.Keys(all), compareKeys) {
		sorted = append(sorted, all[k])
	}
	return sorted, nil
}

func names(work []Count) []string {
	list := make([]string, len(work))
	for i, w := range work {
		list[i] = w.Name
	}
	return list
}

// compare compares count i, but for the correction and the verdict.
func (s *series) compare(i int) Work {
	base, head := s.base[i], s.head[i]
	steps := float64(s.T)
	w := Work{
		Key: s.Key, Name: s.names[i], Repetitions: len(base),
		Base: stats.Mean(base) / steps, Head: stats.Mean(head) / steps,
		CI: stats.Interval{Lo: math.NaN(), Hi: math.NaN()}, P: math.NaN(),
	}
	w.Ratio = w.Head / w.Base
	d := make([]float64, len(base))
	differ := 0 // with other queries
	for k := range d {
		d[k] = head[k] - base[k]
		switch {
		case !s.exact[k]:
			if d[k] != 0 {
				differ++
			}
			continue
		case d[k] > 0:
			w.Grew++
		case d[k] < 0:
			w.Fell++
		}
		w.Exact++
	}
	if differ == 0 {
		return w
	}
	test := stats.SignedRank(d)
	w.P, w.Effect = test.P, test.Effect
	w.CI = stats.Resample([]stats.Stratum{{base, head}}, func(m [][]float64) float64 { return m[0][1] / m[0][0] }, resamples).Interval(stats.Level)
	return w
}

// judge gives the verdict. For better or worse it wants the test to be
// significant, and means and ranks to agree on the direction, as bench compare
// does; where the queries are the same nothing has to be tested.
func (w *Work) judge() Verdict {
	switch {
	case w.Grew > 0:
		return Worse
	case w.Equal():
		return Same
	case !w.Tested():
		return Better
	case w.Adjusted <= WorkAlpha && w.Effect > 0 && w.Head > w.Base && w.Head >= (1+WorkTolerance)*w.Base:
		return Worse
	case w.Adjusted <= WorkAlpha && w.Effect < 0 && w.Head < w.Base && w.Head <= (1-WorkTolerance)*w.Base:
		return Better
	case 1-WorkTolerance <= w.CI.Lo && w.CI.Hi <= 1+WorkTolerance:
		return Same
	}
	return Undecided
}

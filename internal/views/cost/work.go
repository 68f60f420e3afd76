package cost

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"popbench/internal/judge"
	"popbench/internal/math/stats"
	"popbench/internal/perflog"
	"popbench/internal/words"
)

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
	// Test is of the ratio of head to base; for all problems together of the mean of their ratios. It is adjusted over all
	// counts. If all queries are the same, or no count differs, it has the ratio and no P.
	judge.Test
}

// Tested reports whether the count was tested: the queries differ, and the count too.
func (w *Work) Tested() bool { return !w.Identical() }

// Equal reports whether the count is the same in every repetition.
func (w *Work) Equal() bool { return !w.Tested() && w.Grew+w.Fell == 0 }

// series has the counts that are compared together: all of an algorithm on a problem.
type series struct {
	perflog.Key
	exact      []bool      // by repetition: whether all queries are the same
	base, head [][]float64 // counts, by name and repetition
	names      []string
}

// compareWork compares all counts, but none exactly if floating point rounds differently and exact is false. A count that is
// tested on several problems is also tested on all of them together, to find a change where each has too few repetitions.
func compareWork(base, head []perflog.Cell, exact bool) ([]Work, error) {
	all, err := pair(base, head, exact)
	if err != nil {
		return nil, err
	}
	var list []Work
	type key struct{ algorithm, name string }
	problems := map[key][]Work{}
	for _, at := range slices.SortedFunc(maps.Keys(all), perflog.CompareKeys) {
		for i, name := range all[at].names {
			w := all[at].compare(i)
			list = append(list, w)
			if k := (key{w.Algorithm, name}); w.Base != 0 { // otherwise the ratio is undefined
				problems[k] = append(problems[k], w)
			}
		}
	}
	for _, k := range slices.SortedFunc(maps.Keys(problems), func(a, b key) int {
		return cmp.Or(cmp.Compare(a.algorithm, b.algorithm), cmp.Compare(a.name, b.name))
	}) {
		together, tested := Work{Key: perflog.Key{Algorithm: k.algorithm}, Name: k.name}, 0
		for _, w := range problems[k] {
			together.counts = append(together.counts, w.counts...)
			together.Exact += w.Exact
			if w.Tested() {
				tested++
			}
		}
		if tested > 1 {
			together.test()
			list = append(list, together)
		}
	}
	family(list).Adjust()
	for i := range list {
		list[i].Verdict = list[i].judge()
	}
	return list, nil
}

func family(list []Work) judge.Family {
	return judge.FamilyOf(list, func(w *Work) *judge.Test { return &w.Test })
}

// pair pairs the cells of both measurements.
func pair(base, head []perflog.Cell, exact bool) (map[perflog.Key]*series, error) {
	now := map[string]perflog.Cell{}
	for _, c := range head {
		now[c.String()] = c
	}
	all := map[perflog.Key]*series{}
	for _, b := range base {
		h, ok := now[b.String()]
		if !ok {
			return nil, fmt.Errorf("%v is in the earlier measurement only", b)
		}
		s := all[b.Key]
		if s == nil {
			s = &series{Key: b.Key, names: names(b.Work), base: make([][]float64, len(b.Work)), head: make([][]float64, len(b.Work))}
			all[b.Key] = s
		}
		for _, c := range []perflog.Cell{b, h} {
			if !slices.Equal(names(c.Work), s.names) {
				return nil, fmt.Errorf("%v has the counts %s, but %s in the earlier measurement; measure the earlier version again",
					c, strings.Join(names(c.Work), ", "), strings.Join(s.names, ", "))
			}
		}
		s.exact = append(s.exact, exact && b.Queries == h.Queries)
		for i := range s.names {
			s.base[i] = append(s.base[i], b.Work[i].Value)
			s.head[i] = append(s.head[i], h.Work[i].Value)
		}
	}
	return all, nil
}

func names(work []perflog.Count) []string {
	return words.Each(work, func(c perflog.Count) string { return c.Name })
}

// compare compares count i. Its correction and verdict follow later.
func (s *series) compare(i int) Work {
	base, head := s.base[i], s.head[i]
	steps := float64(s.T)
	w := Work{Key: s.Key, Name: s.names[i], Base: stats.Mean(base) / steps, Head: stats.Mean(head) / steps,
		counts: []stats.Stratum{{base, head}}}
	w.Test = judge.Untested(len(base), w.Head/w.Base)
	differ := false // in a run with other queries
	for k := range base {
		switch {
		case !s.exact[k]:
			differ = differ || head[k] != base[k]
			continue
		case head[k] > base[k]:
			w.Grew++
		case head[k] < base[k]:
			w.Fell++
		}
		w.Exact++
	}
	if differ {
		w.test()
	}
	return w
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

package outcome

import (
	"cmp"
	"maps"
	"slices"
	"strconv"

	"popbench/internal/words"
	"popbench/record"
)

// Sweep is algorithms of a suite that differ in one number: the same method, with other values of one setting.
type Sweep struct {
	Setting string    // as in a suite file, nested names joined by dots
	Labels  []string  // three or more, by the value
	Values  []float64 // ascending
}

const minSweep = 3

// Sweep returns the sweep of the suite; nil if it has none. The settings of three or more algorithms of the same name and
// pilot have to be the same on every problem but for one number, which is the same on all problems.
func (r *Results) Sweep() *Sweep {
	own := words.Only(r.Groups, func(g *Group) bool { return g.Imported == nil && g.Algorithm.Program == nil })
	for _, name := range words.Once(words.Each(own, func(g *Group) string { return g.Algorithm.Name })) {
		if s := r.sweepOf(name); s != nil {
			return s
		}
	}
	return nil
}

func (r *Results) sweepOf(name string) *Sweep {
	s := &Sweep{}
	values := map[string]float64{} // by label
	for i, g := range r.Groups {
		if g.Algorithm.Name != name {
			continue
		}
		for _, other := range r.Groups[:i] { // each pair of labels on the problem, once
			if other.Algorithm.Name != name || other.Problem.Name != g.Problem.Name {
				continue
			}
			setting, a, b, ok := onlyNumber(other.Algorithm.Settings, g.Algorithm.Settings)
			s.Setting = cmp.Or(s.Setting, setting)
			if !ok || setting != s.Setting || other.Pilot != g.Pilot || !known(values, other.Algorithm.Label, a) || !known(values, g.Algorithm.Label, b) {
				return nil
			}
		}
	}
	if len(values) < minSweep {
		return nil
	}
	s.Labels = slices.SortedFunc(maps.Keys(values), func(a, b string) int { return cmp.Or(cmp.Compare(values[a], values[b]), cmp.Compare(a, b)) })
	s.Values = words.Each(s.Labels, func(label string) float64 { return values[label] })
	return s
}

// known notes the value of a label, and reports whether it is the only one.
func known(values map[string]float64, label string, v float64) bool {
	before, ok := values[label]
	values[label] = v
	return !ok || before == v
}

// onlyNumber returns the setting in which two settings objects differ, and its values, if it is the only one and a number.
func onlyNumber(first, second []byte) (setting string, a, b float64, ok bool) {
	one, other := record.Leaves(first, false), record.Leaves(second, false)
	if len(one) != len(other) {
		return "", 0, 0, false
	}
	for i, l := range one {
		if l == other[i] {
			continue
		}
		var errA, errB error
		a, errA = strconv.ParseFloat(l.Value, 64)
		b, errB = strconv.ParseFloat(other[i].Value, 64)
		if l.Path != other[i].Path || setting != "" || errA != nil || errB != nil {
			return "", 0, 0, false
		}
		setting = l.Path
	}
	return setting, a, b, setting != ""
}

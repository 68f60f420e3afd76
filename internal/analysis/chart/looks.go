package chart

import (
	"slices"

	"popbench/internal/analysis/outcome"
)

// looks are algorithms, by their names in the catalogue, in the order of their
// styles: an algorithm looks the same in every report. An empty name is a style
// for another, or for the second label of one of these.
var looks = []string{"popbo", "qeubo", "sgp", "dts", "gpucb", "", "random", ""}

// graded is where the styles of a sequence begin; there are fewer than gradedMax in a sequence.
const (
	graded    = 1 << 16
	gradedMax = 1 << 10
)

// Graded is the style of number k of n in a sequence, from 0: values of a setting look like steps from one end of a scale to
// the other.
func Graded(k, n int) int { return graded + min(n, gradedMax-1)*gradedMax + min(k, gradedMax-1) }

// Grade returns k and n of a style of a sequence; false if it is none.
func Grade(style int) (k, n int, ok bool) {
	style -= graded
	return style % gradedMax, style / gradedMax, style >= 0
}

// Styles is the style of each label of the results: its algorithm's own for the
// first label of an algorithm, one that is left over for any other. Those of a
// sweep are a sequence.
func Styles(r *outcome.Results) map[string]int {
	style := map[string]int{}
	if sweep := r.Sweep(); sweep != nil {
		for k, label := range sweep.Labels {
			style[label] = Graded(k, len(sweep.Labels))
		}
	}
	var labels, names, rest []string
	for i := range r.Groups {
		a := &r.Groups[i].Algorithm
		if slices.Contains(labels, a.Label) {
			continue
		}
		labels = append(labels, a.Label)
		if _, ok := style[a.Label]; ok {
			continue
		}
		if k := slices.Index(looks, a.Name); k >= 0 && !slices.Contains(names, a.Name) {
			style[a.Label] = k
		} else {
			rest = append(rest, a.Label)
		}
		names = append(names, a.Name)
	}
	for _, label := range rest {
		style[label] = Free(style)
	}
	return style
}

// Free is a style that nothing has: one that is no algorithm's, or else the first.
func Free(taken map[string]int) int {
	used := map[int]bool{}
	for _, k := range taken {
		used[k] = true
	}
	for k, name := range looks {
		if name == "" && !used[k] {
			return k
		}
	}
	k := 0
	for used[k] {
		k++
	}
	return k
}

package chart

import (
	"slices"

	"popbench/internal/analysis/outcome"
)

// looks are algorithms, by their names in the catalogue, in the order of their
// styles: an algorithm looks the same in every report. An empty name is a style
// for another, or for the second label of one of these.
var looks = []string{"popbo", "qeubo", "sgp", "dts", "gpucb", "", "random", ""}

// Styles is the style of each label of the results: its algorithm's own for the
// first label of an algorithm, one that is left over for any other.
func Styles(r *outcome.Results) map[string]int {
	style := map[string]int{}
	var labels, names, rest []string
	for i := range r.Groups {
		a := &r.Groups[i].Algorithm
		if slices.Contains(labels, a.Label) {
			continue
		}
		labels = append(labels, a.Label)
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

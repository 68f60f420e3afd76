package charting

import (
	"cmp"
	"slices"

	"popbench/internal/outcome"
	"popbench/internal/page/figure"
	"popbench/internal/views/about"
)

// Styles is the style of each label of the results: the method's own for its first label, a free one for any other. The
// styles of a sweep are a sequence.
func Styles(r *outcome.Results) map[string]int {
	style := map[string]int{}
	if sweep := r.Sweep(); sweep != nil {
		for k, label := range sweep.Labels {
			style[label] = figure.Graded(k, len(sweep.Labels))
		}
	}
	var rest []string
	taken := map[int]bool{}
	for _, g := range r.Groups {
		a := &g.Algorithm
		if _, ok := style[a.Label]; ok || slices.Contains(rest, a.Label) {
			continue
		}
		if own, ok := about.Style(a.Name, a.Settings); ok && !taken[own] {
			style[a.Label], taken[own] = own, true
		} else {
			rest = append(rest, a.Label)
		}
	}
	return addFree(style, rest)
}

// StylesOf is Styles where only labels are known: a label stands for the method whose title or name it is.
func StylesOf(labels []string) map[string]int {
	style := map[string]int{}
	var rest []string
	for _, label := range labels {
		if own, ok := about.Style(about.Titled(label).Name, nil); ok {
			style[label] = own
		} else {
			rest = append(rest, label)
		}
	}
	return addFree(style, rest)
}

func addFree(style map[string]int, labels []string) map[string]int {
	for _, label := range labels {
		style[label] = Free(style)
	}
	return style
}

// Free is the first style that is neither taken nor a method's, among the styles of the least used colours.
func Free(taken map[string]int) int {
	var had [figure.Colours]int
	used := map[int]bool{}
	for _, k := range taken {
		used[k] = true
		if _, _, ok := figure.Grade(k); !ok {
			had[k%figure.Colours]++
		}
	}
	var free []int // of each colour
	for k := range figure.Colours {
		for used[k] || about.Declared(k) {
			k += figure.Colours
		}
		free = append(free, k)
	}
	return slices.MinFunc(free, func(a, b int) int { return cmp.Or(had[a%figure.Colours]-had[b%figure.Colours], a-b) })
}

package chart

import (
	"slices"

	"popbench/internal/analysis/about"
	"popbench/internal/analysis/outcome"
)

// Colours is how many colours the lines of figures have: styles with the same remainder have the same colour.
const Colours = 8

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

// Styles is the style of each label of the results: that of its method for the
// first label of a method, one that is left over for any other. Those of a
// sweep are a sequence.
func Styles(r *outcome.Results) map[string]int {
	style := map[string]int{}
	if sweep := r.Sweep(); sweep != nil {
		for k, label := range sweep.Labels {
			style[label] = Graded(k, len(sweep.Labels))
		}
	}
	var rest []string
	taken := map[int]bool{}
	for i := range r.Groups {
		a := &r.Groups[i].Algorithm
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

// StylesOf is the same where nothing but labels is known: a label is of the method whose title or name it is.
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

// Free is the first style that nothing has and that is no method's, of those in the colours that the fewest have.
func Free(taken map[string]int) int {
	var had [Colours]int
	used := map[int]bool{}
	for _, k := range taken {
		used[k] = true
		if _, _, ok := Grade(k); !ok {
			had[k%Colours]++
		}
	}
	first := func(k int) int {
		for used[k] || about.Declared(k) {
			k += Colours
		}
		return k
	}
	best := first(0)
	for colour := 1; colour < Colours; colour++ {
		if k := first(colour); had[colour] < had[best%Colours] || had[colour] == had[best%Colours] && k < best {
			best = k
		}
	}
	return best
}

package about

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"

	"popbench/internal/outcome"
	"popbench/internal/page/figure"
	"popbench/internal/words"
)

// named is a label of an algorithm.
type named struct {
	label, name string
	settings    []byte
}

// Styles is the style of each label of the results: the method's own for its first label, a free one for any other. The
// styles of a sweep are a sequence.
func Styles(r *outcome.Results) map[string]int {
	style := map[string]int{}
	if sweep := r.Sweep(); sweep != nil {
		for k, label := range sweep.Labels {
			style[label] = figure.Graded(k, len(sweep.Labels))
		}
	}
	return complete(style, words.Each(r.Groups, func(g *outcome.Group) named { return named{g.Algorithm.Label, g.Algorithm.Name, g.Algorithm.Settings} }))
}

// StylesOf is Styles where only labels are known: a label stands for the method whose title or name it is.
func StylesOf(labels []string) map[string]int {
	return complete(map[string]int{}, words.Each(labels, func(label string) named { return named{label: label, name: Titled(label).Name} }))
}

// complete adds a style for each label that has none.
func complete(style map[string]int, all []named) map[string]int {
	var rest []string
	taken := map[int]bool{}
	for _, a := range all {
		if _, ok := style[a.label]; ok || slices.Contains(rest, a.label) {
			continue
		}
		if own, ok := Style(a.name, a.settings); ok && !taken[own] {
			style[a.label], taken[own] = own, true
		} else {
			rest = append(rest, a.label)
		}
	}
	for _, label := range rest {
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
		for used[k] || declared(k) {
			k += figure.Colours
		}
		free = append(free, k)
	}
	return slices.MinFunc(free, func(a, b int) int { return cmp.Or(had[a%figure.Colours]-had[b%figure.Colours], a-b) })
}

// Style returns the style in which figures draw a built-in method with these settings; false if it has none.
func Style(name string, settings json.RawMessage) (style int, ok bool) {
	var with struct {
		Rule string `json:"rule"`
	}
	_ = json.Unmarshal(settings, &with) // without settings it has no rule
	styles := find(name).Styles
	if style, ok = styles[""]; !ok {
		style, ok = styles[with.Rule]
	}
	return style, ok
}

// declared reports whether the style belongs to a built-in method.
func declared(style int) bool {
	return slices.ContainsFunc(methods(), func(m method) bool { return slices.Contains(slices.Collect(maps.Values(m.Styles)), style) })
}

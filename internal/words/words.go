// Package words has what texts for people have in common: counts and lists in English, the name that a misspelt one
// means, and the rules for text on one line. Names, labels and titles appear in tables, pages, file names and terminals,
// where a control character would change what the reader sees. Suite files and records are checked by these rules. All
// other external text, such as a file name, is quoted where it is shown.
package words

import (
	"slices"
	"strconv"
	"strings"
)

// Capital returns s with its first letter, which is an ASCII one, as a capital.
func Capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// Count is "1 run" or "3 runs".
func Count(n int, noun string) string { return strconv.Itoa(n) + " " + Plural(n, noun) }

// Plural is the noun with an s, or with "ies" if it ends in y like "study", unless n is 1. Nouns like "day" do not occur.
func Plural(n int, noun string) string {
	several := noun + "s"
	if stem, ok := strings.CutSuffix(noun, "y"); ok {
		several = stem + "ies"
	}
	return Choose(n, noun, several)
}

// Choose returns the word for one thing if n is 1, and the word for several if not.
func Choose(n int, one, several string) string {
	if n == 1 {
		return one
	}
	return several
}

// List is "A, B and C".
func List(names []string) string { return joined(names, " and ") }

// Either is "A, B or C".
func Either(names []string) string { return joined(names, " or ") }

func joined(names []string, last string) string {
	n := len(names)
	if n < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:n-1], ", ") + last + names[n-1]
}

// Include appends e to a list that does not contain it.
func Include[T comparable](list []T, e T) []T {
	if slices.Contains(list, e) {
		return list
	}
	return append(list, e)
}

// Once is the list with each element once, where it comes first.
func Once[T comparable](list []T) (once []T) {
	for _, e := range list {
		once = Include(once, e)
	}
	return once
}

// Each is what there is of each element, its text for example.
func Each[T, R any](list []T, of func(T) R) (all []R) {
	all = slices.Grow(all, len(list))
	for _, e := range list {
		all = append(all, of(e))
	}
	return all
}

// Only is the elements of which something holds.
func Only[T any](list []T, holds func(T) bool) (some []T) {
	for _, e := range list {
		if holds(e) {
			some = append(some, e)
		}
	}
	return some
}

// Package words has what texts for people have in common: counts and lists in English, the name that a misspelt one
// means, and the rules for text on one line. Names, labels and titles appear in tables, pages, file names and terminals,
// where a control character would change what the reader sees. Suite files and records are checked by these rules. All
// other external text, such as a file name, is quoted where it is shown.
package words

import (
	"runtime"
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

// MaxLine is the largest number of characters of a message: an input file can have any size,
// a terminal cannot.
const MaxLine = 300

// Cut shortens a text to most characters. It keeps the beginning, which says
// where, and the end, which says what is wrong and how to mend it.
func Cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	r := []rune(strings.ToValidUTF8(text, "�"))
	if len(r) <= most {
		return string(r)
	}
	head := most / 3
	return string(r[:head]) + "…" + string(r[len(r)-(most-1-head):])
}

// Wrap breaks text into lines of at most width characters, at spaces.
func Wrap(text string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len([]rune(line))+1+len([]rune(word)) > width {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}

// Command returns a command as it would be typed in a shell, on one line.
func Command(words []string) string {
	return Quote(strings.Join(Each(words, ShellQuote), " "))
}

// ShellQuote quotes a path if necessary: for a POSIX shell, and on Windows for its two, where no file has a quotation mark
// in its name. Characters that cannot be printed are escaped.
func ShellQuote(s string) string { return shellQuote(runtime.GOOS, s) }

func shellQuote(system, s string) string {
	windows, plain := system == "windows", alphanumeric+"._-+/:=,@%"
	if windows {
		plain = alphanumeric + `._-+/:=,@\`
	}
	switch {
	case strings.Trim(s, plain) == "":
		return s
	case windows:
		return `"` + Quote(s) + `"`
	case Quote(s) != s:
		return "$'" + Quote(strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s)) + "'"
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// Nearest returns the most likely known name, or "" if no known name is similar enough.
func Nearest(name string, known []string) string {
	best, bestDist := "", 1+(len(name)+1)/3
	for _, k := range known {
		if dist := edits(fold(name), fold(k)); dist < bestDist {
			best, bestDist = k, dist
		}
	}
	if best != "" || len(name) < 3 {
		return best
	}
	for _, k := range known { // an abbreviation, or a longer form
		if f, n := fold(k), fold(name); strings.Contains(f, n) || len(f) > 2 && strings.HasPrefix(n, f) {
			return k
		}
	}
	return ""
}

// Hint returns "did you mean NAME?" for the most likely known name, or otherwise if there is none.
func Hint(name string, known []string, otherwise string) string {
	if n := Nearest(name, known); n != "" {
		return "did you mean " + n + "?"
	}
	return otherwise
}

// fold drops differences that people make without meaning anything by them.
func fold(s string) string {
	return strings.NewReplacer("-", "", "_", "", " ", "").Replace(strings.ToLower(s))
}

// edits returns the number of insertions, deletions, replacements and swaps of neighbours that turn
// a into b (optimal string alignment).
func edits(a, b string) int {
	before, prev, cur := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], before[j-2]+1)
			}
		}
		before, prev, cur = prev, cur, before
	}
	return prev[len(b)]
}

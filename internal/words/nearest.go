package words

import "strings"

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

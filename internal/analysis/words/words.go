package words

import (
	"fmt"
	"slices"
	"strings"
)

// Capital is s with its first letter, an ASCII one, as a capital.
func Capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// Count is "1 run" or "3 runs".
func Count(n int, noun string) string { return fmt.Sprintf("%d %s%s", n, noun, Verb(n, "", "s")) }

func Verb(n int, singular, plural string) string {
	if n == 1 {
		return singular
	}
	return plural
}

func Include(list []string, s string) []string {
	if slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}

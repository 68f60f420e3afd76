package report

import (
	"strconv"

	"popbench/internal/analysis/paper"
)

// printed is a value of the paper as it prints it: two decimals, more if it has more.
func printed(v paper.Value) string {
	f := func(x float64) string {
		text := strconv.FormatFloat(x, 'f', -1, 64)
		if two := strconv.FormatFloat(x, 'f', 2, 64); len(two) > len(text) {
			return two
		}
		return text
	}
	return f(v.Mean) + " ± " + f(v.Std)
}

package charting

import (
	"fmt"
	"slices"
	"strings"

	"popbench/internal/outcome"
	"popbench/internal/printable"
)

// FileNames makes a plain, unique file name of each name, which no system reserves.
func FileNames(names []string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		plain := strings.Map(func(r rune) rune {
			if r == '-' || r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
				return r
			}
			return '-'
		}, n)
		if reserved := printable.FileName(plain) != plain; reserved || slices.Contains(out[:i], plain) {
			plain = fmt.Sprintf("%s-%d", plain, i+1)
		}
		out[i] = plain
	}
	return out
}

// FigureName names the figure of a metric on a problem, whose files have the given name.
func FigureName(file string, metric outcome.Metric) string {
	if metric == outcome.CumulativeRegret {
		return file + "-regret"
	}
	return file + "-" + string(metric)
}

// OverviewName names the figure of a metric on all problems of a suite that has several.
func OverviewName(metric outcome.Metric) string { return "overview-" + string(metric) }

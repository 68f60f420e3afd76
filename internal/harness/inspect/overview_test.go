package inspect

import (
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/problems"
	"popbench/space"
	"popbench/suite"
)

// What a program adds comes first, since that is why it was built.
func TestOverviewOfAdditions(t *testing.T) {
	f := problems.Function{Box: space.Cube(2, 0, 1), Eval: func([]float64) float64 { return 2 }, Optimum: problems.Optimum{Value: 2}}
	spec := check.Must(problems.New(problems.Spec{Name: "zzz"}, f))(t)
	cat := check.Must(suite.Catalogue{}.WithProblem(spec))(t)
	text := check.Must(Overview(cat, nil))(t)
	check.Contains(t, "overview", text, "\n  2-D   zzz, branin, ")
}

// Names fill the lines that they may have, and those that do not fit are counted.
func TestWriteNames(t *testing.T) {
	names := strings.Split(strings.TrimSpace(strings.Repeat("abcdefghi ", 20)), " ")
	for lines, want := range map[int]string{
		1: "  key    abcdefghi, abcdefghi, abcdefghi, abcdefghi, abcdefghi, 15 more\n",
		4: "         abcdefghi, abcdefghi\n",
	} {
		var b strings.Builder
		writeNames(&b, "key", 5, names, lines)
		check.Equal(t, "lines", strings.Count(b.String(), "\n"), lines)
		check.Equal(t, "the end", b.String()[max(0, b.Len()-len(want)):], want)
	}
}

package inspect

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"popbench/internal/check"
	"popbench/problems"
	"popbench/space"
	"popbench/suite"
)

// Built-in things stand in the transcript of bench list. A suite file of the user is run by its path, and has no text
// that is built in. An algorithm without settings says so.
func TestWhole(t *testing.T) {
	for line := range strings.Lines(All(suite.Catalogue{}).Whole()) {
		check.That(t, !strings.HasPrefix(line, "  ") || strings.HasPrefix(line, "  bench ") || utf8.RuneCountInString(line) <= thingWidth+1, "a wide line: %s", line)
	}
	check.Error(t, "a wrong name", check.Err(Find(suite.Catalogue{}, "", "branim", nil)), `unknown name "branim"; did you mean branin?`)
	const text = "{name: mine, steps: 4, repetitions: 3, problems: [beale, branin], algorithms: [random]}"
	whole := check.Must(File(suite.Catalogue{}, "my suite.yaml", []byte(text)))(t).Whole()
	check.Contains(t, "file", whole, "SUITE mine\n", "\n  cells       6: 1 algorithm on 2 problems, 3 repetitions of 4 steps\n", "\n  bench run 'my suite.yaml'  ")
	check.Lacks(t, "file", whole, "--text")
	check.Contains(t, "algorithm", Listing{Algorithms: []Algorithm{{Name: "plain"}}}.Whole(), "ALGORITHM plain\n", "\n  settings    none\n")
}

// What bench eval says of built-in functions is in its transcript.
func TestEvaluate(t *testing.T) {
	branin := check.Must(Lookup(suite.Catalogue{}, "branin"))(t)
	check.Error(t, "scale", check.Err(Evaluate(t.Context(), branin, []float64{0, 0}, Instance{Scale: "rw"})), `--scale "rw" is unknown; did you mean raw?`)
	// A drawn function is that of a suite's cell.
	const text = "{name: s, seed: 5, repetitions: 3, problems: [{name: gp2, scale: raw}], algorithms: [random]}"
	cells := check.Must(check.Must(suite.Parse("s.yaml", []byte(text), suite.Catalogue{}))(t).Expand(nil, nil))(t)
	p := check.Must(cells[2].Start(t.Context()))(t).Problem
	gp2 := check.Must(Evaluate(t.Context(), check.Must(Lookup(suite.Catalogue{}, "gp2"))(t), []float64{1, 2}, Instance{Seed: 5, Repetition: 2}))(t)
	value := p.Value([]float64{1, 2})
	check.Contains(t, "gp2", gp2, fmt.Sprint("; norm ", p.RKHS.Norm, ", B = ", p.RKHS.NormBound, "\n"),
		fmt.Sprint("\nraw      ", value, "; the maximum is ", p.Optimum.Value, "\nscaled   ", value, "; the maximum is ", p.Optimum.Value, ";"))
	// A function that a program draws has its own optimum, which may be unknown.
	drawn := check.Must(problems.NewDrawn(problems.Spec{Name: "mine", Title: "Mine", Box: space.Cube(1, 0, 1)}, func(r *rand.Rand) (problems.Function, error) {
		shift := r.Float64()
		return problems.Function{Eval: func(x []float64) float64 { return x[0] + shift }, Optimum: problems.Optimum{Unknown: true}}, nil
	}))(t)
	mine := check.Must(Evaluate(t.Context(), drawn, []float64{0.5}, Instance{Seed: 3, Repetition: 2}))(t)
	check.Contains(t, "mine", mine, "problem  mine, drawn for repetition 2 of seed 3\nx        (0.5), ", "; the maximum is unknown\nscaled   ")
	check.Lacks(t, "mine", mine, "regret", "optimum")
}

// What a program adds comes first, since that is why it was built.
func TestOverviewOfAdditions(t *testing.T) {
	cat := check.Must(suite.Catalogue{}.WithProblem(two(t, "zzz")))(t)
	check.Contains(t, "overview", Overview(cat, nil), "\n  1-D   zzz, ")
}

// two is a problem of this package, the constant 2.
func two(t *testing.T, name string) *problems.Spec {
	t.Helper()
	f := problems.Function{Box: space.Cube(1, 0, 1), Eval: func([]float64) float64 { return 2 }, Optimum: problems.Optimum{Value: 2}}
	return check.Must(problems.New(problems.Spec{Name: name}, f))(t)
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

// Every function of the catalogue says where it stands, unless each instance draws another one.
func TestCode(t *testing.T) {
	for _, name := range problems.Names() {
		spec := check.Must(suite.Catalogue{}.Problem(name))(t)
		if spec.Optimum == nil {
			check.Equal(t, name, code(spec), "")
			continue
		}
		file, number, _ := strings.Cut(code(spec), ":")
		lines := strings.Split(check.Text(t, filepath.Join("../..", file)), "\n")
		line := check.Must(strconv.Atoi(number))(t)
		check.That(t, line >= 1 && line <= len(lines) && strings.Contains(lines[line-1], "func"), "%s: there is no function at %s", name, code(spec))
	}
	check.Contains(t, "code of another module", code(two(t, "other")), "/inspect/inspect_test.go:")
}

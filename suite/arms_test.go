package suite

import (
	"crypto/sha256"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"popbench/algorithms"
	"popbench/internal/check"
)

const armsDemo = `
name: arms
steps: 3
repetitions: 2
problems:
  - {name: branin, label: grid, arms: {grid: [4, 3]}, range: [-3, 3]}
  - {name: branin}
  - {name: gp1, scale: raw, label: drawn, arms: {points: [[0.5], [1], [2]]}}
  - {name: table, label: listed, arms: {points: [[0.1, 1], [0.2, 1], [0.7, 1]], values: [1, 2, 0]}, minimize: true, divide_by: 2}
  - {name: table, label: read, data: {path: sweets.csv, sha256: SUM, from: the shop, features: [size, "price, £"], value: liked}}
algorithms:
  - {name: random}
  - {name: random, label: told, disclose_on: {drawn: kernel-and-norm}}
`

const sweets = "\ufeffname,size,liked,\"price, £\"\nA,1,10,2.5\nB,3,30,1\nC,1,20,2.5\n"

// armsSuite returns the demo in a folder of its own, where the data file has the given text; "" for no file.
func armsSuite(t *testing.T, suite, data string) (*Suite, error) {
	t.Helper()
	dir := t.TempDir()
	if data != "" {
		check.OK(t, os.WriteFile(filepath.Join(dir, "sweets.csv"), []byte(data), 0o600))
	}
	sum := fmt.Sprintf("%x", sha256.Sum256([]byte(sweets)))
	return Parse(filepath.Join(dir, "arms.yaml"), []byte(strings.ReplaceAll(suite, "SUM", sum)), Catalogue{})
}

func TestArmsInSuites(t *testing.T) {
	want := map[string]string{
		"grid":   "12 arms, range [-3, 3], 3 at the best",
		"branin": "a box",
		"drawn":  "3 arms, raw",
		"listed": "3 arms, raw, 0 at the best",
		"read":   "2 arms, raw, 30 at the best", // two rows are one arm
	}
	for _, c := range check.Must(check.Must(armsSuite(t, armsDemo, sweets))(t).Expand(nil, nil))(t) {
		trial := check.Must(c.Start(t.Context()))(t)
		p, got := trial.Header.Problem, "a box"
		if p.Arms != nil {
			got = fmt.Sprintf("%d arms, %s", p.Arms.Count, p.Scale)
			if p.Name != "drawn" {
				got += fmt.Sprintf(", %.12g at the best", *p.Optimum)
			}
			check.Equal(t, c.ID()+": arms", p.Arms.Count, trial.Problem.Arms.Len())
		}
		check.Equal(t, c.ID(), got, want[p.Name])
		if p.Name == "read" {
			check.Equal(t, "data", p.Arms.Data.Path, "sweets.csv")
			check.Contains(t, "source", p.Source, "the shop", "3 rows")
			check.Equal(t, "the best arm", fmt.Sprint(trial.Problem.Optimum.X[0]), "[3 1]")
		}
		check.Equal(t, c.ID(), algorithms.CheckComparison(trial.Problem.Domain(), check.Must(trial.Algorithm.Ask())(t), 0), nil)
	}
	// Where the data file is absent, its cells are left out with the reason, and no others.
	for _, c := range check.Must(check.Must(armsSuite(t, armsDemo, ""))(t).Expand(nil, nil))(t) {
		_, err := c.Start(t.Context())
		absent := c.Template.Problem.Name == "read"
		check.That(t, algorithms.IsUndefined(err) == absent && absent == (err != nil), "%s: %v", c.ID(), err)
		if absent {
			check.Error(t, "reason", err, "sweets.csv is absent; get it from the shop, and put it there (SHA-256 ")
		}
	}
}

// The path of a data file is not part of what is computed; its contents, and the arms, are.
func TestHashesOfArms(t *testing.T) {
	hashes := func(suite string) map[string]string {
		s := check.Must(armsSuite(t, suite, sweets))(t)
		all := map[string]string{}
		for _, p := range s.Problems {
			all[p.ID()] = s.CellHash(p, s.Algorithms[0])
		}
		return all
	}
	base := hashes(armsDemo)
	for _, test := range []struct {
		old, new, problem string
		changes           bool
	}{
		{"sweets.csv", "./sweets.csv", "read", false},
		{"the shop", "a shop", "read", false},
		{"size, \"price, £\"", "size", "read", true},
		{"[4, 3]", "[3, 4]", "grid", true},
		{"range: [-3, 3]", "range: [-3, 4]", "grid", true},
		{"values: [1, 2, 0]", "values: [1, 2, 1]", "listed", true},
	} {
		now := hashes(strings.Replace(armsDemo, test.old, test.new, 1))
		for name := range base {
			check.Equal(t, test.new+" changes the hash of "+name, now[name] != base[name], test.changes && name == test.problem)
		}
	}
}

func TestArmsRefusals(t *testing.T) {
	for _, test := range []struct{ old, new, want string }{
		{"{grid: [4, 3]}", "{grid: [4, 3, 2]}", "problem grid: grid: it has 3 sides, and the box 2 dimensions"},
		{"{grid: [4, 3]}", "{grid: [2000, 2]}", "problem grid: grid: [2000 2] are no sides of a grid"},
		{"{grid: [4, 3]}", "{points: [[0, 0], [99, 0]]}", "arms[1][0] = 99 is outside the box"},
		{"label: grid, ", "", "problem branin is already problems[0]; keep one, or give this one a label"},
		{"[0.2, 1]", "[0.1, 1]", "problem listed: arms[1] has the features of arms[0]"},
		{"value: liked", "value: loved", `sweets.csv:1: there is no column "loved"; it has name, size, liked, price, £`},
		{"[size, ", "[name, size, ", `sweets.csv:2: name is "A", not a finite number`},
		{"SUM", strings.Repeat("ab", 32), "but the suite says abab"},
	} {
		check.Contains(t, "the suite", armsDemo, test.old)
		check.Error(t, "suite", refusal(armsSuite(t, strings.Replace(armsDemo, test.old, test.new, 1), sweets)), test.want)
	}
}

// refusal is why a suite that was read, or not, has no cells.
func refusal(s *Suite, err error) error {
	if err == nil {
		_, err = s.Expand(nil, nil)
	}
	return err
}

// TestMerge: rows of equal features are one arm with their mean value; -0 and 0 are equal.
func TestMerge(t *testing.T) {
	points, values := merge([][]float64{{0, 1}, {2, 1}, {math.Copysign(0, -1), 1}, {2, 1}, {2, 2}}, []float64{1, 5, 2, 8, 4})
	check.Equal(t, "arms and values", fmt.Sprint(points, values), "[[0 1] [2 1] [2 2]] [1.5 6.5 4]")
}

// Every mistake in what a suite says of arms and data is found where it is, also if all stands on one line.
func TestArmsMistakes(t *testing.T) {
	data := "data: {path: sweets.csv, sha256: " + strings.Repeat("ab", 32) + ", from: the shop, features: [size, price], value: liked}"
	for _, c := range []struct{ problem, want string }{
		{"name: beale, arms: {grid: [4], points: [[0, 0]]}", "arms: needs one of grid and points"},
		{"name: beale, arms: {}", "arms: needs one of grid and points"},
		{"name: beale, arms: {points: [[0, 0], [0]]}", "arms.points[1]: has 1 feature, and the first point 2"},
		{"name: beale, arms: {points: [[1]], values: [1]}", "arms.values: is a key of name: table only"},
		{"name: beale, arms: {grid: [2, 2]}, range: [3, -3]", "range: is [3 -3]; give two numbers, the smaller one first"},
		{"name: beale, arms: {grid: [2, 2]}, range: [3]", "range: is [3]; give two numbers"},
		{"name: beale, arms: {grid: [2, 2]}, range: [3, 4], scale: raw", "range: is given, and scale too"},
		{"name: beale, arms: {grid: [2, 2]}, minimize: true", "minimize: is a key of name: external only"},
		{"name: beale, range: [0, 1]", "range: is for finite sets; give arms, or scale"},
		{"name: beale, label: levy13", `label: "levy13" is the name of a built-in problem`},
		{"name: beale, label: levy13, arms: {grid: [2, 2]}", `label: "levy13" is the name of a built-in problem`},
		{"name: beale, label: Grid, arms: {grid: [2, 2]}", `label: label "Grid" is already that of problems[0]`},
		{"name: beale, " + data, "data: is a key of name: table only"},
		{"name: table, label: t, arms: {grid: [2]}", "arms.grid: is not for tables"},
		{"name: table, arms: {points: [[1]], values: [1]}", "label: is missing"},
		{"name: table, label: t, arms: {points: [[1], [2]], values: [1]}", "arms.values: has 1 value for 2 points"},
		{"name: table, label: t, arms: {points: [[1]], values: [1]}, " + data, "arms: is given, and data too"},
		{"name: table, label: t, " + strings.Replace(data, "ab", "xy", 1), "data.sha256:"},
		{"name: table, label: t, " + strings.Replace(data, "liked", "size", 1), `data.value: "size" is a feature too`},
		{"name: table, label: t, " + strings.Replace(data, "price", "size", 1), `data.features[1]: "size" is features[0] too`},
		{"name: external, label: e, command: [x], arms: {grid: [2]}", "arms.grid: needs box"},
		{"name: external, label: e, command: [x], arms: {points: [[1]]}, range: [0, 1]", "range: needs the values of all arms"},
	} {
		file := fmt.Sprintf("{name: a, problems: [{name: branin, label: grid, arms: {grid: [2, 2]}}, {%s}], algorithms: [{name: random}]}", c.problem)
		check.Error(t, c.problem, check.Err(parse("a.yaml", []byte(file), catalogue{})), "a.yaml:1: problems[1]."+c.want)
	}
}

// A table with two columns of one name is refused only if one of them is wanted.
func TestTableColumns(t *testing.T) {
	const table = "size,price,size\n1,2,3\n"
	_, _, err := parseTable([]byte(table), []string{"size"}, "price")
	check.Error(t, "two columns", err, `1: two columns are called "size"; rename one of them`)
	points, values, err := parseTable([]byte("size,price,liked,size\n1,2,3,4\n"), []string{"price"}, "liked")
	check.OK(t, err)
	check.Same(t, "points and values", append(points, values), [][]float64{{2}, {3}})
}

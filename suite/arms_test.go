package suite

import (
	"crypto/sha256"
	_ "embed"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"popbench/algorithms"
	"popbench/internal/check"
)

//go:embed testdata/arms.yaml
var armsDemo string

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
		"listed": "3 arms, raw, -0.5 at the best",
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
	s := check.Must(armsSuite(t, armsDemo, ""))(t)
	for _, c := range check.Must(s.Expand(nil, nil))(t) {
		_, err := c.Start(t.Context())
		absent := c.Template.Problem.Name == "read"
		check.That(t, algorithms.IsUndefined(err) == absent && absent == (err != nil), "%s: %v", c.ID(), err)
		if absent {
			check.Error(t, "reason", err, filepath.Join(s.Dir, "sweets.csv")+" is absent; get it from the shop, and put it there (SHA-256 ")
		}
	}
}

// Mistakes in the data.
func TestArmsRefusals(t *testing.T) {
	for _, test := range []struct{ old, new, want string }{
		{"value: liked", "value: loved", `sweets.csv:1: there is no column "loved"; it has name, size, liked, price, £`},
		{"[size, ", "[name, size, ", `sweets.csv:2: name is "A", not a finite number`},
		{"SUM", strings.Repeat("ab", 32), "but the suite says abab"},
	} {
		s := check.Must(armsSuite(t, strings.Replace(armsDemo, test.old, test.new, 1), sweets))(t)
		check.Error(t, test.new, check.Err(s.Expand(nil, nil)), test.want)
	}
	// A table with two columns of one name is refused only if one of them is wanted.
	check.Error(t, "two columns", refusal("size,price,size\n1,2,3\n"), `1: two columns are called "size"; rename one of them`)
	check.OK(t, refusal("size,price,liked,liked,price\n1,2,3,4,5\n"))
	// What other programs read as text is no number.
	for _, number := range []string{"1_0", "0x1p3", "inf"} {
		check.Error(t, number, refusal("size\n"+number+"\n"), `2: size is "`+number+`", not a finite number`)
	}
}

func refusal(table string) error {
	_, _, err := parseTable([]byte(table), []string{"size"}, "size")
	return err
}

// TestMerge: rows of equal features are one arm with their mean value; -0 and 0 are equal.
func TestMerge(t *testing.T) {
	points, values := merge([][]float64{{0, 1}, {2, 1}, {math.Copysign(0, -1), 1}, {2, 1}, {2, 2}}, []float64{1, 5, 2, 8, 4})
	check.Equal(t, "arms and values", fmt.Sprint(points, values), "[[0 1] [2 1] [2 2]] [1.5 6.5 4]")
}

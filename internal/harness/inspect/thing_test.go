package inspect

import (
	"testing"

	"popbench/internal/check"
	"popbench/internal/harness/suite"
	"popbench/problems"
	"popbench/space"
)

// Every function of the catalogue has its formula, unless each instance draws another one. Functions of others have none.
func TestCode(t *testing.T) {
	for _, name := range problems.Names() {
		spec, err := suite.Catalogue{}.Problem(name)
		if err != nil {
			t.Fatal(err)
		}
		if text := code(spec); (text == "") != (spec.Optimum == nil) {
			t.Errorf("%s: code %q", name, text)
		}
	}
	other, err := problems.New(problems.Spec{Name: "other"}, problems.Function{Box: space.Cube(1, 0, 1), Eval: func([]float64) float64 { return 2 }, Optimum: problems.Optimum{Value: 2}})
	if err != nil {
		t.Fatal(err)
	}
	check.Equal(t, "code of another module", code(other), "")
}

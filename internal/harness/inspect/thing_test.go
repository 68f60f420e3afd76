package inspect

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/problems"
	"popbench/space"
	"popbench/suite"
)

// Every function of the catalogue says where it stands, unless each instance draws another one.
func TestCode(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	for _, name := range problems.Names() {
		spec := check.Must(suite.Catalogue{}.Problem(name))(t)
		at := code(spec)
		if spec.Optimum == nil {
			check.Equal(t, name, at, "")
			continue
		}
		file, number, _ := strings.Cut(at, ":")
		text := check.Must(os.ReadFile(filepath.Join(root, file)))(t)
		line := 0
		fmt.Sscan(number, &line)
		if lines := strings.Split(string(text), "\n"); line < 1 || line > len(lines) || !strings.Contains(lines[line-1], "func") {
			t.Errorf("%s: there is no function at %s", name, at)
		}
	}
	f := problems.Function{Box: space.Cube(1, 0, 1), Eval: func([]float64) float64 { return 2 }, Optimum: problems.Optimum{Value: 2}}
	other := check.Must(problems.New(problems.Spec{Name: "other"}, f))(t)
	check.Contains(t, "code of another module", code(other), "/inspect/thing_test.go:")
}

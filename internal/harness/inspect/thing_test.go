package inspect

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"popbench/internal/harness/suite"
	"popbench/problems"
	"popbench/space"
)

// Every function of the catalogue says where it stands, unless each instance draws another one.
func TestCode(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	for _, name := range problems.Names() {
		spec, err := suite.Catalogue{}.Problem(name)
		if err != nil {
			t.Fatal(err)
		}
		at := code(spec)
		if spec.Optimum == nil {
			if at != "" {
				t.Errorf("%s: %s", name, at)
			}
			continue
		}
		file, number, _ := strings.Cut(at, ":")
		text, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		line := 0
		fmt.Sscan(number, &line)
		if lines := strings.Split(string(text), "\n"); line < 1 || line > len(lines) || !strings.Contains(lines[line-1], "func") {
			t.Errorf("%s: there is no function at %s", name, at)
		}
	}
	other, err := problems.New(problems.Spec{Name: "other"}, problems.Function{Box: space.Cube(1, 0, 1), Eval: func([]float64) float64 { return 2 }, Optimum: problems.Optimum{Value: 2}})
	if err != nil {
		t.Fatal(err)
	}
	if at := code(other); !strings.Contains(at, "/inspect/thing_test.go:") {
		t.Errorf("code of another module: %s", at)
	}
}

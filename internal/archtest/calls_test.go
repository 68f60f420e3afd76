package archtest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"
)

// Functions whose last digits depend on the processor are not called where they would
// get into a record.
func TestCalls(t *testing.T) {
	fset := token.NewFileSet()
	r := loadRules(t)
	path := recordPath(t)
	for _, p := range packages(t, fset) {
		if slices.Contains(path, module+p.name) {
			for _, complaint := range r.checkCalls(fset, p) {
				t.Error(complaint)
			}
		}
	}
}

// checkCalls says which functions a package names and may not, tests apart.
func (r rules) checkCalls(fset *token.FileSet, p pkg) (bad []string) {
	for _, f := range p.files {
		if strings.HasSuffix(fset.Position(f.Pos()).Filename, "_test.go") {
			continue
		}
		ast.Inspect(f, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			names := []string{"." + sel.Sel.Name}
			if x, ok := sel.X.(*ast.Ident); ok {
				names = append(names, x.Name+names[0])
			}
			for _, c := range r.calls {
				for _, name := range names {
					if slices.Contains(c.functions, name) && !match(c.packages, p.name) {
						bad = append(bad, fmt.Sprintf("%s: %s, whose place in what makes records is %s: %s (%s)", where(fset, sel.Pos()), strings.TrimPrefix(name, "."), orNothing(c.packages), c.because, document))
					}
				}
			}
			return true
		})
	}
	return bad
}

func TestCheckCalls(t *testing.T) {
	const file = `package p

import "math"

func f(r *rand.Rand) float64 { return math.Exp(fmath.Exp(r.NormFloat64())) + math.Sqrt(2) }

var g = math.Exp
`
	r, err := readRules(exampleRules)
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "p.go", file, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Join(r.checkCalls(fset, pkg{name: "mid", files: []*ast.File{f}}), "\n")
	for _, want := range []string{"p.go:5: math.Exp, whose place in what makes records is low: rounded twice", "p.go:5: NormFloat64", "p.go:7: math.Exp"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
	if strings.Count(got, "\n") != 2 {
		t.Errorf("want three complaints, got\n%s", got)
	}
	if got := r.checkCalls(fset, pkg{name: "low", files: []*ast.File{f}}); len(got) != 0 {
		t.Errorf("in its place: %q", got)
	}
	test, err := parser.ParseFile(fset, "p_test.go", file, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	if got := r.checkCalls(fset, pkg{name: "mid", files: []*ast.File{test}}); len(got) != 0 {
		t.Errorf("in a test: %q", got)
	}
}

package archtest

import (
	"fmt"
	"go/ast"
	"slices"
	"strings"
	"testing"

	"popbench/internal/check"
)

// Functions whose last digits depend on the processor are not called where they would
// get into a record.
func TestCalls(t *testing.T) {
	r := loadRules(t)
	path := recordPath(t)
	for _, p := range packages(t) {
		if slices.Contains(path, module+p.name) {
			check.Equal(t, p.name, strings.Join(r.checkCalls(p), "\n"), "")
		}
	}
}

// checkCalls says which functions a package names and may not, tests apart.
func (r rules) checkCalls(p pkg) (bad []string) {
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
						bad = append(bad, fmt.Sprintf("%s: %s, whose place in what makes records is %s: %s (%s)", where(sel.Pos()), strings.TrimPrefix(name, "."), orNothing(c.packages), c.because, document))
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
	r := check.Must(readRules(exampleRules))(t)
	f := parse(t, "p.go", file)
	got := strings.Join(r.checkCalls(pkg{name: "mid", files: []*ast.File{f}}), "\n")
	check.Contains(t, "complaints", got, "p.go:5: math.Exp, whose place in what makes records is low: rounded twice", "p.go:5: NormFloat64", "p.go:7: math.Exp")
	check.Equal(t, "complaints", strings.Count(got, "\n"), 2)
	check.Equal(t, "complaints in its place", len(r.checkCalls(pkg{name: "low", files: []*ast.File{f}})), 0)
	test := parse(t, "p_test.go", file)
	check.Equal(t, "complaints in a test", len(r.checkCalls(pkg{name: "mid", files: []*ast.File{test}})), 0)
}

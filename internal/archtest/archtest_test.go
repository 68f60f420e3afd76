package archtest

import (
	"fmt"
	"go/ast"
	"path"
	"slices"
	"strings"
	"testing"

	"popbench/internal/check"
)

func TestArchitecture(t *testing.T) {
	all := packages(t)
	check.Equal(t, "complaints", strings.Join(loadRules(t).check(all), "\n"), "")
	for _, p := range all {
		check.Equal(t, p.name, strings.Join(globalRand(p.files), "\n"), "")
	}
}

// A row that allows more than its package imports would let that in again without a decision.
func TestRowsAllowNoMore(t *testing.T) {
	all := packages(t)
	for _, rule := range loadRules(t).packages {
		for _, pattern := range rule.imports {
			used := slices.ContainsFunc(all, func(p pkg) bool {
				return match([]string{rule.name}, p.name) && slices.ContainsFunc(p.imports, func(imp importing) bool {
					path, ours := inside(imp.path)
					return ours && match([]string{pattern}, path)
				})
			})
			check.That(t, used, "the row of %s in %s allows %s, which it does not import; take that out", rule.name, document, pattern)
		}
	}
}

// The gate compiles files for other systems nowhere but in internal/math/wide, whose functions have bodies of assembly. Of
// what it overlooks in the others, as no compiler reads them, this is the likeliest.
func TestFunctionsHaveBodies(t *testing.T) {
	for _, p := range packages(t) {
		for _, f := range p.files {
			for _, d := range f.Decls {
				if d, ok := d.(*ast.FuncDecl); ok && d.Body == nil && p.name != "internal/math/wide" {
					t.Errorf("%s: %s has no body", where(d.Pos()), d.Name.Name)
				}
			}
		}
	}
}

const exampleRules = `
| package | what it does | may import |
|---|---|---|
| ` + "`low`" + ` | counts | — |
| ` + "`mid`" + ` | adds | ` + "`low`" + ` |
| ` + "`top/a`, `top/b`" + ` | shows | ` + "`mid`, `low`" + ` |

| something | else |
|---|---|
| not | a rule |

| import | only in | because |
|---|---|---|
| ` + "`os`, `example.org/x/...`" + ` | ` + "`top/...`" + ` | the rest is pure |
| ` + "`log`" + ` | — | errors are returned |

| from | never reach | because |
|---|---|---|
| ` + "`top/b`" + ` | ` + "`low`, `flag`" + ` | it is high up |

| function | in what makes records only in | because |
|---|---|---|
| ` + "`math.Exp`, `.NormFloat64`" + ` | ` + "`low`" + ` | rounded twice |
`

// Every rule is broken once here, and obeyed next to it.
func TestCheck(t *testing.T) {
	r := check.Must(readRules(exampleRules))(t)
	make := func(name string, imports ...string) pkg {
		p := pkg{name: name, deps: imports}
		for _, path := range imports {
			p.imports = append(p.imports, importing{path, name + "/file.go:7"})
		}
		return p
	}
	good := []pkg{make("low", "fmt"), make("mid", "popbench/low", "math"), make("top/a", "popbench/mid", "os", "example.org/x"), make("top/b", "example.org/x/y")}
	for _, test := range []struct {
		name    string
		replace pkg
		want    string // in the one complaint; "" for none
	}{
		{"good", make("top/a", "popbench/low"), ""},
		{"upwards", make("low", "popbench/mid"), "low/file.go:7: low imports mid, but may import nothing of the other packages only (it has one job: counts)"},
		{"the root", make("mid", path.Clean(module)), "mid imports popbench, but may import low of"},
		{"sibling", make("top/a", "popbench/top/b"), "may import mid, low of"},
		{"outside", make("mid", "os"), "mid imports os, whose place is top/..., because the rest is pure"},
		{"outside, below", make("mid", "example.org/x/y"), "mid imports example.org/x/y, whose place is top/..."},
		{"nowhere", make("top/a", "log"), "whose place is nothing, because errors are returned"},
		{"new dependency", make("top/a", "example.org/xy"), "needs one, and a reason in docs/dependencies.md"},
		{"standard library", make("top/a", "sort"), ""},
		{"by way of others", pkg{name: "top/b", deps: []string{"popbench/mid", "popbench/low"}}, "top/b depends on low, directly or by way of others, and must not: it is high up"},
		{"outside, by way of others", pkg{name: "top/b", deps: []string{"popbench/mid", "flag"}}, "top/b depends on flag, directly"},
		{"no row", make("new"), "new has no row"},
	} {
		t.Run(test.name, func(t *testing.T) {
			same := func(p pkg) bool { return p.name == test.replace.name }
			got := r.check(append(slices.DeleteFunc(slices.Clone(good), same), test.replace))
			check.Equal(t, "there is a complaint", len(got), min(len(test.want), 1))
			check.Contains(t, "complaints", strings.Join(got, "\n"), test.want)
		})
	}
	got := r.check(good[1:])
	check.Equal(t, "complaints about a row without a package", len(got), 1)
	check.Contains(t, "complaint", strings.Join(got, "\n"), "has a row for low, which is not there")
	row := "| `low` | counts | — |\n"
	for _, c := range []struct{ old, new, want string }{
		{"what it does", "job", "found no packages"},
		{"| counts |", "| counts | and more |", "4 cells in a table of three"},
		{row, row + row, "there is a row of `low` already"},
	} {
		check.Error(t, "rules", check.Err(readRules(strings.Replace(exampleRules, c.old, c.new, 1))), c.want)
	}
}

// constructors are what may be used of math/rand/v2. All else in it draws from the generator of the process, which nothing
// here may do: the same seed would no longer give the same bytes.
var constructors = []string{"New", "NewPCG", "NewChaCha8", "NewZipf", "Rand", "Source", "PCG", "ChaCha8", "Zipf"}

// globalRand says where files use the generator of the process. No variable may be called rand, and no import of math or of
// a package below it anything else than that.
func globalRand(files []*ast.File) (bad []string) {
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ImportSpec:
				if n.Name != nil && strings.HasPrefix(n.Path.Value, `"math`) {
					bad = append(bad, fmt.Sprintf("%s: import %s without a name; another one hides what is drawn or rounded", where(n.Pos()), n.Path.Value))
				}
			case *ast.SelectorExpr:
				if id, ok := n.X.(*ast.Ident); ok && id.Name == "rand" && !slices.Contains(constructors, n.Sel.Name) {
					bad = append(bad, fmt.Sprintf("%s: rand.%s draws from the generator of the process; take a *rand.Rand as a parameter", where(n.Pos()), n.Sel.Name))
				}
			}
			return true
		})
	}
	return bad
}

func TestGlobalRand(t *testing.T) {
	f := parse(t, "p.go", `package p

import "math/rand/v2"
import . "math/rand/v2"
import m "math"

type T struct{ r *rand.Rand }

func good(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

var bad, worse = rand.IntN(3), rand.Shuffle
`)
	got := strings.Join(globalRand([]*ast.File{f}), "\n")
	check.Equal(t, "complaints", strings.Count(got, "\n"), 3)
	check.Contains(t, "complaints", got, "p.go:4: import", "p.go:5: import", "p.go:11: rand.IntN", "p.go:11: rand.Shuffle")
}

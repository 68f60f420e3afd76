package archtest

import (
	"go/ast"
	"path"
	"slices"
	"strings"
	"testing"

	"popbench/internal/check"
)

func TestArchitecture(t *testing.T) {
	all := packages(t)
	for _, complaint := range loadRules(t).check(all) {
		t.Error(complaint)
	}
	for _, p := range all {
		for _, complaint := range globalRand(p.files) {
			t.Error(complaint)
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
| ` + "`top/b`" + ` | ` + "`low`" + ` | it is high up |

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
	check.Contains(t, "complaint", got[0], "has a row for low, which is not there")
	row := "| `low` | counts | — |\n"
	for _, c := range []struct{ old, new, want string }{
		{"what it does", "job", "found no packages"},
		{"| counts |", "| counts | and more |", "4 cells in a table of three"},
		{row, row + row, "there is a row of `low` already"},
	} {
		check.Error(t, "rules", check.Err(readRules(strings.Replace(exampleRules, c.old, c.new, 1))), c.want)
	}
}

func TestGlobalRand(t *testing.T) {
	const file = `package p

import (
	"fmt"
	"math/rand/v2"
)

type T struct{ r *rand.Rand }

func good(rand *rand.Rand) float64 { return rand.Float64() }

func alsoGood(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

func bad() { fmt.Println(rand.IntN(3)) }

var worse = rand.Shuffle
`
	f := parse(t, "p.go", file)
	got := strings.Join(globalRand([]*ast.File{f}), "\n")
	check.Equal(t, "complaints", strings.Count(got, "\n"), 1)
	check.Contains(t, "complaints", got, "p.go:14: rand.IntN", "p.go:16: rand.Shuffle")
	f = parse(t, "q.go", "package p\nimport . \"math/rand/v2\"\nvar x = IntN(3)\n")
	check.Equal(t, "complaints about a dot import", len(globalRand([]*ast.File{f})), 1)
}

package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"
)

func TestArchitecture(t *testing.T) {
	fset := token.NewFileSet()
	all := packages(t, fset)
	for _, complaint := range loadRules(t).check(all) {
		t.Error(complaint)
	}
	for _, p := range all {
		for _, complaint := range globalRand(fset, p.files) {
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
	r, err := readRules(exampleRules)
	if err != nil {
		t.Fatal(err)
	}
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
		{"the root", make("mid", "popbench"), "mid imports popbench, but may import low of"},
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
			list := append([]pkg{test.replace}, good...)
			for i, p := range list[1:] {
				if p.name == test.replace.name {
					list = append(list[:i+1], list[i+2:]...)
					break
				}
			}
			got := r.check(list)
			if test.want == "" {
				if len(got) > 0 {
					t.Errorf("got complaints %q", got)
				}
				return
			}
			if len(got) != 1 || !strings.Contains(got[0], test.want) {
				t.Errorf("got %q\nwant one complaint with %q", got, test.want)
			}
		})
	}
	if got := r.check(good[1:]); len(got) != 1 || !strings.Contains(got[0], "has a row for low, which is not there") {
		t.Errorf("a row without a package: got %q", got)
	}
	if _, err := readRules(strings.Replace(exampleRules, "what it does", "job", 1)); err == nil {
		t.Error("a table with another heading is not missed")
	}
	if _, err := readRules(strings.Replace(exampleRules, "| counts |", "| counts | and more |", 1)); err == nil {
		t.Error("a row with four cells is taken")
	}
	row := "| `low` | counts | — |\n"
	if _, err := readRules(strings.Replace(exampleRules, row, row+row, 1)); err == nil || !strings.Contains(err.Error(), "there is a row of `low` already") {
		t.Errorf("a row that stands twice: got %v", err)
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
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "p.go", file, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Join(globalRand(fset, []*ast.File{f}), "\n")
	if strings.Count(got, "\n") != 1 || !strings.Contains(got, "p.go:14: rand.IntN") || !strings.Contains(got, "p.go:16: rand.Shuffle") {
		t.Errorf("got %q", got)
	}
	f, err = parser.ParseFile(fset, "q.go", "package p\nimport . \"math/rand/v2\"\nvar x = IntN(3)\n", parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	if got := globalRand(fset, []*ast.File{f}); len(got) != 1 {
		t.Errorf("a dot import: got %q", got)
	}
}

package archtest

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"path"
	"strings"
	"testing"

	"popbench/internal/check"
)

// A program that imports a public package cannot name the types of internal ones.
func TestPublicPackagesMentionNoInternalType(t *testing.T) {
	for _, p := range public(t) {
		check.Equal(t, p.Path(), strings.Join(internalTypes(p), "\n"), "")
	}
}

// public returns the public packages as the compiler describes them.
var public = once(func(t *testing.T) (all []*types.Package) {
	imports := compiled(t)
	for _, p := range packages(t) {
		if p.written > 0 && !strings.Contains("/"+p.name, "/internal/") && !strings.HasPrefix(p.name, "cmd/") {
			all = append(all, check.Must(imports.Import(path.Clean(module+strings.TrimPrefix(p.name, "popbench"))))(t))
		}
	}
	return all
})

// compiled has all packages, and those that they import, as the compiler describes them.
var compiled = once(func(t *testing.T) types.Importer {
	files := map[string]string{}
	for line := range strings.Lines(goList(t, "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}", "./...")) {
		name, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		files[name] = file
	}
	return importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(files[path]) })
})

func TestInternalTypes(t *testing.T) {
	const source = `package p
import ("popbench/internal/low"; "popbench/high"; deep "popbench/high/internal/low")
type Good struct { hidden low.T; Out high.T; next *Good }
func (Good) good() low.T { panic(0) }
func unused() low.T { panic(0) }
type (
	Alias = low.T
	Field struct { A map[string][]low.T }
	Embeds struct { inner }
	EmbedsDeep struct { deep.T }
	inner struct { X *low.T }
	Face interface { M(func(low.T)) }
	Method int
)
func (*Method) M() (<-chan low.T, error) { panic(0) }
func Generic[A interface{ low.T }](A) {}
func Argument(high.Of[low.T]) {}
var Var low.T
`
	conf := types.Config{Importer: exampleImports{}}
	p := check.Must(conf.Check(module+"p", fset, []*ast.File{parse(t, "p.go", source)}, nil))(t)
	const want = "Alias Argument Embeds.X EmbedsDeep Face.M Field.A Generic Method.M Var"
	var got []string
	for _, complaint := range internalTypes(p) {
		name, _, _ := strings.Cut(strings.TrimPrefix(complaint, module+"p: "), " mentions "+module)
		got = append(got, name)
	}
	check.Equal(t, "found", strings.Join(got, " "), want)
}

// exampleImports gives every import a type T and a generic type Of.
type exampleImports struct{}

func (exampleImports) Import(p string) (*types.Package, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, p, "package "+path.Base(p)+"; type T int; type Of[A any] struct{}", 0)
	if err != nil {
		return nil, err
	}
	return new(types.Config).Check(p, fset, []*ast.File{f}, nil)
}

// internalTypes says which exported declarations of a package mention a type of an
// internal one: in a signature, an exported field or an exported method, also by way
// of unexported types.
func internalTypes(p *types.Package) []string {
	w := walker{home: p, seen: map[types.Type]bool{}}
	for _, name := range p.Scope().Names() {
		if obj := p.Scope().Lookup(name); obj.Exported() {
			w.walk(name, obj.Type())
		}
	}
	return w.bad
}

type walker struct {
	home *types.Package
	seen map[types.Type]bool
	bad  []string
}

func (w *walker) walk(at string, t types.Type) {
	switch t := t.(type) {
	case *types.Alias:
		if w.foreign(at, t.Obj()) {
			return
		}
		w.walk(at, types.Unalias(t))
	case *types.Named:
		for a := range t.TypeArgs().Types() {
			w.walk(at, a)
		}
		if w.foreign(at, t.Obj()) || w.seen[t] {
			return
		}
		w.seen[t] = true
		for m := range t.Methods() {
			if m.Exported() {
				w.walk(at+"."+m.Name(), m.Type())
			}
		}
		w.walk(at, t.Underlying())
	case *types.Struct:
		for f := range t.Fields() {
			switch {
			case f.Embedded():
				w.walk(at, f.Type())
			case f.Exported():
				w.walk(at+"."+f.Name(), f.Type())
			}
		}
	case *types.Interface:
		for m := range t.ExplicitMethods() {
			w.walk(at+"."+m.Name(), m.Type())
		}
		for e := range t.EmbeddedTypes() {
			w.walk(at, e)
		}
	case *types.Signature:
		for a := range t.TypeParams().TypeParams() {
			w.walk(at, a.Constraint())
		}
		for _, list := range []*types.Tuple{t.Params(), t.Results()} {
			for v := range list.Variables() {
				w.walk(at, v.Type())
			}
		}
	case *types.Union:
		for term := range t.Terms() {
			w.walk(at, term.Type())
		}
	case *types.Map:
		w.walk(at, t.Key())
		w.walk(at, t.Elem())
	case interface{ Elem() types.Type }: // pointers, slices, arrays, channels
		w.walk(at, t.Elem())
	}
}

// foreign reports whether a named type is of another package, which is checked by
// itself, and complains if that is internal.
func (w *walker) foreign(at string, name *types.TypeName) bool {
	p := name.Pkg()
	if p != nil && p != w.home && strings.Contains(p.Path(), "/internal/") {
		w.bad = append(w.bad, fmt.Sprintf("%s: %s mentions %s.%s, which no other module can name", w.home.Path(), at, p.Path(), name.Name()))
	}
	return p != w.home
}

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
	"regexp"
	"strings"
	"testing"

	"popbench/internal/check"
)

// A program that imports a public package cannot name the types of internal ones.
func TestPublicPackagesMentionNoInternalType(t *testing.T) {
	for _, p := range public(t) {
		for _, complaint := range internalTypes(p) {
			t.Error(complaint)
		}
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
	Embeds struct { *inner }
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
	const want = "Alias Argument Embeds.X EmbedsDeep.T Face Field.A Generic Method.M Var"
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

// internalTypes says which exported declarations of a package mention a type of an internal one: in a signature, an exported
// field or an exported method. Named types of other packages are checked with these.
func internalTypes(p *types.Package) (bad []string) {
	mention := func(at string, t types.Type) {
		for _, name := range internalName.FindAllString(types.TypeString(t, types.RelativeTo(p)), -1) {
			bad = append(bad, fmt.Sprintf("%s: %s mentions %s, which no other module can name", p.Path(), at, name))
		}
	}
	var parts func(at string, t types.Type) // of a type of p
	parts = func(at string, t types.Type) {
		if named, ok := t.(*types.Named); ok {
			for a := range named.TypeParams().TypeParams() {
				mention(at, a.Constraint())
			}
			for m := range types.NewMethodSet(types.NewPointer(t)).Methods() {
				if m.Obj().Exported() && !types.IsInterface(t) {
					mention(at+"."+m.Obj().Name(), m.Obj().Type())
				}
			}
		}
		of, ok := t.Underlying().(*types.Struct)
		if !ok {
			mention(at, t.Underlying())
			return
		}
		for f := range of.Fields() {
			of := f.Type()
			if pointer, ok := of.(*types.Pointer); ok {
				of = pointer.Elem()
			}
			if named, ok := of.(*types.Named); f.Embedded() && ok && named.Obj().Pkg() == p {
				parts(at, named)
			} else if f.Exported() {
				mention(at+"."+f.Name(), f.Type())
			}
		}
	}
	for _, name := range p.Scope().Names() {
		switch obj := p.Scope().Lookup(name); of := obj.(type) {
		case *types.TypeName:
			if obj.Exported() && of.IsAlias() {
				mention(name, types.Unalias(of.Type()))
			} else if obj.Exported() {
				parts(name, of.Type())
			}
		default:
			if obj.Exported() {
				mention(name, obj.Type())
			}
		}
	}
	return bad
}

var internalName = regexp.MustCompile(`[\w./-]*/internal/[\w./-]+`)

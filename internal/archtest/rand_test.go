package archtest

import (
	"fmt"
	"go/ast"
	"go/types"
	"path"
	"slices"
	"strings"
)

// constructors are what may be used of math/rand/v2. All else in it draws from
// the generator of the process, which nothing here may do: the same seed would
// no longer give the same bytes.
var constructors = []string{"New", "NewPCG", "NewChaCha8", "NewZipf", "Rand", "Source", "PCG", "ChaCha8", "Zipf"}

// globalRand says where files use the generator of the process.
func globalRand(files []*ast.File) []string {
	var bad []string
	for _, f := range files {
		// Types are asked for one thing only: if "rand" in rand.IntN is the
		// package, or a variable of the same name. So imports can be empty and
		// errors do not matter.
		info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
		conf := types.Config{Importer: emptyImports{}, Error: func(error) {}}
		conf.Check(f.Name.Name, fset, []*ast.File{f}, info)

		ast.Inspect(f, func(n ast.Node) bool {
			if spec, ok := n.(*ast.ImportSpec); ok && spec.Name != nil && spec.Name.Name == "." && strings.Contains(spec.Path.Value, "math/rand") {
				bad = append(bad, fmt.Sprintf("%s: a dot import of %s hides what is drawn from the generator of the process", where(n.Pos()), spec.Path.Value))
			}
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if id, ok := sel.X.(*ast.Ident); ok && !slices.Contains(constructors, sel.Sel.Name) {
				if name, ok := info.Uses[id].(*types.PkgName); ok && name.Imported().Path() == "math/rand/v2" {
					bad = append(bad, fmt.Sprintf("%s: rand.%s draws from the generator of the process; take a *rand.Rand as a parameter", where(n.Pos()), sel.Sel.Name))
				}
			}
			return true
		})
	}
	return bad
}

// emptyImports gives every import its name and nothing else.
type emptyImports struct{}

func (emptyImports) Import(p string) (*types.Package, error) {
	name := path.Base(p)
	if p == "math/rand/v2" {
		name = "rand"
	}
	empty := types.NewPackage(p, name)
	empty.MarkComplete()
	return empty, nil
}

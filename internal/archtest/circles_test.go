package archtest

import (
	"fmt"
	"go/ast"
	"go/types"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"popbench/internal/check"
)

// manyFiles is the largest number of files of a package, tests left out.
const manyFiles = 20

// A package has at most twenty files, and no circle of files, tests left out. There is an arrow from a file to each other
// one of the package that declares something which it names. Files that reach each other by arrows are in a circle:
// whatever order they are read in, some arrow runs back.
func TestFilesOfPackages(t *testing.T) {
	if runtime.GOOS+"/"+runtime.GOARCH != "linux/amd64" {
		t.Skip("some packages have other files here")
	}
	imports := compiled(t)
	for _, p := range packages(t) {
		check.That(t, p.written <= manyFiles, "%s has %d files; it may have %d; move or merge some", p.name, p.written, manyFiles)
		for _, arrow := range circular(check.Must(arrows(module+p.name, p.built, imports))(t)) {
			t.Errorf("%s: %s names what %s declares, and is named by it, or by files between them; move, merge or split so that each file names only files below it",
				p.name, filepath.Base(arrow[0]), filepath.Base(arrow[1]))
		}
	}
}

// arrows are those between the files of a package: from, to.
func arrows(path string, files []*ast.File, imports types.Importer) (map[[2]string]bool, error) {
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	conf := types.Config{Importer: imports}
	p, err := conf.Check(path, fset, files, info)
	all := map[[2]string]bool{}
	for id, object := range info.Uses {
		from, to := fset.Position(id.Pos()).Filename, fset.Position(object.Pos()).Filename
		if object.Pkg() == p && from != to {
			all[[2]string{from, to}] = true
		}
	}
	return all, err
}

// circular are the arrows between files that also reach each other the other way.
func circular(arrows map[[2]string]bool) (all [][2]string) {
	reach := map[string]map[string]bool{}
	var visit func(from, at string)
	visit = func(from, at string) {
		for arrow := range arrows {
			if to := arrow[1]; arrow[0] == at && !reach[from][to] {
				reach[from][to] = true
				visit(from, to)
			}
		}
	}
	for arrow := range arrows {
		if from := arrow[0]; reach[from] == nil {
			reach[from] = map[string]bool{}
			visit(from, from)
		}
	}
	for arrow := range arrows {
		if reach[arrow[1]][arrow[0]] {
			all = append(all, arrow)
		}
	}
	slices.SortFunc(all, func(a, b [2]string) int { return slices.Compare(a[:], b[:]) })
	return all
}

func TestCircular(t *testing.T) {
	source := map[string]string{
		"a.go": "package p\ntype A struct{ b B }\nfunc (a A) Run() { a.b.run(); helper() }",
		"b.go": "package p\ntype B int\nfunc (B) run() { d(0) }",
		"c.go": "package p\nfunc helper() { var x struct{ B }; x.run() }",
		"d.go": "package p\nfunc d(any) {}",
	}
	find := func() string {
		var files []*ast.File
		for _, name := range slices.Sorted(maps.Keys(source)) {
			files = append(files, parse(t, name, source[name]))
		}
		return strings.Trim(fmt.Sprint(circular(check.Must(arrows("p", files, nil))(t))), "[]")
	}
	check.Equal(t, "arrows of files that name only those below them", find(), "")
	source["d.go"] = "package p\nfunc d(any) { A{}.Run() }"
	check.Equal(t, "arrows if the lowest file names the highest", find(), "a.go b.go] [a.go c.go] [b.go d.go] [c.go b.go] [d.go a.go")
}

package archtest

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/types"
	"maps"
	"runtime"
	"slices"
	"strings"
	"testing"

	"popbench/internal/check"
)

// manyFiles is the largest number of files of a package, tests left out.
const manyFiles = 20

// disorder is by how much a package breaks the rule for its files. There is an arrow from a file to each other one of the
// package that declares something which it names. Files that reach each other by arrows are in a circle: whatever order
// they are read in, some arrow runs back.
type disorder struct {
	files  int // if there are more than manyFiles, else 0
	arrows int // between files of one circle
}

// disorders are the packages that do not keep the rule yet. A number may only fall, and then it falls here.
var disorders = map[string]disorder{
	"internal/math/wide": {arrows: 13},
}

// A package has at most twenty files, and no circle of files, tests left out.
func TestFilesOfPackages(t *testing.T) {
	if runtime.GOOS+"/"+runtime.GOARCH != "linux/amd64" {
		t.Skip("some packages have other files here")
	}
	imports := compiled(t)
	for _, p := range packages(t) {
		got := disorder{arrows: len(circular(check.Must(arrows(module+p.name, p.built, imports))(t)))}
		if n := p.written; n > manyFiles {
			got.files = n
		}
		for _, complaint := range compareDisorder(p.name, got, disorders[p.name]) {
			t.Error(complaint)
		}
	}
	for name := range disorders {
		check.That(t, slices.ContainsFunc(packages(t), func(p pkg) bool { return p.name == name }), "disorders has a row for %s, which is not there", name)
	}
}

// compareDisorder says how a package differs from its row of disorders.
func compareDisorder(name string, got, want disorder) (all []string) {
	for _, c := range []struct {
		what             string
		got, want, limit int
	}{{"files", got.files, want.files, manyFiles}, {"arrows in circles of files", got.arrows, want.arrows, 0}} {
		switch {
		case c.got > c.want:
			all = append(all, fmt.Sprintf("%s has %d %s; it may have %d; move, merge or split so that each file names only files below it", name, c.got, c.what, cmp.Or(c.want, c.limit)))
		case c.got < c.want:
			all = append(all, fmt.Sprintf("%s has %d %s and its row of disorders says %d; mend the row", name, c.got, c.what, c.want))
		}
	}
	return all
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

	rows := func(got, want disorder) string { return strings.Join(compareDisorder("p", got, want), "\n") }
	check.Equal(t, "as its row says", rows(disorder{30, 5}, disorder{30, 5}), "")
	check.Contains(t, "more files", rows(disorder{21, 0}, disorder{}), "p has 21 files; it may have 20;")
	check.Contains(t, "more arrows", rows(disorder{0, 6}, disorder{0, 5}), "p has 6 arrows in circles of files; it may have 5;")
	check.Contains(t, "fewer arrows", rows(disorder{}, disorder{0, 5}), "says 5; mend the row")
}

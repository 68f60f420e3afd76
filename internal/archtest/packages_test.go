package archtest

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"popbench/internal/check"
)

// pkg is a package of the module.
type pkg struct {
	name    string      // its folder, from the root; see inside
	imports []importing // of its files other than tests, whatever they are built for; "assembly" if one is
	deps    []string    // all it depends on, itself left out
	files   []*ast.File // tests included
	built   []*ast.File // of this system's build, without tests
	written int         // files without tests, whatever they are built for
}

type importing struct{ path, at string }

// fset has the positions of all files.
var fset = token.NewFileSet()

// once returns what read returns, which it calls for the first test that asks.
func once[T any](read func(t *testing.T) T) func(t *testing.T) T {
	var value *T
	return func(t *testing.T) T {
		t.Helper()
		if value == nil {
			read := read(t)
			value = &read
		}
		return *value
	}
}

// parse reads a file of Go; its text if it is not on the disk.
func parse(t *testing.T, name string, text any) *ast.File {
	t.Helper()
	return check.Must(parser.ParseFile(fset, name, text, parser.SkipObjectResolution))(t)
}

// goList returns what go list prints, run in the root folder.
func goList(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list"}, args...)...)
	cmd.Dir, cmd.Stderr = root, t.Output()
	return string(check.Must(cmd.Output())(t))
}

// packages are all packages of the module.
var packages = once(func(t *testing.T) (list []pkg) {
	out := goList(t, "-json=ImportPath,Dir,Deps,GoFiles,CgoFiles,IgnoredGoFiles,TestGoFiles,XTestGoFiles,SFiles,IgnoredOtherFiles", "./...")
	for dec := json.NewDecoder(strings.NewReader(out)); ; {
		var p struct {
			ImportPath, Dir                                              string
			Deps                                                         []string
			GoFiles, CgoFiles, IgnoredGoFiles, TestGoFiles, XTestGoFiles []string
			SFiles, IgnoredOtherFiles                                    []string
		}
		err := dec.Decode(&p)
		if err == io.EOF {
			return list
		}
		check.OK(t, err)
		// go test repeats an earlier result as long as what the test opened is
		// the same. So that a new package or file is noticed: open the folders.
		for _, dir := range []string{p.Dir, filepath.Dir(p.Dir)} {
			check.Must(os.ReadDir(dir))(t)
		}
		name, _ := inside(p.ImportPath)
		own := pkg{name: name, deps: p.Deps}
		for _, file := range slices.Concat(p.GoFiles, p.CgoFiles, p.IgnoredGoFiles, p.TestGoFiles, p.XTestGoFiles) {
			f := parse(t, filepath.Join(p.Dir, file), nil)
			own.files = append(own.files, f)
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			own.written++
			if slices.Contains(p.GoFiles, file) {
				own.built = append(own.built, f)
			}
			for _, spec := range f.Imports {
				own.imports = append(own.imports, importing{check.Must(strconv.Unquote(spec.Path.Value))(t), where(spec.Pos())})
			}
		}
		for _, file := range slices.Concat(p.SFiles, p.IgnoredOtherFiles) {
			if filepath.Ext(file) == ".s" { // as if it were imported
				own.imports = append(own.imports, importing{"assembly", name + "/" + file})
			}
		}
		list = append(list, own)
	}
})

// where is a position with the file's name from the root.
func where(pos token.Pos) string {
	p := fset.Position(pos)
	if base, err := filepath.Abs(root); err == nil {
		if file, err := filepath.Rel(base, p.Filename); err == nil {
			p.Filename = filepath.ToSlash(file)
		}
	}
	return fmt.Sprintf("%s:%d", p.Filename, p.Line)
}

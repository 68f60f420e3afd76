package archtest

import (
	"bytes"
	"encoding/json"
	"errors"
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
)

// pkg is a package of the module.
type pkg struct {
	name    string      // its folder, from the root; see inside
	imports []importing // of its files other than tests, whatever they are built for; "assembly" if one is
	deps    []string    // all it depends on, itself left out
	files   []*ast.File // tests included
}

type importing struct{ path, at string }

// packages are all packages of the module, by way of go list.
func packages(t *testing.T, fset *token.FileSet) []pkg {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Dir,Deps,GoFiles,CgoFiles,IgnoredGoFiles,TestGoFiles,XTestGoFiles,SFiles,IgnoredOtherFiles", "./...")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			err = fmt.Errorf("%w: %s", err, exit.Stderr)
		}
		t.Fatalf("go list: %v", err)
	}
	var list []pkg
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			ImportPath, Dir                                              string
			Deps                                                         []string
			GoFiles, CgoFiles, IgnoredGoFiles, TestGoFiles, XTestGoFiles []string
			SFiles, IgnoredOtherFiles                                    []string
		}
		if err := dec.Decode(&p); err == io.EOF {
			return list
		} else if err != nil {
			t.Fatal(err)
		}
		// go test repeats an earlier result as long as what the test opened is
		// the same. So that a new package or file is noticed: open the folders.
		for _, dir := range []string{p.Dir, filepath.Dir(p.Dir)} {
			if _, err := os.ReadDir(dir); err != nil {
				t.Fatal(err)
			}
		}
		name, _ := inside(p.ImportPath)
		own := pkg{name: name, deps: p.Deps}
		for _, file := range slices.Concat(p.GoFiles, p.CgoFiles, p.IgnoredGoFiles, p.TestGoFiles, p.XTestGoFiles) {
			f, err := parser.ParseFile(fset, filepath.Join(p.Dir, file), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			own.files = append(own.files, f)
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			for _, spec := range f.Imports {
				path, err := strconv.Unquote(spec.Path.Value)
				if err != nil {
					t.Fatal(err)
				}
				own.imports = append(own.imports, importing{path, where(fset, spec.Pos())})
			}
		}
		for _, file := range slices.Concat(p.SFiles, p.IgnoredOtherFiles) {
			if filepath.Ext(file) == ".s" { // as if it were imported
				own.imports = append(own.imports, importing{"assembly", name + "/" + file})
			}
		}
		list = append(list, own)
	}
}

// where is a position with the file's name from the root.
func where(fset *token.FileSet, pos token.Pos) string {
	p := fset.Position(pos)
	if base, err := filepath.Abs(root); err == nil {
		if file, err := filepath.Rel(base, p.Filename); err == nil {
			p.Filename = filepath.ToSlash(file)
		}
	}
	return fmt.Sprintf("%s:%d", p.Filename, p.Line)
}

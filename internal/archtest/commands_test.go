package archtest

import (
	"fmt"
	"go/ast"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"popbench/internal/check"
)

// In package bench no command builds the options of another one: internal/app has what commands share.
func TestCommandsBuildTheirOwnOptions(t *testing.T) {
	for _, p := range packages(t) {
		if p.name == "bench" {
			for _, complaint := range borrowed(p.built) {
				t.Error(complaint)
			}
		}
	}
}

// borrowed says which files of commands build a struct that the file of another command declares, and which options of
// package app are named in the files of several commands.
func borrowed(files []*ast.File) (all []string) {
	place := func(n ast.Node) string { return filepath.Base(fset.Position(n.Pos()).Filename) }
	command := map[string]bool{} // files that declare one
	owner := map[string]string{} // of a type of this package
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.TypeSpec:
				owner[n.Name.Name] = place(n)
			case *ast.CompositeLit:
				if id, ok := n.Type.(*ast.Ident); ok && id.Name == "command" {
					command[place(n)] = true
				}
			}
			return true
		})
	}
	named := map[string]map[string]bool{} // files that name options of package app
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CompositeLit:
				if id, ok := n.Type.(*ast.Ident); ok {
					if of := owner[id.Name]; command[of] && command[place(n)] && of != place(n) {
						all = append(all, fmt.Sprintf("%s builds %s of %s; let internal/app do what they share", place(n), id.Name, of))
					}
				}
			case *ast.SelectorExpr:
				if id, ok := n.X.(*ast.Ident); ok && id.Name == "app" && strings.HasSuffix(n.Sel.Name, "Options") && command[place(n)] {
					if named[n.Sel.Name] == nil {
						named[n.Sel.Name] = map[string]bool{}
					}
					named[n.Sel.Name][place(n)] = true
				}
			}
			return true
		})
	}
	for _, name := range slices.Sorted(maps.Keys(named)) {
		if in := slices.Sorted(maps.Keys(named[name])); len(in) > 1 {
			all = append(all, fmt.Sprintf("%s name app.%s; one command may", strings.Join(in, " and "), name))
		}
	}
	return all
}

func TestBorrowed(t *testing.T) {
	find := func(sources ...string) string {
		var files []*ast.File
		for i, source := range sources {
			files = append(files, parse(t, string(rune('a'+i))+".go", "package bench\n"+source))
		}
		return strings.Join(borrowed(files), "\n")
	}
	const run, shared = "var run = &command{}\ntype runFlags struct{}\nvar own = runFlags{}\nvar o app.RunOptions", "type voice struct{}"
	check.Equal(t, "own and shared types", find(run, shared, "var gate = &command{}\nvar v = voice{}\nvar o app.GateOptions"), "")
	check.Equal(t, "another command's flags", find(run, shared, "var gate = &command{}\nvar f = runFlags{}"), "c.go builds runFlags of a.go; let internal/app do what they share")
	check.Equal(t, "another command's options", find(run, shared, "var gate = &command{}\nvar o = app.RunOptions{}"), "a.go and c.go name app.RunOptions; one command may")
}

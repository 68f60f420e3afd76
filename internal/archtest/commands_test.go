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
			check.Equal(t, p.name, strings.Join(borrowed(p.built), "\n"), "")
		}
	}
}

// borrowed says which options are built in the files of several commands: those of package app, and what the file of one of
// them declares.
func borrowed(files []*ast.File) (all []string) {
	users, owner := map[string][]string{}, map[string]string{} // files of commands, by what they name; by what they declare
	for _, f := range files {
		place := filepath.Base(fset.Position(f.Pos()).Filename)
		isCommand, named := false, map[string]bool{}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.TypeSpec:
				named[n.Name.Name], owner[n.Name.Name] = true, place
			case *ast.CompositeLit:
				if id, ok := n.Type.(*ast.Ident); ok {
					named[id.Name], isCommand = true, isCommand || id.Name == "command"
				}
			case *ast.SelectorExpr:
				if id, ok := n.X.(*ast.Ident); ok && id.Name == "app" && strings.HasSuffix(n.Sel.Name, "Options") {
					named["app."+n.Sel.Name] = true
				}
			}
			return true
		})
		for name := range named {
			if isCommand {
				users[name] = append(users[name], place)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(users)) {
		if in := users[name]; len(in) > 1 && (strings.HasPrefix(name, "app.") || slices.Contains(in, owner[name])) {
			all = append(all, fmt.Sprintf("%s name %s; one command may: let internal/app do what they share", strings.Join(in, " and "), name))
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
	const run, shared = "var run = &command{}\ntype runFlags struct{}\nvar o app.RunOptions", "type voice struct{}"
	check.Equal(t, "own and shared types", find(run, shared, "var gate = &command{}\nvar v = voice{}\nvar o app.GateOptions"), "")
	check.Equal(t, "another command's flags", find(run, shared, "var gate = &command{}\nvar f = runFlags{}"), "a.go and c.go name runFlags; one command may: let internal/app do what they share")
	check.Equal(t, "another command's options", find(run, shared, "var gate = &command{}\nvar o = app.RunOptions{}"), "a.go and c.go name app.RunOptions; one command may: let internal/app do what they share")
}

package program

import (
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"popbench"
	"popbench/internal/check"
)

const root = "../../.."

// leftOut has the packages and files that are compiled into the code that makes records but affect no step, by the reason.
var leftOut = map[string]string{
	"refuses something, and changes nothing":                       "internal/limits suite/checker.go",
	"words a message, or refuses a text":                           "internal/words",
	"says who made a record":                                       "internal/run/program record/build.go",
	"where a record goes, and how its file is written":             "record/compact.go record/files.go record/folder.go record/lock*.go record/merge.go",
	"values for reports, beside the records":                       "record/grid.go internal/run/runner/grids.go suite/grid.go",
	"reads records, or says what is wrong with a file":             "record/mixture.go record/results.go record/settings.go record/step.go",
	"which cells are run, and in which order":                      "record/list.go internal/run/runner/choose.go internal/run/runner/resume.go internal/run/runner/runner.go",
	"when a cell is stopped, not what its steps are":               "internal/run/runner/clock.go",
	"describes methods, settings and suites":                       "algorithms/*/method.json algorithms/baselines/*/method.json suite/describe.go suite/schema.go suite/tree.go",
	"what a suite file says is in the header, and its hash":        "suite/entries.go suite/hash.go suite/load.go suite/oracle.go suite/suite.go suite/values.go",
	"starts and ends programs; what they answer decides the steps": "internal/protocol/process",
}

// suite, internal/run/runner and all their imports make a cell's record. Each
// of their files is in popbench.Source, or leftOut says why not.
func TestSourceIsComplete(t *testing.T) {
	names := check.Must(files(popbench.Source))(t)
	missing := map[string]bool{} // of popbench.Source: not reached yet
	for _, name := range names {
		missing[name] = true
	}
	delete(missing, "source.go")
	patterns := strings.Fields(strings.Join(slices.Collect(maps.Values(leftOut)), " "))
	used := map[string]bool{}
	out := func(name string) bool {
		i := slices.IndexFunc(patterns, func(pattern string) bool { ok, _ := path.Match(pattern, name); return ok })
		if i >= 0 {
			used[patterns[i]] = true
		}
		return i >= 0
	}

	queue := []string{"suite", "internal/run/runner"}
	seen := map[string]bool{}
	for len(queue) > 0 {
		dir := queue[0]
		queue = queue[1:]
		if seen[dir] || out(dir) {
			continue
		}
		seen[dir] = true
		for _, e := range check.Must(os.ReadDir(filepath.Join(root, dir)))(t) {
			name := path.Join(dir, e.Name())
			switch {
			case e.IsDir() || strings.HasSuffix(name, "_test.go"):
			case missing[name]:
				delete(missing, name)
				if strings.HasSuffix(name, ".go") {
					queue = append(queue, imports(t, name)...)
				}
			case !out(name):
				t.Errorf("%s is compiled into what makes records, but source.go has no pattern for it; add one, or say in leftOut why it decides no step", name)
			}
		}
	}
	check.That(t, len(missing) == 0, "source.go has a pattern for what is compiled into nothing that makes records: %v", missing)
	for _, pattern := range patterns {
		check.That(t, used[pattern], "leftOut has %s, which is not there or not compiled into what makes records; take it out", pattern)
	}
}

// imports are the packages of the module that a file imports. It may also import the standard
// library, whose version is in the header. It must not embed data, which would be in neither.
func imports(t *testing.T, name string) (ours []string) {
	t.Helper()
	f := check.Must(parser.ParseFile(token.NewFileSet(), filepath.Join(root, name), nil, parser.ImportsOnly))(t)
	for _, spec := range f.Imports {
		imported := check.Must(strconv.Unquote(spec.Path.Value))(t)
		first, _, _ := strings.Cut(imported, "/")
		rest, own := strings.CutPrefix(imported, module+"/")
		switch {
		case imported == "embed":
			t.Errorf("%s embeds data, which the fingerprint does not count; add a pattern to source.go and let files return it", name)
		case own:
			ours = append(ours, rest)
		case strings.Contains(first, "."):
			t.Errorf("%s imports %s, whose version the fingerprint does not count", name, imported)
		}
	}
	return ours
}

// A fingerprint is of the code, not of its layout and comments.
func TestTokens(t *testing.T) {
	const code = `//go:build linux

package p

func f(a, b int) (int, string) {
	return g(a, b), "//x"
}
`
	want := string(check.Must(tokens(nil, []byte(code)))(t))
	for change, same := range map[[2]string]bool{
		{"//go", "// F.\n//go"}:                   true,
		{"\n", "\r\n"}:                            true,
		{"\t", "    "}:                            true,
		{"g(a, b)", "g(\na, /* second */\nb,\n)"}: true,
		{"{\n\treturn g(a, b), \"//x\"\n}", "{ return g(a, b), \"//x\" }"}: true,
		{"linux", "darwin"}:                 false,
		{"g(a, b)", "g(b, a)"}:              false,
		{"g(a, b)", "g(ab)"}:                false,
		{"//x", "//y"}:                      false,
		{"func f", "//go:noinline\nfunc f"}: false,
	} {
		src := strings.ReplaceAll(code, change[0], change[1])
		check.Equal(t, "the tokens are the same with\n"+src, string(check.Must(tokens(nil, []byte(src)))(t)) == want, same)
	}
	check.That(t, check.Err(tokens(nil, []byte("package p\nvar x = \""))) != nil, "half a file is taken")
}

func TestTreesWithOtherCodeAreNotTheSame(t *testing.T) {
	tree := func(name, text string) fstest.MapFS {
		return fstest.MapFS{
			"source.go":   {Data: []byte("//go:embed a/*.go\n")},
			"a/a.go":      {Data: []byte("package a\n")},
			"a/a_test.go": {Data: []byte(text)}, // tests make no records
			name:          {Data: []byte(text)},
		}
	}
	one := tree("a/b.go", "package a\n")
	check.That(t, same(one, tree("a/b.go", "package a\n")) && same(tree("a/c_test.go", "1"), tree("a/c_test.go", "2")), "trees of the same code differ")
	check.That(t, !same(one, tree("a/b.go", "package b\n")) && !same(one, tree("a/c.go", "package a\n")), "trees of other code are the same")
}

func TestExtension(t *testing.T) {
	built := func(version, modified string) debug.BuildInfo {
		return debug.BuildInfo{Main: debug.Module{Path: "example.org/mine", Version: version},
			Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: "1a2b3c4d5e6f1a2b3c4d5e6f1a2b3c4d5e6f1a2b"}, {Key: "vcs.modified", Value: modified}}}
	}
	for want, info := range map[string]debug.BuildInfo{
		"an unknown module": {},
		"example.org/mine":  {Main: debug.Module{Path: "example.org/mine", Version: "(devel)"}},
		"example.org/mine v1.2.3 at commit 1a2b3c4d5e6f":    built("v1.2.3", "false"),
		"example.org/mine at commit 1a2b3c4d5e6f, modified": built("", "true"),
	} {
		check.Equal(t, "extension", extension(&info, []string{"mine", "own"}), want+", which adds mine, own")
	}
	check.Equal(t, "a program that adds nothing", Extension(nil), "")
}

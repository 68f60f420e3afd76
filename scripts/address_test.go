package scripts

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"popbench/internal/check"
)

// What depends on the path of the module follows it to an address, and from there to another. Records depend on the scheme
// of random numbers, which stays.
func TestModulePath(t *testing.T) {
	c := newCommits(t)
	c.Write("scripts/module-path", check.Text(t, filepath.Join(root, "scripts/module-path")))
	const scheme = `const scheme = "popbench/rng/1"`
	for name, text := range map[string]string{
		"go.mod":            "module popbench\n\ngo 1.26\n",
		"tools/go.mod":      "module popbench/tools\n",
		"examples/go.mod":   "module example.org/mine\n\nrequire popbench v0.0.0\n\nreplace popbench => ..\n",
		"README.md":         "# popbench\n\nYou need [Go](https://go.dev/dl) 1.26 and nothing else.\n",
		"CITATION.cff":      "title: popbench\nlicense: MIT\n",
		"CONTRIBUTING.md":   "    go mod edit -require popbench@v0.0.0 -replace popbench=../popbench\n",
		"examples/ci/x.yml": "WHEEL: https://github.com/OWNER/popbench/releases\n",
		"popbench.go":       "package popbench\n\n" + scheme + "\n",
		"sub/sub.go":        "package sub\n\nimport (\n\t\"os\"\n\troot \"popbench\"\n\t_ \"popbench/other\"\n)\n\n" + scheme + " + root.Name\n",
		"other/x.go.txt":    "package other\n\nimport _ \"popbench\"\n",
	} {
		c.Write(name, text)
	}
	c.Commit("a module")
	for _, bad := range []string{"popbench", "https://example.org/x", "example.org/x/", "example.org/x y", "example.org/$(x)", "--force"} {
		out, err := script(c.Dir, "module-path", bad)
		check.That(t, err != nil && strings.Count(out, "\n") == 1, "%s: %v\n%s", bad, err, out)
	}
	c.Clean()
	for _, at := range []string{"github.com/owner/popbench", "example.org/team/popbench"} {
		check.Ran(script(c.Dir, "module-path", at))(t)
		for name, want := range map[string]string{
			"go.mod":          "module " + at + "\n",
			"tools/go.mod":    "module " + at + "/tools\n",
			"examples/go.mod": "require " + at + " v0.0.0\n\nreplace " + at + " => ..\n",
			"README.md": "[![CI](https://" + at + "/actions/workflows/ci.yml/badge.svg)](https://" + at + "/actions/workflows/ci.yml)\n" +
				"[![Go reference](https://pkg.go.dev/badge/" + at + ".svg)](https://pkg.go.dev/" + at + ")\n\n" +
				"You need [Go](https://go.dev/dl) 1.26 and nothing else.\nWithout a clone: `go install " + at + "/cmd/bench@latest`",
			"CITATION.cff":      "license: MIT\nrepository-code: https://" + at + "\n",
			"CONTRIBUTING.md":   "-require " + at + "@v0.0.0 -replace " + at + "=../popbench\n",
			"examples/ci/x.yml": "WHEEL: https://" + at + "/releases\n",
			"popbench.go":       scheme + "\n",
			"sub/sub.go":        "\troot \"" + at + "\"\n\t_ \"" + at + "/other\"\n\t\"os\"\n)\n\n" + scheme + " +",
			"other/x.go.txt":    "import _ \"" + at + "\"\n",
		} {
			check.Contains(t, name, check.Text(t, filepath.Join(c.Dir, name)), want)
		}
		out, err := script(c.Dir, "module-path", "example.org/other")
		check.That(t, err != nil && strings.Contains(out, "working tree differs"), "uncommitted changes: %v\n%s", err, out)
		c.Commit(at)
	}
}

// The whole module is built and obeys its rules at an address.
func TestModulePathOfAll(t *testing.T) {
	check.OnlyLong(t)
	dir := filepath.Join(t.TempDir(), "clone")
	run := func(in, name string, args ...string) string {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir = in
		return check.Ran(cmd.CombinedOutput())(t)
	}
	run(root, "git", "clone", "--quiet", ".", dir)
	check.Ran(script(dir, "module-path", "github.com/owner/popbench"))(t)
	print := func(at string) string {
		_, after, _ := strings.Cut(run(at, "go", "run", "./cmd/bench", "--version"), "source ")
		return strings.TrimSpace(after)[:16]
	}
	check.Equal(t, "fingerprint", print(dir), print(root))
	run(dir, "go", "vet", "./...")
	run(dir, "go", "test", "./internal/archtest", "./internal/views/about", "./internal/run/...", "./internal/protocol/...", "./docs", "./record", "./suite", "./examples")
}

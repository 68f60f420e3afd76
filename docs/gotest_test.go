package docs

import (
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"popbench/internal/check"
)

var (
	goTest  = regexp.MustCompile(`go test ((?:[^\n` + "`" + `;|#(']|'[^']*')*)`)
	chosen  = regexp.MustCompile(`-(run|bench|fuzz)[ =]('[^']*'|\S+)`)
	folders = regexp.MustCompile(`(?:^|\s)(\./\S+|\.)`)
	tests   = regexp.MustCompile(`(?m)^func ((?:Test|Benchmark|Fuzz|Example)\w*)\(`)
)

// Each pattern of a test in a document names tests of the packages beside it: go test says ok if there are none.
func TestNamedTestsExist(t *testing.T) {
	out, err := exec.Command("git", "-C", root, "ls-files", "-z", "*.md", "*doc.go", "*_test.go").Output()
	if err != nil {
		t.Skipf("git lists no files: %v", err)
	}
	names := map[string][]string{} // by folder
	var documents []string
	for _, name := range strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		text := check.Text(t, filepath.Join(root, name))
		folder := "./" + path.Dir(name)
		for _, m := range tests.FindAllStringSubmatch(text, -1) {
			names[folder] = append(names[folder], m[1])
		}
		if !strings.HasSuffix(name, "_test.go") {
			documents = append(documents, name)
		}
	}
	in := func(folder string) (all []string) {
		tree, whole := strings.CutSuffix(folder, "/...")
		for at, list := range names {
			if at == tree || whole && (tree == "." || strings.HasPrefix(at, tree+"/")) {
				all = append(all, list...)
			}
		}
		return all
	}
	patterns := 0
	for _, name := range documents {
		for _, m := range goTest.FindAllStringSubmatch(check.Text(t, filepath.Join(root, name)), -1) {
			var there []string
			for _, f := range folders.FindAllStringSubmatch(m[1], -1) {
				there = append(there, in(f[1])...)
			}
			for _, c := range chosen.FindAllStringSubmatch(m[1], -1) {
				kind := map[string]string{"run": "Test|Fuzz|Example", "bench": "Benchmark", "fuzz": "Fuzz"}[c[1]]
				for _, part := range strings.Split(strings.Trim(c[2], "'"), "|") {
					part, _, _ = strings.Cut(part, "/")
					if part == "^$" || part == "Name" || strings.Contains(m[1], "$p") { // a stand-in; a shell variable
						continue
					}
					patterns++
					pattern := regexp.MustCompile("^(?:" + kind + `)`)
					found := slices.ContainsFunc(there, func(test string) bool {
						return pattern.MatchString(test) && regexp.MustCompile(part).MatchString(test)
					})
					check.That(t, found, "%s: go test %s: no test has the name %s", name, m[1], part)
				}
			}
		}
	}
	check.That(t, patterns >= 20, "only %d patterns were found", patterns)
}

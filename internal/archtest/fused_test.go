package archtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"popbench/internal/check"
)

// A compiler may fuse x*y + z into one instruction, which rounds once. Code that
// decides a number of a record must not leave that to the compiler: it says
// float64(x*y) + z, or math.FMA. arm64 has instructions for differences, too.
func TestNoProductIsFused(t *testing.T) {
	check.OnlyLong(t) // compiles the packages for two processors
	packages := recordPath(t)
	fused := regexp.MustCompile(`\((\S+):(\d+)\)\t(V?FN?M(?:ADD|SUB)\w*)\t`)
	for _, c := range []struct{ arch, level, product string }{{"amd64", "v3", "MULSD"}, {"arm64", "", "FMULD"}} {
		cmd := exec.Command("go", append([]string{"build", "-trimpath", "-gcflags=-S"}, packages...)...)
		cmd.Dir, cmd.Env = root, append(os.Environ(), "GOOS=linux", "CGO_ENABLED=0", "GOARCH="+c.arch, "GOAMD64="+c.level)
		listing := string(check.Must(cmd.CombinedOutput())(t))
		n := strings.Count(listing, "\t"+c.product+"\t")
		check.That(t, n >= 1000, "%s: the listing has only %d instructions %s", c.arch, n, c.product)
		asked := 0
		for text := range strings.Lines(listing) {
			if !strings.Contains(text, "MADD") && !strings.Contains(text, "MSUB") {
				continue // most lines, in which to look for the expression takes seconds
			}
			if m := fused.FindStringSubmatch(text); m != nil && strings.Contains(line(t, m[1], m[2]), "math.FMA(") {
				asked++
			} else if m != nil {
				t.Errorf("%s: %s:%s is fused on %s: round the product first, float64(x*y) + z", m[3], m[1], m[2], c.arch)
			}
		}
		check.That(t, asked != 0, "%s: no math.FMA is found, so the listing is not read", c.arch)
	}
}

// recordPath are the import paths of the packages that make records: those that
// internal/run/runner depends on, itself included.
func recordPath(t *testing.T) []string {
	t.Helper()
	all := packages(t)
	runner := all[slices.IndexFunc(all, func(p pkg) bool { return p.name == "internal/run/runner" })]
	path := append(slices.Clone(runner.deps), module+runner.name)
	path = slices.DeleteFunc(path, func(path string) bool { return !strings.HasPrefix(path, module) })
	check.Ensure(t, !(len(path) < 15), "internal/run/runner depends on %q only", path)
	return path
}

// line returns a line of a source file, which begins with the module's name.
func line(t *testing.T, file, number string) string {
	t.Helper()
	text := check.Must(os.ReadFile(filepath.Join(root, strings.TrimPrefix(file, module))))(t)
	return strings.Split(string(text), "\n")[check.Must(strconv.Atoi(number))(t)-1]
}

package record

import (
	"runtime"
	"strings"
	"testing"

	"popbench/internal/check"
)

const (
	someCommit = "1a2b3c4d5e6f1a2b3c4d5e6f1a2b3c4d5e6f1a2b"
	somePrint  = "0123456789abcdef"
)

func TestProgram(t *testing.T) {
	commit := func(modified, level string) map[string]string {
		return map[string]string{"vcs.revision": someCommit, "vcs.modified": modified, "GOAMD64": level}
	}
	for _, test := range []struct {
		settings                             map[string]string
		print                                string
		revision, program, release, identity string
	}{
		{nil, "", "0.1.0", "popbench 0.1.0, go1, linux/amd64", "popbench 0.1.0, go1, linux/amd64", "popbench 0.1.0, go1, linux/amd64"},
		{nil, somePrint, "0.1.0", "popbench 0.1.0 (source 0123456789abcdef), go1, linux/amd64",
			"popbench 0.1.0, go1, linux/amd64", "popbench source 0123456789abcdef, go1, linux/amd64"},
		{commit("false", "v3"), "", "0.1.0+1a2b3c4d5e6f",
			"popbench 0.1.0 (commit 1a2b3c4d5e6f), go1, linux/amd64/v3", "popbench 0.1.0 (commit 1a2b3c4d5e6f), go1, linux/amd64/v3", "popbench 0.1.0, go1, linux/amd64/v3"},
		{commit("true", ""), somePrint, "0.1.0+1a2b3c4d5e6f-dirty",
			"popbench 0.1.0 (commit 1a2b3c4d5e6f, modified; source 0123456789abcdef), go1, linux/amd64",
			"popbench 0.1.0 (commit 1a2b3c4d5e6f, modified), go1, linux/amd64", "popbench source 0123456789abcdef, go1, linux/amd64"},
	} {
		b := Build{Version: "0.1.0", Fingerprint: test.print, Go: "go1", Platform: platform("linux", "amd64", test.settings)}
		b.stamp(test.settings)
		got, want := []string{b.Revision(), b.Program(), b.Release(), b.Identity()}, []string{test.revision, test.program, test.release, test.identity}
		check.Equal(t, "program", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	a := Build{Fingerprint: somePrint, Go: "go1", Platform: "linux/amd64/v1", Arithmetic: "portable"}
	b := a
	b.Platform = "darwin/arm64/v8.0"
	check.Equal(t, "identity with portable arithmetic", b.Identity(), a.Identity())
	b.Arithmetic = ""
	check.That(t, a.Identity() != b.Identity(), "both are %q, and one says nothing of its arithmetic", a.Identity())
	want := runtime.GOOS == "linux" && runtime.GOARCH == "amd64"
	check.That(t, !want || Built().Arithmetic == "portable", "this program says %+v", Built())
	check.That(t, CPU() != "" && Host() != "", "CPU or host is empty")
}

func TestPlatform(t *testing.T) {
	for _, test := range []struct{ system, arch, key, level, want string }{
		{"linux", "amd64", "GOAMD64", "v3", "linux/amd64/v3"},
		{"darwin", "arm64", "GOARM64", "v8.0", "darwin/arm64/v8.0"},
		{"linux", "ppc64le", "GOPPC64", "power8", "linux/ppc64le/power8"},
		{"linux", "mips64le", "GOMIPS64", "hardfloat", "linux/mips64le/hardfloat"},
		{"linux", "386", "GO386", "sse2", "linux/386/sse2"},
		{"linux", "s390x", "GOOS", "linux", "linux/s390x"},
	} {
		settings := map[string]string{"-compiler": "gc", "GOARCH": test.arch, test.key: test.level}
		check.Equal(t, "platform", platform(test.system, test.arch, settings), test.want)
	}
	got := Built().Platform
	check.That(t, !strings.HasPrefix(got, "linux/amd64") || strings.Count(got, "/v") == 1, "this program is for %s, without the level of amd64", got)
}

package record

import (
	"bytes"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"popbench/internal/check"
)

// settings returns the settings of a build from keys and values.
func settings(kv ...string) (s []debug.BuildSetting) {
	for i := 0; i < len(kv); i += 2 {
		s = append(s, debug.BuildSetting{Key: kv[i], Value: kv[i+1]})
	}
	return s
}

const (
	someCommit = "1a2b3c4d5e6f1a2b3c4d5e6f1a2b3c4d5e6f1a2b"
	somePrint  = "0123456789abcdef"
)

func TestProgram(t *testing.T) {
	for _, test := range []struct {
		settings                             []debug.BuildSetting
		print                                string
		revision, program, release, identity string
	}{
		{nil, "", "0.1.0", "popbench 0.1.0, go1, linux/amd64", "popbench 0.1.0, go1, linux/amd64", "popbench 0.1.0, go1, linux/amd64"},
		{nil, somePrint, "0.1.0", "popbench 0.1.0 (source 0123456789abcdef), go1, linux/amd64",
			"popbench 0.1.0, go1, linux/amd64", "popbench source 0123456789abcdef, go1, linux/amd64"},
		{settings("vcs.revision", someCommit, "vcs.modified", "false", "GOAMD64", "v3"), "", "0.1.0+1a2b3c4d5e6f",
			"popbench 0.1.0 (commit 1a2b3c4d5e6f), go1, linux/amd64/v3", "popbench 0.1.0 (commit 1a2b3c4d5e6f), go1, linux/amd64/v3", "popbench 0.1.0, go1, linux/amd64/v3"},
		{settings("vcs.revision", someCommit, "vcs.modified", "true"), somePrint, "0.1.0+1a2b3c4d5e6f-dirty",
			"popbench 0.1.0 (commit 1a2b3c4d5e6f, modified; source 0123456789abcdef), go1, linux/amd64",
			"popbench 0.1.0 (commit 1a2b3c4d5e6f, modified), go1, linux/amd64", "popbench source 0123456789abcdef, go1, linux/amd64"},
	} {
		t.Run(test.program, func(t *testing.T) {
			b := Build{Version: "0.1.0", Fingerprint: test.print, Go: "go1", Platform: platform("linux", "amd64", test.settings)}
			b.stamp(test.settings)
			for _, c := range [][2]string{{b.Revision(), test.revision}, {b.Program(), test.program}, {b.Release(), test.release}, {b.Identity(), test.identity}} {
				check.That(t, c[0] == c[1], "got  %q\nwant %q", c[0], c[1])
			}
		})
	}
	a := Build{Fingerprint: somePrint, Go: "go1", Platform: "linux/amd64/v1", Arithmetic: "portable"}
	b := a
	b.Platform = "darwin/arm64/v8.0"
	check.That(t, a.Identity() == b.Identity(), "portable arithmetic, but %q is not %q", a.Identity(), b.Identity())
	if b.Arithmetic = ""; a.Identity() == b.Identity() {
		t.Errorf("both are %q, and one says nothing of its arithmetic", a.Identity())
	}
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
		t.Run(test.want, func(t *testing.T) {
			if got := platform(test.system, test.arch, settings("-compiler", "gc", "GOARCH", test.arch, test.key, test.level)); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
	if got := Built().Platform; strings.HasPrefix(got, "linux/amd64") && strings.Count(got, "/v") != 1 {
		t.Errorf("this program is for %s, without the level of amd64", got)
	}
}

// Records of earlier versions, without commit and fingerprint, are read and written unchanged.
func TestRecordWithoutFingerprint(t *testing.T) {
	for _, b := range []Build{
		{Version: "0.1.0", Go: "go1.26.8", Platform: "linux/amd64"},
		{Version: "0.1.0", Commit: someCommit, Dirty: true, Fingerprint: somePrint, Go: "go1.26.8", Platform: "linux/amd64/v1"},
	} {
		r := example(t)
		r.Header.Build = b
		data := check.Must(Encode(r))(t)
		had := bytes.Contains(data, []byte(`"version":"0.1.0","commit":"`+someCommit+`","dirty":true,"fingerprint":"`+somePrint+`","go":`))
		check.That(t, had == (b.Fingerprint != ""), "%s", data)
		again := check.Must(Decode("x.jsonl", data))(t)
		check.That(t, again.Header.Build == b, "got %+v, want %+v", again.Header.Build, b)
	}
}

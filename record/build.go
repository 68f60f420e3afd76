package record

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"popbench/internal/words"
)

// release is the version of popbench, as in CHANGELOG.md.
const release = "0.1.0"

// Build identifies the program that made a record. Records of earlier versions have no commit and no fingerprint.
type Build struct {
	Version     string `json:"version"`               // release of popbench
	Commit      string `json:"commit,omitempty"`      // the full hash of the commit that it was built from, if known
	Dirty       bool   `json:"dirty,omitempty"`       // files differed from the commit
	Fingerprint string `json:"fingerprint,omitempty"` // of the source code that makes records: 16 hexadecimal digits; see internal/run/program
	Go          string `json:"go"`
	Platform    string `json:"platform"` // GOOS/GOARCH/level, e.g. linux/amd64/v1
	// Arithmetic is "portable" where the same source makes the same records; "" in records of earlier versions.
	Arithmetic string `json:"arithmetic,omitempty"`
	// Extension describes a program that adds algorithms or problems of its own: module, version, commit, names.
	Extension string `json:"extension,omitempty"`
}

// portable lists the platforms known to make the same records: scripts/platforms tests them, and no others.
var portable = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64"}

// Built returns what the go command recorded about the running program, without the fingerprint.
var Built = sync.OnceValue(func() Build {
	b := Build{Version: release, Go: runtime.Version()}
	settings := map[string]string{}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			settings[s.Key] = s.Value
		}
		own := path.Dir(reflect.TypeFor[Build]().PkgPath())
		if info.Main.Path == "" || info.Main.Path == own { // otherwise the commit is another module's
			b.stamp(settings)
		}
	}
	b.Platform = platform(runtime.GOOS, runtime.GOARCH, settings)
	if slices.Contains(portable, runtime.GOOS+"/"+runtime.GOARCH) {
		b.Arithmetic = "portable"
	}
	return b
})

func (b *Build) stamp(settings map[string]string) {
	b.Commit, b.Dirty = settings["vcs.revision"], settings["vcs.modified"] == "true"
}

// platform returns system/arch/level. The level decides, for example, whether a multiplication is fused with an addition.
func platform(system, arch string, settings map[string]string) string {
	level := settings["GO"+strings.ToUpper(strings.TrimSuffix(arch, "le"))] // of GOAMD64, GOARM, GOPPC64, ...
	return system + "/" + arch + after("/", level)
}

// Revision returns the release and, if known, the commit: "0.1.0+1a2b3c4d5e6f", "-dirty" if files differed from it.
func (b *Build) Revision() string { return b.Version + b.commit("+", "-dirty") }

// commit is the start of the commit between before and, if files differed from it, dirty; "" if it is unknown.
func (b *Build) commit(before, dirty string) string {
	if b.Commit == "" {
		return ""
	}
	text := before + b.Commit[:min(12, len(b.Commit))]
	if b.Dirty {
		text += dirty
	}
	return text
}

// Program describes the program in full for people: "popbench 0.1.0 (commit 1a2b3c4d5e6f, modified;
// source 0123456789abcdef), go1.26.8, linux/amd64/v1".
func (b *Build) Program() string {
	about := words.Only([]string{b.commit("commit ", ", modified"), after("source ", b.Fingerprint), after("in ", b.Extension)},
		func(s string) bool { return s != "" })
	text := ""
	if about != nil {
		text = " (" + strings.Join(about, "; ") + ")"
	}
	return fmt.Sprintf("popbench %s%s, %s, %s", b.Version, text, b.Go, b.Platform)
}

// Release is Program without the fingerprint, for published pages: release and commit find the source.
func (b *Build) Release() string {
	of := *b
	of.Fingerprint = ""
	return of.Program()
}

// Identity is equal for two programs that make the same records. It contains the fingerprint of the
// source, the Go version, the platform unless its arithmetic is portable, and the extension. Without a
// fingerprint the version identifies the source.
func (b *Build) Identity() string {
	if b.Fingerprint == "" {
		of := Build{Version: b.Version, Go: b.Go, Platform: b.Platform, Extension: b.Extension}
		return of.Program()
	}
	on := b.Platform
	if b.Arithmetic != "" {
		on = b.Arithmetic + " arithmetic"
	}
	return fmt.Sprintf("popbench source %s, %s, %s", b.Fingerprint, b.Go, on) + after(", in ", b.Extension)
}

// after puts a word before a text, unless that is empty.
func after(word, text string) string {
	if text == "" {
		return ""
	}
	return word + text
}

// Host returns the machine's name, or "unknown" if it has none.
var Host = sync.OnceValue(func() string {
	if name, err := os.Hostname(); err == nil {
		return words.Shorten(name)
	}
	return "unknown"
})

// CPU returns the model of the processor, or the architecture if the system does not report it.
var CPU = sync.OnceValue(func() string {
	switch runtime.GOOS {
	case "linux":
		info, _ := os.ReadFile("/proc/cpuinfo")
		for line := range bytes.Lines(info) {
			if key, value, ok := strings.Cut(string(line), ":"); ok && strings.TrimSpace(key) == "model name" {
				return words.Shorten(strings.TrimSpace(value))
			}
		}
	case "darwin":
		if out, err := exec.Command("sysctl", "-n", "machdep.cpu.brand_string").Output(); err == nil {
			return words.Shorten(strings.TrimSpace(string(out)))
		}
	}
	return runtime.GOARCH
})

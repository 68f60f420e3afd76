package runlog

import (
	"bytes"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
)

// release is the version of popbench, as in CHANGELOG.md.
const release = "0.1.0"

const platform = runtime.GOOS + "/" + runtime.GOARCH

var goVersion = runtime.Version()

// Version is the release and, where the build knows it, the commit:
// "0.1.0+1a2b3c4d5e6f", with "-dirty" if files differed from it.
var Version = sync.OnceValue(func() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return release
	}
	return version(info.Settings)
})

func version(settings []debug.BuildSetting) string {
	var revision, dirty string
	for _, s := range settings {
		switch {
		case s.Key == "vcs.revision":
			revision = "+" + s.Value[:min(12, len(s.Value))]
		case s.Key == "vcs.modified" && s.Value == "true":
			dirty = "-dirty"
		}
	}
	if revision == "" {
		return release
	}
	return release + revision + dirty
}

// Host is the machine's name, "unknown" if it has none.
var Host = sync.OnceValue(func() string {
	if name, err := os.Hostname(); err == nil {
		return name
	}
	return "unknown"
})

// CPU is the model of the processor, or the architecture where the system does
// not tell.
var CPU = sync.OnceValue(func() string {
	switch runtime.GOOS {
	case "linux":
		info, _ := os.ReadFile("/proc/cpuinfo")
		for line := range bytes.Lines(info) {
			if key, value, ok := strings.Cut(string(line), ":"); ok && strings.TrimSpace(key) == "model name" {
				return strings.TrimSpace(value)
			}
		}
	case "darwin":
		if out, err := exec.Command("sysctl", "-n", "machdep.cpu.brand_string").Output(); err == nil {
			return strings.TrimSpace(string(out))
		}
	}
	return runtime.GOARCH
})

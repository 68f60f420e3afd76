package program

import (
	"runtime/debug"
	"testing"

	"popbench/internal/check"
)

func TestExtension(t *testing.T) {
	const commit = "1a2b3c4d5e6f1a2b3c4d5e6f1a2b3c4d5e6f1a2b"
	for _, test := range []struct {
		info debug.BuildInfo
		want string
	}{
		{debug.BuildInfo{}, "an unknown module, which adds mine, own"},
		{debug.BuildInfo{Main: debug.Module{Path: "example.org/mine", Version: "(devel)"}}, "example.org/mine, which adds mine, own"},
		{debug.BuildInfo{Main: debug.Module{Path: "example.org/mine", Version: "v1.2.3"},
			Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: commit}, {Key: "vcs.modified", Value: "false"}}},
			"example.org/mine v1.2.3 at commit 1a2b3c4d5e6f, which adds mine, own"},
		{debug.BuildInfo{Main: debug.Module{Path: "example.org/mine"},
			Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: commit}, {Key: "vcs.modified", Value: "true"}}},
			"example.org/mine at commit 1a2b3c4d5e6f, modified, which adds mine, own"},
	} {
		check.Equal(t, "extension", extension(&test.info, []string{"mine", "own"}), test.want)
	}
	check.Equal(t, "a program that adds nothing", Extension(nil), "")
}

package program

import (
	"runtime/debug"
	"testing"
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
		if got := extension(&test.info, []string{"mine", "own"}); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
	if got := Extension(nil); got != "" {
		t.Errorf("a program that adds nothing is %q", got)
	}
}

package program

import (
	"runtime/debug"
	"strings"

	"popbench/internal/printable"
)

// Extension describes a program that adds algorithms and problems of these names: its
// main module with the version and the commit that the go command noted, and the
// names. It is "" if there are no names.
//
// Programs of different descriptions differ. Programs of one description may differ
// too: the fingerprint covers the source of popbench only, and the description does
// not show a change that was not committed, or any change if the go command noted no
// commit, as with go run.
func Extension(names []string) string {
	if len(names) == 0 {
		return ""
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	return extension(info, names)
}

func extension(info *debug.BuildInfo, names []string) string {
	words := []string{"an unknown module"}
	if info.Main.Path != "" {
		words = []string{info.Main.Path}
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		words = append(words, v)
	}
	commit, modified := "", ""
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			commit = " at commit " + s.Value[:min(12, len(s.Value))]
		case "vcs.modified":
			if s.Value == "true" {
				modified = ", modified"
			}
		}
	}
	return printable.Shorten(strings.Join(words, " ") + commit + modified + ", which adds " + strings.Join(names, ", "))
}

// Package program identifies the running program, so that records can say which
// program made them.
package program

import (
	"cmp"
	"runtime/debug"
	"strings"
	"sync"

	"popbench"
	"popbench/internal/words"
	"popbench/record"
)

// known is the fingerprint in a release. scripts/release sets it: to compute it takes half of the time of a short command.
var known string

// This returns the running program. Unless this is a release, the first call takes about ten milliseconds,
// so only code that writes records or prints the version should call it.
var This = sync.OnceValue(func() record.Build {
	b := record.Built()
	if b.Fingerprint = known; known == "" {
		var err error
		if b.Fingerprint, err = fingerprint(popbench.Source); err != nil {
			panic("program: " + err.Error()) // cannot happen: the compiler has read the same files
		}
	}
	if b.Commit == "" {
		b.Commit, b.Dirty = checkout()
	}
	return b
})

// Extension describes a program that adds algorithms and problems with these names: its main module
// with the version and commit that the go command recorded, and the names. It is "" without names.
//
// Programs with different descriptions differ. Programs with the same description may differ too:
// the fingerprint covers only the source of popbench, and the description shows neither uncommitted
// changes nor, if the go command recorded no commit (as with go run), any change.
func Extension(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return extension(built(), names)
}

func extension(info *debug.BuildInfo, names []string) string {
	text := cmp.Or(info.Main.Path, "an unknown module")
	if v := info.Main.Version; v != "" && v != "(devel)" {
		text += " " + v
	}
	if commit := setting(info, "vcs.revision"); commit != "" {
		text += " at commit " + commit[:min(12, len(commit))]
	}
	if setting(info, "vcs.modified") == "true" {
		text += ", modified"
	}
	return words.Shorten(text + ", which adds " + strings.Join(names, ", "))
}

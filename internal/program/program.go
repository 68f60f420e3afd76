// Package program says which program this is, for records to tell who made them.
package program

import (
	"sync"

	"popbench"
	"popbench/internal/runlog"
)

// This is the program that runs. The first call takes some ten milliseconds:
// only what writes records or asks for the version should call it.
var This = sync.OnceValue(func() runlog.Build {
	b := runlog.Built()
	sum, err := fingerprint(popbench.Source, dependency(popbench.Source))
	if err != nil {
		panic("program: " + err.Error()) // the compiler has read the same files
	}
	b.Fingerprint = sum
	if b.Commit == "" {
		b.Commit, b.Dirty = checkout(sum)
	}
	return b
})

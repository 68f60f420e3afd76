// Package program identifies the running program, so that records can say which
// program made them.
package program

import (
	"sync"

	"popbench"
	"popbench/record"
)

// This returns the running program. The first call takes about ten milliseconds,
// so only code that writes records or prints the version should call it.
var This = sync.OnceValue(func() record.Build {
	b := record.Built()
	sum, err := fingerprint(popbench.Source, dependency(popbench.Source))
	if err != nil {
		panic("program: " + err.Error()) // cannot happen: the compiler has read the same files
	}
	b.Fingerprint = sum
	if b.Commit == "" {
		b.Commit, b.Dirty = checkout(sum)
	}
	return b
})

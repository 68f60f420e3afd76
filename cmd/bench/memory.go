package main

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// headroom is how much is allocated between two collections of garbage.
const headroom = 32 << 20

// limitGarbage has garbage collected after every headroom bytes, however much is
// in use. By default Go waits until the heap has doubled: a command that reads
// many records would take twice the memory that it uses, and one that uses little
// would collect far too often.
func limitGarbage() {
	type sentinel struct{ _ [16]byte }
	var again func(*sentinel)
	again = func(*sentinel) { // the collector has found the last one unused
		live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(live)
		// Go's smallest heap is 4 MB times the percentage.
		debug.SetGCPercent(int(100 * headroom / max(live[0].Value.Uint64(), 4<<20)))
		runtime.SetFinalizer(&sentinel{}, again)
	}
	again(nil)
}

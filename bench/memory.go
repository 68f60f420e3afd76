package bench

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// headroom is the number of bytes allocated between two garbage collections.
const headroom = 32 << 20

// limitGarbage makes the collector run after every headroom bytes, whatever the size of
// the heap. By default Go waits until the heap has doubled. A command that reads many
// records would then need twice the memory that is live, and a command with a small heap
// would collect far too often.
func limitGarbage() {
	type sentinel struct{ _ [16]byte }
	var again func(*sentinel)
	again = func(*sentinel) { // runs after each collection, because nothing refers to the sentinel
		live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(live)
		// Go's smallest heap is 4 MB times the percentage.
		debug.SetGCPercent(int(100 * headroom / max(live[0].Value.Uint64(), 4<<20)))
		runtime.SetFinalizer(&sentinel{}, again)
	}
	again(nil)
}

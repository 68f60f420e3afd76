package algorithms

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
)

// Streams are the random streams of one run, by name. Equal names give equal numbers, different names
// independent ones. A method names a stream after the step, so that its proposal does not depend on how often
// Ask is called. The zero value is the streams of no key: always the same ones.
type Streams struct{ words []uint64 }

// NewStreams returns the streams with the given key of one or two words.
func NewStreams(words ...uint64) Streams {
	if len(words) < 1 || len(words) > 2 {
		panic(fmt.Sprintf("algorithms: random streams with a key of %d words; give 1 or 2", len(words)))
	}
	return Streams{words}
}

// Rand returns the stream of the given label and optional index. It is ChaCha8, keyed with the words of the
// streams, the index, and the label, which is cut to the rest of the 32-byte key: 24 bytes at most, 8 at least.
func (s Streams) Rand(label string, index ...int) *rand.Rand {
	if len(index) > 1 {
		panic(fmt.Sprintf("algorithms: a random stream with %d indices; give at most one", len(index)))
	}
	var key [32]byte
	at := key[:0]
	for _, w := range s.words {
		at = binary.LittleEndian.AppendUint64(at, w)
	}
	for _, i := range index {
		at = binary.LittleEndian.AppendUint64(at, uint64(i))
	}
	copy(key[len(at):], label)
	return rand.New(rand.NewChaCha8(key))
}

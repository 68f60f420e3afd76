// Package rng gives every part of the benchmark its own named stream of random
// numbers, so that the numbers one part draws do not depend on what another
// part, another worker or another machine has drawn before.
package rng

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
)

// scheme goes into every hash. Records are only comparable while the streams
// stay what they are: a change of the construction below changes this name,
// the golden test and runlog.Format together.
const scheme = "popbench/rng/1"

// Stream returns the stream that the seed and the labels name: equal names,
// equal numbers; any other name, independent numbers.
//
//	rng.Stream(suite.Seed, "oracle", problem, strconv.Itoa(repetition))
//
// It is ChaCha8 keyed with the SHA-256 of the scheme, the seed and the labels.
// Every label is hashed with its length before it, so that ("ab", "c") and
// ("a", "bc") are different streams; so are no label and one empty label.
func Stream(seed uint64, labels ...string) *rand.Rand {
	buf := make([]byte, 0, 256)
	buf = appendLabel(buf, scheme)
	buf = binary.BigEndian.AppendUint64(buf, seed)
	for _, label := range labels {
		buf = appendLabel(buf, label)
	}
	return rand.New(rand.NewChaCha8(sha256.Sum256(buf)))
}

func appendLabel(buf []byte, label string) []byte {
	buf = binary.BigEndian.AppendUint64(buf, uint64(len(label)))
	return append(buf, label...)
}

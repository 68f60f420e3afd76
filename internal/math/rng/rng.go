// Package rng gives every part of the benchmark its own named stream of random numbers. What one
// part draws does not depend on what another part, worker or machine drew before.
package rng

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"

	"popbench/internal/math/fmath"
)

// scheme enters every hash. Records are comparable only while the streams stay the same: whoever
// changes the construction below must change this name, the golden test and record.Format too.
const scheme = "popbench/rng/1"

// Stream returns the stream named by the seed and the labels. Equal names give equal numbers,
// different names independent numbers.
//
//	rng.Stream(suite.Seed, "oracle", problem, strconv.Itoa(repetition))
//
// The stream is ChaCha8 keyed with the SHA-256 of the scheme, the seed and the labels. The length
// of every label is hashed before it, so ("ab", "c") and ("a", "bc") are different streams, and no
// label differs from one empty label.
func Stream(seed uint64, labels ...string) *rand.Rand {
	return rand.New(rand.NewChaCha8(Key(seed, labels...)))
}

// Key returns the key of the stream of that name, from which another program can make the stream.
func Key(seed uint64, labels ...string) [32]byte {
	buf := make([]byte, 0, 256)
	buf = appendLabel(buf, scheme)
	buf = binary.BigEndian.AppendUint64(buf, seed)
	for _, label := range labels {
		buf = appendLabel(buf, label)
	}
	return sha256.Sum256(buf)
}

// LogUniform draws a number between lo and hi, both positive, whose logarithm is uniform. It takes one number
// from r.
func LogUniform(r *rand.Rand, lo, hi float64) float64 {
	a, b := fmath.Log(lo), fmath.Log(hi)
	return min(max(fmath.Exp(a+float64(r.Float64()*(b-a))), lo), hi)
}

func appendLabel(buf []byte, label string) []byte {
	buf = binary.BigEndian.AppendUint64(buf, uint64(len(label)))
	return append(buf, label...)
}

//go:build !noasm

package wide

import "testing"

// levels calls f without AVX2, and with it if the processor has it.
func levels(t testing.TB, f func(name string)) {
	t.Helper()
	defer func() { avx2 = detect() }()
	avx2 = false
	f("plain")
	if avx2 = detect(); avx2 {
		f("AVX2")
	}
}

//go:build !noasm

package wide

import "testing"

// levels calls f with every level that the processor has.
func levels(t testing.TB, f func(name string)) {
	t.Helper()
	before := best
	defer func() { best = before }()
	for l, name := range []string{"plain", "AVX2", "AVX-512"} {
		if best = level(l); best <= detect() {
			f(name)
		}
	}
}

package check

import (
	"os/exec"
	"testing"
)

// Needs leaves out a test if one of the programs is not installed.
func Needs(t testing.TB, programs ...string) {
	t.Helper()
	for _, name := range programs {
		if _, err := exec.LookPath(name); err != nil {
			t.Skip(err)
		}
	}
}

// Slow leaves a test out with -short, for a reason.
func Slow(t testing.TB, why string) {
	t.Helper()
	if testing.Short() {
		t.Skip("-short: " + why)
	}
}

// Ran returns what a program printed, and ends the test with it if the program failed: check.Ran(cmd.CombinedOutput())(t).
func Ran[T string | []byte](out T, err error) func(t testing.TB) string {
	return func(t testing.TB) string {
		t.Helper()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return string(out)
	}
}

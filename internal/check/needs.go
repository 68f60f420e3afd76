package check

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"testing"
)

// Long reports whether tests take the time that they would like, as they do in scripts/long, which sets POPBENCH_LONG.
func Long() bool { return os.Getenv("POPBENCH_LONG") != "" }

// OnlyLong leaves out of the suite a test that takes long for what it finds; scripts/long has it.
func OnlyLong(t testing.TB) {
	t.Helper()
	if !Long() {
		t.Skip("only in scripts/long")
	}
}

// Sequential leaves a test out with -short, which the race detector's runs set: other tests cover what it does side by side.
func Sequential(t testing.TB) {
	t.Helper()
	Slow(t, "other tests do the same side by side")
}

// SideBySide runs the tests of a package in which many wait for programs: more of the parallel ones at once than there are
// processors.
func SideBySide(m *testing.M) int {
	flag.Set("test.parallel", fmt.Sprint(4*runtime.GOMAXPROCS(0))) // an argument replaces it
	return m.Run()
}

// Few returns few, or many in scripts/long: a simulation's number of draws.
func Few(few, many int) int {
	if Long() {
		return many
	}
	return few
}

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

package bench

import (
	"io"
	"path/filepath"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/internal/console"
	"popbench/internal/solve"
	"popbench/internal/views/report/reporttest"
)

// plain is the program without additions.
func plain(stdout, stderr io.Writer) *cli {
	a := &cli{solvers: solve.BuiltIn}
	a.start(strings.NewReader(""), stdout, stderr, []string{"bench"})
	return a
}

// succeed runs a command, which must succeed without output on stderr. It returns the output.
func succeed(t *testing.T, args ...string) string {
	t.Helper()
	stdout, stderr, err := bench(t, args...)
	check.Ensure(t, err == nil && stderr == "", "bench %s: error %v, stderr %q", strings.Join(args, " "), err, stderr)
	return stdout
}

// root is the top of the tree.
const root = ".."

// refused checks that a command did nothing except return an error that contains want.
func refused(t *testing.T, stdout string, err error, want string) {
	t.Helper()
	check.Equal(t, "exit code", console.ExitCode(err), console.ExitRefused)
	check.Equal(t, "stdout", stdout, "")
	check.Error(t, "refused", err, want)
}

// ackley writes [reporttest.Ackley] to a folder of dir.
func ackley(t *testing.T, dir string, runs int) {
	t.Helper()
	check.OK(t, reporttest.Ackley(runs).Write(filepath.Join(dir, "paper-ackley-6d")))
}

// done is like succeed, but permits progress on stderr.
func done(t *testing.T, args ...string) string {
	t.Helper()
	stdout, stderr, err := bench(t, args...)
	if err != nil {
		t.Fatalf("bench %v: %v, stderr %q", args, err, stderr)
	}
	return stdout
}

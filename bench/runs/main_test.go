// Package runs tests what runs of suites leave: records that depend neither on workers, interruptions and shards nor on what
// is a program. It has good programs and bad ones.
package runs

import (
	"bytes"
	"io"
	"os"
	"testing"

	command "popbench/bench"
	"popbench/internal/benchtest"
	"popbench/internal/check"
)

// animals is a program that misbehaves as its arguments say, where there is one.
var animals func(words []string)

// The test program is also bench, and the programs of the zoo.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "zoo" {
		animals(os.Args[2:])
		os.Exit(0)
	}
	benchtest.Main(m, func() int { return command.Main() }, "run", "serve")
}

// ran runs a command in this process, which has to end with the exit code, and returns what it says on standard error.
func ran(t *testing.T, code int, args ...string) string {
	t.Helper()
	var log bytes.Buffer
	got := command.Execute(t.Context(), nil, io.Discard, &log, args)
	check.That(t, got == code, "bench %q: exit code %d, not %d: %s", args, got, code, &log)
	return log.String()
}

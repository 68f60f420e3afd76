// Package runs tests what runs of suites leave: records that depend neither on workers, interruptions and shards nor on what
// is a program. It has good programs and bad ones.
package runs

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
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

// notShort leaves a test that runs programs of its own out of short ones.
func notShort(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("runs programs of its own")
	}
}

// The exit codes of commands.
const (
	exitFailed      = 1
	exitRefused     = 2
	exitInterrupted = 130
)

// failure is how a command ended that did not do well.
type failure struct {
	code    int
	message string // its last lines on standard error, each with "bench: "
}

func (f *failure) Error() string {
	return strings.ReplaceAll(strings.TrimPrefix(strings.TrimSuffix(f.message, "\n"), "bench: "), "\nbench: ", "\n")
}

func exitCode(err error) int {
	if f, ok := errors.AsType[*failure](err); ok {
		return f.code
	}
	return 0
}

// bench runs a command in this process. Standard error is without the message of the error.
func bench(t *testing.T, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	var out, log bytes.Buffer
	code := command.Execute(t.Context(), nil, &out, &log, args)
	stderr = log.String()
	if code == 0 {
		return out.String(), stderr, nil
	}
	lines := strings.SplitAfter(stderr, "\n")
	k := len(lines) - 1 // after the last line break
	for k > 0 && strings.HasPrefix(lines[k-1], "bench: ") {
		k--
	}
	return out.String(), strings.Join(lines[:k], ""), &failure{code, strings.Join(lines[k:], "")}
}

// done runs a command that does well, and returns what it prints.
func done(t *testing.T, args ...string) string {
	t.Helper()
	stdout, stderr, err := bench(t, args...)
	if err != nil {
		t.Fatalf("bench %q: %v, stderr %q", args, err, stderr)
	}
	return stdout
}

func writeFile(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	check.OK(t, os.WriteFile(path, []byte(text), 0o666))
	return path
}

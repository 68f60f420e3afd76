//go:build unix

package runs

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"

	command "popbench/bench"
	"popbench/internal/check"
	"popbench/internal/console"
)

// After an interrupt no process is left.
func TestCheckInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	out := writerFunc(func(p []byte) (int, error) { cancel(); return len(p), nil })
	var stderr bytes.Buffer
	check.Equal(t, "exit code", command.Execute(ctx, nil, out, &stderr, []string{"check", os.Args[0], "zoo", "hang", "start"}), console.ExitInterrupted)
	check.Equal(t, "stderr", stderr.String(), "bench: interrupted\n")
	check.Equal(t, "processes left", strings.Join(left(t, "zoo"), "\n"), "")
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

//go:build unix

package runs

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	command "popbench/bench"
	"popbench/internal/check"
	"popbench/internal/harness/wire"
	"popbench/suite"
)

// All built-in algorithms keep the rules. In every suite each is tested in its own package, and with the same steps when
// served in TestServedIsBuiltIn.
func TestCheckServed(t *testing.T) {
	check.OnlyLong(t)
	for _, name := range (suite.Catalogue{}).Algorithms() {
		check.Lacks(t, name, succeed(t, "check", "bench", "serve", name), "FAIL", "left out")
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// A change in a trace is found to the last bit.
func TestCheckReplay(t *testing.T) {
	notShort(t)
	t.Chdir(t.TempDir())
	succeed(t, "check", "--trace", "a.jsonl", "bench", "serve", "random")
	lines := bytes.SplitAfter(must(os.ReadFile("a.jsonl")), []byte("\n"))
	n := 0
	for i, line := range lines {
		var e wire.Entry
		if len(line) == 0 || json.Unmarshal(line, &e) != nil || e.Dir != "<" || !strings.Contains(e.Line, `"points":[[0.5],[`) {
			continue
		}
		at := strings.Index(e.Line, "],[") + len("],[")
		e.Line = e.Line[:at] + "0.1," + e.Line[at:] // another number in this place
		lines[i], n = append(must(json.Marshal(e)), '\n'), i
		break
	}
	check.OK(t, os.WriteFile("c.jsonl", bytes.Join(lines, nil), 0o666))
	stdout, _, err := bench(t, "check", "--replay", "c.jsonl", "bench", "serve", "random")
	check.Equal(t, "exit code", exitCode(err), exitFailed)
	check.Contains(t, "verdict", stdout, fmt.Sprintf("line %d of the trace: result.points[1][0] is ", n), ", not 0.1 as recorded\n  sent: ", "\n  recorded: ", "\n  answer: ")
	check.Contains(t, "error", err.Error(), fmt.Sprintf("c.jsonl:%d: the answer differs", n))
}

// After an interrupt no process is left.
func TestCheckInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	out := writerFunc(func(p []byte) (int, error) { cancel(); return len(p), nil })
	var stderr bytes.Buffer
	check.Equal(t, "exit code", command.Execute(ctx, nil, out, &stderr, []string{"check", os.Args[0], "zoo", "hang", "start"}), exitInterrupted)
	check.Equal(t, "stderr", stderr.String(), "bench: interrupted\n")
	check.Equal(t, "processes left", strings.Join(left(t, "zoo"), "\n"), "")
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

package bench

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/internal/console"
	"popbench/internal/terminal/terminaltest"
)

// On a terminal verdicts, failures and heads have colours unless NO_COLOR is set, and every command ends with few lines that
// fit it.
func TestCommandsOnATerminal(t *testing.T) {
	check.Sequential(t)
	t.Setenv("TERM", "xterm")
	t.Setenv("COLUMNS", "")
	dir := t.TempDir()
	ackley(t, dir, 8)
	suite := check.Temporary(t, "tiny.yaml", "name: tiny\nsteps: 2\nrepetitions: 6\nproblems: [{name: branin}]\nalgorithms: [{name: random, label: A label that is longer than a third of the terminal}]\n")
	const width = 60
	for _, c := range []struct {
		args    []string
		code    int
		most    int // lines
		colours []string
	}{
		{[]string{"verify", dir}, 0, 31, []string{"\x1b[32mholds        \x1b[0m  ack-1", "\x1b[31mdoes not hold\x1b[0m  ack-2"}},
		{[]string{"report", filepath.Join(dir, "paper-ackley-6d")}, 0, console.MaxRows, []string{"\x1b[1mAlgorithm  "}},
		{[]string{"run", suite, "--out", filepath.Join(dir, "tiny")}, 0, console.MaxRows, []string{"\x1b[1m6 cells run in "}},
		{[]string{"run", suite, "--out", filepath.Join(t.TempDir(), "bad"), "--timeout", "1ns"}, console.ExitFailed, console.MaxRows + 3, []string{"\x1b[31m6 cells run in ", "\x1b[31mbench: \x1b[0m6 cells failed"}},
		{[]string{"report", dir}, 0, console.MaxRows, []string{"\x1b[1m" + dir[:10]}},
	} {
		for _, noColor := range []string{"", "1"} {
			t.Run(c.args[0]+" NO_COLOR="+noColor, func(t *testing.T) {
				t.Setenv("NO_COLOR", noColor)
				args := c.args
				if c.args[0] == "run" {
					args = append(args, "--force")
				}
				var code int
				seen := terminaltest.Watch(t, width, func(screen *os.File) {
					code = Execute(t.Context(), nil, screen, screen, args)
				})
				check.Equal(t, "exit code", code, c.code)
				check.That(t, strings.Count(seen, "\n") <= c.most, "more than %d lines:\n%s", c.most, seen)
				if noColor != "" {
					check.Lacks(t, "screen", seen, "\x1b")
					return
				}
				check.Contains(t, "screen", seen, c.colours...)
			})
		}
	}
}

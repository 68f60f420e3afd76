package bench

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	"popbench/internal/harness/solve"
	"popbench/internal/harness/suite"
	"popbench/internal/printable"
	"popbench/internal/terminal"
)

// Exit codes.
const (
	exitFailed      = 1   // the work was done, but a check or a part of it failed
	exitRefused     = 2   // the work could not be done
	exitInterrupted = 130 // a signal stopped the command; the code is that of shells
)

// exitError is an error with an exit code other than exitRefused.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string { return e.err.Error() }
func (e *exitError) Unwrap() error { return e.err }

// app holds what all commands share: algorithms, problems, standard input, arguments.
type app struct {
	catalogue suite.Catalogue
	solvers   map[string]solve.Solver // by algorithm
	stdin     io.Reader
	typed     []string // the program and its arguments
	commands  []*command
}

// self returns the command that starts this program, for messages that say what to type.
func (a *app) self() string {
	if strings.Contains(filepath.ToSlash(a.typed[0]), "/go-build") {
		info, _ := debug.ReadBuildInfo()
		if info == nil || strings.HasPrefix(info.Path, "popbench/") {
			return "go run ./cmd/bench"
		}
		return "go run " + printable.Quote(info.Path)
	}
	return printable.Quote(a.typed[0])
}

// programPath returns the path of this program, for suites that start it again.
func (a *app) programPath() []string {
	path, err := os.Executable()
	if err != nil {
		return a.typed[:1]
	}
	return []string{path}
}

// command returns the full command line, for the provenance of a results folder.
func (a *app) command() []string { return append([]string{a.self()}, a.typed[1:]...) }

// tell prints an error.
func tell(w io.Writer, err error) {
	if err == nil {
		return
	}
	screen := terminal.Of(w)
	for line := range strings.Lines(message(err)) {
		fmt.Fprint(w, screen.Paint(terminal.Red, prefix)+strings.TrimPrefix(line, prefix))
	}
}

func exitCode(err error) int {
	var e *exitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &e):
		return e.code
	}
	return exitRefused
}

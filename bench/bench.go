// Package bench is the command line of popbench: cmd/bench is Main and nothing
// else.
package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"popbench/internal/nearest"
)

// commands are in the order in which they are used.
var commands = []*command{
	listCommand,
	evalCommand,
	runCommand,
	mergeCommand,
	reproduceCommand,
	reportCommand,
	profileCommand,
	verifyCommand,
	compareCommand,
	powerCommand,
	perfCommand,
	suggestCommand,
	solveCommand,
	schemaCommand,
	versionCommand,
}

// Exit codes.
const (
	exitFailed      = 1   // it was done; the answer is no, or something in it failed
	exitRefused     = 2   // it could not be done
	exitInterrupted = 130 // a signal stopped it, as shells report it
)

// exitError is an error that does not end in exitRefused.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string { return e.err.Error() }
func (e *exitError) Unwrap() error { return e.err }

// Main runs the command that os.Args names and returns the exit code: 0 when all
// is well, 1 when the work was done and the answer is no or a part of it failed, 2
// when it could not be done, 130 after an interrupt.
func Main() int {
	limitGarbage()
	// The first signal asks the command to stop; the next one kills.
	ctx, restore := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, restore)

	return process(ctx, os.Stdout, os.Stderr, os.Args[1:])
}

// process runs a command and returns its exit code.
func process(ctx context.Context, stdout, stderr io.Writer, args []string) int {
	out := &output{w: stdout}
	err := out.blame(run(ctx, out, stderr, args))
	tell(stderr, err)
	return exitCode(err)
}

// tell writes an error for the user.
func tell(w io.Writer, err error) {
	if err != nil {
		fmt.Fprint(w, message(err))
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

// run does what the arguments say.
func run(ctx context.Context, stdout, stderr io.Writer, args []string) error {
	if len(args) == 0 {
		return writeOverview(stdout)
	}
	name, args := args[0], args[1:]
	switch name {
	case "help", "-h", "-help", "--help":
		if len(args) == 0 {
			return writeOverview(stdout)
		}
		c, err := lookup(args[0])
		if err != nil {
			return err
		}
		return c.writeHelp(stdout)
	case "-version", "--version":
		name = versionCommand.name
	}
	c, err := lookup(name)
	if err != nil {
		return err
	}
	return c.run(ctx, stdout, stderr, args)
}

func lookup(name string) (*command, error) {
	names := make([]string, len(commands))
	for i, c := range commands {
		if c.name == name {
			return c, nil
		}
		names[i] = c.name
	}
	return nil, fmt.Errorf("unknown command %q; %s", name, nearest.Hint(name, names, "bench help lists the commands"))
}

func writeOverview(w io.Writer) error {
	var b strings.Builder
	b.WriteString("Bench runs preferential optimisers on test problems and reports what they did.\n\n")
	b.WriteString("usage: bench COMMAND [arguments]\n\n")
	for _, c := range commands {
		fmt.Fprintf(&b, "  %-9s %s\n", c.name, c.short)
	}
	b.WriteString("\nbench help COMMAND explains a command.\n")
	_, err := io.WriteString(w, b.String())
	return err
}

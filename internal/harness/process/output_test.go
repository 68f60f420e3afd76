package process

import (
	"context"
	"errors"
	"os"
	"testing"

	"popbench/internal/check"
)

func TestOutput(t *testing.T) {
	self := check.Must(os.Executable())(t)
	options := func(mode string, args ...string) Options {
		return Options{Command: append([]string{self}, args...), Env: []string{"PROCESS_TEST=" + mode, "GORACE=atexit_sleep_ms=0"}}
	}
	out, err := Output(t.Context(), options("flood"))
	check.Equal(t, "output", string(out), "flooded\n")
	check.Equal(t, "error", err, nil)

	_, err = Output(t.Context(), options("exit", "3"))
	var failed *Failure
	if !errors.As(err, &failed) || failed.Ending != "exit code 3" || err.Error() != self+": exit code 3" {
		t.Errorf("got %v", err)
	}
	failed.Stderr = []byte("first\nlast\n\n")
	check.Equal(t, "error", err.Error(), self+": exit code 3: last")

	// A variable that is left out does not arrive.
	t.Setenv("PROCESS_TEST", "exit")
	o := Options{Command: []string{self, "-test.run=^$"}, Env: []string{"GORACE=atexit_sleep_ms=0"}, Unset: []string{"PROCESS_TEST"}}
	check.Contains(t, "output", string(check.Must(Output(t.Context(), o))(t)), "PASS")

	ctx, cancel := context.WithCancel(t.Context())
	p := make(chan error)
	go func() {
		_, err := Output(ctx, options("deaf"))
		p <- err
	}()
	cancel() // before it starts, or while it runs
	check.Equal(t, "error", <-p, context.Canceled)
}

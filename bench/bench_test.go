package bench

import (
	"strings"
	"testing"

	"popbench/internal/harness/solve"
)

// plain is the program without additions.
func plain() *app {
	return &app{solvers: solve.BuiltIn, stdin: strings.NewReader(""), typed: []string{"bench"}}
}

// succeed runs a command, which must succeed without output on stderr. It returns the output.
func succeed(t *testing.T, args ...string) string {
	t.Helper()
	stdout, stderr, err := bench(t, args...)
	if err != nil || stderr != "" {
		t.Fatalf("bench %s: error %v, stderr %q", strings.Join(args, " "), err, stderr)
	}
	return stdout
}

// refuse runs a command, which must do nothing except return this error.
func refuse(t *testing.T, want string, args ...string) {
	t.Helper()
	stdout, stderr, err := bench(t, args...)
	if err == nil || err.Error() != want || exitCode(err) != exitRefused || stdout != "" || stderr != "" {
		t.Errorf("bench %s: exit %d, stdout %q, stderr %q, error\n%v\nwant\n%s", strings.Join(args, " "), exitCode(err), stdout, stderr, err, want)
	}
}

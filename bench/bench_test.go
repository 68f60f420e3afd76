package bench

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// succeed runs a command, which has to do what it is asked to without a word
// on stderr, and returns what it prints.
func succeed(t *testing.T, args ...string) string {
	t.Helper()
	stdout, stderr, err := bench(t, args...)
	if err != nil || stderr != "" {
		t.Fatalf("bench %s: error %v, stderr %q", strings.Join(args, " "), err, stderr)
	}
	return stdout
}

// refuse runs a command, which has to do nothing but give this error.
func refuse(t *testing.T, want string, args ...string) {
	t.Helper()
	stdout, stderr, err := bench(t, args...)
	if err == nil || err.Error() != want || exitCode(err) != exitRefused || stdout != "" || stderr != "" {
		t.Errorf("bench %s: exit %d, stdout %q, stderr %q, error\n%v\nwant\n%s", strings.Join(args, " "), exitCode(err), stdout, stderr, err, want)
	}
}

// golden compares got with a file of testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs (go test -update rewrites it); got:\n%s", path, got)
	}
}

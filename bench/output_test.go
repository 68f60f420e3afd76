package bench

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/internal/console"
)

// Every command that prints returns an error if standard output cannot be written.
func TestFullOutput(t *testing.T) {
	check.Sequential(t)
	t.Parallel()
	suite := check.Temporary(t, "tiny.yaml", "name: tiny\nsteps: 2\nrepetitions: 6\nproblems: [{name: branin}]\nalgorithms: [{name: random}]\n")
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	for _, args := range [][]string{
		{"run", suite, "--out", in("a")},
		{"run", suite, "--out", in("b"), "--shard", "1/1"},
		{"run", suite, "--out", in("c"), "--shard", "1/2"},
		{"run", suite, "--out", in("c"), "--shard", "2/2"},
	} {
		done(t, args...)
	}
	points := check.Temporary(t, "points.json", `{"box": {"lo": [0], "hi": [1]}}`)
	data := check.Temporary(t, "data.json", solveExamples(t)["popbo"])
	cases := [][]string{
		{}, {"help"}, {"help", "run"}, {"run", "-h"}, {"--version"},
		{"list"}, {"list", "--json"}, {"init", "--schema", "-"},
		{"eval", "branin", "1", "1"},
		{"run", suite, "--out", in("a")}, {"run", suite, "--out", in("new")}, {"run", suite, "--out", in("new2"), "--dry-run"},
		{"merge", in("c")}, {"report", in("a")}, {"report", dir}, {"report", "--sheet", "profile", in("a")}, {"report", "--sheet", "profile", in("a"), "--format", "csv"},
		{"compare", in("a"), in("b")}, {"compare", in("a"), in("b"), "--format", "junit"}, {"compare", in("a"), in("b"), "--exact"},
		{"compare", in("a"), in("b"), "--power", "6"},
		{"perf", suite, "--count", "1"},
		{"suggest", points}, {"solve", data}, {"serve", "random"},
	}
	refuse := func(stdout io.Writer, want string, cases ...[]string) {
		t.Helper()
		for _, args := range cases {
			var log bytes.Buffer
			code := Execute(t.Context(), strings.NewReader(conversation), stdout, &log, args)
			check.That(t, code == console.ExitRefused, "bench %s: exit %d: %s", strings.Join(args, " "), code, log.String())
			_, said, _ := strings.Cut(log.String(), "bench: ")
			check.Equal(t, "bench "+strings.Join(args, " "), said, "standard output cannot be written: "+want+"\n")
		}
	}
	refuse(failing{}, "the disk is full", cases...)
	if full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0); err == nil {
		defer full.Close()
		refuse(full, "no space left on device", []string{"list"})
	}

	// A negative result stays one, and both errors are printed.
	var log bytes.Buffer
	other := check.Temporary(t, "other.yaml", "name: tiny\nseed: 2\nsteps: 2\nrepetitions: 6\nproblems: [{name: branin}]\nalgorithms: [{name: random}]\n")
	done(t, "run", other, "--out", in("d"))
	code := Execute(t.Context(), nil, failing{}, &log, []string{"compare", "--exact", in("a"), in("d")})
	check.That(t, code == console.ExitFailed && strings.Count(log.String(), "bench: ") == 2, "exit %d: %s", code, log.String())
}

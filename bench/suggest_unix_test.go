//go:build unix

package bench

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"popbench/internal/console"
)

// A pipe is refused, because opening it would wait for a writer.
func TestSuggestStatePipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o666); err != nil {
		t.Skip(err)
	}
	_, _, err := bench(t, "suggest", "--state", path, writeFile(t, "experiment.json", suggestExample))
	if console.ExitCode(err) != console.ExitRefused || !strings.Contains(console.Message(err), "not a regular file") {
		t.Errorf("%v", err)
	}
}

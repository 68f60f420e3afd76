package bench

import (
	"os"
	"path/filepath"
	"testing"

	"popbench/internal/check"
	"popbench/internal/views/report/reporttest"
)

// A dry run of verify --decide prints the plan and the commands of its next look, and writes nothing.
func TestVerifyDecideDryRun(t *testing.T) {
	dir := t.TempDir()
	check.OK(t, reporttest.Ackley(30).Write(filepath.Join(dir, "paper-ackley-6d")))
	out := done(t, "verify", dir, "--decide", "--max-runs", "60", "--dry-run")
	check.Contains(t, "dry run", out, "How the claims are decided", "Reachable", "ack-1", "seconds a step", "--seeds 31-60 --only ackley6/POP-BO", filepath.Join("decided", "paper-ackley-6d"))
	if _, err := os.Stat(filepath.Join(dir, "decide.json")); err == nil {
		t.Error("--dry-run wrote the plan")
	}
}

func TestVerifyDecideRefuses(t *testing.T) {
	dir := t.TempDir()
	for want, args := range map[string][]string{
		"need --decide":                         {"verify", dir, "--max-runs", "60"},
		"--decide needs the runs of all suites": {"reproduce", "--decide", "--quick"},
		"--margin 0 leaves no border":           {"verify", dir, "--decide", "--margin", "0"},
	} {
		stdout, _, err := bench(t, args...)
		refused(t, stdout, err, want)
	}
}

package bench

import (
	"context"
	"io"
	"path/filepath"
	"strconv"
	"testing"

	"popbench/internal/benchtest"
	"popbench/internal/check"
	"popbench/internal/views/report/reporttest"
)

// TestTranscripts runs the files of testdata/transcripts, each of which says what it guards.
func TestTranscripts(t *testing.T) {
	check.Sequential(t)
	benchtest.Transcripts{
		Bench: func(ctx context.Context, stdin io.Reader, stdout, stderr io.Writer, args []string) int {
			return Execute(ctx, stdin, stdout, stderr, args)
		},
		Names: map[string]string{"TREE": check.Must(filepath.Abs(root))(t)},
		More: map[string]func(*testing.T, []string) string{
			"ackley": func(t *testing.T, args []string) string { // RUNS DIR: records of a paper's suite
				check.OK(t, reporttest.Ackley(check.Must(strconv.Atoi(args[0]))(t)).Write(args[1]))
				return ""
			},
		},
	}.Run(t)
}

package bench

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"popbench/internal/benchtest"
	"popbench/internal/check"
	"popbench/internal/views/report/reporttest"
	"popbench/record"
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
			"platform": func(t *testing.T, args []string) string { // DIR NAME: records as another machine would make them
				changed(t, args[0], func(h *record.Header) { h.Platform, h.Arithmetic = args[1], "" })
				return ""
			},
			"earliest": func(t *testing.T, args []string) string { // DIR: records with the earliest names of settings
				changed(t, args[0], func(h *record.Header) {
					h.Algorithm.Settings = record.EarliestNames(h.Algorithm.Name, h.Algorithm.Settings)
				})
				return ""
			},
			"mine": func(t *testing.T, args []string) string {
				var out, log strings.Builder
				if code := Execute(t.Context(), strings.NewReader(`{"algorithm": "stubborn", "points": [[0]]}`), &out, &log, args, added(t)...); code != 0 {
					fmt.Fprintf(&log, "exit code %d\n", code)
				}
				return out.String() + log.String()
			},
			"pages": func(t *testing.T, args []string) string { return fmt.Sprint(checkPages(t, args[0]), " pages") },
		},
	}.Run(t)
}

// changed changes the headers of the records of a folder.
func changed(t *testing.T, dir string, change func(*record.Header)) {
	for _, r := range check.Must(reporttest.ReadDir(dir))(t).Records {
		change(&r.Header)
		check.OK(t, record.WriteFile(record.RecordPath(dir, r.Header.Cell), r))
	}
}

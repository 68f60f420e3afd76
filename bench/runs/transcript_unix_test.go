//go:build unix

package runs

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	command "popbench/bench"
	"popbench/internal/benchtest"
	"popbench/internal/check"
	"popbench/internal/views/report/reporttest"
)

// TestTranscripts runs the files of testdata/transcripts, each of which says what it guards. ZOO is the program of animals.
func TestTranscripts(t *testing.T) {
	check.Slow(t, "it runs programs of its own")
	benchtest.Transcripts{
		Bench: func(ctx context.Context, stdin io.Reader, stdout, stderr io.Writer, args []string) int {
			return command.Execute(ctx, stdin, stdout, stderr, args)
		},
		Names: map[string]string{"ZOO": os.Args[0]},
		More: map[string]func(*testing.T, []string) string{
			"left":    func(t *testing.T, _ []string) string { return strings.Join(left(t, "zoo"), "\n") },
			"marks":   marks,
			"oracles": oracles,
			"plain": func(t *testing.T, args []string) string { // what nobody may see as it is
				seen := 0
				for name, text := range check.Files(t, args[0]) {
					switch filepath.Ext(name) {
					case ".html":
						check.Lacks(t, name, text, "[31m<b>")
						fallthrough
					case ".json", ".jsonl":
						seen++
						check.Lacks(t, name, text, "\x1b", "\u202e")
					}
				}
				return fmt.Sprint(seen, " files are plain")
			},
			"processes": func(t *testing.T, args []string) string { // which served the cells of a folder
				ids := map[string]bool{}
				for _, path := range check.Must(filepath.Glob(filepath.Join(args[0], "timing/*/*/*.stderr.txt")))(t) {
					ids[check.Text(t, path)] = true
				}
				return fmt.Sprint(len(ids), " for all cells")
			},
		},
	}.Run(t)
}

// marks tells whether the animal mark was started, and removes what it leaves.
func marks(t *testing.T, _ []string) string {
	found := check.Must(filepath.Glob("started-*"))(t)
	for _, path := range found {
		check.OK(t, os.Remove(path))
	}
	return map[bool]string{true: "a program was started", false: "no program was started"}[len(found) > 0]
}

// oracles describes the oracles in the records of a folder, by problem.
func oracles(t *testing.T, args []string) string {
	kinds, scales := map[string]string{}, map[string][]float64{}
	for _, r := range check.Must(reporttest.ReadDir(args[0]))(t).Records {
		problem, o := r.Header.Problem.Name, r.Header.Oracle
		check.Equal(t, "failure of "+r.Header.Cell, r.Footer.Error, "")
		if !slices.Contains(scales[problem], o.Scale) {
			scales[problem] = append(scales[problem], o.Scale)
		}
		kind := ""
		if r.Header.Problem.Arms != nil {
			kind += ", arms"
		}
		if o.Calibration != nil {
			kind += ", computed"
		}
		for i := range r.Steps {
			if r.Steps[i].Tie {
				kind += ", ties"
				break
			}
		}
		if old, ok := kinds[problem]; !ok || len(kind) > len(old) {
			kinds[problem] = kind
		}
	}
	var lines []string
	for problem, kind := range kinds {
		lines = append(lines, fmt.Sprintf("%s: %d scales%s", problem, len(scales[problem]), kind))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

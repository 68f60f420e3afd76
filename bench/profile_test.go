package bench

import (
	"path/filepath"
	"strings"
	"testing"

	"popbench/internal/analysis/report/reporttest"
)

func TestProfile(t *testing.T) {
	dir := resultsFolder(t, reporttest.Options{Problems: []string{"beale", "branin"}, Algorithms: []string{"popbo", "dts"}, Runs: 4, Steps: 6})
	for format, want := range map[string]string{
		"text":     "Expected running time",
		"markdown": "## Performance profile",
		"latex":    `\begin{table`,
		"csv":      "ert,beale,DTS,0.5,",
	} {
		t.Run(format, func(t *testing.T) {
			if got := succeed(t, "profile", dir, "--format", format); !strings.Contains(got, want) {
				t.Errorf("--format %s does not have %q:\n%s", format, want, got)
			}
		})
	}
	settled := succeed(t, "profile", dir, "--format", "csv", "--targets", "0.3, 0.1")
	if first := succeed(t, "profile", dir, "--format", "csv", "--targets", "0.3,0.1", "--first"); first == settled || strings.Count(first, "\nert,") != 2*2*2 {
		t.Errorf("--first makes no difference, or the targets are not these:\n%s", first)
	}
	if got := succeed(t, "profile", dir, "--absolute"); !strings.Contains(got, "in the unit of the objective") {
		t.Errorf("--absolute:\n%s", got)
	}
	for want, args := range map[string][]string{
		"give text, markdown, csv or latex": {"profile", dir, "--format", "json"},
		"give up to 20 numbers":             {"profile", dir, "--targets", "low"},
		"give up to 20 numbers above 0":     {"profile", dir, "--targets", "0"},
		"no records":                        {"profile", filepath.Join(dir, "none")},
	} {
		t.Run(want, func(t *testing.T) {
			stdout, _, err := bench(t, args...)
			refused(t, stdout, err, want)
		})
	}
}

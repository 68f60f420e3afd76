package bench

import (
	"path/filepath"
	"strings"
	"testing"

	"popbench/internal/views/report/reporttest"
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
			if got := succeed(t, "report", "--sheet", "profile", dir, "--format", format); !strings.Contains(got, want) {
				t.Errorf("--format %s does not have %q:\n%s", format, want, got)
			}
		})
	}
	if got := succeed(t, "report", "--sheet", "profile", dir, "--format", "csv", "--targets", "0.3, 0.1"); strings.Count(got, "\nert,") != 2*2*2 {
		t.Errorf("the targets are not these:\n%s", got)
	}
	for want, args := range map[string][]string{
		"give text, markdown, csv or latex": {"report", "--sheet", "profile", dir, "--format", "json"},
		"give up to 20 numbers":             {"report", "--sheet", "profile", dir, "--targets", "low"},
		"give up to 20 numbers above 0":     {"report", "--sheet", "profile", dir, "--targets", "0"},
		"leave out the others":              {"report", "--sheet", "profile", dir, "--margin", "0.1"},
		"--targets needs --sheet profile":   {"report", dir, "--targets", "0.1"},
		"no records":                        {"report", "--sheet", "profile", filepath.Join(dir, "none")},
	} {
		t.Run(want, func(t *testing.T) {
			stdout, _, err := bench(t, args...)
			refused(t, stdout, err, want)
		})
	}
}

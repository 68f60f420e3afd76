package bench

import (
	"path/filepath"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/record"
)

const keysSuite = `name: renamed
steps: 3
repetitions: 2
problems: [{name: beale}]
algorithms:
  - {name: popbo, settings: {recommendation: max-mle-visited, restarts: 2}}
  - {name: gpucb, settings: {restarts: 2}}
  - {name: qeubo, settings: {initial_duels: 2, restarts: 2, inference: laplace}}
  - {name: sgp, settings: {initial_duels: -1, candidates_per_coordinate: 2, noise_std: 0.1, fit: {refit_every: 2}}}
  - {name: dts, settings: {initial_duels: 2, candidates: 16, landmarks: 16, refit_every: 2}}
`

// A folder whose records have the earliest names of settings can be continued with the present names.
// Reports and comparisons find no difference.
func TestRecordsWithEarlierKeys(t *testing.T) {
	check.Sequential(t)
	t.Parallel()
	dir := t.TempDir()
	suite := writeFile(t, "renamed.yaml", keysSuite)
	now, earlier := filepath.Join(dir, "now"), filepath.Join(dir, "earlier")
	run := func(out string, more ...string) string {
		t.Helper()
		_, stderr, err := bench(t, append([]string{"run", suite, "--out", out}, more...)...)
		if err != nil {
			t.Fatal(err)
		}
		return stderr
	}
	run(now)
	run(earlier, "--only", "*/*/000")
	records, err := filepath.Glob(filepath.Join(earlier, "records/*/*/*.jsonl"))
	if err != nil || len(records) != 5 {
		t.Fatal(records, err)
	}
	for _, path := range records {
		r := check.Must(record.ReadFile(path))(t)
		a := &r.Header.Algorithm
		a.Settings = record.EarliestNames(a.Name, a.Settings)
		check.OK(t, record.WriteFile(path, r))
		if text := string(mustRead(t, path)); strings.Contains(text, "recommendation\":\"") || strings.Contains(text, "initial_duels") {
			t.Fatalf("%s has the present names:\n%.2000s", path, text)
		}
	}
	if log := run(earlier); !strings.Contains(log, "5 cells to run, 5 kept") {
		t.Errorf("the folder is continued with\n%s", log)
	}
	if text := succeed(t, "compare", "--exact", now, earlier); !strings.Contains(text, "10 records identical, 0 not") {
		t.Errorf("compare --exact:\n%s", text)
	}
	if text := succeed(t, "compare", now, earlier); strings.Contains(text, "settings") {
		t.Errorf("compare:\n%s", text)
	}
	var pages []string
	for _, folder := range []string{now, earlier} {
		if _, _, err := bench(t, "report", folder); err != nil {
			t.Fatal(err)
		}
		pages = append(pages, string(mustRead(t, filepath.Join(folder, "report", "index.html"))))
	}
	for _, key := range []string{"recommendation", "restarts", "candidates_per_coordinate", "initial_duels", "fit.refit_every", "inference"} {
		if a, b := strings.Count(pages[0], key), strings.Count(pages[1], key); a == 0 || a != b {
			t.Errorf("%s is %d times on the page of the present names, %d times on that of both", key, a, b)
		}
	}
}

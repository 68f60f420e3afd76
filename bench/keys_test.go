package bench

import (
	"path/filepath"
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
// Comparisons find no difference.
func TestRecordsWithEarlierKeys(t *testing.T) {
	check.Sequential(t)
	t.Parallel()
	dir := t.TempDir()
	suite := writeFile(t, "renamed.yaml", keysSuite)
	now, earlier := filepath.Join(dir, "now"), filepath.Join(dir, "earlier")
	done(t, "run", suite, "--out", now)
	done(t, "run", suite, "--out", earlier, "--only", "*/*/000")
	records, err := filepath.Glob(filepath.Join(earlier, "records/*/*/*.jsonl"))
	if err != nil || len(records) != 5 {
		t.Fatal(records, err)
	}
	for _, path := range records {
		r := check.Must(record.ReadFile(path))(t)
		a := &r.Header.Algorithm
		a.Settings = record.EarliestNames(a.Name, a.Settings)
		check.OK(t, record.WriteFile(path, r))
		check.Lacks(t, path, readFile(t, path), `recommendation":"`, "initial_duels")
	}
	check.Contains(t, "the folder is continued", done(t, "run", suite, "--out", earlier), "; 5 kept")
	check.Contains(t, "compare --exact", succeed(t, "compare", "--exact", now, earlier), "10 records identical, 0 not")
	check.Lacks(t, "compare", succeed(t, "compare", now, earlier), "settings")
}

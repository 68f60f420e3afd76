package bench

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/internal/keys"
	"popbench/internal/runlog"
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

// A folder whose records have earlier names of settings can be continued with the present names.
// Reports and comparisons find no difference.
func TestRecordsWithEarlierKeys(t *testing.T) {
	sequential(t)
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
		r, err := runlog.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		a := &r.Header.Algorithm
		a.Settings = keys.Earliest(a.Name, a.Settings)
		if err := runlog.WriteFile(path, r); err != nil {
			t.Fatal(err)
		}
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

// Inputs of solve and suggest may have earlier names. A note for each has its line and the
// present name. The result is the same.
func TestInputsWithEarlierKeys(t *testing.T) {
	path := filepath.Join(t.TempDir(), "in.json")
	write := func(t *testing.T, text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ command, text, key, earlier, note string }{
		{"solve", goodSGP, `"noise_std"`, `"noise"`, "1: settings.noise: is the earlier name of noise_std; write noise_std"},
		{"solve", goodSGP, `"refit_every"`, `"every"`, "1: settings.fit.every: is the earlier name of refit_every; write refit_every"},
		{"solve", "[\n" + goodPOPBO + ",\n\n" + goodPOPBO + "]", `"restarts"`, `"starts"`, "2: settings.starts: is the earlier name of restarts; write restarts\n" +
			"note: " + path + ":4: settings.starts: is the earlier name of restarts; write restarts"},
		{"suggest", goodAsk, `"restarts"`, `"starts"`, "1: settings.starts: is the earlier name of restarts; write restarts"},
		{"suggest", suggestExample, `"initial_duels"`, `"initial"`, "1: settings.initial: is the earlier name of initial_duels; write initial_duels"},
	} {
		t.Run(c.command+" with "+c.earlier, func(t *testing.T) {
			write(t, c.text)
			want := succeed(t, c.command, path)
			earlier := strings.ReplaceAll(c.text, c.key, c.earlier)
			write(t, earlier)
			got, stderr, err := bench(t, c.command, path)
			check.Equal(t, "error", err, nil)
			check.Equal(t, "result", got, want)
			check.Equal(t, "stderr", stderr, "note: "+path+":"+c.note+"\n")
			if earlier == c.text {
				t.Errorf("%s is not in the text, so this proves nothing", c.key)
			}
		})
	}
}

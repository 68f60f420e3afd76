package bench

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"popbench/internal/check"
)

// decidable makes thirty runs of a suite with the names of the paper's, with random search for a rival, and returns the
// folder of the study.
func decidable(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	suite := writeFile(t, "ackley.yaml", `
name: paper-ackley-6d
steps: 3
repetitions: 30
problems: [ackley6]
algorithms:
  - {name: popbo, label: POP-BO}
  - {name: random, label: qEUBO}
  - {name: random, label: "POP-BO, beta0 = 0.1"}
`)
	if _, _, err := bench(t, "run", suite, "--master-seed", "2", "--out", filepath.Join(dir, "paper-ackley-6d")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// claimsFile is what claims.json says of a plan.
type claimsFile struct {
	Plan struct {
		SHA256   string
		Replaces []string
	}
	Claims []struct {
		ID, Verdict string
		Parts       []struct {
			Runs    int
			Decided *struct {
				Look   int
				Reason string
			}
		}
	}
}

func fatal(t testing.TB, what string, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}

func readClaims(t *testing.T, dir string) (file claimsFile, text string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "claims.json"))
	if err == nil {
		err = json.Unmarshal(data, &file)
	}
	if err != nil {
		t.Fatal(err)
	}
	return file, string(data)
}

// verify --decide writes a plan first, runs what open claims need, and gives the same verdicts after an interruption and
// without --decide. A plan is never changed in silence.
func TestVerifyDecide(t *testing.T) {
	check.Sequential(t)
	t.Parallel()
	dir := decidable(t)
	out, _, err := bench(t, "verify", dir, "--decide", "--max-runs", "60", "--dry-run")
	fatal(t, "dry run", err)
	check.Contains(t, "dry run", out, "How the claims are decided", "Reachable", "ack-2", "seconds a step", "--seeds 31-60 --only ackley6/POP-BO", filepath.Join("decided", "paper-ackley-6d"))
	if _, err := os.Stat(filepath.Join(dir, "decide.json")); err == nil {
		t.Error("--dry-run wrote the plan")
	}

	_, log, err := bench(t, "verify", dir, "--decide", "--max-runs", "60")
	fatal(t, "verify --decide", err)
	plan, err := os.ReadFile(filepath.Join(dir, "decide.json"))
	fatal(t, "the plan", err)
	check.Contains(t, "log", log, "looks after 30 and 60 fresh runs", "look 1 of 2, after 30 fresh runs\n", "look 2 of 2, after 60 fresh runs\n", "60 cells to run")
	first, text := readClaims(t, dir)
	check.Contains(t, "log", log, first.Plan.SHA256[:12])
	check.Contains(t, "the plan", string(plan), `"seed": 2`)
	fresh := records(t, filepath.Join(dir, "decided", "paper-ackley-6d"))
	for cell, record := range fresh {
		check.Contains(t, cell, record, `"seed":2`)
		if strings.Contains(cell, "beta0") || cell < "records/ackley6/POP-BO/030" {
			t.Errorf("%s was run", cell)
		}
	}
	// Some claim is open after thirty runs of its two methods.
	if n := len(fresh); n != 120 {
		t.Errorf("%d fresh runs", n)
	}
	for _, c := range first.Claims {
		for _, part := range c.Parts {
			if (part.Decided != nil) != strings.HasPrefix(c.ID, "ack") || part.Decided != nil && part.Runs != 30*part.Decided.Look {
				t.Errorf("%s: %+v", c.ID, part)
			}
		}
	}

	check.Contains(t, "status", statusOf(t, 0, dir), filepath.Join(dir, "decide.json")+": the claims are decided\n")

	for cell := range fresh {
		if strings.HasSuffix(cell, "7.jsonl") {
			fatal(t, "removing a record", os.Remove(filepath.Join(dir, "decided", "paper-ackley-6d", filepath.FromSlash(cell))))
		}
	}
	if _, _, err = bench(t, "verify", dir); err != nil {
		t.Fatal(err)
	}
	check.Contains(t, "status after an interruption", statusOf(t, 1, dir), "decide.json: not all claims are decided\n", " bench verify --decide "+dir+"\n")
	fatal(t, "an index", os.WriteFile(filepath.Join(dir, "index.html"), nil, 0o666))
	_, log, err = bench(t, "verify", dir, "--decide")
	fatal(t, "verify --decide after an interruption", err)
	check.Contains(t, "log", log, "has the verdicts of before; ", "report "+dir)
	sameRecords(t, records(t, filepath.Join(dir, "decided", "paper-ackley-6d")), fresh)
	_, again := readClaims(t, dir)
	check.Equal(t, "verdicts after an interruption", again, text)
	if _, _, err = bench(t, "verify", dir); err != nil {
		t.Fatal(err)
	}
	_, again = readClaims(t, dir)
	check.Equal(t, "verdicts without --decide", again, text)

	_, _, err = bench(t, "verify", dir, "--decide", "--margin", "0.5", "--max-runs", "60")
	check.Equal(t, "exit code of other terms", exitCode(err), exitRefused)
	check.Contains(t, "other terms", message(err), "margin is 0.067, not 0.5", "--replan")
	_, _, err = bench(t, "verify", dir, "--decide", "--margin", "0.5", "--max-runs", "60", "--replan")
	fatal(t, "--replan", err)
	second, _ := readClaims(t, dir)
	if len(second.Plan.Replaces) != 1 || second.Plan.Replaces[0] != first.Plan.SHA256 || second.Plan.SHA256 == first.Plan.SHA256 {
		t.Errorf("after --replan: %+v", second.Plan)
	}

	fatal(t, "editing the plan", os.WriteFile(filepath.Join(dir, "decide.json"), []byte(strings.Replace(string(plan), `"alpha": 0.05`, `"alpha":  0.05`, 1)), 0o666))
	_, _, err = bench(t, "verify", dir)
	check.Equal(t, "exit code of an edited plan", exitCode(err), exitRefused)
	check.Contains(t, "an edited plan", message(err), "decide.json", "was edited")

	_, _, err = bench(t, "verify", dir, "--max-runs", "60")
	check.Contains(t, "terms without --decide", message(err), "need --decide")
	_, _, err = bench(t, "reproduce", "--decide", "--quick")
	check.Contains(t, "a quick decision", message(err), "--decide needs the runs of all suites")
}

package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"popbench/internal/analysis/report/reporttest"
	"popbench/internal/check"
	"popbench/internal/runlog"
)

// ackley writes runs of the paper's 6-D suite to dir. qEUBO has half of POP-BO's regret, as the
// paper claims, and a far better recommendation, which contradicts it.
func ackley(t *testing.T, dir string, runs int) {
	t.Helper()
	in := reporttest.Plan{
		Suite: "paper-ackley-6d", Paper: "ackley-6d", Problems: []string{"ackley6"}, Labels: []string{"POP-BO", "qEUBO"}, Runs: runs, Steps: 3, Rules: []string{"max-mle"}, Random: 1,
		Regret: func(_, label string, i, t int) float64 {
			return map[string]float64{"POP-BO": 2, "qEUBO": 1}[label] + 0.01*float64(i)
		},
		Suboptimality: func(_, label, _ string, i, t int) float64 {
			return map[string]float64{"POP-BO": 0.9, "qEUBO": 0.1}[label] + 0.01*float64(i%3)
		},
		Seconds: func(string, int) float64 { return 0.01 },
	}.Results()
	folder := check.Must(runlog.Open(filepath.Join(dir, "paper-ackley-6d")))(t)
	defer folder.Close()
	for _, r := range in.Records {
		check.OK(t, folder.Put(r, in.Timings[r.Header.Cell]))
	}
}

func verifyOn(args ...string) (stdout string, err error) {
	var out, errs bytes.Buffer
	err = plain().run(context.Background(), &out, &errs, append([]string{"verify"}, args...))
	return out.String(), err
}

func TestVerify(t *testing.T) {
	dir := t.TempDir()
	ackley(t, dir, 8)
	bench := verifyOn
	// A claim that fails is the paper's failure, not the program's.
	text, err := bench(dir, "-v")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Of the paper's 28 claims 1 holds, 1 does not hold and 26 were not run.", "does not hold", "paper-gp-1d: no records"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	files := func(dir string) (all [4]string) {
		for i, name := range []string{"claims.txt", "claims.md", "claims.json", "claims.html"} {
			data := check.Must(os.ReadFile(filepath.Join(dir, name)))(t)
			all[i] = string(data)
		}
		return all
	}
	first := files(dir)
	var decoded struct {
		Claims []struct{ ID, Verdict string }
	}
	check.OK(t, json.Unmarshal([]byte(first[2]), &decoded))
	verdicts := map[string]string{}
	for _, c := range decoded.Claims {
		verdicts[c.ID] = c.Verdict
	}
	check.Equal(t, "claims in the JSON", len(verdicts), 28)
	for id, want := range map[string]string{"ack-1": "holds", "ack-2": "does not hold", "gp1d-1": "not run"} {
		check.Equal(t, "verdict in the JSON on "+id, verdicts[id], want)
	}

	// Elsewhere, with the same bytes; strictly.
	elsewhere := t.TempDir()
	_, err = bench(dir, "--strict", "--out", elsewhere)
	if exitCode(err) != exitFailed || !strings.Contains(err.Error(), "27 of 28 claims") {
		t.Errorf("--strict: %v, exit code %d", err, exitCode(err))
	}
	if files(elsewhere) != first {
		t.Error("the same records have other files")
	}

	if _, err := bench(t.TempDir()); exitCode(err) != exitRefused || !strings.Contains(err.Error(), "bench reproduce makes them") {
		t.Errorf("a folder with nothing in it: %v, exit code %d", err, exitCode(err))
	}
}

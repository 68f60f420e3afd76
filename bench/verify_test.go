package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/internal/console"
	"popbench/internal/views/report/reporttest"
)

// ackley writes [reporttest.Ackley] to a folder of dir.
func ackley(t *testing.T, dir string, runs int) {
	t.Helper()
	check.OK(t, reporttest.Ackley(runs).Write(filepath.Join(dir, "paper-ackley-6d")))
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
	if console.ExitCode(err) != console.ExitFailed || !strings.Contains(err.Error(), "27 of 28 claims") {
		t.Errorf("--strict: %v, exit code %d", err, console.ExitCode(err))
	}
	if files(elsewhere) != first {
		t.Error("the same records have other files")
	}

	if _, err := bench(t.TempDir()); console.ExitCode(err) != console.ExitRefused || !strings.Contains(err.Error(), "bench reproduce makes them") {
		t.Errorf("a folder with nothing in it: %v, exit code %d", err, console.ExitCode(err))
	}
}

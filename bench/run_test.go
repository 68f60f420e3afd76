package bench

import (
	"bytes"
	"errors"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"popbench/internal/benchtest"
	"popbench/internal/check"
	"popbench/internal/console"
	"popbench/internal/views/report/reporttest"
	"popbench/record"
)

func TestMain(m *testing.M) { benchtest.Main(m, func() int { return Main() }, "serve") }

// bench runs a command in this process.
func bench(t *testing.T, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	var out, log bytes.Buffer
	err = plain().run(t.Context(), &out, &log, args)
	return out.String(), log.String(), err
}

// demoSuite writes a suite of 2 problems, 2 algorithms and the given number of
// repetitions, and returns its path.
func demoSuite(t *testing.T, repetitions string) string {
	t.Helper()
	return writeFile(t, "demo.yaml", `
name: demo
seed: 3
steps: 12
repetitions: `+repetitions+`
problems:
  - name: beale
  - name: levy13
algorithms:
  - name: popbo
  - name: random
    label: Random Search
`)
}

func writeFile(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	check.OK(t, os.WriteFile(path, []byte(text), 0o666))
	return path
}

// records returns all files below the records of a results folder, by path. Files that do not
// belong there are included, so that tests notice them.
func records(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	for name, text := range check.Files(t, filepath.Join(dir, "records")) {
		files["records/"+name] = text
	}
	return files
}

func sameRecords(t *testing.T, got, want map[string]string) {
	t.Helper()
	if g, w := slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)); !slices.Equal(g, w) {
		t.Fatalf("files\n%v\nwant\n%v", g, w)
	}
	for name := range want {
		if got[name] != want[name] {
			t.Errorf("%s differs:\n%s\nwant\n%s", name, got[name], want[name])
		}
	}
}

// If bench is killed at any time, it leaves only complete records. The same command continues to
// the same bytes as an uninterrupted run.
func TestKill(t *testing.T) {
	t.Parallel()
	exe, file := benchtest.Program(t), demoSuite(t, "6")
	start := func(dir string) (*exec.Cmd, *bytes.Buffer) {
		cmd, log := exec.Command(exe, "run", file, "--out", dir, "--workers", "3"), new(bytes.Buffer)
		cmd.Stderr = log
		check.OK(t, cmd.Start())
		return cmd, log
	}
	whole := filepath.Join(t.TempDir(), "whole")
	began := time.Now()
	cmd, log := start(whole)
	if err := cmd.Wait(); err != nil {
		t.Fatal(err, log)
	}
	took := time.Since(began)
	want := records(t, whole)
	if len(want) != 24 {
		t.Fatalf("%d records", len(want))
	}

	kills := check.Few(5, 50)
	r := rand.New(rand.NewPCG(1, 1))
	dir := filepath.Join(t.TempDir(), "0")
	killed, midway, complete := 0, 0, 0
	for killed < kills || complete == 0 {
		cmd, log := start(dir)
		if killed < kills {
			time.Sleep(time.Duration(r.Float64() * 0.7 * float64(took)))
			if err := cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
				t.Fatal(err)
			}
		}
		err := cmd.Wait()
		if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
			killed++
			reader, err := record.Open(dir)
			if err != nil {
				t.Fatalf("after kill %d: %v", killed, err)
			}
			found, err := reader.Each(func(*record.Record, *record.Timing) error { return nil })
			if errors.Is(err, record.ErrNoRecords) {
				continue
			}
			if err != nil || len(found.Issues) > 0 {
				t.Fatalf("after kill %d: %v, %v", killed, err, found.Issues)
			}
			if missing := record.Count(found.Missing()); found.Records+missing != len(want) {
				t.Fatalf("after kill %d: %d records, and %d that are said to be missing of %d", killed, found.Records, missing, len(want))
			}
			if found.Records < len(want) {
				midway++
				if _, err := os.Stat(filepath.Join(dir, "suite.yaml")); err != nil {
					t.Errorf("after kill %d: %v", killed, err)
				}
				if out, _, err := bench(t, "report", "--format", "text", dir); err != nil || !strings.Contains(out, "! Not complete: of the 24 cells that cells.json lists") {
					t.Errorf("after kill %d: %v; the report does not say that it is not complete:\n%.300s", killed, err, out)
				}
			}
			continue
		}
		if err != nil {
			t.Fatalf("after kill %d: %v\n%s", killed, err, log)
		}
		sameRecords(t, records(t, dir), want)
		complete++
		dir = filepath.Join(t.TempDir(), "next")
	}
	t.Logf("%d kills, %d of them with some records there, %d runs completed after kills; one run alone takes %v", killed, midway, complete, took)
	if midway == 0 {
		t.Error("no kill hit a run midway: the test shows nothing")
	}
}

// SIGINT and SIGTERM end a run early and cleanly.
func TestInterruptedRun(t *testing.T) {
	t.Parallel()
	exe, file := benchtest.Program(t), demoSuite(t, "500")
	for _, sig := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		t.Run(sig.String(), func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "out")
			cmd := exec.Command(exe, "run", file, "--out", dir)
			log := new(bytes.Buffer)
			cmd.Stderr = log
			check.OK(t, cmd.Start())
			for range 60_000 { // a minute, for a bench that hangs
				if done, _ := filepath.Glob(filepath.Join(dir, "records", "*", "*", "*.jsonl")); len(done) >= 3 {
					break
				}
				time.Sleep(time.Millisecond)
			}
			check.OK(t, cmd.Process.Signal(sig))
			_ = cmd.Wait()
			if code := cmd.ProcessState.ExitCode(); code != console.ExitInterrupted || !strings.Contains(log.String(), "the same command continues") {
				t.Fatalf("exit code %d\n%s", code, log)
			}
			results, err := reporttest.ReadDir(dir)
			if err != nil || len(results.Issues) > 0 {
				t.Fatalf("%v, issues %+v", err, results.Issues)
			}
			if n := len(results.Records); n < 3 || n == 2000 {
				t.Fatalf("%d records, want some but not all", n)
			}
			for name := range records(t, dir) {
				if filepath.Ext(name) != ".jsonl" {
					t.Errorf("%s was left behind", name)
				}
			}
			out, _, err := bench(t, "run", file, "--out", dir, "--dry-run")
			if err != nil || strings.Count(out, "keep ") != len(results.Records) {
				t.Errorf("%v; %d records", err, len(results.Records))
			}
		})
	}
}

package bench

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"popbench/internal/benchtest"
	"popbench/internal/check"
	"popbench/internal/console"
	"popbench/record"
)

func TestMain(m *testing.M) { benchtest.Main(m, func() int { return Main() }, "serve") }

// bench runs a command in this process.
func bench(t *testing.T, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	var out, log bytes.Buffer
	err = plain(&out, &log).run(t.Context(), args)
	return out.String(), log.String(), err
}

// demoSuite writes a suite of 2 problems, 2 algorithms and the given number of
// repetitions, and returns its path.
func demoSuite(t *testing.T, repetitions string) string {
	t.Helper()
	return check.Temporary(t, "demo.yaml", `
name: demo
seed: 3
steps: 12
repetitions: `+repetitions+`
problems: [beale, levy13]
algorithms: [popbo, {name: random, label: Random Search}]
`)
}

// start starts bench as a program; log is what it says on standard error.
func start(t *testing.T, args ...string) (cmd *exec.Cmd, log *bytes.Buffer) {
	t.Helper()
	cmd, log = exec.Command(benchtest.Program(t), args...), new(bytes.Buffer)
	cmd.Stderr = log
	check.OK(t, cmd.Start())
	return cmd, log
}

// waitForRecords waits until a results folder has some, or for a minute.
func waitForRecords(dir string, n int) {
	for range 60_000 {
		if some, _ := filepath.Glob(filepath.Join(dir, "records", "*", "*", "*.jsonl")); len(some) >= n {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// countRecords returns how many records a folder has, all of which must be complete, and how many it says are missing.
func countRecords(t *testing.T, dir string) (there, missing int) {
	t.Helper()
	found, err := check.Must(record.Open(dir))(t).Each(func(*record.Record, *record.Timing) error { return nil })
	if errors.Is(err, record.ErrNoRecords) {
		return 0, 0
	}
	check.OK(t, err)
	check.Equal(t, "damaged records", len(found.Issues), 0)
	return found.Records, record.Count(found.Missing())
}

// If bench is killed at any time, it leaves only complete records. The same command continues to the same bytes as an
// uninterrupted run.
func TestKill(t *testing.T) {
	t.Parallel()
	file := demoSuite(t, "4")
	whole := filepath.Join(t.TempDir(), "whole")
	began := time.Now()
	cmd, _ := start(t, "run", file, "--out", whole, "--workers", "3")
	check.OK(t, cmd.Wait())
	took := time.Since(began)
	want := check.Files(t, filepath.Join(whole, "records"))

	kills := check.Few(3, 50)
	r := rand.New(rand.NewPCG(1, 1))
	dir := filepath.Join(t.TempDir(), "0")
	killed, midway, complete := 0, 0, 0
	more := func() bool { return killed < kills || midway == 0 && killed < 100 }
	for more() || complete == 0 {
		cmd, log := start(t, "run", file, "--out", dir, "--workers", "3")
		if more() {
			time.Sleep(time.Duration(r.Float64() * 0.7 * float64(took)))
			err := cmd.Process.Kill()
			check.That(t, err == nil || errors.Is(err, os.ErrProcessDone), "%v", err)
		}
		err := cmd.Wait()
		if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
			killed++
			if _, err := os.Stat(filepath.Join(dir, "cells.json")); err != nil {
				continue // it had hardly begun
			}
			if there, missing := countRecords(t, dir); there > 0 && missing > 0 {
				check.Equal(t, "records and those missing", there+missing, 16)
				midway++
				check.Text(t, filepath.Join(dir, "suite.yaml"))
				check.Contains(t, "the report", done(t, "report", "--format", "text", dir), "! Not complete: of the 16 cells that cells.json lists")
			}
			continue
		}
		if err != nil {
			t.Fatalf("after kill %d: %v\n%s", killed, err, log)
		}
		check.Same(t, "records", check.Files(t, filepath.Join(dir, "records")), want)
		complete++
		dir = filepath.Join(t.TempDir(), "next")
	}
	t.Logf("%d kills, %d of them with some records there, %d runs completed after kills; one run alone takes %v", killed, midway, complete, took)
	check.That(t, midway > 0, "no kill hit a run midway: the test shows nothing")
}

// After a killed merge, the folder lists what is missing, and the merge can be continued.
func TestKilledMerge(t *testing.T) {
	t.Parallel()
	demo, dir := demoSuite(t, "120"), t.TempDir()
	out := filepath.Join(dir, "out")
	for _, part := range []string{"1/2", "2/2"} {
		done(t, "run", demo, "--out", out, "--shard", part, "--only", "beale/Random*")
	}
	midway := 0
	for try := 0; midway < check.Few(1, 3); try++ {
		into := filepath.Join(dir, strconv.Itoa(try))
		merge := []string{"merge", into, out + ".shard-001-of-002", out + ".shard-002-of-002"}
		cmd, _ := start(t, merge...)
		waitForRecords(into, 1)
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		there, missing := countRecords(t, into)
		check.Equal(t, "records and those missing", there+missing, 120)
		if missing > 0 {
			midway++
			check.Contains(t, "the report", done(t, "report", "--format", "text", into), fmt.Sprintf("of the 120 cells that cells.json lists %d ha", missing))
			done(t, merge...)
			check.Lacks(t, "the report of all", done(t, "report", "--format", "text", into), "Not complete")
		}
		check.Ensure(t, try != 50, "no kill hit a merge midway: the test shows nothing")
	}
}

// SIGINT and SIGTERM end a run early and cleanly.
func TestInterruptedRun(t *testing.T) {
	t.Parallel()
	file := demoSuite(t, "500")
	for _, sig := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		t.Run(sig.String(), func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "out")
			cmd, log := start(t, "run", file, "--out", dir)
			waitForRecords(dir, 3)
			check.OK(t, cmd.Process.Signal(sig))
			_ = cmd.Wait()
			check.Equal(t, "exit code", cmd.ProcessState.ExitCode(), console.ExitInterrupted)
			check.Contains(t, "stderr", log.String(), "the same command continues")
			there, _ := countRecords(t, dir)
			check.That(t, there >= 3 && there < 2000, "%d records, want some but not all", there)
			for name := range check.Files(t, filepath.Join(dir, "records")) {
				check.Equal(t, "what "+name+" is", filepath.Ext(name), ".jsonl")
			}
			check.Equal(t, "records kept", strings.Count(done(t, "run", file, "--out", dir, "--dry-run"), "keep "), there)
		})
	}
}

package bench

import (
	"bytes"
	"errors"
	"fmt"
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

func TestRunAndRunAgain(t *testing.T) {
	file, dir := demoSuite(t, "2"), filepath.Join(t.TempDir(), "out")
	out, log, err := bench(t, "run", file, "--out", dir, "--workers", "1")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"8 cells run in ", ": 8 ok, 0 failed; 0 kept", "results: " + dir + "\n", " report " + dir + "\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	check.Equal(t, "stderr", log, "demo: 8 cells to run, 0 kept, 1 worker\n")
	first := records(t, dir)
	if len(first) != 8 || first["records/levy13/Random%20Search/001.jsonl"] == "" {
		t.Errorf("records %v", slices.Sorted(maps.Keys(first)))
	}
	results, err := reporttest.ReadDir(dir)
	if err != nil || len(results.Issues) > 0 {
		t.Fatal(err, results.Issues)
	}
	for _, r := range results.Records {
		if !r.OK() || len(r.Steps) != 12 {
			t.Errorf("%s: %+v", r.Header.Cell, r.Footer)
		}
	}
	suiteText, _ := os.ReadFile(file)
	if copied, err := os.ReadFile(filepath.Join(dir, "suite.yaml")); err != nil || !bytes.Equal(copied, suiteText) {
		t.Errorf("copy of the suite: %v, %s", err, copied)
	}

	out, log, err = bench(t, "run", file, "--out", dir)
	if err != nil || !strings.Contains(out, "nothing to run: all 8 cells are complete") || !strings.Contains(log, "0 cells to run, 8 kept") {
		t.Errorf("again: %v\n%s%s", err, out, log)
	}
	out, _, err = bench(t, "run", "--seeds", "3", file, "--out="+dir, "--workers", "8")
	if err != nil || !strings.Contains(out, "4 cells run in ") || !strings.Contains(out, "; 8 kept\n") {
		t.Errorf("one repetition more: %v\n%s", err, out)
	}
	more := records(t, dir)
	for name := range first {
		if more[name] != first[name] {
			t.Errorf("%s has changed", name)
		}
	}

	other := filepath.Join(t.TempDir(), "out")
	if _, _, err := bench(t, "run", file, "--seeds", "3", "--out", other, "--workers", "8"); err != nil {
		t.Fatal(err)
	}
	sameRecords(t, records(t, other), more)
}

// The repetitions of a range have the bytes that they have in a longer run, in whatever order ranges are run.
func TestRunRepetitions(t *testing.T) {
	file, whole, parts := demoSuite(t, "2"), filepath.Join(t.TempDir(), "whole"), filepath.Join(t.TempDir(), "parts")
	if _, _, err := bench(t, "run", file, "--seeds", "4", "--out", whole, "--workers", "8"); err != nil {
		t.Fatal(err)
	}
	want := records(t, whole)
	for _, args := range [][]string{
		{"run", file, "--out", parts, "--seeds", "3-4", "--shard", "1/2"},
		{"run", file, "--out", parts, "--seeds", "3-4", "--shard", "2/2"},
		{"merge", parts},
		{"run", file, "--out", parts + "2", "--seeds", "2-2", "--shard", "1/2"},
		{"run", file, "--out", parts + "2", "--seeds", "2-2", "--shard", "2/2"},
		{"merge", parts, parts + "2.shard-001-of-002", parts + "2.shard-002-of-002"},
	} {
		if out, _, err := bench(t, args...); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
	}
	if got := records(t, parts); len(got) != 12 || got["records/levy13/popbo/000.jsonl"] != "" {
		t.Errorf("after repetitions 2 to 4: %v", slices.Sorted(maps.Keys(got)))
	}
	if _, _, err := bench(t, "run", file, "--out", parts, "--seeds", "1"); err != nil {
		t.Fatal(err)
	}
	sameRecords(t, records(t, parts), want)
}

func TestRunDefaultFolder(t *testing.T) {
	file := demoSuite(t, "1")
	t.Chdir(t.TempDir())
	out, _, err := bench(t, "run", file, "--only", "beale/Random*")
	if err != nil || !strings.Contains(out, "results: "+filepath.Join("results", "demo")+"\n") || len(records(t, "results/demo")) != 1 {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestRunOnly(t *testing.T) {
	file := demoSuite(t, "3")
	for pattern, want := range map[string]int{
		"beale": 6, "beale/*": 6, "*/popbo": 6, "*/*/00[01]": 8, "levy13/Random%20Search/002": 1, "*": 12, "*/*/*": 12,
	} {
		t.Run(pattern, func(t *testing.T) {
			out, log, err := bench(t, "run", file, "--dry-run", "--only", pattern, "--out", filepath.Join(t.TempDir(), "none"))
			if got := strings.Count(out, "run "); err != nil || got != want || !strings.Contains(log, " would be run, 0 kept") {
				t.Errorf("--only %s: %d cells, want %d; %v\n%s", pattern, got, want, err, log)
			}
		})
	}
}

func TestDryRunChangesNothing(t *testing.T) {
	file, dir := demoSuite(t, "1"), filepath.Join(t.TempDir(), "out")
	if _, _, err := bench(t, "run", file, "--out", dir, "--dry-run"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder is there: %v", err)
	}
	if _, _, err := bench(t, "run", file, "--out", dir, "--only", "beale"); err != nil {
		t.Fatal(err)
	}
	before := records(t, dir)
	out, _, err := bench(t, "run", file, "--out", dir, "--dry-run", "--seeds", "2")
	want := `keep beale/popbo/000
keep beale/Random%20Search/000
run levy13/popbo/000
run levy13/Random%20Search/000
run beale/popbo/001
run beale/Random%20Search/001
run levy13/popbo/001
run levy13/Random%20Search/001
`
	if err != nil || out != want {
		t.Errorf("%v\n%s", err, out)
	}
	sameRecords(t, records(t, dir), before)
}

// An invalid request is refused with exit code 2 and one line that names the remedy. No file
// changes.
func TestRunRefuses(t *testing.T) {
	file := demoSuite(t, "2")
	plain := writeFile(t, "plain", "mine")
	full := filepath.Dir(writeFile(t, "thesis.tex", "mine"))
	for name, c := range map[string]struct {
		args []string
		want []string
	}{
		"no suite":          {nil, []string{"too few arguments", "bench run SUITE"}},
		"two suites":        {[]string{file, file}, []string{"too many arguments"}},
		"no such suite":     {[]string{"none.yaml"}, []string{"none.yaml", "no such file"}},
		"empty suite":       {[]string{writeFile(t, "empty.yaml", "")}, []string{"empty.yaml", "is empty"}},
		"unknown problem":   {[]string{writeFile(t, "bad.yaml", "name: x\nproblems: [{name: beal}]\nalgorithms: [{name: random}]\n")}, []string{"bad.yaml:2", "did you mean beale?"}},
		"unknown flag":      {[]string{file, "--worker", "2"}, []string{"--worker", "did you mean --workers?"}},
		"no seeds":          {[]string{file, "--seeds", "0"}, []string{"seeds", "1 or more"}},
		"negative seeds":    {[]string{file, "--seeds", "-1"}, []string{"seeds", "1 or more"}},
		"a million seeds":   {[]string{file, "--seeds", "1000000"}, []string{"--seeds 1000000", "by mistake", "10000"}},
		"repetitions":       {[]string{file, "--seeds", "4-3"}, []string{`"4-3" for flag -seeds`, "31-60"}},
		"from zero":         {[]string{file, "--seeds", "0-3"}, []string{"the first and the last repetition"}},
		"too many":          {[]string{file, "--seeds", "31-10001"}, []string{"--seeds 10001", "10000"}},
		"no workers":        {[]string{file, "--workers", "0"}, []string{`"0" for flag -workers`, "from 1 to 1000"}},
		"no time":           {[]string{file, "--timeout", "0s"}, []string{"timeout", "90s"}},
		"nothing matches":   {[]string{file, "--only", "branin"}, []string{`"branin"`, "8 cells", "beale/popbo/000"}},
		"bad pattern":       {[]string{file, "--only", "beale/["}, []string{`"beale/["`, "not a pattern"}},
		"folder is a file":  {[]string{file, "--out", plain}, []string{plain, "another --out"}},
		"below a file":      {[]string{file, "--out", filepath.Join(plain, "out")}, []string{plain, "another --out"}},
		"folder with files": {[]string{file, "--out", full}, []string{full, "thesis.tex", "another --out"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			out, log, err := bench(t, append([]string{"run"}, c.args...)...)
			if err == nil || console.ExitCode(err) != 2 {
				t.Fatalf("error %v, exit code %d", err, console.ExitCode(err))
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("no %q in: %v", want, err)
				}
			}
			if strings.Contains(err.Error(), "\n") || out != "" || log != "" {
				t.Errorf("more than one line: %q, %q, %q", err, out, log)
			}
			if left, _ := os.ReadDir("."); len(left) > 0 {
				t.Errorf("it made %v", left)
			}
		})
	}
	for _, path := range []string{plain, filepath.Join(full, "thesis.tex")} {
		if data, err := os.ReadFile(path); string(data) != "mine" {
			t.Errorf("%s: %v, %q", path, err, data)
		}
	}
}

// An edited suite does not overwrite results with other settings.
func TestRunKeepsOtherResults(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	file := demoSuite(t, "2")
	if _, _, err := bench(t, "run", file, "--out", dir, "--only", "beale"); err != nil {
		t.Fatal(err)
	}
	before := records(t, dir)
	text, _ := os.ReadFile(file)
	edited := writeFile(t, "edited.yaml", strings.Replace(string(text), "steps: 12", "steps: 3", 1))
	for _, dry := range []string{"--dry-run", "--dry-run=false"} {
		t.Run(dry, func(t *testing.T) {
			_, _, err := bench(t, "run", edited, "--out", dir, dry)
			check.Equal(t, "exit code", console.ExitCode(err), console.ExitRefused)
			check.Contains(t, "the error", fmt.Sprint(err), "4 records", "steps is 12 there, 3 here", "--force")
			sameRecords(t, records(t, dir), before)
		})
	}
	if _, _, err := bench(t, "run", edited, "--out", dir, "--force", "--only", "levy13/popbo"); err != nil {
		t.Fatal(err)
	}
	if got := slices.Sorted(maps.Keys(records(t, dir))); !slices.Equal(got, []string{"records/levy13/popbo/000.jsonl", "records/levy13/popbo/001.jsonl"}) {
		t.Errorf("after --force: %v", got)
	}
}

func TestRunRefusesASecondWriter(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	folder := check.Must(record.Create(dir))(t)
	defer folder.Close()
	if _, _, err := bench(t, "run", demoSuite(t, "1"), "--out", dir); console.ExitCode(err) != 2 || !strings.Contains(err.Error(), "another bench run") {
		t.Errorf("error %v", err)
	}
}

// If a record cannot be written, the run stops and names the file.
func TestRunCannotWrite(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	folder := check.Must(record.Create(dir))(t)
	folder.Close()
	blocked := filepath.Join(dir, "records", "levy13")
	check.OK(t, os.WriteFile(blocked, nil, 0o666))
	file := demoSuite(t, "2")
	_, log, err := bench(t, "run", file, "--out", dir)
	if console.ExitCode(err) != 2 || !strings.Contains(err.Error(), blocked) || !strings.Contains(err.Error(), "repeat the command to continue") {
		t.Errorf("error %v", err)
	}
	if !strings.Contains(log, "note: "+blocked+": this is not a record") {
		t.Errorf("stderr %s", log)
	}
	check.OK(t, os.Remove(blocked))
	if _, _, err := bench(t, "run", file, "--out", dir); err != nil || len(records(t, dir)) != 8 {
		t.Errorf("after the mend: %v", err)
	}
}

// Failed cells are reported with exit code 1, and the same command runs them again.
func TestRunWithFailedCells(t *testing.T) {
	file, dir := demoSuite(t, "4"), filepath.Join(t.TempDir(), "out")
	out, log, err := bench(t, "run", file, "--out", dir, "--timeout", "1ns")
	check.Equal(t, "exit code", console.ExitCode(err), console.ExitFailed)
	failed := 0 // a line for each cause: some cells may have made a step before
	for line := range strings.Lines(fmt.Sprint(err)) {
		var n int
		if _, err := fmt.Sscanf(line, "%d cell", &n); err != nil || !strings.Contains(line, "time limit of 1ns") {
			t.Errorf("a line of the error is %q", line)
		}
		failed += n
	}
	check.Equal(t, "failed cells", failed, 16)
	if causes := strings.Count(fmt.Sprint(err), "\n") + 1; !strings.Contains(out, "16 cells run in ") || strings.Count(log, "\nfailed ") != causes {
		t.Errorf("output\n%s%s", out, log)
	}
	if out, _, err := bench(t, "run", file, "--out", dir); err != nil || !strings.Contains(out, " ok, 0 failed; ") || len(records(t, dir)) != 16 {
		t.Errorf("again: %v\n%s", err, out)
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

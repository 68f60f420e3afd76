//go:build unix

package runs

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	command "popbench/bench"
	"popbench/internal/check"
	"popbench/internal/views/report/reporttest"
	"popbench/record"
	"popbench/suite"
)

// runSuiteText runs a suite that it writes into the working directory.
func runSuiteText(t *testing.T, name, text string, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	check.OK(t, os.WriteFile(name+".yaml", []byte(text), 0o666))
	return bench(t, append([]string{"run", name + ".yaml", "--out", name}, args...)...)
}

// stepLines returns the step lines of a record.
func stepLines(t *testing.T, path string) string {
	t.Helper()
	text := check.Must(os.ReadFile(path))(t)
	var lines []string
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, `{"kind":"step"`) {
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		t.Fatalf("%s has no steps: %s", path, text)
	}
	return strings.Join(lines, "")
}

// Every built-in algorithm leaves the same steps, byte for byte, when it is a program behind the
// protocol: with pilots, batches, values, disclosure and snapshots. The same holds of a problem.
func TestServedIsBuiltIn(t *testing.T) {
	notShort(t)
	t.Chdir(t.TempDir())
	var b strings.Builder
	b.WriteString("name: served\nsteps: 3\nrepetitions: 1\nsnapshots: [1, 3]\nproblems: [{name: branin}, {name: gp1, scale: raw}]\nalgorithms:\n")
	entry := func(label, method, more string) {
		fmt.Fprintf(&b, "- {name: %s, label: %s a%s}\n", method, label, more)
		fmt.Fprintf(&b, "- {name: external, label: %s b, command: [bench, serve, %s]%s}\n", label, method, more)
	}
	for _, method := range (suite.Catalogue{}).Algorithms() {
		entry(method, method, ", pilot: 8")
	}
	entry("fitted", "popbo", ", pilot: {comparisons: 8, per: problem}, settings: {fit_lengthscale: ard}")
	entry("batch", "popbo", ", settings: {batch: 3}")
	entry("known", "popbo", ", disclose: none, disclose_on: {gp1: kernel-and-norm}")
	entry("known qeubo", "qeubo", ", disclose: none, disclose_on: {gp1: kernel}")
	_, _, err := runSuiteText(t, "served", b.String(), "--workers", "4")
	check.Equal(t, "error", err, nil)
	n := 0
	paths, err := filepath.Glob("served/records/*/*%20a/*.jsonl")
	check.Equal(t, "error", err, nil)
	for _, path := range paths {
		n++
		if stepLines(t, path) != stepLines(t, strings.Replace(path, "%20a", "%20b", 1)) {
			t.Errorf("%s differs from the served one", path)
		}
	}
	check.Equal(t, "pairs", n, 2*(len(suite.Catalogue{}.Algorithms())+4))
	check.Contains(t, "a record with a snapshot", stepLines(t, "served/records/gp1/popbo%20b/000.jsonl"), `"belief"`)

	text := "name: objective\nsteps: 4\nrepetitions: 2\nproblems: [{name: %s}]\nalgorithms: [{name: popbo, pilot: 5}, {name: gpucb}]\n"
	_, _, err = runSuiteText(t, "inside", fmt.Sprintf(text, "branin, scale: raw"))
	check.Equal(t, "error", err, nil)
	_, _, err = runSuiteText(t, "outside", fmt.Sprintf(text, "external, label: Branin 2, command: [bench, serve, --problem, branin]"))
	check.Equal(t, "error", err, nil)
	a, err := reporttest.ReadDir("inside")
	check.Equal(t, "error", err, nil)
	o, err := reporttest.ReadDir("outside")
	check.Equal(t, "error", err, nil)
	for i := range a.Records { // the names of the streams differ, the description does not
		p, q := a.Records[i].Header.Problem, o.Records[i].Header.Problem
		check.Equal(t, "bounds", fmt.Sprint(p.Lo, p.Hi), fmt.Sprint(q.Lo, q.Hi))
		check.Equal(t, "optimum", *p.Optimum, *q.Optimum)
	}
}

// withZoo returns a suite with the command of the zoo in place of ZOO.
func withZoo(t *testing.T, more string) string {
	t.Helper()
	self := check.Must(json.Marshal(os.Args[0]))(t)
	return strings.ReplaceAll(more, "ZOO", string(self)+", zoo")
}

// Records are the same at any number of workers: with programs on both sides that share values, random
// points and pilots, with failures that name a point, and where an objective tells 0 and -0 apart.
func TestSameAtAnyNumberOfWorkers(t *testing.T) {
	t.Chdir(t.TempDir())
	text := withZoo(t, `name: w
steps: 1
repetitions: 8
problems:
- {name: external, label: signs, command: [ZOO, signs, evaluate], box: {lo: [-1], hi: [1]}, random_points: 30}
- {name: external, label: served, command: [bench, serve, --problem, branin], random_points: 30}
- {name: external, label: error, command: [ZOO, error, evaluate], box: {lo: [-1], hi: [1]}}
algorithms:
- {name: random, pilot: 5}
- {name: external, label: plus, command: [ZOO, plus, ask]}
- {name: external, label: minus, command: [ZOO, minus, ask]}
- {name: external, label: good, command: [ZOO, good], pilot: {comparisons: 5, per: problem}}
`)
	for _, workers := range []string{"1", "16"} {
		_, _, err := runSuiteText(t, "w", text, "--workers", workers, "--out", "w"+workers)
		check.Equal(t, "exit code", exitCode(err), exitFailed)
	}
	records, err := filepath.Glob("w1/records/*/*/*.jsonl")
	check.Equal(t, "error", err, nil)
	check.Equal(t, "records", len(records), 3*4*8)
	for _, path := range records {
		a, _ := os.ReadFile(path)
		b, err := os.ReadFile(strings.Replace(path, "w1", "w16", 1))
		if err != nil || !bytes.Equal(a, b) {
			t.Errorf("%s differs: %v\n%s\n%s", path, err, a, b)
		}
	}
	// random_points allows 17 values on a line, but not the 81 of the coarsest grid in two dimensions.
	grids := check.Files(t, "w1/grids")
	check.Equal(t, "grids", strings.Join(slices.Collect(maps.Keys(grids)), " "), "signs.jsonl")
	check.Equal(t, "grids at 1 and 16 workers are the same", maps.Equal(grids, check.Files(t, "w16/grids")), true)
	for label, want := range map[string]float64{"plus": 0, "minus": -1} {
		r, err := record.ReadFile(record.RecordPath("w1", record.CellID("signs", label, 0)))
		if err != nil || r.Footer.Error != "" {
			t.Fatal(err, r.Footer.Error)
		}
		check.Equal(t, "value at "+label+" 0", r.Steps[0].Utility[0], want)
	}
}

// Scores of failing cells leave neither open files nor goroutines behind.
func TestNothingLeaks(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("open files are found in /proc")
	}
	t.Chdir(t.TempDir())
	files := func() int {
		all, err := os.ReadDir("/proc/self/fd")
		check.Equal(t, "error", err, nil)
		return len(all)
	}
	text := withZoo(t, `name: leak
steps: 2
repetitions: 15
problems: [{name: branin}, {name: external, label: p, command: [ZOO, crash, evaluate], box: {lo: [0], hi: [1]}}]
algorithms:
- {name: external, label: crash, command: [ZOO, crash, tell]}
- {name: external, label: banner, command: [ZOO, banner]}
- {name: external, label: none, command: [./none]}
`)
	filesBefore, before := files(), runtime.NumGoroutine()
	_, _, err := runSuiteText(t, "leak", text, "--workers", "8")
	check.Equal(t, "exit code", exitCode(err), exitFailed)
	const few = 20 // of 90 cells
	for n := 0; n < 200 && runtime.NumGoroutine() > before+few; n++ {
		time.Sleep(50 * time.Millisecond)
	}
	if more := runtime.NumGoroutine() - before; more > few {
		t.Errorf("%d goroutines more", more)
	}
	if more := files() - filesBefore; more > few {
		t.Errorf("%d open files more", more)
	}
}

// Killed, interrupted or terminated, bench leaves no process behind, nor a record of a cell in the middle.
func TestNoProcessIsLeft(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("processes are found in /proc")
	}
	for _, sent := range []syscall.Signal{syscall.SIGKILL, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(sent.String(), func(t *testing.T) {
			if signal.Ignored(sent) {
				t.Skip("the tests run under nohup, and so would bench")
			}
			t.Parallel()
			dir := t.TempDir()
			name := fmt.Sprintf("tag%02d", int(sent))
			text := withZoo(t, `{name: kill, steps: 3, repetitions: 4, problems: [{name: branin}], algorithms: [
 {name: external, label: hangs, command: [ZOO, nest, ask, `+name+`]}, {name: external, label: stays, command: [ZOO, good, none, `+name+`]}]}`)
			check.OK(t, os.WriteFile(filepath.Join(dir, "kill.yaml"), []byte(text), 0o666))
			var stderr bytes.Buffer
			c := exec.Command(os.Args[0], "run", "kill.yaml", "--workers", "4")
			c.Dir, c.Stderr = dir, &stderr
			check.OK(t, c.Start())
			alive := func() int {
				return len(slices.DeleteFunc(left(t, "zoo"), func(line string) bool { return !strings.Contains(line, name) }))
			}
			wait := func(what string, until func() bool) {
				t.Helper()
				for range 600 {
					if until() {
						return
					}
					time.Sleep(50 * time.Millisecond)
				}
				t.Errorf("%s: %d processes", what, alive())
			}
			wait("four hang, each with a child", func() bool { return alive() >= 8 })
			c.Process.Signal(sent)
			err := c.Wait()
			wait("none is left", func() bool { return alive() == 0 })
			if sent != syscall.SIGKILL {
				check.Equal(t, "exit code", err.(*exec.ExitError).ExitCode(), exitInterrupted)
				check.Contains(t, "stderr", stderr.String(), "ending ", "interrupted after ")
			}
		})
	}
}

// A program in the middle of a call is asked to end, as one that waits is, before it is killed; also if
// whoever reads what bench prints has ended before, as in a pipeline that is terminated.
func TestInterruptIsOrderly(t *testing.T) {
	for _, unread := range []bool{false, true} {
		t.Run(map[bool]string{false: "read", true: "unread"}[unread], func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			there := func(name string) bool {
				_, err := os.Stat(filepath.Join(dir, name))
				return err == nil
			}
			text := withZoo(t, "{name: tidy, steps: 1, repetitions: 1, problems: [{name: branin}], algorithms: [{name: external, label: a, command: [ZOO, tidy, ask]}]}")
			check.OK(t, os.WriteFile(filepath.Join(dir, "tidy.yaml"), []byte(text), 0o666))
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			c := exec.Command(os.Args[0], "run", "tidy.yaml")
			c.Dir, c.Stdout, c.Stderr = dir, w, w
			check.OK(t, c.Start())
			w.Close()
			for n := 0; n < 600 && !there("computing"); n++ {
				time.Sleep(50 * time.Millisecond)
			}
			if unread {
				r.Close()
			}
			c.Process.Signal(syscall.SIGTERM)
			if !unread {
				said, err := io.ReadAll(r)
				check.Equal(t, "error", err, nil)
				check.Contains(t, "stderr", string(said), "ending 1 program", "interrupted after ")
			}
			c.Wait()
			check.Equal(t, "exit code", c.ProcessState.ExitCode(), exitInterrupted)
			check.Equal(t, "it could tidy up", there("tidied"), true)
		})
	}
}

// An interrupt ends the program that is evaluating.
func TestEvalInterrupted(t *testing.T) {
	notShort(t)
	t.Parallel()
	text := withZoo(t, "name: e\nsteps: 2\nproblems: [{name: external, label: sim, command: [ZOO, hang, evaluate, eval], box: {lo: [-4], hi: [4]}}]\nalgorithms: [{name: random}]\n")
	suite := writeFile(t, "e.yaml", text)
	ours := func() []string {
		return slices.DeleteFunc(left(t, "zoo"), func(line string) bool { return !strings.HasSuffix(line, " eval") })
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		defer cancel()
		for range 600 {
			if len(ours()) > 0 {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
	}()
	code := command.Execute(ctx, nil, nil, nil, []string{"eval", "--suite", suite, "sim", "1"})
	check.Equal(t, "exit code", code, exitInterrupted)
	check.Equal(t, "processes left", strings.Join(ours(), "\n"), "")
}

// A run that nohup started goes on when its terminal ends, with its programs.
func TestNohup(t *testing.T) {
	notShort(t)
	if runtime.GOOS != "linux" {
		t.Skip("processes are found in /proc")
	}
	t.Parallel()
	dir := t.TempDir()
	text := withZoo(t, `{name: nohup, steps: 2, repetitions: 1, algorithms: [{name: random}],
 problems: [{name: external, label: sim, command: [ZOO, dawdle, evaluate, nohup], box: {lo: [0], hi: [1]}}]}`)
	check.OK(t, os.WriteFile(filepath.Join(dir, "nohup.yaml"), []byte(text), 0o666))
	var stderr bytes.Buffer
	c := exec.Command("sh", "-c", `trap "" HUP; exec "$@"`, "sh", os.Args[0], "run", "nohup.yaml")
	c.Dir, c.Stderr = dir, &stderr
	check.OK(t, c.Start())
	started := false
	for n := 0; n < 6000 && !started; n++ {
		started = slices.ContainsFunc(left(t, "zoo"), func(line string) bool { return strings.HasSuffix(line, " nohup") })
		time.Sleep(10 * time.Millisecond)
	}
	check.Equal(t, "the program has started", started, true)
	c.Process.Signal(syscall.SIGHUP)
	if err := c.Wait(); err != nil {
		t.Errorf("%v: %s", err, stderr.String())
	}
}

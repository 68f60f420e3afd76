//go:build unix

package runs

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
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
	"popbench/internal/console"
	"popbench/record"
	"popbench/suite"
)

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
	check.That(t, len(lines) > 0, "%s has no steps: %s", path, text)
	return strings.Join(lines, "")
}

// boxes and sets are problems on boxes, and on finite sets of arms, with other oracles: a grid, a list, and a data file.
const (
	boxes = "problems: [{name: branin}, {name: gp1, scale: raw}]\n"
	sets  = `problems:
- {name: ackley1, label: grid, scale: raw, arms: {grid: [12]}, oracle: {scale: {lo: 0.1, hi: 1}}}
- {name: branin, label: points, range: [-3, 3], arms: {points: [[-3, 12], [0, 5], [3, 2], [9, 3], [10, 15]]}, oracle: {scale: 0.5, jnd: 1}}
- {name: table, label: tea, range: [0, 4], data: {path: tea.csv, sha256: SHA256, features: [heat], value: liked}, oracle: {model: probit, error_rate: 0.2, on: top-100%}}
`
	tea = "heat,liked\n70,1.5\n82,4\n90,2.5\n96,1\n"
)

// Every built-in algorithm leaves the same steps, byte for byte, when it is a program behind the protocol: with pilots,
// batches, values, disclosure, snapshots and ties. What a served method cannot use is left out, for the same reason.
func TestServedIsBuiltIn(t *testing.T) {
	check.Slow(t, "it runs programs of its own")
	t.Chdir(t.TempDir())
	data := check.Temporary(t, "tea.csv", tea)
	suites := map[string]string{"boxes": boxes, "sets": strings.NewReplacer("SHA256", fmt.Sprintf("%x", sha256.Sum256([]byte(tea))), "tea.csv", data).Replace(sets)}
	for name := range suites {
		suites[name] = "name: " + name + "\nsteps: 3\nrepetitions: 1\nsnapshots: [1, 3]\n" + suites[name] + "algorithms:\n"
	}
	entry := func(name, label, method, more string) {
		suites[name] += fmt.Sprintf("- {name: %s, label: %s a%s}\n- {name: external, label: %s b, command: [bench, serve, %s]%s}\n", method, label, more, label, method, more)
	}
	var wanted []string // of what is left out
	methods := suite.Catalogue{}.Algorithms()
	for _, method := range methods {
		entry("boxes", method, method, ", pilot: 8")
		entry("sets", method, method, ", pilot: 8")
		can := check.Must(suite.Catalogue{}.Abilities(method))(t)
		if !can.Ties {
			wanted = append(wanted, "points/"+method)
		}
		if can.Values { // there is no noise of values with these answers
			wanted = append(wanted, "tea/"+method)
		}
	}
	entry("boxes", "fitted", "popbo", ", pilot: {comparisons: 8, per: problem}, settings: {fit_lengthscale: ard}")
	entry("boxes", "batch", "popbo", ", settings: {batch: 3}")
	entry("boxes", "known", "popbo", ", disclose: none, disclose_on: {gp1: kernel-and-norm}")
	entry("boxes", "known qeubo", "qeubo", ", disclose: none, disclose_on: {gp1: kernel}")
	for name, text := range suites {
		ran(t, 0, "run", check.Temporary(t, name+".yaml", text), "--out", name, "--workers", "4")
	}
	reasons := map[string]string{}
	for _, p := range check.Must(record.ReadList("sets"))(t).LeftOut {
		reasons[p.Group] = p.Reason
	}
	check.Equal(t, "groups left out", len(reasons), 2*len(wanted))
	for _, group := range wanted {
		a, b := reasons[group+"%20a"], reasons[group+"%20b"]
		check.That(t, a != "" && a == b, "%s is left out because %q, and the served one because %q", group, a, b)
	}
	paths := check.Must(filepath.Glob("*/records/*/*%20a/*.jsonl"))(t)
	check.Equal(t, "pairs", len(paths), 2*(len(methods)+4)+3*len(methods)-len(wanted))
	all := ""
	for _, path := range paths {
		lines := stepLines(t, path)
		all += lines
		check.That(t, lines == stepLines(t, strings.Replace(path, "%20a", "%20b", 1)), "%s differs from the served one", path)
	}
	check.Contains(t, "what steps have", all, `"belief"`, `"tie":true`)
}

// withZoo returns a suite with the command of the zoo in place of ZOO.
func withZoo(t *testing.T, more string) string {
	t.Helper()
	return strings.ReplaceAll(more, "ZOO", string(check.Must(json.Marshal(os.Args[0]))(t))+", zoo")
}

// Scores of failing cells leave neither open files nor goroutines behind.
func TestNothingLeaks(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("open files are found in /proc")
	}
	t.Chdir(t.TempDir())
	files := func() int { return len(check.Must(os.ReadDir("/proc/self/fd"))(t)) }
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
	ran(t, console.ExitFailed, "run", check.Temporary(t, "leak.yaml", text), "--out", "leak", "--workers", "8")
	const few = 20 // of 90 cells
	for n := 0; n < 200 && runtime.NumGoroutine() > before+few; n++ {
		time.Sleep(50 * time.Millisecond)
	}
	more := runtime.NumGoroutine() - before
	check.That(t, more <= few, "%d goroutines more", more)
	more = files() - filesBefore
	check.That(t, more <= few, "%d open files more", more)
}

// Killed, interrupted or terminated, bench leaves no process behind, nor a record of a cell in the middle.
func TestNoProcessIsLeft(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("processes are found in /proc")
	}
	t.Parallel()
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
				check.Equal(t, "exit code", err.(*exec.ExitError).ExitCode(), console.ExitInterrupted)
				check.Contains(t, "stderr", stderr.String(), "ending ", "interrupted after ")
			}
		})
	}
}

// A program in the middle of a call is asked to end, as one that waits is, before it is killed; also if
// whoever reads what bench prints has ended before, as in a pipeline that is terminated.
func TestInterruptIsOrderly(t *testing.T) {
	t.Parallel()
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
			check.OK(t, err)
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
			check.Equal(t, "exit code", c.ProcessState.ExitCode(), console.ExitInterrupted)
			check.Equal(t, "it could tidy up", there("tidied"), true)
		})
	}
}

// An interrupt ends the program that check or eval waits for.
func TestCommandsInterrupted(t *testing.T) {
	t.Parallel()
	text := withZoo(t, "name: e\nsteps: 2\nproblems: [{name: external, label: sim, command: [ZOO, hang, evaluate, eval], box: {lo: [-4], hi: [4]}}]\nalgorithms: [{name: random}]\n")
	for name, args := range map[string][]string{
		"check": {os.Args[0], "zoo", "hang", "initialize", "check"},
		"eval":  {"--suite", check.Temporary(t, "e.yaml", text), "sim", "1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ours := func() []string {
				return slices.DeleteFunc(left(t, "zoo"), func(line string) bool { return !strings.HasSuffix(line, " "+name) })
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
			var stderr bytes.Buffer
			code := command.Execute(ctx, nil, nil, &stderr, append([]string{name}, args...))
			check.Equal(t, "exit code", code, console.ExitInterrupted)
			check.That(t, strings.HasSuffix("\n"+stderr.String(), "\nbench: interrupted\n"), "stderr %q", &stderr)
			check.Equal(t, "processes left", strings.Join(ours(), "\n"), "")
		})
	}
}

// A run that nohup started goes on when its terminal ends, with its programs.
func TestNohup(t *testing.T) {
	check.Slow(t, "it runs programs of its own")
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
	err := c.Wait()
	check.That(t, err == nil, "%v: %s", err, stderr.String())
}

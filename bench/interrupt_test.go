package bench

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"popbench/internal/benchtest"
	"popbench/internal/check"
	"popbench/internal/console"
)

// After a signal no new work starts, and the message about the files is correct.
func TestInterruptedCommands(t *testing.T) {
	check.Sequential(t)
	t.Parallel()
	suite := check.Temporary(t, "tiny.yaml", "name: tiny\nsteps: 2\nrepetitions: 6\nproblems: [{name: branin}]\nalgorithms: [{name: random}]\n")
	dir, paper := t.TempDir(), t.TempDir()
	one, csv := filepath.Join(dir, "one"), filepath.Join(dir, "csv")
	done(t, "run", suite, "--out", one)
	ackley(t, paper, 8)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		want string
		args []string
	}{
		{"the report was not written", []string{"report", one}},
		{"0 of 1 reports were written, the index was not", []string{"report", dir}},
		{"no verdicts were written", []string{"verify", paper}},
		{"nothing was printed", []string{"report", "--sheet", "profile", one}},
		{"nothing was written", []string{"compare", one, one}},
		{"nothing was written", []string{"compare", one, one, "--exact"}},
		{"nothing was printed", []string{"compare", one, one, "--power", "5"}},
		{"nothing was written", []string{"export", one, "--out", csv}},
		{"nothing was printed", []string{"list"}},
		{"nothing was printed", []string{"list", "beale"}},
		{"nothing was printed", []string{"status", one}},
	} {
		t.Run(c.args[0], func(t *testing.T) {
			var out, log bytes.Buffer
			code := Execute(ctx, nil, &out, &log, c.args)
			line := log.String()[strings.LastIndex(log.String(), "bench: ")+1:]
			check.That(t, code == console.ExitInterrupted && out.Len() == 0 && line == "ench: interrupted; "+c.want+"\n",
				"bench %s: exit %d, stdout %q, stderr %q", c.args[0], code, out.String(), log.String())
		})
	}
	for _, path := range []string{filepath.Join(one, "report"), filepath.Join(dir, "index.html"), filepath.Join(paper, "claims.txt"), csv} {
		check.Error(t, path, check.Err(os.Stat(path)), "no such file")
	}
}

// Interrupts the real program while it writes the reports of many folders.
func TestInterruptedReport(t *testing.T) {
	t.Parallel()
	suite := check.Temporary(t, "tiny.yaml", "name: tiny\nsteps: 30\nrepetitions: 10\nproblems: [{name: branin}, {name: beale}]\nalgorithms: [{name: random}]\n")
	const folders = 30
	dir := t.TempDir()
	first := filepath.Join(dir, "00")
	done(t, "run", suite, "--out", first)
	for i := 1; i < folders; i++ {
		check.OK(t, os.CopyFS(filepath.Join(dir, fmt.Sprintf("%02d", i)), os.DirFS(first)))
	}
	cmd := exec.Command(benchtest.Program(t), "report", dir)
	stderr := check.Must(cmd.StderrPipe())(t)
	check.OK(t, cmd.Start())
	// The third report has begun: two are there.
	var log strings.Builder
	buf := make([]byte, 4096)
	for n, err := 0, error(nil); err == nil && !strings.Contains(log.String(), "[3/"); n, err = stderr.Read(buf) {
		log.Write(buf[:n])
	}
	check.OK(t, cmd.Process.Signal(syscall.SIGTERM)) // with the other one a run is interrupted
	rest, _ := io.ReadAll(stderr)
	_ = cmd.Wait()
	log.Write(rest)
	written := check.Must(filepath.Glob(filepath.Join(dir, "*", "report", "index.html")))(t)
	want := fmt.Sprintf("bench: interrupted; %d of %d reports were written, the index was not\n", len(written), folders)
	check.Equal(t, "exit code", cmd.ProcessState.ExitCode(), console.ExitInterrupted)
	check.Equal(t, "the end of stderr", log.String()[max(0, log.Len()-len(want)):], want)
	check.That(t, len(written) >= 2 && len(written) < folders, "%d of %d reports, want some but not all", len(written), folders)
	check.Error(t, "the index", check.Err(os.Stat(filepath.Join(dir, "index.html"))), "no such file")
}

// Of a file that cannot be written whole nothing stays, so that the same command succeeds later.
func TestInitOnAFullDisk(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a shell limits the size of files")
	}
	cmd := exec.Command("sh", "-c", `ulimit -f 1; exec "$@"`, "sh", benchtest.Program(t), "init", "mine.yaml")
	cmd.Dir = t.TempDir()
	out, err := cmd.CombinedOutput()
	check.That(t, err != nil, "it succeeded")
	check.Contains(t, "output", string(out), "bench: init: write mine.yaml: file too large; give a file that can be written")
	check.Equal(t, "files", len(check.Must(os.ReadDir(cmd.Dir))(t)), 0)
}

// solve and suggest stop at the first signal at any time, and print nothing. They have no files
// to complete.
func TestInterruptedComputation(t *testing.T) {
	exe := benchtest.Program(t)
	long := map[string]string{
		"solve":   sgpDocument(300),
		"suggest": suggestDocument(3, 300),
	}
	for command, document := range long {
		for _, sig := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
			t.Run(command+" "+sig.String(), func(t *testing.T) {
				t.Parallel()
				cmd := exec.Command(exe, command, "-")
				stdin := check.Must(cmd.StdinPipe())(t)
				var stdout, stderr bytes.Buffer
				cmd.Stdout, cmd.Stderr = &stdout, &stderr
				check.OK(t, cmd.Start())
				// A pipe holds 64 KiB: once the rest is written, the command has
				// started and handles signals.
				check.Must(stdin.Write([]byte(document + strings.Repeat(" ", 1<<17))))(t)
				check.OK(t, stdin.Close())
				time.Sleep(300 * time.Millisecond) // now it computes, for minutes; if it still reads, it has to end too
				check.OK(t, cmd.Process.Signal(sig))
				hung := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
				_ = cmd.Wait()
				check.That(t, hung.Stop(), "it runs on for a minute")
				check.Equal(t, "exit code", cmd.ProcessState.ExitCode(), console.ExitInterrupted)
				check.Equal(t, "output", stdout.String()+stderr.String(), "bench: interrupted; nothing was printed\n")
			})
		}
	}
}

// Commands that wait for their input stop, too.
func TestInterruptedInput(t *testing.T) {
	check.Sequential(t)
	for _, command := range []string{"solve", "suggest"} {
		ctx, cancel := context.WithCancel(t.Context())
		never, end := io.Pipe()
		var out, log bytes.Buffer
		time.AfterFunc(50*time.Millisecond, cancel)
		hung := time.AfterFunc(time.Minute, func() { end.Close() })
		check.Equal(t, command+": exit code", Execute(ctx, never, &out, &log, []string{command, "-"}), console.ExitInterrupted)
		check.That(t, hung.Stop(), "%s waits on for a minute", command)
		check.Equal(t, command+": output", out.String()+log.String(), "bench: interrupted; nothing was printed\n")
		end.Close()
	}
}

// sgpDocument returns a problem with n duels. Each point except the last loses to the next.
func sgpDocument(n int) string {
	points, comparisons := []string{"[0]"}, []string(nil)
	for i := range n {
		points = append(points, fmt.Sprintf("[%.6f]", float64(i+1)/float64(n)))
		comparisons = append(comparisons, fmt.Sprintf("[%d, %d]", i+1, i))
	}
	return fmt.Sprintf(`{"algorithm": "sgp", "draws": 1000000, "settings": {"noise_std": 0.1, "fit": {"refit_every": 0}, "kernel": {"lengthscale": [0.3]}}, "points": [%s], "comparisons": [%s]}`, strings.Join(points, ","), strings.Join(comparisons, ","))
}

// suggestDocument returns an experiment with n comparisons in d dimensions.
func suggestDocument(n, d int) string {
	vector := func(v float64) string {
		return "[" + strings.TrimSuffix(strings.Repeat(fmt.Sprintf("%g,", v), d), ",") + "]"
	}
	var comparisons []string
	for i := range n {
		comparisons = append(comparisons, fmt.Sprintf(`{"points": [%s, %s], "winner": %d}`, vector(float64(i)/float64(n)), vector(float64(i+1)/float64(n)), i%2))
	}
	return fmt.Sprintf(`{"box": {"lo": %s, "hi": %s}, "comparisons": [%s]}`, vector(0), vector(1), strings.Join(comparisons, ","))
}

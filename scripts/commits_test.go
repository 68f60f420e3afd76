// Package scripts tests the scripts of this folder.
package scripts

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"popbench/internal/check"
)

// root is the top of the tree.
const root = ".."

// script runs one of a repository at dir.
func script(dir, name string, args ...string) (out string, err error) {
	cmd := exec.Command("bash", append([]string{"scripts/" + name}, args...)...)
	cmd.Dir = dir
	text, err := cmd.CombinedOutput()
	return string(text), err
}

// benchStandIn replaces bench in a small repository: it records how it was called,
// and writes the files that scripts/compare-commits reads.
const benchStandIn = `package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
)

func main() {
	args := os.Args[1:]
	log, _ := os.OpenFile(os.Getenv("SEEN"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	fmt.Fprintf(log, "%d: %s: %q\n", os.Getpid(), version, args)
	out := ""
	if i := slices.Index(args, "--out"); i >= 0 {
		out = args[i+1]
	}
	switch args[0] {
	case "run":
		var code int
		if _, err := fmt.Sscan(os.Getenv("STOPPED"), &code); err == nil {
			os.Exit(code)
		}
		if os.Getenv("SLOW") != "" {
			time.Sleep(time.Hour)
		}
		os.MkdirAll(out, 0o777)
	case "compare":
		fmt.Println("compared")
		if strings.Contains(version, "worse") {
			fmt.Fprintln(os.Stderr, "HEAD is worse")
			os.Exit(1)
		}
	case "perf":
		fmt.Fprintln(os.Stderr, "progress\nwork: the same")
	}
}
`

// commits is a git repository with the script and the stand-in.
type commits struct {
	*check.Repository
	seen string
}

func newCommits(t *testing.T) *commits {
	if testing.Short() || runtime.GOOS == "windows" {
		t.Skip("it runs a shell script, git and the go command")
	}
	check.Needs(t, "bash", "go")
	c := &commits{check.NewRepository(t), filepath.Join(t.TempDir(), "seen")}
	c.Write("scripts/compare-commits", check.Text(t, filepath.Join(root, "scripts", "compare-commits")))
	c.Write("go.mod", "module m\n\ngo 1.26\n")
	c.Write("configs/gate.yaml", "")
	c.Write("cmd/bench/main.go", benchStandIn)
	c.version("one")
	c.Commit("the first")
	return c
}

// version is the version that the program prints.
func (c *commits) version(text string) {
	c.Write("cmd/bench/version.go", "package main\n\nconst version = \""+text+"\"\n")
}

func (c *commits) command(stdout, stderr *bytes.Buffer, args ...string) *exec.Cmd {
	cmd := exec.Command("bash", append([]string{filepath.Join("scripts", "compare-commits")}, args...)...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = c.Dir, stdout, stderr
	cmd.Env = append(os.Environ(), "SEEN="+c.seen, "GOFLAGS=-ldflags=-w")
	return cmd
}

// run runs the script, which must leave no worktree behind.
func (c *commits) run(code int, args ...string) (stdout, stderr string) {
	c.T.Helper()
	var out, errs bytes.Buffer
	cmd := c.command(&out, &errs, args...)
	cmd.Run()
	got := cmd.ProcessState.ExitCode()
	check.That(c.T, got == code, "compare-commits %q: exit code %d, want %d\n%s%s", args, got, code, &out, &errs)
	c.Clean()
	return out.String(), errs.String()
}

func TestCompareCommits(t *testing.T) {
	t.Parallel()
	c := newCommits(t)
	base := c.Git("log", "-1", "--format=%h (%s)")
	c.version("two")
	head := c.Commit("the 'second' $(one)")

	stdout, stderr := c.run(0, "HEAD~1")
	steps := regexp.MustCompile(`(?m)^\[ *\d+ s\] `).ReplaceAllString(stderr, "")
	check.Equal(t, "what it says", steps, "building BASE: "+base+"\nbuilding HEAD: "+head+`
running configs/gate.yaml with BASE
running configs/gate.yaml with HEAD
comparing
measuring the cost of a step with BASE
measuring the cost of a step with HEAD
writing reports into `+filepath.Join(c.Dir, "results", "compare")+"\n")
	check.Equal(t, "what it prints", stdout, "compared\nwork: the same\n")
	calls := regexp.MustCompile(`(?m)^\d+: |/[^"]*/(compare|tmp[^"/]*)/`).ReplaceAllString(check.Text(t, c.seen), "")
	check.Contains(t, "calls of bench", calls, `one: ["run" "base/configs/gate.yaml" `, `two: ["run" "configs/gate.yaml" `,
		`two: ["compare" "base" "head" "--format" "junit"]`, `one: ["perf" `, `two: ["perf" "configs/perf.yaml" "--against" "perf-base.txt" `, `["report" "base"]`, `["report" "head"]`)
	out := filepath.Join(c.Dir, "results", "compare")
	for _, name := range []string{"compare.txt", "compare.md", "compare.json", "compare.xml", "perf.txt", "perf-base.txt", "summary.md", "base", "head"} {
		check.Must(os.Stat(filepath.Join(out, name)))(t)
	}

	check.Equal(t, "the data", check.Text(t, filepath.Join(out, "compare.json")), "compared\n")
	check.Contains(t, "the summary", check.Text(t, filepath.Join(out, "summary.md")), "compared\n\nBASE is "+base+", HEAD is "+head+".\n")

	// Results are replaced only with --force, and only those of the script.
	_, stderr = c.run(2, "HEAD~1")
	check.Contains(t, "the only line", strings.Replace(stderr, "\n", "", 1), "contains another comparison; give --force to replace it")
	c.Write("results/compare/mine.txt", "")
	c.Write("results/compare/base/old.txt", "")
	os.Remove(c.seen)
	c.run(0, "HEAD~1", "--force")
	check.Error(t, "records of an earlier comparison", check.Err(os.Stat(filepath.Join(out, "base", "old.txt"))), "no such file")
	check.Must(os.Stat(filepath.Join(out, "mine.txt")))(t)
	check.Lacks(t, "the summary", check.Text(t, filepath.Join(out, "summary.md")), "uncommitted")

	// Uncommitted changes are named, and the outcome becomes the exit code.
	c.version("worse")
	os.Remove(c.seen)
	stdout, _ = c.run(1, "--force", "HEAD", "configs/gate.yaml", "elsewhere")
	check.Contains(t, "what it prints", stdout, "HEAD is worse\n")
	check.Contains(t, "the summary", check.Text(t, filepath.Join(c.Dir, "elsewhere", "summary.md")), ", HEAD is "+head+", with uncommitted changes.\n")
}

// The commands of the workflows for forks do what they say, and what they keep is there.
func TestForkWorkflows(t *testing.T) {
	t.Parallel()
	for file, first := range map[string]string{"fork-github.yml": "        run: ", "fork-gitlab.yml": "    - "} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			c := newCommits(t)
			c.Git("update-ref", "refs/remotes/origin/target", "HEAD")
			c.version("worse")
			c.Commit("worse")
			text := check.Text(t, filepath.Join(root, "examples", "ci", file))
			var code []int
			var out bytes.Buffer
			for line := range strings.Lines(text) {
				command, ok := strings.CutPrefix(line, first)
				if !ok || !strings.Contains(command, "out") || strings.HasSuffix(command, "/\n") { // a folder to keep
					continue
				}
				cmd := exec.Command("bash", "-e", "-c", command)
				cmd.Dir, cmd.Stdout, cmd.Stderr = c.Dir, &out, &out
				cmd.Env = append(os.Environ(), "SEEN="+c.seen, "GOFLAGS=-ldflags=-w", "GITHUB_BASE_REF=target", "CI_MERGE_REQUEST_TARGET_BRANCH_NAME=target", "GITHUB_STEP_SUMMARY=step")
				cmd.Run()
				code = append(code, cmd.ProcessState.ExitCode())
			}
			check.Same(t, "exit codes, of\n"+out.String(), code, []int{1, 0})
			kept := regexp.MustCompile(`\bout/[\w.*/]*`).FindAllString(text, -1)
			for _, name := range kept {
				if strings.HasSuffix(name, "/report") { // which the stand-in does not write
					name = filepath.Dir(name)
				}
				check.That(t, len(check.Must(filepath.Glob(filepath.Join(c.Dir, name)))(t)) > 0, "there is no %s", name)
			}
			check.That(t, len(kept) >= 3, "it names only %q", kept)
			c.Clean()
		})
	}
}

func TestCompareCommitsRefuses(t *testing.T) {
	c := newCommits(t)
	c.Write("cmd/bench/broken.go", "package main\n\nvar x int = \"text\"\nvar y int = \"text\"\n")
	broken := c.Commit("broken")
	c.Git("rm", "--quiet", "cmd/bench/broken.go")
	c.Commit("mended")
	for _, x := range []struct {
		args []string
		want string
	}{
		{nil, "give BASE"},
		{[]string{"a", "b", "c", "d"}, "give BASE"},
		{[]string{"--fast", "HEAD"}, "unknown option --fast"},
		{[]string{"nothing"}, "no commit nothing in this repository"},
		{[]string{"HEAD", "none.yaml"}, "there is no none.yaml"},
		{[]string{"HEAD~1"}, "BASE, " + broken + ", does not build: cmd/bench/broken.go:3:13: "},
	} {
		stdout, stderr := c.run(2, x.args...)
		lines := slices.DeleteFunc(strings.SplitAfter(stderr, "\n"), func(l string) bool { return l == "" || l[0] == '[' })
		check.That(t, stdout == "" && len(lines) == 1 && strings.HasPrefix(lines[0], "scripts/compare-commits: "+x.want), "%q: %s%s", x.args, stdout, stderr)
	}
	_, stderr := c.run(2, "HEAD", "configs/gate.yaml", "go.mod/out")
	check.Contains(t, "a folder in a file", stderr, "mkdir: ")
	stdout, stderr := c.run(0, "HEAD", "--help")
	check.Contains(t, "help", stdout, "\n  scripts/compare-commits [--force] BASE [SUITE.yaml [OUT]]\n")
	check.Lacks(t, "help", stdout+stderr, "set -", "compare-commits: ", "/bin")
}

// A signal ends the script and its child processes at once.
func TestCompareCommitsInterrupted(t *testing.T) {
	c := newCommits(t)
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		os.Remove(c.seen)
		var out, errs bytes.Buffer
		cmd := c.command(&out, &errs, "HEAD", "--force")
		cmd.Env = append(cmd.Env, "SLOW=1")
		check.OK(t, cmd.Start())
		for range 60_000 { // until it runs the suite; ten minutes, for a script that hangs
			if seen, _ := os.ReadFile(c.seen); bytes.Contains(seen, []byte("\n")) {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		check.OK(t, cmd.Process.Signal(signal))
		cmd.WaitDelay = time.Minute // if bench goes on
		hung := time.AfterFunc(time.Minute, func() { cmd.Process.Kill() })
		cmd.Wait()
		hung.Stop()
		check.That(t, cmd.ProcessState.ExitCode() == 130, "%v: exit code %d\n%s%s", signal, cmd.ProcessState.ExitCode(), &out, &errs)
		pid, _, _ := strings.Cut(check.Text(t, c.seen), ":")
		if bench, err := os.FindProcess(check.Must(strconv.Atoi(pid))(t)); err == nil && bench.Signal(syscall.Signal(0)) == nil {
			t.Errorf("%v: bench goes on", signal)
			bench.Kill()
		}
		c.Clean()
	}
	for _, code := range []int{130, 2} { // bench was stopped, not the script, or failed
		t.Setenv("STOPPED", strconv.Itoa(code))
		c.run(code, "HEAD", "--force")
	}
}

//go:build unix

package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"popbench/internal/check"
)

// newMethod returns a git repository of somebody's method, the Python example, in the folder method of it. It is the
// working directory.
func newMethod(t *testing.T) *commits {
	t.Helper()
	if testing.Short() {
		t.Skip("-short: it runs git and python3")
	}
	for _, name := range []string{"git", "python3"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skip(err)
		}
	}
	example := filepath.Join(root, "examples", "random-local")
	optimizer, suite := readFile(t, filepath.Join(example, "optimizer.py")), readFile(t, filepath.Join(example, "suite.yaml"))
	client, err := filepath.Abs(filepath.Join(root, "clients", "python"))
	check.Equal(t, "error", err, nil)
	t.Setenv("PYTHONPATH", client)
	c := &commits{t: t, dir: filepath.Join(t.TempDir(), "a repository")}
	c.write("method/optimizer.py", optimizer)
	c.write("method/suite.yaml", strings.Replace(suite, "steps: 30", "steps: 10", 1))
	c.write(".gitignore", "/results\n/out\n")
	c.git("init", "--quiet", "--initial-branch=main")
	c.commit("the method")
	t.Chdir(c.dir)
	t.Setenv("TMPDIR", t.TempDir())
	t.Setenv("GIT_DISCOVERY_ACROSS_FILESYSTEM", "1") // so that git says the same wherever the tests write
	return c
}

// edit replaces a text in a file, which must contain it.
func (c *commits) edit(path, old, new string) {
	c.t.Helper()
	text := readFile(c.t, filepath.Join(c.dir, path))
	if !strings.Contains(text, old) || old == new {
		c.t.Fatalf("%s has no %q", path, old)
	}
	c.write(path, strings.ReplaceAll(text, old, new))
}

// gate runs bench gate, which must leave nothing behind: no worktree, no temporary file, no change.
func (c *commits) gate(code int, args ...string) (stdout, stderr string) {
	c.t.Helper()
	return c.gateUntil(c.t.Context(), code, args...)
}

func (c *commits) gateUntil(ctx context.Context, code int, args ...string) (stdout, stderr string) {
	c.t.Helper()
	state := func() string {
		return c.git("status", "--porcelain=2", "--branch", "--untracked-files=no") + c.git("for-each-ref")
	}
	before := state()
	var out, log bytes.Buffer
	if got := Run(ctx, nil, &out, &log, append([]string{"gate"}, args...)); got != code {
		c.t.Errorf("bench gate %q: exit code %d, want %d\n%s%s", args, got, code, &out, &log)
	}
	check.Equal(c.t, "the repository", state(), before)
	c.clean()
	rest, err := os.ReadDir(os.TempDir())
	if check.Equal(c.t, "error", err, nil); len(rest) > 0 {
		c.t.Errorf("%s stays in %s", rest[0], os.TempDir())
	}
	return out.String(), log.String()
}

// A neutral change leaves all records as they are. Planted faults are found, and the comparison says in what.
func TestGatePython(t *testing.T) {
	c := newMethod(t)
	base := c.git("log", "-1", "--format=%h (%s)")
	c.edit("method/optimizer.py", "unit = [", "moved = [")
	c.edit("method/optimizer.py", "from_unit(unit)", "from_unit(moved)")
	c.edit("method/optimizer.py", "def ask(self):\n", "def ask(self):\n        # Somewhere else, or near the best.\n")
	head := c.commit("rename a variable")
	stdout, stderr := c.gate(0, "method/suite.yaml", "--base", "HEAD~1", "--seeds", "12", "--out", "out")
	check.Contains(t, "stdout", stdout, base+" → "+head+": the same", "Of 6 rows: 6 same (6 without any difference, not shown).",
		"Random + local: optimizer.py differs.", "No run differs. If that is a surprise, ")
	check.Contains(t, "stderr", stderr, "checking out BASE, "+base+"\n", "running HEAD\nstarting for Random + local: python3 optimizer.py\nrandom-local: 24 cells to run, 0 kept")
	if _, _, err := bench(t, "compare", "out/base", "out/head", "--exact"); err != nil {
		t.Error(err)
	}
	for name := range records(t, "out/base") {
		if !strings.Contains(name, "Random%20+%20local") {
			t.Errorf("it runs %s, which is the same at both commits", name)
		}
	}
	// The same again: nothing has to run.
	_, stderr = c.gate(0, "method/suite.yaml", "--base", "HEAD~1", "--seeds", "12", "--out", "out")
	check.Equal(t, "kept", strings.Count(stderr, "0 cells to run, 24 kept"), 2)

	for name, fault := range map[string]struct{ old, new, metric string }{
		"recommends the loser":    {`[("last-winner", self.best)]`, `[("last-winner", self.loser)]`, "suboptimality"},
		"samples one corner only": {"return [self.best, self.box.sample(self.rng)]", "return [self.best, self.box.from_unit([0.1 * self.rng.random() for _ in self.best])]", "cumulative regret"},
	} {
		t.Run(name, func(t *testing.T) {
			c.git("checkout", "--quiet", "--force", "--detach", "main")
			c.edit("method/optimizer.py", "        self.best = points[winner]\n", "        self.best, self.loser = points[winner], points[1 - winner]\n")
			c.edit("method/optimizer.py", "        self.best = s.start\n", "        self.best = self.loser = s.start\n")
			c.edit("method/optimizer.py", "explore\", 0.3", "explore\", 0.7")
			c.edit("method/suite.yaml", "{explore: 0.3}", "{}")
			c.commit("the same with other settings")
			c.edit("method/optimizer.py", fault.old, fault.new)
			c.commit(name)
			_, stderr := c.gate(1, "method/suite.yaml", "--base", "HEAD~1", "--seeds", "20", "--out", "out")
			check.Contains(t, "stderr", stderr, "bench: HEAD is worse than BASE: ", "40 cells to run, 0 kept")
			var found struct {
				Rows []struct{ Metric, Verdict string }
			}
			check.OK(t, json.Unmarshal([]byte(readFile(t, "out/compare.json")), &found))
			if !slices.ContainsFunc(found.Rows, func(r struct{ Metric, Verdict string }) bool {
				return r.Metric == fault.metric && r.Verdict == "worse"
			}) {
				t.Errorf("%s is not worse: %+v", fault.metric, found.Rows)
			}
			check.Contains(t, "summary", readFile(t, "out/summary.md"), "("+name+"): a regression", "| worse |")
			var junit struct {
				Failures int `xml:"failures,attr"`
			}
			if err := xml.Unmarshal([]byte(readFile(t, "out/compare.xml")), &junit); err != nil || junit.Failures == 0 {
				t.Errorf("%+v, %v", junit, err)
			}
		})
	}
}

// The working tree counts as it is: with new files, without ignored ones and without the records of the gate itself.
func TestGateWorktree(t *testing.T) {
	c := newMethod(t)
	c.edit("method/optimizer.py", "import popbench\n", "import moves\nimport popbench\n")
	c.edit("method/optimizer.py", "points[winner]\n", "points[moves.choose(winner)]\n")
	c.write("method/moves.py", "import os\n\n\ndef choose(winner):\n    return 1 - winner if not os.path.exists('ignored') else winner\n")
	c.write(".gitignore", "ignored\n/results\n")
	c.write("method/ignored", "")
	stdout, _ := c.gate(1, "method/suite.yaml", "--base", "HEAD", "--head", "worktree", "--seeds", "12", "--out", "method/out")
	check.Contains(t, "stdout", stdout, "(the method), with uncommitted changes: a regression")
	_, stderr := c.gate(1, "method/suite.yaml", "--base", "HEAD", "--head", "worktree", "--seeds", "12", "--out", "method/out")
	check.Equal(t, "kept", strings.Count(stderr, "0 cells to run, 24 kept"), 2)
	stdout, stderr = c.gate(0, "method/suite.yaml", "--base", "HEAD", "--seeds", "12")
	check.Contains(t, "stderr", stderr, "note: uncommitted changes are left out; --head worktree includes them\n", "note: BASE and HEAD have the same files")
	check.Contains(t, "stdout", stdout, "BASE and HEAD have the same files, so any difference is due to chance.")
}

// Both sides run the suite of HEAD, each with programs of its own.
func TestGateChangedSuite(t *testing.T) {
	c := newMethod(t)
	c.git("mv", "method/optimizer.py", "method/search.py")
	c.edit("method/suite.yaml", "optimizer.py]", "search.py]")
	c.edit("method/suite.yaml", "steps: 10", "steps: 8")
	c.edit("method/suite.yaml", "name: ackley6", "name: beale")
	c.commit("another name")
	stdout, _ := c.gate(0, "method/suite.yaml", "--base", "HEAD~1", "--seeds", "3", "--only", "beale")
	check.Contains(t, "stdout", stdout, "method/suite.yaml differs. Both sides run that of HEAD; programs of BASE start as its own says.",
		"Random + local: started by python3 optimizer.py in BASE and by python3 search.py in HEAD.",
		"Random + local: optimizer.py is in BASE only; search.py is in HEAD only.", "3 records")

	c.edit("method/suite.yaml", "steps: 8", "steps: ten")
	broken := c.commit("a mistake")
	c.edit("method/suite.yaml", "steps: ten", "steps: 8")
	c.commit("mended")
	stdout, _ = c.gate(0, "method/suite.yaml", "--base", "HEAD~1", "--seeds", "3", "--only", "beale")
	check.Contains(t, "stdout", stdout, "The method/suite.yaml of BASE is not valid. Both sides run that of HEAD.", broken)
	c.git("mv", "method/suite.yaml", "method/gate.yaml")
	c.commit("moved")
	stdout, _ = c.gate(0, "method/gate.yaml", "--base", "HEAD~1", "--seeds", "3", "--only", "beale")
	check.Contains(t, "stdout", stdout, "BASE has no method/gate.yaml. Both sides run that of HEAD.")
}

// An objective of the repository counts if no algorithm is its own.
func TestGateObjective(t *testing.T) {
	c := newMethod(t)
	c.write("simulator.py", "import popbench\n\n\nclass Simulator(popbench.Problem):\n    box = popbench.Box([0], [1])\n\n"+
		"    def evaluate(self, x):\n        return -(x[0] - 0.3) ** 2\n\n\npopbench.serve(Simulator)\n")
	c.write("suite.yaml", "name: simulator\nsteps: 4\nrepetitions: 3\nproblems: [{name: branin}, {name: external, label: sim, command: [python3, simulator.py]}]\nalgorithms: [{name: random}]\n")
	c.commit("a simulator")
	c.edit("simulator.py", "0.3", "0.7")
	c.commit("another optimum")
	stdout, _ := c.gate(0, "suite.yaml", "--base", "HEAD~1")
	check.Contains(t, "stdout", stdout, "The objective sim: simulator.py differs.", "3 records")
}

func TestGateRefuses(t *testing.T) {
	c := newMethod(t)
	first := c.git("log", "-1", "--format=%h (%s)")
	c.write("plain.yaml", "name: plain\nsteps: 2\nproblems: [{name: branin}]\nalgorithms: [{name: random}]\n")
	c.edit("method/optimizer.py", "def start(self, s):\n", "def start(self, s):\n        raise RuntimeError('no licence')\n")
	broken := c.commit("broken")
	c.edit("method/optimizer.py", "        raise RuntimeError('no licence')\n", "")
	c.commit("mended")
	c.git("checkout", "--quiet", "-b", "two")
	c.edit("method/optimizer.py", "def start(self, s):\n", "def start(self, s):\n        if len(s.start) > 2:\n            raise popbench.Undefined('two parameters at most')\n")
	c.commit("leaves out")
	c.git("checkout", "--quiet", "main")
	c.write("new.yaml", readFile(t, "method/suite.yaml"))
	c.write("taken/base/records/mine", "")
	outside := writeFile(t, "suite.yaml", readFile(t, "method/suite.yaml"))
	suite := []string{"method/suite.yaml", "--seeds", "3", "--base"}
	for _, x := range []struct {
		args []string
		want string
	}{
		{[]string{"method/suite.yaml"}, "gate: --base is missing; give the commit to compare with"},
		{[]string{"nothing.yaml", "--base", "HEAD"}, "nothing.yaml: there is no such file"},
		{append(suite, "nothing"), `there is no commit "nothing" in ` + c.dir + "; fetch it first"},
		{[]string{"method/suite.yaml", "--base=--all"}, `there is no commit "--all"`},
		{[]string{outside, "--base", "HEAD"}, "is not in the working tree of a git repository (git: exit code 128: fatal: not a git repository"},
		{[]string{"new.yaml", "--base", "HEAD"}, "(mended), has no readable new.yaml; commit it, or give --head worktree"},
		{[]string{"plain.yaml", "--base", "HEAD"}, "plain.yaml: no algorithm and no problem is a program of the repository"},
		{append(suite, "HEAD", "--out", "taken"), "has records that no gate made; give another --out"},
		{append(suite, "HEAD~1"), "every cell of BASE, " + broken + ", fails, so there is nothing to compare with; ackley6/Random%20+%20local (000 to 002), branin/Random%20+%20local (000 to 002): start: RuntimeError: no licence"},
		{append(suite, "HEAD~2", "--build", "echo one; echo two >&2; exit 3"), "BASE, " + first + ", does not build: exit code 3"},
		{append(suite, "HEAD", "--head", "two"), "gate: HEAD has no record of ackley6/Random%20+%20local, which BASE has; it was left out on purpose (two parameters at most); give --allow missing"},
		{append(suite, "HEAD~2", "--only", "beale"), `--only "beale" matches none`},
	} {
		stdout, stderr := c.gate(2, x.args...)
		if last := stderr[strings.LastIndex(stderr, "\nbench: ")+1:]; stdout != "" || !strings.Contains(last, x.want) || strings.Count(last, "\n") != 1 {
			t.Errorf("%q: %s%s, want %s", x.args, stdout, stderr, x.want)
		}
		if summary, err := os.ReadFile("results/gate/summary.md"); err == nil && !strings.Contains(string(summary), ": not compared\n\n    ") {
			t.Errorf("%q: the summary is %s", x.args, summary)
		}
	}
	_, stderr := c.gate(2, append(suite, "HEAD~2", "--build", "echo one; echo two >&2; exit 3")...)
	check.Contains(t, "stderr", stderr, "building BASE: echo one; echo two >&2; exit 3\n  | two\n")

	// What fails at HEAD only is a regression.
	_, stderr = c.gate(1, append(suite, "HEAD~2", "--head", "HEAD~1")...)
	check.Contains(t, "stderr", stderr, "HEAD is worse than BASE: 6 runs newly failing", "start: RuntimeError: no licence")
	// In a git hook, git's own variables name another repository.
	t.Setenv("GIT_DIR", t.TempDir())
	var out, log bytes.Buffer
	if code := Run(t.Context(), nil, &out, &log, append([]string{"gate"}, append(suite, "HEAD~2")...)); code != 0 {
		t.Errorf("in a hook: exit %d, %s", code, &log)
	}
}

// After a signal nothing stays but the records, and the same command continues.
func TestGateInterrupted(t *testing.T) {
	c := newMethod(t)
	seen := filepath.Join(t.TempDir(), "seen")
	after := func(file string, args ...string) string {
		t.Helper()
		os.Remove(seen)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go func() {
			for ctx.Err() == nil {
				if found, _ := filepath.Glob(file); len(found) > 0 {
					cancel()
				}
				time.Sleep(time.Millisecond)
			}
		}()
		_, stderr := c.gateUntil(ctx, exitInterrupted, append([]string{"method/suite.yaml", "--base", "HEAD"}, args...)...)
		return stderr
	}
	after(seen, "--build", fmt.Sprintf("touch %q; sleep 600", seen))
	stderr := after("results/gate/base/records/*/*/*.jsonl", "--seeds", "60", "--only", "branin")
	check.Contains(t, "stderr", stderr, "the same command continues\n")
	_, stderr = c.gate(0, "method/suite.yaml", "--base", "HEAD", "--seeds", "60", "--only", "branin")
	if strings.Count(stderr, " 60 cells to run, 0 kept") != 1 { // at HEAD
		t.Errorf("it begins anew:\n%s", stderr)
	}
	_, stderr = c.gate(0, "method/suite.yaml", "--base", "HEAD", "--seeds", "3") // fewer than there are at BASE
	check.Equal(t, "made anew", strings.Count(stderr, " 6 cells to run, 0 kept"), 2)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	c.gateUntil(ctx, exitInterrupted, "method/suite.yaml", "--base", "HEAD")
}

// What the build command makes at each commit is what runs; a commit at which it fails is not compared.
func TestGateBuild(t *testing.T) {
	c := newMethod(t)
	c.git("mv", "method/optimizer.py", "method/optimizer.in")
	c.write(".gitignore", "/results\n/method/optimizer.py\n")
	c.commit("to be built")
	c.edit("method/optimizer.in", "points[winner]", "points[1 - winner]")
	c.commit("a fault")
	const build = "cp method/optimizer.in method/optimizer.py"
	args := []string{"method/suite.yaml", "--base", "HEAD~1", "--seeds", "12", "--build", build}
	_, stderr := c.gate(1, args...)
	check.Contains(t, "stderr", stderr, "building BASE: "+build+"\n", "building HEAD: "+build+"\n", "HEAD is worse than BASE: ")
	c.git("mv", "method/optimizer.in", "method/optimizer.txt")
	head := c.commit("has no such file")
	_, stderr = c.gate(2, args...)
	check.Contains(t, "stderr", stderr, "HEAD, "+head+", does not build: exit code 1\n", "  | cp: ", "optimizer.in")
}

// The commands of the workflows for copying do what they say, in the shells of the services.
func TestGateWorkflows(t *testing.T) {
	bin := t.TempDir()
	check.Equal(t, "error", os.Symlink(benchProgram(t), filepath.Join(bin, "bench")), nil)
	examples, err := filepath.Abs(filepath.Join(root, "examples", "ci"))
	check.Equal(t, "error", err, nil)
	c := newMethod(t)
	c.git("checkout", "--quiet", "-b", "change")
	c.edit("method/optimizer.py", "points[winner]\n", "points[1 - winner]\n")
	c.commit("a fault")
	c.git("checkout", "--quiet", "main")
	c.edit("method/suite.yaml", "repetitions: 10", "repetitions: 12")
	c.commit("meanwhile")
	base := c.git("rev-parse", "HEAD")
	c.git("merge", "--quiet", "--no-ff", "-m", "merge", "change")
	for file, first := range map[string]string{"github-workflow.yml": "        run: ", "gitlab-ci.yml": "    - "} {
		t.Run(file, func(t *testing.T) {
			os.RemoveAll("gate")
			var script []string
			for line := range strings.Lines(readFile(t, filepath.Join(examples, file))) {
				if command, ok := strings.CutPrefix(line, first); ok && strings.Contains(command, "gate") {
					script = append(script, command)
				}
			}
			check.Equal(t, "commands", len(script), 2)
			var code []int
			var out bytes.Buffer
			for _, command := range script {
				cmd := exec.Command("bash", "-e", "-c", command)
				cmd.Stdout, cmd.Stderr = &out, &out
				cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "SUITE=method/suite.yaml",
					"CI_MERGE_REQUEST_DIFF_BASE_SHA="+base, "GITHUB_STEP_SUMMARY=gate/step")
				cmd.Run()
				code = append(code, cmd.ProcessState.ExitCode())
			}
			if text, err := os.ReadFile("gate/step"); err == nil {
				out.Write(text)
			}
			check.Contains(t, "output", out.String(), "# "+base[:7]+" (meanwhile) → ", " (merge): a regression\n")
			check.Equal(t, "exit codes", fmt.Sprint(code), "[1 0]")
			for _, path := range []string{"gate/compare.xml", "gate/base.json", "gate/base/records", "gate/head/records"} {
				if _, err := os.Stat(path); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

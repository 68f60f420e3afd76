//go:build unix

package app

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"popbench/internal/check"
	"popbench/internal/views/compare"
	"popbench/internal/views/report/reporttest"
	"popbench/internal/words"
	"popbench/record"
)

// A pipe has no schema to replace, and reading it would wait for a writer.
func TestNoSchemaIsReadFromAPipe(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	check.OK(t, syscall.Mkfifo(pipe, 0o666))
	check.Error(t, "a pipe", new(App).WriteSchema(nil, pipe), "exists; give another name")
}

// gates is a repository with somebody's method, whose commits are compared.
type gates struct{ *check.Repository }

func newGates(t *testing.T) gates {
	t.Helper()
	return gates{check.NewMethodRepository(t, filepath.Join("..", ".."))}
}

// How gates end.
const (
	well        = "nothing got worse"
	worse       = "worse"
	refused     = "could not be compared"
	interrupted = "interrupted"
)

// gate runs a gate, which must leave nothing behind: no worktree, no temporary file, no change. It returns the comparison
// as text and what was told, with the error as its last line.
func (c gates) gate(end string, o GateOptions) (text, told string) {
	c.T.Helper()
	return c.gateUntil(c.T.Context(), end, o)
}

func (c gates) gateUntil(ctx context.Context, end string, o GateOptions) (text, told string) {
	c.T.Helper()
	state := func() string {
		refs := check.Files(c.T, filepath.Join(c.Dir, ".git", "refs"))
		return fmt.Sprint(c.Git("status", "--porcelain=2", "--branch", "--untracked-files=no"), refs)
	}
	before := state()
	o.Head, o.Out = cmp.Or(o.Head, "HEAD"), cmp.Or(o.Out, filepath.Join("results", "gate"))
	o.Compare = compare.Default()
	var log strings.Builder
	a := &App{Self: "bench", Command: []string{"bench", "gate", o.Suite}, Workers: 1, Tell: func(e Event) {
		switch e := e.(type) {
		case Note:
			fmt.Fprintln(&log, "note:", e.Text)
		case Doing:
			fmt.Fprintln(&log, e.Text)
		case Said:
			fmt.Fprintf(&log, "  | %s", e.Stderr)
		case Begun:
			fmt.Fprintf(&log, "%s: %d cells to run, %d kept\n", e.Suite, e.Run, e.Kept)
		}
	}}
	comparison, err := a.Gate(ctx, o)
	got := well
	switch {
	case IsInterrupted(err):
		got = interrupted
	case err != nil:
		got = refused
	case comparison.Regression() != "":
		got, err = worse, errors.New("HEAD is worse than BASE: "+comparison.Regression())
	}
	if err != nil {
		fmt.Fprintln(&log, err)
	}
	var out bytes.Buffer
	if comparison != nil {
		check.OK(c.T, comparison.Write(&out, "text"))
	}
	check.That(c.T, got == end, "gate of %+v: %s, want %s\n%s%s", o, got, end, &out, &log)
	check.Equal(c.T, "the repository", state(), before)
	c.Clean()
	rest := check.Must(os.ReadDir(os.TempDir()))(c.T)
	check.That(c.T, len(rest) == 0, "%v stays in %s", rest, os.TempDir())
	return out.String(), log.String()
}

// A neutral change leaves all records as they are. A planted fault is found, and the comparison says in what.
func TestGatePython(t *testing.T) {
	c := newGates(t)
	base := c.Git("log", "-1", "--format=%h (%s)")
	c.Edit("method/optimizer.py", "unit = [", "moved = [")
	c.Edit("method/optimizer.py", "from_unit(unit)", "from_unit(moved)")
	c.Edit("method/optimizer.py", "def ask(self):\n", "def ask(self):\n        # Somewhere else, or near the best.\n")
	head := c.Commit("rename a variable")
	stdout, stderr := c.gate(well, GateOptions{Suite: "method/suite.yaml", Base: "HEAD~1", Seeds: Span{1, 3}, Out: "out"})
	check.Contains(t, "stdout", stdout, base+" → "+head+": the same", "Of 6 rows: 6 same (6 without any difference, not shown).",
		"Random + local: optimizer.py differs.", "No run differs. If that is a surprise, ")
	check.Contains(t, "stderr", stderr, "checking out BASE, "+base+"\n", "running HEAD\nstarting for Random + local: python3 optimizer.py\nrandom-local: 6 cells to run, 0 kept")
	base1, head1 := check.Must(reporttest.ReadDir("out/base"))(t), check.Must(reporttest.ReadDir("out/head"))(t)
	check.Equal(t, "records", len(base1.Records), 6)
	for i, r := range base1.Records {
		check.Equal(t, "what runs", r.Header.Algorithm.Label, "Random + local") // the rest is the same at both commits
		check.Same(t, "steps at HEAD", head1.Records[i].Steps, r.Steps)
	}
	// The same again: nothing has to run.
	_, stderr = c.gate(well, GateOptions{Suite: "method/suite.yaml", Base: "HEAD~1", Seeds: Span{1, 3}, Out: "out"})
	check.Equal(t, "kept", strings.Count(stderr, "0 cells to run, 6 kept"), 2)

	c.Git("checkout", "--quiet", "--force", "--detach", "main")
	c.Edit("method/optimizer.py", "        self.best = points[winner]\n", "        self.best, self.loser = points[winner], points[1 - winner]\n")
	c.Edit("method/optimizer.py", "        self.best = s.start\n", "        self.best = self.loser = s.start\n")
	c.Edit("method/optimizer.py", "explore\", 0.3", "explore\", 0.7")
	c.Edit("method/suite.yaml", "{explore: 0.3}", "{}")
	c.Commit("the same with other settings")
	c.Edit("method/optimizer.py", `[("last-winner", self.best)]`, `[("last-winner", self.loser)]`)
	c.Commit("recommends the loser")
	_, stderr = c.gate(worse, GateOptions{Suite: "method/suite.yaml", Base: "HEAD~1", Seeds: Span{1, 20}, Out: "out"})
	check.Contains(t, "stderr", stderr, "HEAD is worse than BASE: ", "40 cells to run, 0 kept")
	check.That(t, regexp.MustCompile(`(?s)"metric": "suboptimality",[^{}]*"verdict": "worse"`).MatchString(check.Text(t, "out/compare.json")), "suboptimality is not worse")
	check.Contains(t, "summary", check.Text(t, "out/summary.md"), "(recommends the loser): a regression", "| worse |")
	check.Lacks(t, "failures", check.Text(t, "out/compare.xml"), `failures="0"`)
}

// The working tree counts as it is: with new files, without ignored ones and without the records of the gate itself.
func TestGateWorktree(t *testing.T) {
	c := newGates(t)
	c.Edit("method/optimizer.py", "import popbench\n", "import moves\nimport popbench\n")
	c.Edit("method/optimizer.py", "points[winner]\n", "points[moves.choose(winner)]\n")
	c.Write("method/moves.py", "import os\n\n\ndef choose(winner):\n    return 1 - winner if not os.path.exists('ignored') else winner\n")
	c.Write(".gitignore", "ignored\n/results\n")
	c.Write("method/ignored", "")
	stdout, _ := c.gate(worse, GateOptions{Suite: "method/suite.yaml", Base: "HEAD", Head: "worktree", Seeds: Span{1, 12}, Out: "method/out"})
	check.Contains(t, "stdout", stdout, "(the method), with uncommitted changes: a regression")
	_, stderr := c.gate(worse, GateOptions{Suite: "method/suite.yaml", Base: "HEAD", Head: "worktree", Seeds: Span{1, 12}, Out: "method/out"})
	check.Equal(t, "kept", strings.Count(stderr, "0 cells to run, 24 kept"), 2)
	stdout, stderr = c.gate(well, GateOptions{Suite: "method/suite.yaml", Base: "HEAD", Seeds: Span{1, 12}})
	check.Contains(t, "stderr", stderr, "note: uncommitted changes are left out; --head worktree includes them\n", "note: BASE and HEAD have the same files")
	check.Contains(t, "stdout", stdout, "BASE and HEAD have the same files, so any difference is due to chance.")
}

// Both sides run the suite of HEAD, each with programs of its own.
func TestGateChangedSuite(t *testing.T) {
	c := newGates(t)
	c.Git("mv", "method/optimizer.py", "method/search.py")
	c.Edit("method/suite.yaml", "optimizer.py]", "search.py]")
	c.Edit("method/suite.yaml", "steps: 10", "steps: 8")
	c.Edit("method/suite.yaml", "name: ackley6", "name: beale")
	c.Commit("another name")
	stdout, _ := c.gate(well, GateOptions{Suite: "method/suite.yaml", Base: "HEAD~1", Seeds: Span{1, 3}, Only: "beale"})
	check.Contains(t, "stdout", stdout, "method/suite.yaml differs. Both sides run that of HEAD; programs of BASE start as its own says.",
		"Random + local: started by python3 optimizer.py in BASE and by python3 search.py in HEAD.",
		"Random + local: optimizer.py is in BASE only; search.py is in HEAD only.", "3 records")

	c.Edit("method/suite.yaml", "steps: 8", "steps: ten")
	broken := c.Commit("a mistake")
	c.Edit("method/suite.yaml", "steps: ten", "steps: 8")
	c.Commit("mended")
	stdout, _ = c.gate(well, GateOptions{Suite: "method/suite.yaml", Base: "HEAD~1", Seeds: Span{1, 3}, Only: "beale"})
	check.Contains(t, "stdout", stdout, "The method/suite.yaml of BASE is not valid. Both sides run that of HEAD.", broken)
	c.Git("mv", "method/suite.yaml", "method/gate.yaml")
	c.Commit("moved")
	stdout, _ = c.gate(well, GateOptions{Suite: "method/gate.yaml", Base: "HEAD~1", Seeds: Span{1, 3}, Only: "beale"})
	check.Contains(t, "stdout", stdout, "BASE has no method/gate.yaml. Both sides run that of HEAD.")
	c.Write("gates/suite.yaml", strings.ReplaceAll(check.Text(t, "method/gate.yaml"), "search.py", "../method/search.py"))
	c.Commit("in a folder that BASE lacks")
	stdout, _ = c.gate(well, GateOptions{Suite: "gates/suite.yaml", Base: "HEAD~1", Seeds: Span{1, 3}, Only: "beale"})
	check.Contains(t, "stdout", stdout, "BASE has no gates/suite.yaml. Both sides run that of HEAD.", "No run differs.")
}

// An objective of the repository counts if no algorithm is its own.
func TestGateObjective(t *testing.T) {
	c := newGates(t)
	c.Write("simulator.py", "import popbench\n\n\nclass Simulator(popbench.Problem):\n    box = popbench.Box([0], [1])\n\n"+
		"    def evaluate(self, x):\n        return -(x[0] - 0.3) ** 2\n\n\npopbench.serve(Simulator)\n")
	c.Write("suite.yaml", "name: simulator\nsteps: 4\nrepetitions: 3\nproblems: [{name: branin}, {name: external, label: sim, command: [python3, simulator.py]}]\nalgorithms: [{name: random}]\n")
	c.Commit("a simulator")
	c.Edit("simulator.py", "0.3", "0.7")
	c.Commit("another optimum")
	stdout, _ := c.gate(well, GateOptions{Suite: "suite.yaml", Base: "HEAD~1"})
	check.Contains(t, "stdout", stdout, "The objective sim: simulator.py differs.", "3 records")
}

func TestGateRefuses(t *testing.T) {
	c := newGates(t)
	first := c.Git("log", "-1", "--format=%h (%s)")
	c.Write("plain.yaml", "name: plain\nsteps: 2\nproblems: [{name: branin}]\nalgorithms: [{name: random}]\n")
	c.Edit("method/optimizer.py", "def start(self, s):\n", "def start(self, s):\n        raise RuntimeError('no licence')\n")
	broken := c.Commit("broken")
	c.Edit("method/optimizer.py", "        raise RuntimeError('no licence')\n", "")
	c.Write("later/optimizer.py", check.Text(t, "method/optimizer.py"))
	c.Write("later/suite.yaml", strings.Replace(check.Text(t, "method/suite.yaml"), "optimizer.py]\n", "optimizer.py]\n    files: [optimizer.py]\n", 1))
	c.Commit("mended")
	c.Git("checkout", "--quiet", "-b", "two")
	c.Edit("method/optimizer.py", "def start(self, s):\n", "def start(self, s):\n        if len(s.start) > 2:\n            raise popbench.Undefined('two parameters at most')\n")
	c.Commit("leaves out")
	c.Git("checkout", "--quiet", "main")
	c.Write("new.yaml", check.Text(t, "method/suite.yaml"))
	c.Write("taken/base/records/mine", "")
	c.Write("taken/summary.md", "# a → b\n")
	c.Write("mine/summary.md", "# Mine\n")
	outside := check.Temporary(t, "suite.yaml", check.Text(t, "method/suite.yaml"))
	from := func(base string) GateOptions {
		return GateOptions{Suite: "method/suite.yaml", Base: base, Seeds: Span{1, 3}}
	}
	built := from("HEAD~2")
	built.Build = "echo one; echo two >&2; exit 3"
	failing := from("HEAD~2")
	failing.Head = "HEAD~1"
	c.Write("busy/base/records/mine", "")
	c.Write("busy/base.json", "")
	c.Write("busy/summary.md", "# a → b\n")
	defer check.Must(record.Lock("busy"))(t).Close()
	for _, x := range []struct {
		o    GateOptions
		want string
	}{
		{GateOptions{Suite: "method/suite.yaml", Base: "HEAD", Out: "busy"}, "busy: another bench run is writing to this results folder"},
		{GateOptions{Suite: "later/suite.yaml", Base: "HEAD~1"}, "BASE, " + broken + ", cannot be run: "},
		{GateOptions{Suite: "nothing.yaml", Base: "HEAD"}, "nothing.yaml: there is no such file"},
		{from("nothing"), `there is no commit "nothing" in ` + c.Dir + "; fetch it first"},
		{from("--all"), `there is no commit "--all"`},
		{GateOptions{Suite: outside, Base: "HEAD"}, "(git: exit code 128: fatal: not a git repository"},
		{GateOptions{Suite: "new.yaml", Base: "HEAD"}, "(mended), has no readable new.yaml; commit it, or give --head worktree"},
		{GateOptions{Suite: "plain.yaml", Base: "HEAD"}, "plain.yaml: no algorithm and no problem is a program of the repository"},
		{GateOptions{Suite: "method/suite.yaml", Base: "HEAD", Out: "taken"}, "has records that no gate made; give another --out"},
		{GateOptions{Suite: "method/suite.yaml", Base: "HEAD", Out: "mine"}, "summary.md is of no gate; move it or give another --out"},
		{from("HEAD~1"), "every cell of BASE, " + broken + ", fails, so there is nothing to compare with; ackley6/Random%20+%20local (000 to 002), branin/Random%20+%20local (000 to 002): start: RuntimeError: no licence"},
		{built, "BASE, " + first + ", does not build: exit code 3"},
		{GateOptions{Suite: "method/suite.yaml", Base: "HEAD", Head: "two", Seeds: Span{1, 3}}, "gate: HEAD has no record of ackley6/Random%20+%20local, which BASE has; it was left out on purpose (two parameters at most); give --allow missing"},
		{GateOptions{Suite: "method/suite.yaml", Base: "HEAD~2", Only: "beale"}, `--only "beale" matches none`},
	} {
		stdout, stderr := c.gate(refused, x.o)
		lines := strings.Split(strings.TrimSuffix(stderr, "\n"), "\n")
		check.That(t, stdout == "" && strings.Contains(lines[len(lines)-1], x.want), "%+v: %s%s, want %s", x.o, stdout, stderr, x.want)
		summary, err := os.ReadFile("results/gate/summary.md")
		check.That(t, err != nil || strings.Contains(string(summary), ": not compared\n\n    "), "%+v: the summary is %s", x.o, summary)
	}
	check.Equal(t, "what no gate wrote", check.Text(t, "taken/summary.md")+check.Text(t, "mine/summary.md"), "# a → b\n# Mine\n")
	check.Equal(t, "what another gate wrote", check.Text(t, "busy/base/records/mine")+check.Text(t, "busy/summary.md"), "# a → b\n")
	_, stderr := c.gate(refused, built)
	check.Contains(t, "stderr", stderr, "building BASE: echo one; echo two >&2; exit 3\n  | two\n")

	// What fails at HEAD only is a regression.
	_, stderr = c.gate(worse, failing)
	check.Contains(t, "stderr", stderr, "HEAD is worse than BASE: 6 runs newly failing", "start: RuntimeError: no licence")
	// In a git hook, git's own variables name another repository.
	t.Setenv("GIT_DIR", t.TempDir())
	o := from("HEAD~2")
	o.Head, o.Out, o.Compare = "HEAD", filepath.Join("results", "gate"), compare.Default()
	check.Must(new(App).Gate(t.Context(), o))(t)
	// The first line of what git says has the cause, the last one the remedy.
	t.Setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
	check.Error(t, "repository of another", check.Err(new(App).Gate(t.Context(), o)), "detected dubious ownership", "git config --global --add safe.directory ")
	t.Setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "0")
	t.Setenv("TMPDIR", "nowhere")
	check.Error(t, "no temporary folder", check.Err(new(App).Gate(t.Context(), o)), "set TMPDIR to one with room")
}

// After a signal nothing stays but the records, and the same command continues.
func TestGateInterrupted(t *testing.T) {
	c := newGates(t)
	seen := filepath.Join(t.TempDir(), "seen")
	after := func(file string, o GateOptions) string {
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
		_, stderr := c.gateUntil(ctx, interrupted, o)
		return stderr
	}
	after(seen, GateOptions{Suite: "method/suite.yaml", Base: "HEAD", Build: fmt.Sprintf("touch %q; sleep 600", seen)})
	stderr := after("results/gate/base/records/*/*/*.jsonl", GateOptions{Suite: "method/suite.yaml", Base: "HEAD", Seeds: Span{1, 30}, Only: "branin"})
	check.Contains(t, "stderr", stderr, "the same command continues\n")
	check.Same(t, "the command that continues", check.Must((&App{Self: "bench"}).Status("results/gate/base"))(t).Next, []string{"bench gate method/suite.yaml"})
	_, stderr = c.gate(well, GateOptions{Suite: "method/suite.yaml", Base: "HEAD", Seeds: Span{1, 30}, Only: "branin"})
	check.That(t, strings.Count(stderr, " 30 cells to run, 0 kept") == 1, "at BASE it begins anew:\n%s", stderr)
	// Fewer than there are at BASE. A file is written whole or not at all, so its other name keeps what it had.
	check.OK(t, os.Link("results/gate/base.json", "results/base.json"))
	before := check.Text(t, "results/base.json")
	_, stderr = c.gate(well, GateOptions{Suite: "method/suite.yaml", Base: "HEAD", Seeds: Span{1, 3}})
	check.Equal(t, "made anew", strings.Count(stderr, " 6 cells to run, 0 kept"), 2)
	check.Equal(t, "the file before", check.Text(t, "results/base.json"), before)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	c.gateUntil(ctx, interrupted, GateOptions{Suite: "method/suite.yaml", Base: "HEAD"})
}

// What the build command makes at each commit is what runs; a commit at which it fails is not compared.
func TestGateBuild(t *testing.T) {
	c := newGates(t)
	c.Git("mv", "method/optimizer.py", "method/optimizer.in")
	c.Write(".gitignore", "/results\n/method/optimizer.py\n")
	c.Commit("to be built")
	c.Edit("method/optimizer.in", "points[winner]", "points[1 - winner]")
	c.Commit("a fault")
	const build = "cp method/optimizer.in method/optimizer.py"
	o := GateOptions{Suite: "method/suite.yaml", Base: "HEAD~1", Seeds: Span{1, 12}, Build: build}
	_, stderr := c.gate(worse, o)
	check.Contains(t, "stderr", stderr, "building BASE: "+build+"\n", "building HEAD: "+build+"\n", "HEAD is worse than BASE: ")
	c.Git("mv", "method/optimizer.in", "method/optimizer.txt")
	head := c.Commit("has no such file")
	_, stderr = c.gate(refused, o)
	check.Contains(t, "stderr", stderr, "HEAD, "+head+", does not build: exit code 1\n", "  | cp: ", "optimizer.in")
	// A full disk is said once: its summary cannot be written either.
	o.Build = "mkdir -p " + words.ShellQuote(filepath.Join(c.Dir, "results/gate/summary.md/full")) + "; exit 1"
	_, stderr = c.gate(refused, o)
	check.That(t, !strings.Contains(stderr, "summary.md: "), "stderr: %s", stderr)
}

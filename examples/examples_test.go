// Package examples tests the programs of this folder.
package examples

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"popbench/bench"
	"popbench/internal/benchtest"
	"popbench/internal/check"
	"popbench/internal/views/report/reporttest"
)

func TestMain(m *testing.M) { benchtest.Main(m, func() int { return bench.Main() }) }

// root is the top of the tree.
const root = ".."

// TestPythonExamples runs the suites of the examples whose requirements are installed, with few steps, and the
// dialogue with somebody at the terminal.
func TestPythonExamples(t *testing.T) {
	bench := benchtest.Program(t)
	t.Setenv("POPBENCH", bench)
	t.Setenv("PYTHONPATH", benchtest.PythonClient(t, root))
	suites, err := filepath.Glob(filepath.Join(root, "examples", "*", "suite.yaml"))
	check.That(t, err == nil && len(suites) >= 3, "there are %d suites of examples: %v", len(suites), err)
	for _, path := range suites {
		t.Run(filepath.Base(filepath.Dir(path)), func(t *testing.T) { runExample(t, bench, filepath.Dir(path)) })
	}
	t.Run("human", func(t *testing.T) {
		folder := filepath.Join(root, "examples", "human")
		check.Files(t, folder)
		state := filepath.Join(t.TempDir(), "state.json")
		talk := func(answers string) string {
			cmd := exec.Command("python3", "compare.py", state)
			cmd.Dir, cmd.Stdin = folder, strings.NewReader(answers)
			return string(check.Must(cmd.CombinedOutput())(t))
		}
		first := talk("1\nperhaps\n2\nq\n")
		check.Contains(t, "the dialogue", first, "1: 24.00 °C, 0.50 m/s", "Please answer 1, 2 or q.", "Your room: ")
		// The second part begins with the query at which the first ended.
		queries := strings.Split(first, "Which do you prefer (1, 2, or q to stop)? ")
		check.Contains(t, "how it goes on", "\f"+talk("q\n"), "\f"+queries[len(queries)-2])
		// A state of another version is refused, and its answers are learnt again.
		check.OK(t, os.WriteFile(state, []byte(strings.Replace(check.Text(t, state), `"version": "`, `"version": "0.`, 1)), 0o666))
		check.Contains(t, "after an upgrade", talk("1\n"), "another version wrote it", queries[len(queries)-2])

		cmd := exec.Command("python3", "-u", "compare.py", state)
		cmd.Dir = folder
		in, out := check.Must(cmd.StdinPipe())(t), bufio.NewReader(check.Must(cmd.StdoutPipe())(t))
		check.OK(t, cmd.Start())
		_, err := io.WriteString(in, "2\n")
		check.OK(t, err)
		for range 2 { // to the second question
			check.Must(out.ReadString('?'))(t)
		}
		check.OK(t, cmd.Process.Kill())
		_ = cmd.Wait()
		check.Same(t, "answers after a killed process", strings.Count(check.Text(t, state), `"winner"`), 4)
	})
}

var (
	requirement = regexp.MustCompile(`(?m)^([A-Za-z][\w.-]*)(?:==(.+))?`) // a name in requirements.txt, and its version
	suiteSize   = regexp.MustCompile(`(?m)^(steps|repetitions): \d+$`)
	pythonFile  = regexp.MustCompile(`command: \[python3, (.*)\]`)
)

// runExample runs the tests in the folder of an example, bench check on its program, and its suite twice: the same
// seed gives the same records. The steps are two more than the random duels of the suites.
func runExample(t *testing.T, bench, dir string) {
	run := func(dir string, command ...string) error {
		cmd := exec.Command(command[0], command[1:]...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w\n%s", strings.Join(command, " "), err, out)
		}
		return nil
	}
	if _, err := os.Stat(filepath.Join(dir, "requirements.txt")); err == nil {
		for _, m := range requirement.FindAllStringSubmatch(check.Text(t, filepath.Join(dir, "requirements.txt")), -1) {
			if run(".", "python3", "-c", "import sys, importlib.metadata as m; sys.exit(sys.argv[2] not in ('', m.version(sys.argv[1])))", m[1], m[2]) != nil {
				t.Skip("python3 has no " + m[0])
			}
		}
	}
	if tests, _ := filepath.Glob(filepath.Join(dir, "test_*.py")); len(tests) > 0 {
		check.OK(t, run(dir, "python3", "-m", "unittest"))
	}
	m := pythonFile.FindStringSubmatch(check.Text(t, filepath.Join(dir, "suite.yaml")))
	check.Ensure(t, m != nil, "the suite names no program in Python")
	check.OK(t, run(dir, bench, "check", "python3", m[1]))
	copied := filepath.Join(t.TempDir(), "example")
	check.OK(t, os.CopyFS(copied, os.DirFS(dir)))
	path := filepath.Join(copied, "suite.yaml")
	suite := suiteSize.ReplaceAllStringFunc(check.Text(t, path), func(line string) string {
		name, _, _ := strings.Cut(line, ":")
		return map[string]string{"steps": "steps: 10", "repetitions": "repetitions: 1"}[name]
	})
	check.OK(t, os.WriteFile(path, []byte(suite), 0o666))
	for _, out := range []string{"once", "again"} {
		check.OK(t, run(copied, bench, "run", "suite.yaml", "--out", out))
	}
	once, again := check.Must(reporttest.ReadDir(filepath.Join(copied, "once")))(t), check.Must(reporttest.ReadDir(filepath.Join(copied, "again")))(t)
	check.Same(t, "number of records and those of the second run", len(again.Records), len(once.Records))
	for i, r := range once.Records {
		check.Same(t, "steps of the second run", again.Records[i].Steps, r.Steps)
	}
}

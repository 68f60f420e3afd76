package bench

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/internal/runlog"
)

// python returns the path of Python, or skips the test.
func python(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3")
	}
	return path
}

// TestPythonClient runs the tests of clients/python with the program as it is now.
func TestPythonClient(t *testing.T) {
	t.Parallel()
	cmd := exec.Command(python(t), "-W", "error", "-m", "unittest", "discover", "tests")
	cmd.Dir = pythonClient(t)
	cmd.Env = append(os.Environ(), "POPBENCH="+benchProgram(t))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// The client has the version of the program.
func TestPythonVersion(t *testing.T) {
	m := regexp.MustCompile(`(?m)^__version__ = "(.*)"$`).FindStringSubmatch(readFile(t, filepath.Join(root, "clients", "python", "popbench.py")))
	if m == nil {
		t.Fatal("popbench.py does not say its version")
	}
	build := runlog.Built()
	check.Equal(t, "__version__ of popbench.py", m[1], build.Version)
}

// TestPythonDocument runs every program and command of docs/python.md.
func TestPythonDocument(t *testing.T) {
	python(t)
	t.Setenv("PYTHONPATH", pythonClient(t))
	dir, commands, outputs := runDocument(t, "python.md")
	if commands < 6 || outputs < 7 {
		t.Errorf("%d commands and %d lines of output: the test has not seen all of the document", commands, outputs)
	}
	for _, name := range []string{"mine", "moulding"} {
		if _, err := os.Stat(filepath.Join(dir, "results", name, "report", "index.html")); err != nil {
			t.Error(err)
		}
	}
}

// TestPythonExamples runs the suites of the examples whose requirements are installed, with few steps, and the
// dialogue with somebody at the terminal.
func TestPythonExamples(t *testing.T) {
	bench := benchProgram(t)
	t.Setenv("POPBENCH", bench)
	t.Setenv("PYTHONPATH", pythonClient(t))
	suites, err := filepath.Glob(filepath.Join(root, "examples", "*", "suite.yaml"))
	if err != nil || len(suites) < 3 {
		t.Errorf("there are %d suites of examples: %v", len(suites), err)
	}
	for _, path := range suites {
		t.Run(filepath.Base(filepath.Dir(path)), func(t *testing.T) { runExample(t, bench, filepath.Dir(path)) })
	}
	t.Run("human", func(t *testing.T) {
		folder := filepath.Join(root, "examples", "human")
		trackFiles(t, folder)
		state := filepath.Join(t.TempDir(), "state.json")
		talk := func(answers string) string {
			cmd := exec.Command(python(t), "compare.py", state)
			cmd.Dir, cmd.Stdin = folder, strings.NewReader(answers)
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			return string(out)
		}
		first := talk("1\nperhaps\n2\nq\n")
		for _, want := range []string{"1: 24.00 °C, 0.50 m/s", "Please answer 1, 2 or q.", "Your room: "} {
			if !strings.Contains(first, want) {
				t.Errorf("no %q in\n%s", want, first)
			}
		}
		// The second part begins with the query at which the first ended.
		queries := strings.Split(first, "Which do you prefer (1, 2, or q to stop)? ")
		if second := talk("1\n"); !strings.HasPrefix(second, queries[len(queries)-2]) {
			t.Errorf("it went on with\n%s\nafter\n%s", second, first)
		}
	})
}

var (
	requirement = regexp.MustCompile(`(?m)^[A-Za-z][\w.-]*`) // a name in requirements.txt
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
		for _, name := range requirement.FindAllString(readFile(t, filepath.Join(dir, "requirements.txt")), -1) {
			if run(".", python(t), "-c", "import sys, importlib.metadata as m; m.version(sys.argv[1])", name) != nil {
				t.Skip("python3 has no " + name)
			}
		}
	}
	if tests, _ := filepath.Glob(filepath.Join(dir, "test_*.py")); len(tests) > 0 {
		if err := run(dir, python(t), "-m", "unittest"); err != nil {
			t.Error(err)
		}
	}
	m := pythonFile.FindStringSubmatch(readFile(t, filepath.Join(dir, "suite.yaml")))
	if m == nil {
		t.Fatal("the suite names no program in Python")
	}
	if err := run(dir, bench, "check", "python3", m[1]); err != nil {
		t.Error(err)
	}
	copied := filepath.Join(t.TempDir(), "example")
	check.OK(t, os.CopyFS(copied, os.DirFS(dir)))
	path := filepath.Join(copied, "suite.yaml")
	suite := suiteSize.ReplaceAllStringFunc(readFile(t, path), func(line string) string {
		name, _, _ := strings.Cut(line, ":")
		return map[string]string{"steps": "steps: 10", "repetitions": "repetitions: 1"}[name]
	})
	check.OK(t, os.WriteFile(path, []byte(suite), 0o666))
	for _, out := range []string{"once", "again"} {
		check.OK(t, run(copied, bench, "run", "suite.yaml", "--out", out))
	}
	once, again := records(t, filepath.Join(copied, "once")), records(t, filepath.Join(copied, "again"))
	if len(once) == 0 || !maps.Equal(once, again) {
		t.Errorf("%d records of the first run and %d of the second are not the same", len(once), len(again))
	}
}

// pythonClient returns the folder of the client, or skips the test if there is no Python.
func pythonClient(t *testing.T) string {
	t.Helper()
	python(t)
	dir := check.Must(filepath.Abs(filepath.Join(root, "clients", "python")))(t)
	trackFiles(t, dir)
	return dir
}

// trackFiles opens the files of a folder that only another program reads: go test then runs a test
// again when they change.
func trackFiles(t *testing.T, dir string) {
	t.Helper()
	check.OK(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		_, err = os.ReadFile(path)
		return err
	}))
}

package bench

import (
	"io/fs"
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
	cmd := exec.Command(python(t), "-W", "error", "-m", "unittest", "discover", "tests")
	cmd.Dir = pythonClient(t)
	cmd.Env = append(os.Environ(), "POPBENCH="+buildBench(t))
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

// TestPythonExamples runs the suites of examples that need Python and the client only, with one
// repetition, and the dialogue with somebody at the terminal.
func TestPythonExamples(t *testing.T) {
	bench := buildBench(t)
	t.Setenv("POPBENCH", bench)
	t.Setenv("PYTHONPATH", pythonClient(t))
	for _, name := range []string{"random-local", "simulator"} {
		t.Run(name, func(t *testing.T) {
			folder := filepath.Join(root, "examples", name)
			trackFiles(t, folder)
			cmd := exec.Command(bench, "run", "--seeds", "1", "--out", t.TempDir(), filepath.Join(folder, "suite.yaml"))
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
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

// pythonClient returns the folder of the client, or skips the test if there is no Python. Programs that import it leave no
// compiled files there.
func pythonClient(t *testing.T) string {
	t.Helper()
	python(t)
	dir, err := filepath.Abs(filepath.Join(root, "clients", "python"))
	if err != nil {
		t.Fatal(err)
	}
	trackFiles(t, dir)
	t.Setenv("PYTHONDONTWRITEBYTECODE", "1")
	return dir
}

// trackFiles opens the files of a folder that only another program reads: go test then runs a test
// again when they change.
func trackFiles(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		_, err = os.ReadFile(path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

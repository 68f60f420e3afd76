package bench

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	requirement = regexp.MustCompile(`(?m)^[A-Za-z][\w.-]*`)
	suiteSize   = regexp.MustCompile(`(?m)^(steps|repetitions): \d+$`)
)

// TestExamples runs the suite of every example whose requirements are installed, with few steps: twice, since the same
// seed gives the same records.
func TestExamples(t *testing.T) {
	exe := buildBench(t)
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("there is no python3")
	}
	env := append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1")
	if exec.Command("python3", "-c", "import popbench").Run() != nil { // the client is not installed
		client, err := filepath.Abs(filepath.Join(root, "clients", "python"))
		if err != nil {
			t.Fatal(err)
		}
		env = append(env, "PYTHONPATH="+client)
	}
	run := func(dir string, command ...string) error {
		cmd := exec.Command(command[0], command[1:]...)
		cmd.Dir, cmd.Env = dir, env
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w\n%s", strings.Join(command, " "), err, out)
		}
		return nil
	}
	suites, err := filepath.Glob(filepath.Join(root, "examples", "*", "suite.yaml"))
	if err != nil || len(suites) == 0 {
		t.Fatal("there are no examples", err)
	}
	for _, path := range suites {
		dir := filepath.Dir(path)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			if _, err := os.Stat(filepath.Join(dir, "requirements.txt")); err == nil {
				for _, name := range requirement.FindAllString(readFile(t, filepath.Join(dir, "requirements.txt")), -1) {
					if err := run(".", "python3", "-c", "import sys, importlib.metadata as m; m.version(sys.argv[1])", name); err != nil {
						t.Skip("python3 has no " + name)
					}
				}
			}
			if tests, _ := filepath.Glob(filepath.Join(dir, "test_*.py")); len(tests) > 0 {
				if err := run(dir, "python3", "-m", "unittest"); err != nil {
					t.Error(err)
				}
			}
			copied := filepath.Join(t.TempDir(), "example")
			if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
				t.Fatal(err)
			}
			suite := suiteSize.ReplaceAllStringFunc(readFile(t, path), func(line string) string {
				return map[string]string{"steps": "steps: 10", "repetitions": "repetitions: 1"}[strings.SplitN(line, ":", 2)[0]]
			})
			if err := os.WriteFile(filepath.Join(copied, "suite.yaml"), []byte(suite), 0o666); err != nil {
				t.Fatal(err)
			}
			for _, out := range []string{"once", "again"} {
				if err := run(copied, exe, "run", "suite.yaml", "--out", out); err != nil {
					t.Fatal(err)
				}
			}
			once, again := records(t, filepath.Join(copied, "once")), records(t, filepath.Join(copied, "again"))
			if !maps.Equal(once, again) {
				t.Error("the records of two runs with the same seed differ")
			}
			if len(once) == 0 {
				t.Error("the run has left no records")
			}
		})
	}
}

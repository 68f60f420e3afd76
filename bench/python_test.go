package bench

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
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
	cmd.Dir = filepath.Join(root, "clients", "python")
	cmd.Env = append(os.Environ(), "POPBENCH="+buildBench(t), "PYTHONDONTWRITEBYTECODE=1")
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

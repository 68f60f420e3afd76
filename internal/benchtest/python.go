package benchtest

import (
	"bytes"
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"popbench/internal/check"
)

// PythonClient returns the folder of the Python client of the tree at root, or skips the test if there is no python3.
func PythonClient(t testing.TB, root string) string {
	t.Helper()
	check.Needs(t, "python3")
	dir := check.Must(filepath.Abs(filepath.Join(root, "clients", "python")))(t)
	check.Files(t, dir)
	return dir
}

// interpreter is python3, or what the variable POPBENCH_TEST_PYTHON names: one with more packages.
func interpreter() string { return cmp.Or(os.Getenv("POPBENCH_TEST_PYTHON"), "python3") }

// HasPython reports whether there is a Python in which a statement such as "import pandas" succeeds.
func HasPython(statement string) bool {
	return exec.Command(interpreter(), "-c", statement).Run() == nil
}

// RunPython runs a program in a folder and returns what it prints.
func RunPython(t testing.TB, dir, program string) string {
	t.Helper()
	cmd := exec.Command(interpreter(), "-c", program)
	cmd.Dir = dir
	var log bytes.Buffer
	cmd.Stderr = &log
	out, err := cmd.Output()
	if err != nil {
		t.Errorf("%v\n%s\n%s", err, program, &log)
	}
	return string(out)
}

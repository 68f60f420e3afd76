package clients_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"popbench/bench"
	"popbench/internal/benchtest"
	"popbench/internal/check"
	"popbench/record"
)

func TestMain(m *testing.M) { benchtest.Main(m, func() int { return bench.Main() }) }

// TestPythonClient runs the tests of clients/python with the program as it is now.
func TestPythonClient(t *testing.T) {
	t.Parallel()
	cmd := exec.Command("python3", "-W", "error", "-m", "unittest", "discover", "tests")
	cmd.Dir = benchtest.PythonClient(t, "..")
	cmd.Env = append(os.Environ(), "POPBENCH="+benchtest.Program(t))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// The client has the version of the program.
func TestPythonVersion(t *testing.T) {
	m := regexp.MustCompile(`(?m)^__version__ = "(.*)"$`).FindStringSubmatch(string(check.Must(os.ReadFile("python/popbench.py"))(t)))
	if m == nil {
		t.Fatal("popbench.py does not say its version")
	}
	build := record.Built()
	check.Equal(t, "__version__ of popbench.py", m[1], build.Version)
}

// The client reads imported records too, and says what they are.
func TestPythonReadsImportedRecords(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "theirs")
	table := filepath.Join(t.TempDir(), "theirs.csv")
	check.OK(t, os.WriteFile(table, []byte("problem,algorithm,repetition,step,metric,value\n"+
		"beale,theirs,0,1,suboptimality,2\nbeale,theirs,0,1,instantaneous-regret,3\n"), 0o666))
	var log bytes.Buffer
	if code := bench.Execute(t.Context(), nil, &log, &log, []string{"import", table, "--out", dir}); code != 0 {
		t.Fatal(log.String())
	}
	cmd := exec.Command("python3", "-c", `
import popbench
(row,) = popbench.read("`+dir+`")
assert row["imported"] and (row["suboptimality"], row["regret"], row["cumulative_regret"]) == (2, 3, 3), row
assert row["points"] is None and row["x"] is None and row["winner"] is None, row`)
	cmd.Env = append(os.Environ(), "PYTHONPATH="+benchtest.PythonClient(t, ".."))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

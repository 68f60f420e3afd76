package clients_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"popbench/bench"
	"popbench/internal/benchtest"
	"popbench/internal/check"
)

func TestMain(m *testing.M) { benchtest.Main(m, func() int { return bench.Main() }) }

// TestPythonClient runs the tests of clients/python with the program as it is now.
func TestPythonClient(t *testing.T) {
	t.Parallel()
	cmd := exec.Command("python3", "-W", "error", "-m", "unittest", "discover", "tests")
	cmd.Dir = benchtest.PythonClient(t, "..")
	cmd.Env = append(os.Environ(), "POPBENCH="+benchtest.Program(t))
	check.Ran(cmd.CombinedOutput())(t)
}

// The client reads imported records too, and says what they are: with any number of utilities, and what mends them.
func TestPythonReadsImportedRecords(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "theirs")
	table := check.Temporary(t, "theirs.csv", "problem,algorithm,repetition,step,metric,value,against\n"+
		"beale,theirs,0,1,suboptimality,2,\nbeale,theirs,0,1,instantaneous-regret,3,\n"+
		"beale,theirs,0,2,suboptimality,1,\nbeale,theirs,0,2,instantaneous-regret,,\n"+
		"mould,theirs,0,1,suboptimality,-3,zero\nmould,theirs,0,1,instantaneous-regret,-2,zero\nmould,theirs,0,1,best-value,4,zero\n")
	var log bytes.Buffer
	check.Ensure(t, bench.Execute(t.Context(), nil, &log, &log, []string{"import", table, "--out", dir}) == 0, "%s", &log)
	cmd := exec.Command("python3", "-c", `
import popbench
rows = list(popbench.read("`+dir+`"))
got = [(r["suboptimality"], r["regret"], r["cumulative_regret"]) for r in rows]
assert got == [(2, 3, 3), (1, None, 3), (1, 2, 2)], got
for row in rows:
    assert row["imported"] and row["points"] is None and row["x"] is None and row["winner"] is None, row
with open("`+dir+`/records/beale/theirs/000.jsonl", "r+") as f:
    changed = f.read().replace("-3", "-4")
    f.seek(0)
    f.write(changed)
try:
    list(popbench.read("`+dir+`"))
except popbench.Error as e:
    assert str(e).endswith("; import the table again"), e
else:
    raise AssertionError("a damaged record is read")`)
	cmd.Env = append(os.Environ(), "PYTHONPATH="+benchtest.PythonClient(t, ".."))
	check.Ran(cmd.CombinedOutput())(t)
}

// TestNotebook runs the code of the notebook of the examples, which is committed without outputs. Cells with the tag pandas
// are left out where there is no pandas.
func TestNotebook(t *testing.T) {
	t.Setenv("PYTHONPATH", benchtest.PythonClient(t, ".."))
	t.Setenv("POPBENCH", benchtest.Program(t))
	var notebook struct {
		Cells []struct {
			Type     string `json:"cell_type"`
			Metadata struct{ Tags []string }
			Source   []string
			Outputs  []any
		}
	}
	check.OK(t, json.Unmarshal(check.Must(os.ReadFile("../examples/notebook/popbench.ipynb"))(t), &notebook))
	pandas := benchtest.HasPython("import pandas")
	if !pandas {
		t.Log("there is no pandas: the cells that need it are not run")
	}
	var program strings.Builder
	for i, cell := range notebook.Cells {
		check.That(t, len(cell.Outputs) == 0, "cell %d has outputs; clear them", i)
		if cell.Type == "code" && (pandas || !slices.Contains(cell.Metadata.Tags, "pandas")) {
			program.WriteString(strings.Join(cell.Source, "") + "\n")
		}
	}
	program.WriteString("print(folder, len(runs), len(ranks))\n")
	dir := t.TempDir() // in place of a checkout
	ranks := check.Must(os.ReadFile("../results/field/ranks.csv"))(t)
	check.OK(t, os.MkdirAll(filepath.Join(dir, "results", "field"), 0o777))
	check.OK(t, os.WriteFile(filepath.Join(dir, "results", "field", "ranks.csv"), ranks, 0o666))
	// The last suite has no file. Then come 2 problems × 2 algorithms × 8 runs × 15 steps, and a line of the ranks a row.
	check.Contains(t, "what the notebook prints", benchtest.RunPython(t, dir, program.String()), "quick.yml: there is no such file",
		fmt.Sprintf("%s 480 %d\n", filepath.Join("results", "quick"), bytes.Count(ranks, []byte("\n"))-1))
}

package bench

import (
	"path/filepath"
	"strings"
	"testing"

	"popbench/internal/benchtest"
	"popbench/internal/check"
)

// Programs that were not written here read what bench export writes, and find the numbers of the table.
func TestExportsAreRead(t *testing.T) {
	check.Slow(t, "it runs programs of its own")
	dir := filepath.Join(t.TempDir(), "demo")
	done(t, "run", demoSuite(t, "2"), "--out", dir)
	for _, format := range []string{"csv", "ioh", "pairs"} {
		succeed(t, "export", dir, "--format", format, "--out", filepath.Join(dir, format))
	}
	// The same lines as reads makes of the table.
	const lines = `
import csv
def reads(row): return "%s %s %d %d %r" % (row["problem"], row["label"], int(row["repetition"]), int(row["step"]), float(row["value"]))
table = sorted(reads(row) for row in csv.DictReader(open("csv/values.csv")) if row["metric"] == "suboptimality" and row["selected"] == "true")
`
	for name, c := range map[string]struct{ imports, program string }{
		"iohinspector": {"import iohinspector", `
import warnings
warnings.simplefilter("error") # it warns of a file that it cannot read, and goes on
manager = iohinspector.DataManager()
manager.add_folder("ioh/data")
frame = manager.load(monotonic=False, include_meta_data=True)
rows = [reads({"problem": r["function_name"], "label": r["algorithm_name"], "repetition": r["instance"], "step": r["evaluations"], "value": r["raw_y"]}) for r in frame.to_dicts()]
assert sorted(rows) == table, (rows[:3], table[:3])
print(len(rows))`},
		"pandas": {"import pandas", `
exact = {"float_precision": "round_trip"} if int(pandas.__version__.split(".")[0]) < 3 else {}
frame = pandas.read_csv("csv/values.csv", **exact)
frame = frame[(frame.metric == "suboptimality") & (frame.selected == True)]
rows = [reads(row) for row in frame.to_dict("records")]
assert sorted(rows) == table, (rows[:3], table[:3])
print(len(rows))`},
		"frictionless": {"import frictionless", `
report = frictionless.validate("csv/datapackage.json")
assert report.valid, report.flatten(["rowNumber", "fieldName", "type", "note"])
print(len(table))`},
		"mlcroissant": {"import mlcroissant", `
data = mlcroissant.Dataset("csv/croissant.json")
rows = [{k.removeprefix("values/"): v.decode() if isinstance(v, bytes) else v for k, v in row.items()} for row in data.records("values")]
rows = [reads(row) for row in rows if row["metric"] == "suboptimality" and row["selected"] is True]
same = lambda a, b: a.rsplit(" ", 1)[0] == b.rsplit(" ", 1)[0] and abs(float(a.split()[-1]) - float(b.split()[-1])) < 1e-12 # pandas rounds
assert len(rows) == len(table) and all(map(same, sorted(rows), table)), (rows[:3], table[:3])
assert list(data.records("failures")) == []
print(len(rows))`},
		"botorch": {"import torch, botorch", `
import json
from botorch.models.pairwise_gp import PairwiseGP
run = json.load(open("pairs/data/beale/popbo/000.json"))
lo, hi = torch.tensor(run["bounds"], dtype=torch.double)
model = PairwiseGP((torch.tensor(run["datapoints"], dtype=torch.double) - lo) / (hi - lo), torch.tensor(run["comparisons"]))
assert model.posterior(model.datapoints).mean.shape[0] == len(run["datapoints"])
print(len(table))`},
	} {
		t.Run(name, func(t *testing.T) {
			if !benchtest.HasPython(c.imports) {
				t.Skip("this fails: " + c.imports)
			}
			check.Equal(t, "8 runs of 12 steps", strings.TrimSpace(benchtest.RunPython(t, dir, c.imports+lines+c.program)), "96")
		})
	}
}

package bench

import (
	"path/filepath"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/internal/views/report/reporttest"
)

// The page is made of compact records without a run, and methods can be put beside them.
func TestFieldOfCompactRecords(t *testing.T) {
	check.Sequential(t)
	t.Parallel()
	options := reporttest.Options{Problems: []string{"beale", "branin"}, Algorithms: []string{"qeubo", "sgp", "random"}, Runs: 6, Steps: 5, Paper: "none"}
	theirs := reporttest.Results(options)
	options.Algorithms = []string{"mine"}
	mine := reporttest.Results(options)
	for _, r := range append(theirs.Records, mine.Records...) {
		r.Header.PilotComparisons, r.Header.PilotPer = 0, ""
	}
	full, compact, own := putFolder(t, theirs), filepath.Join(t.TempDir(), "compact"), putFolder(t, mine)
	succeed(t, "export", full, "--format", "compact", "--out", compact)
	stdout, stderr, err := bench(t, "field", "--out", compact)
	if err != nil {
		t.Fatal(err)
	}
	check.Contains(t, "stdout", stdout, "Average rank: all problems", "qEUBO")
	check.Contains(t, "stdout", stdout, "open file://", "index.html")
	check.Contains(t, "stderr", stderr, "compact records, so nothing is run")
	check.Contains(t, "page", readFile(t, filepath.Join(compact, "index.html")), "Cost", "Runtime profile")

	stdout, _, err = bench(t, "report", own, "--beside", compact)
	if err != nil {
		t.Fatal(err)
	}
	check.Contains(t, "ranks beside the field", stdout, "Average rank: all problems", "mine")
	check.Contains(t, "page", readFile(t, filepath.Join(own, "field", "index.html")), "Beside the field", "your algorithm")

	_, _, err = bench(t, "run", "--out", compact, filepath.Join(root, "configs", "quick.yaml"))
	if err == nil || !strings.Contains(err.Error(), "compact") {
		t.Errorf("a run in compact records: %v", err)
	}
	_, _, err = bench(t, "export", compact, "--format", "csv", "--out", filepath.Join(t.TempDir(), "csv"))
	if err == nil || !strings.Contains(err.Error(), "compact records") {
		t.Errorf("a table of compact records: %v", err)
	}
}

func TestFieldIsNotHere(t *testing.T) {
	own := resultsFolder(t, reporttest.Options{Problems: []string{"beale"}, Runs: 6, Steps: 3})
	t.Chdir(t.TempDir())
	refuse(t, "report: --beside field: there is no results/field here or in a folder above; it is in popbench's repository, and bench field makes it: name its folder", "report", own, "--beside", "field")
	refuse(t, "report: --beside has no --format, --headline, --reference and --margin; leave them out", "report", own, "--beside", "field", "--format", "csv")
}

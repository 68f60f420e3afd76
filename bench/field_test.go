package bench

import (
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"popbench/configs"
	"popbench/internal/analysis/report/reporttest"
	"popbench/internal/check"
	"popbench/problems"
)

// The terms of the field suite are equal, and what cannot be is as its comments say.
func TestFieldSuite(t *testing.T) {
	check.Equal(t, "bench list field --text", succeed(t, "list", "field", "--text"), string(configs.Field().Text))
	s := loadSuite(t, filepath.Join(configsDir, "field", "field.yaml"))
	check.Equal(t, "first duels", s.FirstDuels > 0, true)
	check.Equal(t, "repetitions", s.Repetitions >= 30, true)
	names := map[string]string{} // by what overrides call the problem
	for _, p := range s.Problems {
		names[p.Name] = p.Name
		if p.Label != "" {
			names[p.Label] = p.Name
		}
	}
	var pilots, fixed []string
	for _, a := range s.Algorithms {
		if a.Pilot.Comparisons > 0 {
			pilots = append(pilots, a.Label)
		}
		check.Equal(t, a.Label+" discloses", fmt.Sprint(a.Disclose, a.DiscloseOn), "nonemap[]")
		settings := decoded(t, a.Settings)
		if n, ok := settings["initial_duels"]; ok {
			check.Equal(t, a.Label+": initial duels", n, any(0.0))
		}
		if a.Overrides == nil {
			continue
		}
		fixed = append(fixed, a.Label)
		check.Equal(t, a.Label+": overrides", len(a.Overrides), len(s.Problems))
		for name, o := range a.Overrides {
			spec := check.Must(problems.Lookup(names[name]))(t)
			lengthscales := decoded(t, o)["kernel"].(map[string]any)["lengthscale"].([]any)
			box := spec.Box
			for i := range box.Lo {
				l := lengthscales[min(i, len(lengthscales)-1)].(float64)
				if want := (box.Hi[i] - box.Lo[i]) / 5; math.Abs(l-want) > 1e-9*want {
					t.Errorf("%s on %s: lengthscale %g of x%d, want %g", a.Label, name, l, i+1, want)
				}
			}
		}
	}
	check.Equal(t, "methods with a pilot", strings.Join(pilots, ", "), "POP-BO with pilot")
	check.Equal(t, "methods without a fit", strings.Join(fixed, ", "), "MaxMinLCB, MR-LPF, PF-TS, GINOP")
}

func decoded(t *testing.T, v any) (m map[string]any) {
	t.Helper()
	data, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(data, &m)
	}
	if err != nil {
		t.Fatal(err)
	}
	return m
}

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

	_, _, err = bench(t, "run", "--out", compact, filepath.Join(configsDir, "quick.yaml"))
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

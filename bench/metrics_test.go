package bench

import (
	"reflect"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/internal/outcome"
	"popbench/suite"
)

// A suite may name every metric of a report for its headline, and nothing else. What makes records does not know the table
// of metrics, so the names stand twice.
func TestHeadlinesAreMetrics(t *testing.T) {
	var names []string
	for _, m := range outcome.Measures {
		names = append(names, string(m.Name))
	}
	f, _ := reflect.TypeFor[suite.Suite]().FieldByName("Headline")
	check.Equal(t, "headlines of suites", f.Tag.Get("enum"), strings.Join(names, ","))
}

// A folder is reported, profiled, compared and exported by the metrics that its user names.
func TestMetricsByName(t *testing.T) {
	check.Sequential(t)
	t.Parallel()
	output := func(args ...string) string {
		t.Helper()
		stdout, _, err := bench(t, args...)
		if err != nil {
			t.Fatalf("bench %s: %v", strings.Join(args, " "), err)
		}
		return stdout
	}
	dir := t.TempDir() + "/r"
	suite := writeFile(t, "m.yaml", "{name: m, steps: 4, repetitions: 6, headline: weak-regret, held_out: 40, problems: [{name: beale}], algorithms: [{name: gpucb}, {name: random}]}")
	output("run", suite, "--out", dir)
	check.Contains(t, "the report", output("report", dir, "--format", "text"), "All metrics after 4 steps", "Weak regret, mean with", "Held-out log-loss")
	check.Contains(t, "the report by another headline", output("report", dir, "--format", "text", "--headline", "self-duels"), "Self-duels, mean with")
	stdout, _, err := bench(t, "report", dir, "--headline", "beauty")
	refused(t, stdout, err, "utility-regret")
	check.Contains(t, "the profile", output("report", dir, "--sheet", "profile", "--headline", "weak-regret"), "weak regret of a step")
	stdout, _, err = bench(t, "report", dir, "--sheet", "profile", "--headline", "kendall-tau")
	refused(t, stdout, err, "Kendall’s tau")
	check.Contains(t, "the comparison", output("compare", dir, dir, "--metrics", "preference-regret"), "Of 2 rows: 2 same")
	output("export", dir)
	check.Contains(t, "the export", readFile(t, dir+"/export/csv/values.csv"), ",self-duels,outcome,", ",excess-log-loss,outcome,")
}

package paper

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"popbench/internal/check"
)

// The rows agree with the paper's LaTeX source.
func TestNumbersAreThePapers(t *testing.T) {
	table := Lookup("test-functions")
	lines := sourceLines(t, "testdata/subopt_testfunc.tex", len(table.Rows))
	number := regexp.MustCompile(`([0-9.]+)\\pm([0-9.]+)`)
	for i, row := range table.Rows {
		title, _, _ := strings.Cut(lines[i], " &")
		check.Equal(t, fmt.Sprint("title of row ", i), title, row.Title)
		cells := number.FindAllStringSubmatch(lines[i], -1)
		check.Equal(t, "values of "+title, len(cells), len(table.Methods))
		for j, cell := range cells {
			got, ok := table.Value(row.Problem, table.Methods[j])
			check.That(t, ok && got == (Value{float(t, cell[1]), float(t, cell[2])}), "%s, %s: %v, the paper prints %v", title, table.Methods[j], got, cell[0])
		}
	}
}

// sourceLines are the lines of a piece of the paper's source, of which there should be n.
func sourceLines(t *testing.T, path string, n int) []string {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(string(check.Must(os.ReadFile(path))(t))), "\n")
	if len(lines) != n {
		t.Fatalf("%s has %d lines, not %d", path, len(lines), n)
	}
	return lines
}

func float(t *testing.T, text string) float64 {
	t.Helper()
	return check.Must(strconv.ParseFloat(text, 64))(t)
}

// The curve agrees with the paper's LaTeX source, in which steps are rounded.
func TestGrowthIsThePapers(t *testing.T) {
	g := LookupGrowth("gp-1d")
	check.Equal(t, "the first value", g.Regret[0], 1)
	for i, line := range sourceLines(t, "testdata/cumu_reg_loglog.tex", len(g.Regret)) {
		step, regret, _ := strings.Cut(line, " ")
		check.Equal(t, fmt.Sprint("regret after step ", i+1), g.Regret[i], float(t, regret))
		check.Near(t, float(t, step), float64(i+1), 1e-4, "step %d", i+1)
	}
	for _, r := range slices.Concat(g.Fits, g.Ends) {
		check.That(t, r[0] >= 1 && r[0] < r[1] && r[1] <= len(g.Regret), "a slope from %d to %d of %d steps", r[0], r[1], len(g.Regret))
	}
	check.That(t, LookupGrowth("test-functions") == nil, "the paper has no such curve of the test functions")
}

func TestAnomaliesAreTrue(t *testing.T) {
	table := Lookup("test-functions")
	value := func(problem, method string) Value {
		v, _ := table.Value(problem, method)
		return v
	}
	var same, stated []string
	for _, r := range table.Rows {
		if value(r.Problem, "DTS").Std == value(r.Problem, "qEUBO").Std {
			same = append(same, r.Problem)
		}
	}
	for _, c := range table.Anomalies[0].Cells {
		if c.Method == "DTS" {
			stated = append(stated, c.Problem)
		}
	}
	check.Same(t, "problems with equal standard deviations", same, stated)
	check.Equal(t, "their number", len(same), 5)
	check.That(t, value("bukin6", "qEUBO").Mean < value("bukin6", "POP-BO").Mean, "on Bukin qEUBO is not below POP-BO")
	check.Same(t, "about POP-BO on Bukin", table.About("bukin6", "POP-BO"), []string{table.Anomalies[1].Text})
	check.Equal(t, "texts about SGP on Bukin", len(table.About("bukin6", "SGP")), 0)
}

func TestNames(t *testing.T) {
	table := Lookup("test-functions")
	for ours, want := range map[string]string{"popbo": "POP-BO", "qeubo": "qEUBO", "dts": "DTS", "sgp": "SGP", "random": ""} {
		got, ok := table.Method(ours)
		check.That(t, got == want && ok == (want != ""), "Method(%q) = %q, %t", ours, got, ok)
	}
	_, ok := table.Value("ackley6", "POP-BO")
	check.That(t, !ok && table.Rank("ackley6") == 7 && table.Rank("holder_table") == 5, "a problem that the table does not have is not told from one that it has")
	check.That(t, Lookup("no such experiment") == nil && LookupExperiment("no such experiment") == nil, "an experiment that is not there was found")
	for want, authors := range map[string][]string{"One et al., ICML 2024": {"A. One", "B. Two", "C. Ten"}, "One and Two, ICML 2024": {"A. One", "B. Two"}} {
		check.Equal(t, "a publication in short", (&Publication{Authors: authors, Venue: "ICML", Year: 2024}).Short(), want)
	}
}

package paper

import (
	"math"
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
	tex := check.Must(os.ReadFile("testdata/subopt_testfunc.tex"))(t)
	table := Lookup("test-functions")
	lines := strings.Split(strings.TrimSpace(string(tex)), "\n")
	if len(lines) != len(table.Rows) {
		t.Fatalf("%d rows, the paper has %d", len(table.Rows), len(lines))
	}
	number := regexp.MustCompile(`([0-9.]+)\\pm([0-9.]+)`)
	for i, line := range lines {
		row := table.Rows[i]
		if title, _, _ := strings.Cut(line, " &"); title != row.Title {
			t.Errorf("row %d is %q, the paper has %q", i, row.Title, title)
		}
		cells := number.FindAllStringSubmatch(line, -1)
		if len(cells) != len(table.Methods) {
			t.Fatalf("%d values in %q", len(cells), line)
		}
		for j, cell := range cells {
			mean, _ := strconv.ParseFloat(cell[1], 64)
			std, _ := strconv.ParseFloat(cell[2], 64)
			if got, ok := table.Value(row.Problem, table.Methods[j]); !ok || got != (Value{mean, std}) {
				t.Errorf("%s, %s: %v (found: %v), the paper prints %v", row.Title, table.Methods[j], got, ok, cell[0])
			}
		}
	}
}

// The curve agrees with the paper's LaTeX source, in which steps are rounded.
func TestGrowthIsThePapers(t *testing.T) {
	tex := check.Must(os.ReadFile("testdata/cumu_reg_loglog.tex"))(t)
	g := LookupGrowth("gp-1d")
	lines := strings.Split(strings.TrimSpace(string(tex)), "\n")
	if len(lines) != len(g.Regret) || g.Regret[0] != 1 {
		t.Fatalf("%d values from %g, the paper has %d from 1", len(g.Regret), g.Regret[0], len(lines))
	}
	for i, line := range lines {
		step, regret, _ := strings.Cut(line, " ")
		at, _ := strconv.ParseFloat(step, 64)
		if v, err := strconv.ParseFloat(regret, 64); err != nil || v != g.Regret[i] || math.Abs(at-float64(i+1)) > 1e-4 {
			t.Errorf("after step %d: %v, the paper has %q", i+1, g.Regret[i], line)
		}
	}
	for _, r := range slices.Concat(g.Fits, g.Ends) {
		check.That(t, r[0] >= 1 && r[0] < r[1] && r[1] <= len(g.Regret),
			"a slope from %d to %d of %d steps", r[0], r[1], len(g.Regret))
	}
	check.That(t, LookupGrowth("test-functions") == nil, "the paper has no such curve of the test functions")
}

func TestAnomaliesAreTrue(t *testing.T) {
	table := Lookup("test-functions")
	var same []string
	for _, r := range table.Rows {
		dts, _ := table.Value(r.Problem, "DTS")
		qeubo, _ := table.Value(r.Problem, "qEUBO")
		if dts.Std == qeubo.Std {
			same = append(same, r.Problem)
		}
	}
	var stated []string
	for _, c := range table.Anomalies[0].Cells {
		if c.Method == "DTS" {
			stated = append(stated, c.Problem)
		}
	}
	check.That(t, slices.Equal(same, stated) && len(same) == 5,
		"standard deviations are equal on %v, stated for %v", same, stated)
	popbo, _ := table.Value("bukin6", "POP-BO")
	qeubo, _ := table.Value("bukin6", "qEUBO")
	check.That(t, qeubo.Mean < popbo.Mean, "on Bukin qEUBO's %g is not below POP-BO's %g", qeubo.Mean, popbo.Mean)
	if got := table.About("bukin6", "POP-BO"); len(got) != 1 || got[0] != table.Anomalies[1].Text {
		t.Errorf("about POP-BO on Bukin: %q", got)
	}
	if got := table.About("bukin6", "SGP"); got != nil {
		t.Errorf("about SGP on Bukin: %q", got)
	}
}

func TestNames(t *testing.T) {
	table := Lookup("test-functions")
	for ours, want := range map[string]string{"popbo": "POP-BO", "qeubo": "qEUBO", "dts": "DTS", "sgp": "SGP"} {
		if got, ok := table.Method(ours); !ok || got != want {
			t.Errorf("Method(%q) = %q, %v", ours, got, ok)
		}
	}
	if _, ok := table.Method("random"); ok {
		t.Error("the paper has no random search")
	}
	if _, ok := table.Value("ackley6", "POP-BO"); ok || table.Rank("ackley6") != 7 || table.Rank("holder_table") != 5 {
		t.Error("a problem that the table does not have is not told from one that it has")
	}
	check.That(t, Lookup("no such experiment") == nil, "an experiment that is not there was found")
}

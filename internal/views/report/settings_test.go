package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/internal/outcome"
	"popbench/internal/page/document"
	"popbench/internal/views/report/reporttest"
	"popbench/record"
)

func TestSettings(t *testing.T) {
	in := reporttest.Results(reporttest.Options{Problems: []string{"beale", "branin"}, Runs: 2, Steps: 2})
	in.Records[0].Header.Algorithm.Settings = []byte(`{"a":1,"b":{"c":"x","d":[1,2]},"e":true}`)
	in.Records[2].Header.Algorithm.Settings = []byte(`{"a":1,"b":{"c":"y","d":[1,2]}}`)
	all := settingsOfAll(mustCollect(t, in))
	if len(all) != 1 || all[0].Differ == nil {
		t.Fatalf("settings %+v", all)
	}
	s := all[0]
	check.Equal(t, "label", s.Label, "POP-BO")
	check.Equal(t, "pilot", s.Pilot, "20, a draw for each repetition")
	check.Same(t, "common settings", s.Common, []document.Fact{{Name: "a", Value: "1"}, {Name: "b.d", Value: "[1, 2]"}})
	check.Equal(t, "settings that differ", rowsOf(s.Differ), "Beale | x | true\nBranin | y | —")
}

// The sheet shows what the runs have in force and not what is set, with ranges where they differ.
func TestPrior(t *testing.T) {
	in := reporttest.Results(reporttest.Options{Problems: []string{"beale"}, Algorithms: []string{"popbo", "sgp", "random"}, Runs: 3, Steps: 2})
	for _, rec := range in.Records {
		a, i := &rec.Header.Algorithm, float64(rec.Header.Repetition)
		switch a.Name {
		case "popbo":
			a.Disclosed = record.DisclosedKernelAndNorm
			a.InForce = &record.InForce{Kernel: &record.Kernel{Family: "se-paper", Variance: 9, Lengthscale: []float64{1, 2 + i/8}}, NormBound: 3.25 - i}
		case "sgp":
			a.InForce = &record.InForce{Kernel: &record.Kernel{Family: "matern", Nu: 1.5, Variance: 1.0 / 3, Lengthscale: []float64{0.5, 0.5}}, Refitted: true}
		}
	}
	r := mustCollect(t, in)
	check.Equal(t, "sheet", cells(Document(outcome.NewTable(r), nil), "prior"), `Beale | POP-BO | kernel-and-norm | se-paper | 9 | 1, 2 to 2.25 | 1.25 to 3.25 | —
Beale | Random | — | — | — | — | — | —
Beale | SGP | — | matern (ν = 1.5) | 0.3333 | 0.5 | — | yes`)
	for _, s := range settingsOfAll(r) {
		for _, f := range s.Common {
			named := f.Name == "norm_bound" || strings.HasPrefix(f.Name.String(), "kernel.")
			check.That(t, !named || s.Label == "Random", "the settings of %s have %s = %s, which is not in force", s.Label, f.Name, f.Value)
		}
	}
}

// Runs without a prior, such as those of an external program, do not tell what was in force: then the settings stay.
func TestNoPrior(t *testing.T) {
	in := reporttest.Results(reporttest.Options{Problems: []string{"beale"}, Runs: 2, Steps: 2})
	sheet := func(disclosed record.Disclosure) *document.Sheet {
		for _, rec := range in.Records {
			rec.Header.Algorithm.InForce, rec.Header.Algorithm.Disclosed = nil, disclosed
		}
		return sheetOf(Document(outcome.NewTable(mustCollect(t, in)), nil), "prior")
	}
	check.That(t, sheet(record.DisclosedNone) == nil, "there is a sheet")
	columns := sheet(record.DisclosedKernel).Columns
	check.Equal(t, "what runs tell all the same", columns[len(columns)-1].Title, "Disclosed")
	set := map[document.Text]bool{}
	for _, f := range settingsOfAll(mustCollect(t, in))[0].Common {
		set[f.Name] = true
	}
	check.That(t, set["norm_bound"] && set["kernel.family"], "settings %v", set)
}

// fitsOf is the document of runs whose headers are changed, and its sheet of fits.
func fitsOf(t *testing.T, change func(h *record.Header)) (fits string, d *document.Document) {
	t.Helper()
	in := reporttest.Results(reporttest.Options{Problems: []string{"beale"}, Algorithms: []string{"popbo", "sgp"}, Runs: 5, Steps: 2})
	for _, rec := range in.Records {
		if rec.Header.Algorithm.Name == "popbo" {
			change(&rec.Header)
		}
	}
	d = Document(outcome.NewTable(mustCollect(t, in)), nil)
	return cells(d, "fits"), d
}

func TestFits(t *testing.T) {
	none, _ := fitsOf(t, func(*record.Header) {})
	check.Equal(t, "where nothing was fitted to pilots", none, "")
	// Four repetitions are inside, and one is at the upper end; of the other coordinate two are at the lower end, one
	// of them up to rounding.
	second := []float64{0.1, 0.1005, 0.102, 0.2, 0.3}
	got, d := fitsOf(t, func(h *record.Header) {
		i := h.Repetition
		h.Algorithm.InForce = &record.InForce{
			Kernel: &record.Kernel{Family: "matern52", Variance: 1, Lengthscale: []float64{float64(10 * (i + 1)), second[i]}},
			Range:  &record.Range{Lo: []float64{1, 0.1}, Hi: []float64{50, 3}},
		}
	})
	check.Equal(t, "fits", got, "Beale | POP-BO | x1 | 5 | 30 | 20 to 40 | 10 to 50 | 1 to 50 | 0 (0\u00a0%) | 1 (20.0\u00a0%)\n"+
		"Beale | POP-BO | x2 | 5 | 0.102 | 0.1005 to 0.2 | 0.1 to 0.3 | 0.1 to 3 | 2 (40.0\u00a0%) | 0 (0\u00a0%)")
	check.Contains(t, "the report", strings.ToLower(textOf(t, d)), "lengthscales fitted to pilot comparisons", "20 to 40", "within 1\u00a0% of an end")
}

// One pilot for all runs counts as one, and every number that rests on it is marked.
func TestSharedPilotIsMarked(t *testing.T) {
	marked := func(d *document.Document) (labels string) {
		for _, row := range sheetOf(d, "suboptimality").Rows {
			if slices.Contains(row[1].Notes, document.Plain(outcome.ConditionalNote(20))) {
				labels += row[1].String()
			}
		}
		return labels
	}
	shared := func(h *record.Header) {
		h.PilotPer = record.PerProblem
		h.Algorithm.InForce.Range = &record.Range{Lo: []float64{0.1}, Hi: []float64{2.51}}
	}
	fits, d := fitsOf(t, shared)
	check.Equal(t, "fits", fits, "Beale | POP-BO | 1 | 2.5 | 2.5 to 2.5 | 2.5 to 2.5 | 0.1 to 2.51 | 0 (0\u00a0%) | 1 (100\u00a0%)")
	check.Equal(t, "marked as conditional", marked(d), "POP-BO")
	_, d = fitsOf(t, func(h *record.Header) {
		shared(h)
		*h.Problem.Optimum += float64(h.Repetition)
	})
	check.Equal(t, "drawn functions, which have pilots of their own, are marked", marked(d), "")
	_, d = fitsOf(t, func(*record.Header) {})
	check.Equal(t, "a pilot for each repetition is marked", marked(d), "")
}

// The sheet of problems has the oracle where it is not the default one, with the scale that was computed.
func TestOracleInTheSheetOfProblems(t *testing.T) {
	text := func(change func(h *record.Header)) string {
		in := reporttest.Results(reporttest.Options{Problems: []string{"beale", "branin"}, Runs: 2, Steps: 3})
		for _, r := range in.Records {
			change(&r.Header)
		}
		sheet, _ := problems(mustCollect(t, in))
		return fmt.Sprintf("%+v", sheet)
	}
	check.Lacks(t, "default oracle", text(func(*record.Header) {}), "Oracle")
	check.Contains(t, "oracle", text(func(h *record.Header) {
		if h.Problem.Name == "beale" {
			h.Oracle = &record.Oracle{Model: "probit", Scale: 0.125, Calibration: &record.Calibration{ErrorRate: 0.2, On: "top-1%", Points: 1000, Pairs: 45}}
		}
	}), "Oracle", "Bradley–Terry–Luce", "0.125")
}

// Of a problem none of whose runs got as far as its instance, nothing is said to be 0 that is unknown.
func TestProblemWithoutInstance(t *testing.T) {
	in := reporttest.Results(reporttest.Options{Problems: []string{"mould", "beale"}, Runs: 2, Steps: 3, Paper: "none"})
	for _, r := range in.Records {
		if p := &r.Header.Problem; p.Name == "mould" {
			*p = record.Problem{Name: p.Name, Scale: p.Scale, Optimum: new(float64)}
			r.Steps, r.Footer = nil, record.Footer{Kind: "footer", Status: record.Failed, Error: "initialize: exit code 3"}
		}
	}
	sheet, _ := problems(mustCollect(t, in))
	k := slices.IndexFunc(sheet.Columns, func(h document.Heading) bool { return strings.HasPrefix(h.Title.String(), "Optimum") })
	check.Equal(t, "optimum of Beale", sheet.Rows[0][k].String(), "1.25")
	check.Equal(t, "optimum of the other", sheet.Rows[1][k].String(), "unknown")
}

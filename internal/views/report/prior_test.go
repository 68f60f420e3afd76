package report

import (
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/internal/outcome"
	"popbench/internal/page/document"
	"popbench/internal/views/report/reporttest"
	"popbench/record"
)

// The sheet shows what the runs have in force and not what is set, with ranges
// where they differ.
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
			if named := f.Name == "norm_bound" || strings.HasPrefix(f.Name.String(), "kernel."); named && s.Label != "Random" {
				t.Errorf("the settings of %s have %s = %s, which is not in force", s.Label, f.Name, f.Value)
			}
		}
	}
}

// Runs without a prior, such as those of an external program, do not tell what was in force: then
// the settings stay.
func TestNoPrior(t *testing.T) {
	in := reporttest.Results(reporttest.Options{Problems: []string{"beale"}, Runs: 2, Steps: 2})
	for _, rec := range in.Records {
		rec.Header.Algorithm.InForce = nil
	}
	r := mustCollect(t, in)
	check.That(t, sheetOf(Document(outcome.NewTable(r), nil), "prior") == nil, "there is a sheet")

	// They tell what was disclosed.
	for _, rec := range in.Records {
		rec.Header.Algorithm.Disclosed = record.DisclosedKernel
	}
	s := sheetOf(Document(outcome.NewTable(mustCollect(t, in)), nil), "prior")
	check.Equal(t, "last column", s.Columns[len(s.Columns)-1].Title, "Disclosed")

	set := map[document.Text]bool{}
	for _, f := range settingsOfAll(r)[0].Common {
		set[f.Name] = true
	}
	check.That(t, set["norm_bound"] && set["kernel.family"], "settings %v", set)
}

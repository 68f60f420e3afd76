package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/internal/outcome"
	"popbench/internal/page/document"
	"popbench/internal/views/report/reporttest"
	"popbench/record"
)

// The golden has the settings of each algorithm, and the sheets of the prior, of fits and of the problems.
func TestSettings(t *testing.T) {
	of := func(problems, algorithms []string, runs int, change func(h *record.Header)) *reporttest.Folder {
		in := reporttest.Results(reporttest.Options{Problems: problems, Algorithms: algorithms, Runs: runs, Steps: 2})
		for _, r := range in.Records {
			change(&r.Header)
		}
		return in
	}
	beale, two := []string{"beale"}, []string{"popbo", "sgp"}
	// Four repetitions are inside, and one is at the upper end; of the other coordinate two are at the lower end, one of
	// them up to rounding.
	second := []float64{0.1, 0.1005, 0.102, 0.2, 0.3}
	fitted := func(h *record.Header) {
		if i := h.Repetition; h.Algorithm.Name == "popbo" {
			h.Algorithm.InForce = &record.InForce{
				Kernel: &record.Kernel{Family: "matern52", Variance: 1, Lengthscale: []float64{float64(10 * (i + 1)), second[i]}},
				Range:  &record.Range{Lo: []float64{1, 0.1}, Hi: []float64{50, 3}},
			}
		}
	}
	shared := func(h *record.Header) { // one pilot for all runs counts as one, and every number that rests on it is marked
		if h.Algorithm.Name == "popbo" {
			h.PilotPer, h.Algorithm.InForce.Range = record.PerProblem, &record.Range{Lo: []float64{0.1}, Hi: []float64{2.51}}
		}
	}
	untold := func(disclosed record.Disclosure) *reporttest.Folder { // as of an external program: then the settings stay
		return of(beale, nil, 2, func(h *record.Header) { h.Algorithm.InForce, h.Algorithm.Disclosed = nil, disclosed })
	}
	failed := reporttest.Results(reporttest.Options{Problems: []string{"mould", "beale"}, Runs: 2, Steps: 3, Paper: "none"})
	for _, r := range failed.Records {
		if p := &r.Header.Problem; p.Name == "mould" {
			*p = record.Problem{Name: p.Name, Scale: p.Scale, Optimum: new(float64)}
			r.Steps, r.Footer = nil, record.Footer{Kind: "footer", Status: record.Failed, Error: "initialize: exit code 3"}
		}
	}
	check.GoldenWritten(t, "settings.txt", func(w io.Writer) error {
		for _, c := range []struct {
			about string
			in    *reporttest.Folder
		}{
			{"Settings that differ between problems", of([]string{"beale", "branin"}, nil, 2, func(h *record.Header) {
				h.Algorithm.Settings = []byte(map[string]string{"beale": `{"a":1,"b":{"c":"x","d":[1,2]},"e":true}`, "branin": `{"a":1,"b":{"c":"y","d":[1,2]}}`}[h.Problem.Name])
			})},
			{"What is in force, with ranges where runs differ", of(beale, []string{"popbo", "sgp", "random"}, 3, func(h *record.Header) {
				switch a, i := &h.Algorithm, float64(h.Repetition); a.Name {
				case "popbo":
					a.Disclosed = record.DisclosedKernelAndNorm
					a.InForce = &record.InForce{Kernel: &record.Kernel{Family: "se-paper", Variance: 9, Lengthscale: []float64{1, 2 + i/8}}, NormBound: 3.25 - i}
				case "sgp":
					a.InForce = &record.InForce{Kernel: &record.Kernel{Family: "matern", Nu: 1.5, Variance: 1.0 / 3, Lengthscale: []float64{0.5, 0.5}}, Refitted: true}
				}
			})},
			{"Nothing is known of the prior", untold(record.DisclosedNone)}, {"Something was disclosed", untold(record.DisclosedKernel)},
			{"Fits to pilots", of(beale, two, 5, fitted)}, {"One pilot for all runs", of(beale, two, 5, shared)},
			{"Drawn functions, which have pilots of their own", of(beale, two, 5, func(h *record.Header) {
				shared(h)
				*h.Problem.Optimum += float64(h.Repetition)
			})},
			{"An oracle", of([]string{"beale", "branin"}, nil, 2, func(h *record.Header) {
				if h.Problem.Name == "beale" {
					h.Oracle = &record.Oracle{Model: "probit", Scale: 0.125, Calibration: &record.Calibration{ErrorRate: 0.2, On: "top-1%", Points: 1000, Pairs: 45}}
				}
			})},
			{"A problem none of whose runs got as far as its instance", failed},
		} {
			r := mustCollect(t, c.in)
			d := Document(outcome.NewTable(r), nil)
			fmt.Fprintf(w, "%s\n%s\n", c.about, strings.Repeat("=", len(c.about)))
			for _, s := range settingsOfAll(r) {
				fmt.Fprintf(w, "%s, pilot %s: %v\n", s.Label, s.Pilot, s.Common)
				if s.Differ != nil {
					fmt.Fprintf(w, "%s\n", rowsOf(s.Differ))
				}
			}
			about, _ := problems(r)
			for _, s := range []*document.Sheet{sheetOf(d, "prior"), sheetOf(d, "fits"), &about} {
				if s != nil {
					for _, h := range s.Columns {
						fmt.Fprintf(w, "%s; ", h.Title)
					}
					fmt.Fprintf(w, "%s\n%s\n", s.Caption, rowsOf(s))
				}
			}
			for _, row := range sheetOf(d, "suboptimality").Rows {
				if slices.Contains(row[1].Notes, document.Plain(outcome.ConditionalNote(20))) {
					fmt.Fprintf(w, "%s is conditional on its pilot\n", row[1])
				}
			}
			fmt.Fprintln(w)
		}
		return nil
	})
}

package report

import (
	"encoding/csv"
	"slices"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/internal/outcome"
	"popbench/internal/views/report/reporttest"
)

// mould is a suite of the given problems of which all but Beale have an unknown optimum.
func mould(t *testing.T, problems ...string) *outcome.Results {
	t.Helper()
	return mustCollect(t, reporttest.Results(reporttest.Options{Problems: problems, Algorithms: []string{"popbo", "qeubo"}, Runs: 6, Steps: 12, Paper: "none", Unknown: []string{"mould", "press"}}))
}

// Every file of a report with regret of such a problem says what it is against, and no other does.
func TestUnknownOptimumInFiles(t *testing.T) {
	check.Sequential(t)
	results := mould(t, "mould", "press", "beale")
	page := &Page{Table: outcome.NewTable(results), curves: outcome.Curves(results)}
	files := check.Must(page.allFiles(t.Context()))(t)
	seen := 0
	for _, f := range files {
		text := flat(string(f.Data))
		switch {
		case strings.HasPrefix(f.Path, "data/beale") || strings.HasPrefix(f.Path, "figures/beale") || strings.Contains(f.Path, "coverage"):
			check.Lacks(t, f.Path, text, "best_found", "best value found")
			continue
		case strings.HasSuffix(f.Path, ".pdf") || strings.HasSuffix(f.Path, ".png"):
			continue // drawn as the SVG is
		case strings.HasPrefix(f.Path, "figures/overview"):
			check.Contains(t, f.Path, text, ">mould*<", ">press*<", ">Beale<", "* against", "the best value found in 12 runs")
		case strings.HasPrefix(f.Path, "figures/"):
			check.Contains(t, f.Path, text, ">against the best value found in 12 runs<")
		case strings.HasSuffix(f.Path, ".csv"):
			lines := check.Must(csv.NewReader(strings.NewReader(string(f.Data))).ReadAll())(t)
			n := len(lines[0])
			check.Equal(t, f.Path+": last columns", strings.Join(lines[0][n-2:], " "), "best_found best_found_runs")
			problem := 0
			if f.Path == "table.csv" {
				problem = 1
			}
			for _, l := range lines[1:] {
				if slices.Contains(l, string(outcome.InLikelihoodSet)) {
					continue // not measured against an optimum
				}
				if known := l[problem] == "beale"; known != (l[n-2] == "") || known == (l[n-1] == "12") {
					t.Fatalf("%s: %s has the best value %q in %q runs", f.Path, l[problem], l[n-2], l[n-1])
				}
			}
		default:
			check.Contains(t, f.Path, text, "the best value found in 12 runs, 0.974162.", "On mould and press, whose optima are unknown, regret is against the best value found in 12 runs on each.")
		}
		seen++
	}
	for _, f := range page.With["figures"] {
		check.Contains(t, f.ID, f.Caption.String(), "On mould and press, whose optima are unknown, regret is against the best value found in 12 runs on each.")
	}
	for _, p := range page.Problems {
		for _, f := range page.With[p.Place] {
			said := strings.Contains(f.Caption.String(), "The optimum is unknown; regret is against the best value found in 12 runs.")
			check.That(t, said == (p.Title != "Beale"), "caption of %s: %s", f.ID, f.Caption)
		}
	}
	check.Equal(t, "overviews", len(page.With["figures"]), 2)
	check.Equal(t, "problems with figures", len(page.Problems), 3)
	check.Equal(t, "files about the problems", seen, 5+6+8) // tables and page, figures, data
	check.Contains(t, "the page", flat(string(files[len(files)-1].Data)), "unknown; the best value found in 12 runs is 0.974162", "unknown; the best value found in 12 runs is 1.03212")
}

// One problem has its numbers in the headline, and a thumbnail on the index.
func TestUnknownOptimumInShort(t *testing.T) {
	results := mould(t, "mould")
	r := &Report{Table: outcome.NewTable(results), curves: outcome.Curves(results)}
	card := new(Index).Add("mould", r, "mould/index.html")
	const text = "The optimum is unknown; regret is against the best value found in 12 runs."
	check.Contains(t, "caption of the headline", card.Headline.Caption.String(), text)
	check.Equal(t, "caption of the thumbnail", card.Shows.String(), "Suboptimality of the recommended point. "+text)
	check.Contains(t, "thumbnail", string(card.Thumb), ">mould*<", text)
}

// The paper's numbers are of functions whose optimum is known, whatever somebody calls his own.
func TestUnknownOptimumWithoutThePapersNumbers(t *testing.T) {
	table := tableOf(t, reporttest.Options{Problems: []string{"beale", "branin"}, Algorithms: []string{"popbo", "qeubo"}, Runs: 6, Steps: 5, Unknown: []string{"beale"}})
	s := sheetOf(Document(table, nil), "paper")
	check.Equal(t, "rows of the paper's table", len(s.Rows), 2) // one and what came out here
	check.Equal(t, "their problem", s.Rows[0][0].String(), "Branin")
}

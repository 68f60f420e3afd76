package report

import (
	"context"
	"encoding/csv"
	"io"
	"slices"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/internal/golden"
	"popbench/internal/outcome"
	"popbench/internal/page/document"
	"popbench/internal/views/charting"
	"popbench/internal/views/report/reporttest"
	"popbench/record"
)

// mould is a suite of the given problems of which all but Beale have an unknown optimum.
func mould(t *testing.T, problems ...string) *outcome.Results {
	t.Helper()
	return mustCollect(t, reporttest.Results(reporttest.Options{Problems: problems, Algorithms: []string{"popbo", "qeubo"}, Runs: 6, Steps: 12, Paper: "none", Unknown: []string{"mould", "press"}}))
}

// flat is a text on one line.
func flat(text string) string { return strings.Join(strings.Fields(text), " ") }

func TestUnknownOptimum(t *testing.T) {
	table := outcome.NewTable(mould(t, "mould", "beale"))
	d := Document(table, nil)
	golden.Check(t, "unknown.txt", rendered(t, func(w io.Writer) error { return document.WriteText(w, d) }))
	const found = "the best value found in 12 runs"
	for i := range d.Sheets {
		s := &d.Sheets[i]
		said := strings.Contains(s.Caption.String(), found)
		for _, row := range s.Rows {
			noted := said
			for _, c := range row {
				for _, n := range c.Notes {
					noted = noted || strings.Contains(n.String(), found)
				}
			}
			own := row[0].String() == "mould"
			check.That(t, own == noted || said, "sheet %s says that the optimum of %s is unknown: %v", s.ID, row[0], noted)
		}
	}
}

// Every file of a report with regret of such a problem says what it is against, and no other does.
func TestUnknownOptimumInFiles(t *testing.T) {
	check.Sequential(t)
	results := mould(t, "mould", "press", "beale")
	page := &Page{Table: outcome.NewTable(results)}
	files := check.Must(allFiles(context.Background(), page, outcome.Curves(results)))(t)
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
	for _, f := range page.Overviews {
		check.Contains(t, f.ID, f.Caption.String(), "On mould and press, whose optima are unknown, regret is against the best value found in 12 runs on each.")
	}
	for _, p := range page.Problems {
		for _, f := range p.Figures {
			said := strings.Contains(f.Caption.String(), "The optimum is unknown; regret is against the best value found in 12 runs.")
			check.That(t, said == (p.Title != "Beale"), "caption of %s: %s", f.ID, f.Caption)
		}
	}
	check.Equal(t, "overviews", len(page.Overviews), 2)
	check.Equal(t, "problems with figures", len(page.Problems), 3)
	check.Equal(t, "files about the problems", seen, 5+6+8) // tables and page, figures, data
	check.Contains(t, "the page", flat(string(files[len(files)-1].Data)), "unknown; the best value found in 12 runs is 0.974162", "unknown; the best value found in 12 runs is 1.03212")
}

// A figure in the manner of the paper is against what the others are against.
func TestUnknownOptimumAsInPaper(t *testing.T) {
	results := mustCollect(t, reporttest.Results(reporttest.Options{Problems: []string{"gp1", "gp2"}, Runs: 6, Steps: 5, Paper: "gp-1d", Unknown: []string{"gp2"}}))
	charts := charting.AsInPaper(outcome.NewTable(results), outcome.Curves(results))
	check.Equal(t, "charts", len(charts), 4)
	for i := range charts {
		if c := &charts[i]; strings.Contains(c.Caption().String(), "against the best value found in 6 runs") != (c.Problem == "gp2") {
			t.Errorf("caption of %s: %s", c.Name, c.Caption())
		}
	}
}

// One problem has its numbers in the headline, and a thumbnail on the index.
func TestUnknownOptimumInShort(t *testing.T) {
	results := mould(t, "mould")
	r := &Report{Table: outcome.NewTable(results), curves: outcome.Curves(results)}
	card := check.Must(new(Index).Add("mould", r, "mould/index.html"))(t)
	const text = "The optimum is unknown; regret is against the best value found in 12 runs."
	check.Contains(t, "caption of the headline", card.Headline.Caption.String(), text)
	check.Equal(t, "caption of the thumbnail", card.Shows.String(), "Suboptimality of the recommended point. "+text)
	check.Contains(t, "thumbnail", string(card.Thumb), ">mould*<", text)
}

// The paper's numbers are of functions whose optimum is known, whatever somebody calls his own.
func TestUnknownOptimumWithoutThePapersNumbers(t *testing.T) {
	results := mustCollect(t, reporttest.Results(reporttest.Options{Problems: []string{"beale", "branin"}, Algorithms: []string{"popbo", "qeubo"}, Runs: 6, Steps: 5, Unknown: []string{"beale"}}))
	table := outcome.NewTable(results)
	for _, s := range Document(table, nil).Sheets {
		if s.ID == "paper" {
			check.Equal(t, "rows of the paper's table", len(s.Rows), 2) // one and what came out here
			check.Equal(t, "their problem", s.Rows[0][0].String(), "Branin")
		}
	}
	for _, c := range charting.OfMetric(charting.Of(table, outcome.Curves(results)), outcome.Suboptimality) {
		check.Equal(t, "the paper's numbers in the figure of "+c.Title, len(c.Marks) > 0, c.Title == "Branin")
	}
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

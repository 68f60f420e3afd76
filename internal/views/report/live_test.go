package report

import (
	"encoding/json"
	"math"
	"regexp"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/internal/outcome"
	"popbench/internal/views/report/reporttest"
)

// liveData is what a figure's data in a page say of a line.
type liveData struct {
	Lines []struct {
		Label                                       string
		N                                           int
		Mean, Lo, Hi, Median, Q1, Q3, Last, Seconds []float64
		Runs                                        [][]float64
	}
}

var liveElement = regexp.MustCompile(`<figure id="([^"]+)"[^\n]*\n<div class="art">.*</div><script type="application/json" class="lines">(.*)</script>`)

// livePage returns the table of the results, and a function for their page within a limit of bytes, and the data in it by
// figure.
func livePage(t *testing.T, o reporttest.Options) (table *outcome.Table, within func(limit int) (page string, figures map[string]liveData)) {
	t.Helper()
	table = outcome.NewTable(mustCollect(t, reporttest.Results(o)))
	p := &Page{Table: table, Document: Document(table, nil), With: map[string][]PageFigure{}}
	curves := outcome.Curves(table.Results)
	all := newExhibition(p, curves).figures
	for _, e := range all {
		f := PageFigure{ID: e.Name, SVG: "<svg></svg>", Caption: e.Caption, Links: []Link{{Text: "SVG", Href: "figures/" + e.Name + ".svg"}}}
		if e.live != nil {
			f.Data = &e.live.Data
		}
		p.hang(f, e.place)
	}
	return table, func(limit int) (string, map[string]liveData) {
		text := check.Must(p.withData(all, curves, limit))(t)
		figures := map[string]liveData{}
		for _, m := range liveElement.FindAllSubmatch(text, -1) {
			var d liveData
			if err := json.Unmarshal(m[2], &d); err != nil {
				t.Fatalf("data of %s: %v", m[1], err)
			}
			figures[string(m[1])] = d
		}
		return string(text), figures
	}
}

// rounded reports whether v is want with that many significant digits.
func rounded(v, want float64, digits int) bool {
	return math.Abs(v-want) <= 0.51*math.Abs(want)*math.Pow10(1-digits)
}

// The data of a figure are the summary of the records, and their runs.
func TestDataOfFigures(t *testing.T) {
	table, within := livePage(t, reporttest.Options{Problems: []string{"beale"}, Algorithms: []string{"popbo", "qeubo"}, Runs: 7, Steps: 8})
	page, figures := within(MaxPage)
	check.Equal(t, "what is left out", strings.Contains(page, "curves of single runs"), false)
	check.Equal(t, "figures with data", len(figures), 2)
	for _, row := range table.Rows {
		for id, want := range map[string]*outcome.RuleSummary{row.Problem.Name + "-suboptimality": &row.Rules[0], row.Problem.Name + "-regret": nil} {
			found := false
			for _, line := range figures[id].Lines {
				if line.Label != row.Algorithm.Label {
					continue
				}
				found = true
				s, metric := row.Regret, outcome.CumulativeRegret
				if want != nil {
					s, metric = want.True, outcome.Suboptimality
				}
				for _, v := range []struct{ got, want float64 }{
					{line.Mean[7], s.Mean}, {line.Lo[7], s.CI.Lo}, {line.Hi[7], s.CI.Hi}, {line.Median[7], s.Median}, {line.Q1[7], s.Q1}, {line.Q3[7], s.Q3}, {line.Seconds[7], row.Times.Run},
				} {
					check.That(t, rounded(v.got, v.want, 4), "%s, %s: got %v, want %v", id, line.Label, v.got, v.want)
				}
				check.Equal(t, "runs of "+id, line.N, 7)
				for i := range row.Runs {
					series := outcome.Find(metric).Series(&row.Runs[i])
					if !rounded(line.Last[i], series[7], 4) || !rounded(line.Runs[i][3], series[3], 3) {
						t.Errorf("%s, %s, run %d: got %v and %v, want %v and %v", id, line.Label, i, line.Runs[i][3], line.Last[i], series[3], series[7])
					}
				}
			}
			check.Equal(t, row.Algorithm.Label+" is in "+id, found, true)
		}
	}
}

// With one algorithm the lines are of recommendation rules.
func TestDataOfRules(t *testing.T) {
	table, within := livePage(t, reporttest.Options{Problems: []string{"beale"}, Runs: 4, Steps: 5})
	_, figures := within(MaxPage)
	lines := figures["beale-suboptimality"].Lines
	check.Equal(t, "rules", len(lines), 3)
	for k, rule := range table.Rows[0].Group.Rules {
		check.Equal(t, "label", lines[k].Label, rule)
		for i := range table.Rows[0].Runs {
			want := table.Rows[0].Runs[i].FinalSuboptimality(k)
			check.That(t, rounded(lines[k].Last[i], want, 4), "%s, run %d: got %v, want %v", rule, i, lines[k].Last[i], want)
		}
	}
}

// A page leaves out as little as needed to stay below its limit, and says what.
func TestSizeOfPage(t *testing.T) {
	if testing.Short() {
		t.Skip("makes large pages")
	}
	_, within := livePage(t, reporttest.Options{Problems: []string{"beale", "branin"}, Algorithms: []string{"popbo", "qeubo", "sgp", "dts"}, Runs: 30, Steps: 30})
	full, _ := within(MaxPage)
	brief, figures := within(len(full))
	for id, f := range figures {
		check.That(t, f.Lines[0].Runs == nil && len(f.Lines[0].Last) == 30 && f.Lines[0].Median != nil,
			"%s has curves of single runs, or no last values or medians", id)
	}
	bare, none := within(len(brief))
	check.Equal(t, "figures with data in the smallest page", len(none), 0)
	check.Contains(t, "the page without single runs", brief, "The curves of single runs are not in this page")
	check.Contains(t, "the page without data", bare, "These figures cannot be changed")
	check.That(t, len(figures) != 0 && len(brief) < len(full) && len(bare) < len(brief),
		"pages of %d, %d and %d bytes", len(full), len(brief), len(bare))
	images, _ := within(len(bare))
	check.Lacks(t, "the page without data", bare, "<img")
	check.Contains(t, "the smallest page", images, `<img src="figures/overview-suboptimality.svg" alt="Suboptimality`, `<img src="figures/overview-cumulative-regret.svg"`, "overviews are images")
	if n := (len(full) - len(bare)) / 2 * 7; n > MaxPage/2 {
		t.Errorf("the data of the seven functions of the paper's suite have %d bytes, more than half of a page", n)
	}
}

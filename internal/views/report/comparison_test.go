package report

import (
	"context"
	"encoding/csv"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/internal/judge"
	"popbench/internal/outcome"
	"popbench/internal/page/document"
	"popbench/internal/views/report/reporttest"
	"popbench/record"
)

// compared returns the table of the results, and its document with the comparison.
func compared(t *testing.T, in *reporttest.Folder, reference string) (*outcome.Table, *Comparison, *document.Document) {
	t.Helper()
	table := outcome.NewTable(mustCollect(t, in))
	c := check.Must(NewComparison(table, reference, nil))(t)
	return table, c, Document(table, c)
}

// written are the files of the report.
func written(t *testing.T, table *outcome.Table, c *Comparison) map[string]string {
	t.Helper()
	files := check.Must(allFiles(context.Background(), &Page{Table: table, Comparison: c}, outcome.Curves(table.Results)))(t)
	all := map[string]string{}
	for _, f := range files {
		all[f.Path] = string(f.Data)
	}
	return all
}

func TestReference(t *testing.T) {
	check.Sequential(t)
	in := reporttest.Results(reporttest.Options{Problems: []string{"branin", "levy13", "beale"}, Algorithms: []string{"popbo", "random", "sgp", "gpucb"}, Runs: 8, Steps: 10})
	table, c, d := compared(t, in, "SGP")
	s := sheetOf(d, "pairwise")
	check.Equal(t, "title", s.Title.String(), "Better than SGP?")
	check.Contains(t, "caption", s.Caption.String(), "in units of U", "adjusted for the 3 tests", "±0.134 U", "Below zero is better.")
	check.Equal(t, "rows", len(s.Rows), 3)
	before := math.Inf(-1)
	for _, row := range s.Rows {
		k := slices.IndexFunc(c.Overall, func(v judge.Versus) bool { return v.Label == row[0].String() })
		check.That(t, c.Overall[k].Value >= before, "%s comes after a worse one", row[0])
		before = c.Overall[k].Value
		check.Equal(t, "values are noted at "+row[0].String(), len(row[0].Notes) > 0, row[0].String() == "GP-UCB")
	}
	check.Equal(t, "rows of the problems", len(sheetOf(d, "pairwise-problems").Rows), 9)
	check.Equal(t, "sentences", document.Join(c.words(), " ").String(), "GP-UCB is better than SGP. Undecided: POP-BO and Random.")

	// The ranks are of those that are ranked.
	check.Equal(t, "ranked", strings.Join(c.Ranked, " "), "POP-BO Random SGP")
	check.Equal(t, "problems of the ranks", c.Blocks, 3)
	check.Equal(t, "the worst rank", sheetOf(d, "ranks").Rows[2][1].String(), "3.00")

	files := written(t, table, c)
	page := files["index.html"]
	check.Contains(t, "page", page, `<a href="#pairwise">`, `<details id="pairwise-problems">`, "GP-UCB is better than SGP.", "Diamond: the reference.")
	for _, name := range []string{"pairwise", "ranks", "profile-targets", "profile-data", "profile-performance"} {
		for _, path := range []string{"figures/" + name + ".svg", "figures/" + name + ".png", "figures/" + name + ".pdf", "data/" + name + ".csv"} {
			check.That(t, files[path] != "", "%s is not written", path)
		}
		check.Contains(t, "page", page, `href="data/`+name+`.csv"`)
	}
	rows := check.Must(csv.NewReader(strings.NewReader(files["data/pairwise.csv"])).ReadAll())(t)
	check.Equal(t, "lines of the numbers", len(rows), 1+3+9)
	difference, finding := slices.Index(rows[0], "difference"), slices.Index(rows[0], "finding")
	for i, v := range append(slices.Clone(c.Overall), c.Problems...) {
		got := check.Must(strconv.ParseFloat(rows[i+1][difference], 64))(t)
		check.That(t, got == v.Value && rows[i+1][1] == v.Label && rows[i+1][finding] == v.Verdict.String(), "line %d is %q, want %+v", i+1, rows[i+1], v)
	}
}

func TestUnknownReference(t *testing.T) {
	table := tableOf(t, reporttest.Options{Problems: []string{"branin"}, Algorithms: []string{"popbo", "random"}, Runs: 2, Steps: 2})
	for given, want := range map[string]string{
		"Randon": "report: --reference Randon is not an algorithm of synthetic; did you mean Random?",
		"xyz":    "report: --reference xyz is not an algorithm of synthetic; it has POP-BO and Random",
	} {
		if _, err := NewComparison(table, given, nil); err == nil || err.Error() != want {
			t.Errorf("%s: the error is %q, want %q", given, err, want)
		}
	}
}

// Expected running times over all problems are those of all runs together.
func TestTargets(t *testing.T) {
	in := reporttest.Results(reporttest.Options{Problems: []string{"beale", "branin"}, Algorithms: []string{"popbo", "random"}, Runs: 8, Steps: 10})
	_, _, d := compared(t, in, "")
	s := sheetOf(d, "to-target")
	for k, label := range []string{"POP-BO", "Random"} {
		steps, reached := 0, 0
		for _, r := range in.Records {
			if r.Header.Algorithm.Label != label {
				continue
			}
			last := 0 // the last step whose recommendation misses the target
			for _, step := range r.Steps {
				if *r.Header.Problem.Optimum-step.Recommendations[0].Utility > r.Header.Problem.Uniform.Mean/10 {
					last = step.T
				}
			}
			if last < 10 {
				reached++
			}
			steps += min(last+1, 10)
		}
		want := "—, 0/16"
		if reached > 0 {
			want = document.Short(float64(steps)/float64(reached)).String() + ", " + strconv.Itoa(reached) + "/16"
		}
		check.Equal(t, "all problems, "+label, s.Rows[2][k+1].String(), want)
	}
	check.Equal(t, "row of all", s.Rows[2][0].String(), "All problems")
}

// Pages say what there is to compare, and no more.
func TestSensiblePages(t *testing.T) {
	one, two := []string{"branin"}, []string{"branin", "beale"}
	o := func(runs int, problems []string, algorithms ...string) reporttest.Options {
		return reporttest.Options{Problems: problems, Algorithms: algorithms, Runs: runs, Steps: 6}
	}
	unknown := o(7, two, "popbo", "random")
	unknown.Unknown = one
	without := func(out func(*record.Header) bool) func(*reporttest.Folder) {
		return func(in *reporttest.Folder) {
			in.Records = slices.DeleteFunc(in.Records, func(r *record.Record) bool { return out(&r.Header) })
		}
	}
	for name, c := range map[string]struct {
		reporttest.Options
		change     func(*reporttest.Folder)
		figures    string   // of the comparison
		has, lacks []string // parts of the page
	}{
		"one method": {o(7, two, "popbo"), nil,
			"profile-targets profile-data", []string{`id="to-target"`}, []string{`id="pairwise"`, `id="ranks"`}},
		"one method on one problem": {o(7, one, "popbo"), nil, "profile-targets profile-data", []string{`id="to-target"`}, []string{`id="pairwise"`}},
		"one problem": {o(7, one, "popbo", "random"), nil,
			"pairwise profile-targets profile-data profile-performance", []string{`id="pairwise"`}, []string{`id="pairwise-problems"`, `id="ranks"`, "All problems"}},
		"unknown optimum": {unknown, nil,
			"pairwise ranks profile-targets profile-data profile-performance", []string{`id="pairwise"`, `id="pairwise-problems"`, "the best value found in 14 runs"}, nil},
		"no random points": {o(7, two, "popbo", "random"), func(in *reporttest.Folder) {
			for _, r := range in.Records {
				r.Header.Problem.Uniform = nil
			}
		}, "ranks", []string{`id="pairwise-problems"`, "in the unit of the objective", `id="ranks"`}, []string{`id="pairwise"`}},
		"a missing group": {o(7, two, "popbo", "random"), without(func(h *record.Header) bool { return h.Problem.Name == "beale" && h.Algorithm.Name == "random" }),
			"pairwise profile-targets profile-data profile-performance", []string{`id="pairwise"`, "The figures are of the 1 problem of which every ranked algorithm has a complete run"}, []string{`id="pairwise-problems"`, `id="ranks"`}},
		"a problem with a few runs": {o(7, two, "popbo", "random"), without(func(h *record.Header) bool { return h.Problem.Name == "beale" && h.Repetition > 2 }),
			"pairwise ranks profile-targets profile-data profile-performance", []string{"The mean leaves out problems on which fewer than 6 runs have a pair"}, nil},
		"too few runs": {o(2, one, "popbo", "random"), nil,
			"pairwise profile-targets profile-data profile-performance", []string{"Undecided: Random.", "Some have fewer runs than the 6"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			in := reporttest.Results(c.Options)
			if c.change != nil {
				c.change(in)
			}
			table, comparison, d := compared(t, in, "")
			page := string(rendered(t, func(w io.Writer) error {
				return WriteHTML(w, &Page{Table: table, Document: d, Comparison: comparison})
			}))
			var figures []string
			x := &exhibition{page: &Page{Table: table, Comparison: comparison}}
			x.addComparison()
			for i, f := range x.figures {
				figures = append(figures, f.Name)
				check.Lacks(t, "figure "+f.Name, string(check.Must(f.SVG())(t)), "NaN", "Inf")
				check.OK(t, x.files[i].write(io.Discard))
			}
			check.Equal(t, "figures", strings.Join(figures, " "), c.figures)
			check.Contains(t, "page", page, c.has...)
			check.Lacks(t, "page", page, append(c.lacks, "NaN")...)
		})
	}
}

package compare

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/internal/judge"
	"popbench/internal/views/report/reporttest"
	"popbench/record"
)

// What may differ if the same record is made twice.
func TestExactSame(t *testing.T) {
	head := folder(small, func(r *record.Record) {
		r.Header.Build = record.Build{Version: "9", Commit: "0123", Dirty: true, Fingerprint: "4567", Go: "go9", Platform: "plan9/386"}
		r.Footer.SHA256 = "0123"
	})
	e := check.Must(Exact(folder(small, nil), head))(t)
	check.That(t, e.Same == 40 && e.Differences == nil, "%+v", e)
	stack := func(line string) *reporttest.Folder {
		return folder(small, func(r *record.Record) { fail(3)(r); r.Footer.Stack = []string{line} })
	}
	check.Equal(t, "records with other stacks that are the same", check.Must(Exact(stack("a.go:3"), stack("a.go:4")))(t).Same, 40)
}

func TestExactFirstDifference(t *testing.T) {
	step := func(i int, change func(*record.Step)) func(*record.Record) {
		return func(r *record.Record) { change(&r.Steps[i]) }
	}
	for _, c := range []struct {
		name         string
		change       func(*record.Record)
		where, field string
		base, head   string
		fields       int
	}{
		{"a point", step(2, func(s *record.Step) { s.Points = [][]float64{{1, 2}, {1, 2.5}} }), "step 3", "points[1][1]", "2", "2.5", 1},
		{"a point more", step(2, func(s *record.Step) { s.Points = [][]float64{{1, 2}, {1, 2}, {7, 8}} }), "step 3", "points[2][0]", "absent", "7", 2},
		{"what follows from it", step(1, func(s *record.Step) { s.Winner++; s.Metrics[3].Value = 1; s.Points = [][]float64{{0, 2}, {1, 2}} }), "step 2", "points[0][0]", "1", "0", 3},
		{"a metric", step(3, func(s *record.Step) { s.Metrics[3].Value = 10 }), "step 4", "metrics.solves", "9", "10", 1},
		{"a value", step(0, func(s *record.Step) { s.Utility[0] = math.Nextafter(-0.3, -1) }), "step 1", "utility[0]", "", "-0.30000000000000004", 1},
		{"no metrics", step(0, func(s *record.Step) { s.Metrics = nil }), "step 1", "metrics.beta", "1", "absent", 7},
		{"the seed", func(r *record.Record) { r.Header.Seed = 18446744073709551615 }, "header", "seed", "20240705", "18446744073709551615", 1},
		{"a setting", func(r *record.Record) {
			r.Header.Algorithm.Settings = json.RawMessage(strings.Replace(string(r.Header.Algorithm.Settings), `"max-mle"`, `"other"`, 1))
		}, "header", "algorithm.settings.report", `"max-mle"`, `"other"`, 1},
		{"a list that is empty", func(r *record.Record) { r.Header.Problem.OptimumX = [][]float64{{}} }, "header", "problem.optimum_x[0][0]", "1", "absent", 3},
		{"an end", fail(0), "footer", "steps", "4", "1", 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			head := folder(small, on("beale", func(r *record.Record) {
				if r.Header.Repetition == 0 {
					c.change(r)
				}
			}))
			e := check.Must(Exact(folder(small, nil), head))(t)
			check.That(t, e.Same == 39 && len(e.Differences) == 1, "%+v", e)
			d := e.Differences[0]
			if c.base == "" {
				c.base = d.Values[0]
			}
			want := Difference{"beale/POP-BO/000", d.Base, d.Head, c.where, c.field, [2]string{c.base, c.head}, c.fields}
			check.Equal(t, "difference", d, want)
			check.Contains(t, "text", d.String(), d.Cell, c.where, c.field, c.base, c.head, "results/synthetic/records/beale/POP-BO/000.jsonl")
		})
	}
}

func TestExactOneSideOnly(t *testing.T) {
	few, many := folder(reporttest.Options{Problems: []string{"beale"}, Runs: 2}, nil), folder(reporttest.Options{Problems: []string{"beale"}, Runs: 3}, nil)
	for side, e := range map[string]*Exactness{"HEAD": check.Must(Exact(few, many))(t), "BASE": check.Must(Exact(many, few))(t)} {
		check.Equal(t, "records that are the same and that differ", [2]int{e.Same, len(e.Differences)}, [2]int{2, 1})
		check.Contains(t, "the difference", e.Differences[0].String(), "beale/POP-BO/002 is only in "+side+": ")
	}
	many.Issues = []record.Issue{{What: "damage"}}
	check.Error(t, "damage", check.Err(Exact(few, many)))
}

// A folder and its compact copy are the same, whichever is BASE, work counts included. What a compact record lacks, an exact
// comparison needs.
func TestCompactRecordsCompareAsTheSame(t *testing.T) {
	read := func(dir string) record.Source { return check.Must(record.Open(dir))(t) }
	whole, compact := "../../../results/reference", filepath.Join(t.TempDir(), "compact")
	_, err := record.WriteCompact(compact, check.Must(record.Open(whole))(t))
	check.OK(t, err)
	for _, side := range [][2]string{{whole, compact}, {compact, whole}} {
		base, head := read(side[0]), read(side[1])
		c := check.Must(Compare(base, head, Default()))(t)
		costs := 0
		for _, r := range c.Rows {
			check.That(t, r.Verdict == judge.Same && r.Mean[0] == r.Mean[1], "%s, %s, %s: %s, means %v", r.Problem, r.Algorithm, r.Metric, r.Verdict, r.Mean)
			if r.Kind == Cost {
				costs++
			}
		}
		check.That(t, costs > 20, "%d work counts are compared", costs)
		check.OK(t, check.Err(Resample(base, head, Default(), PowerOptions{Runs: []int{6}, Draws: 3}, rand.New(rand.NewPCG(1, 2)))))
		check.Error(t, "exact", check.Err(Exact(base, head)), "compact record")
	}
}

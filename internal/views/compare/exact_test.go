package compare

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/internal/views/report/reporttest"
	"popbench/record"
)

func exactly(t *testing.T, base, head *reporttest.Folder) *Exactness {
	t.Helper()
	return check.Must(Exact(base, head))(t)
}

// What may differ if the same record is made twice.
func TestExactSame(t *testing.T) {
	head := folder(small, func(r *record.Record) {
		r.Header.Build = record.Build{Version: "9", Commit: "0123", Dirty: true, Fingerprint: "4567", Go: "go9", Platform: "plan9/386"}
		r.Footer.SHA256 = "0123"
	})
	if e := exactly(t, folder(small, nil), head); e.Same != 40 || e.Differences != nil {
		t.Errorf("%+v", e)
	}
	stack := func(line string) *reporttest.Folder {
		return folder(small, func(r *record.Record) { fail(3)(r); r.Footer.Stack = []string{line} })
	}
	if e := exactly(t, stack("a.go:3"), stack("a.go:4")); e.Same != 40 {
		t.Errorf("%+v", e)
	}
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
			e := exactly(t, folder(small, nil), head)
			if e.Same != 39 || len(e.Differences) != 1 {
				t.Fatalf("%+v", e)
			}
			d := e.Differences[0]
			if c.base == "" {
				c.base = d.Values[0]
			}
			check.Equal(t, "cell", d.Cell, "beale/POP-BO/000")
			check.Equal(t, "where", d.Where, c.where)
			check.Equal(t, "field", d.Field, c.field)
			check.Equal(t, "values", d.Values, [2]string{c.base, c.head})
			check.Equal(t, "fields", d.Fields, c.fields)
			text := d.String()
			check.Contains(t, "text", text,
				d.Cell, c.where, c.field, c.base, c.head, "results/synthetic/records/beale/POP-BO/000.jsonl")
		})
	}
}

func TestExactOneSideOnly(t *testing.T) {
	few, many := folder(reporttest.Options{Problems: []string{"beale"}, Runs: 2}, nil), folder(reporttest.Options{Problems: []string{"beale"}, Runs: 3}, nil)
	for _, e := range []*Exactness{exactly(t, few, many), exactly(t, many, few)} {
		check.That(t, e.Same == 2 && len(e.Differences) == 1 && e.Differences[0].Cell == "beale/POP-BO/002", "%+v", e)
	}
	if got := exactly(t, few, many).Differences[0].String(); !strings.HasPrefix(got, "beale/POP-BO/002 is only in HEAD: ") {
		t.Error(got)
	}
	if got := exactly(t, many, few).Differences[0].String(); !strings.HasPrefix(got, "beale/POP-BO/002 is only in BASE: ") {
		t.Error(got)
	}
	many.Issues = []record.Issue{{What: "damage"}}
	check.Error(t, "damage", check.Err(Exact(few, many)))
}

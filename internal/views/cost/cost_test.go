package cost

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/internal/perflog"
)

// example returns the measurement in the tests of package perflog: POP-BO and random search
// on Branin, two runs of twenty steps each, both timed in two passes.
func example(t *testing.T) *perflog.Measurement {
	t.Helper()
	return check.Must(perflog.ReadFile("../../perflog/testdata/example.txt"))(t)
}

// Tests the comparison of times, and the refusal of measurements that cannot be compared.
// work_test.go tests the comparison of counts.
func TestCompare(t *testing.T) {
	popbo := perflog.Key{Problem: "branin", Algorithm: "POP-BO%2C%20a", Dim: 2}
	each := func(f func(r *perflog.Row)) func(*perflog.Measurement) {
		return func(m *perflog.Measurement) {
			for _, p := range m.Passes {
				for i := range p {
					f(&p[i])
				}
			}
		}
	}
	row := func(k perflog.Key, t int, f func(r *perflog.Row)) func(*perflog.Measurement) {
		k.T = t
		return each(func(r *perflog.Row) {
			if r.Key == k {
				f(r)
			}
		})
	}
	// work changes the count of a cell, and that of its rows accordingly.
	work := func(cell, count int, by float64) func(*perflog.Measurement) {
		return func(m *perflog.Measurement) {
			m.Cells[cell].Work[count].Value += by
			row(popbo, 20, func(r *perflog.Row) {
				r.Work = slices.Clone(r.Work)
				r.Work[count].Value += by / 20
			})(m)
		}
	}
	for name, c := range map[string]struct {
		change func(*perflog.Measurement)
		want   string // error of the comparison; "" if nothing got worse
	}{
		"nothing":            {func(*perflog.Measurement) {}, ""},
		"another version":    {func(m *perflog.Measurement) { m.Version, m.CPU, m.Go, m.Arch = "2", "other", "go2", "arm64" }, ""},
		"a little more work": {work(2, 0, 1), "1 of 2 work counts grew"},
		"less work":          {work(2, 0, -1), ""},
		"a slow step":        {row(popbo, 20, func(r *perflog.Row) { r.Calibrations *= 1.6 }), "1 of 2 algorithms on a problem take more than 1.3 times as long"},
		"a slower one":       {row(popbo, 20, func(r *perflog.Row) { r.Calibrations *= 1.3 }), ""},
		"one slow pass":      {func(m *perflog.Measurement) { m.Passes[1][1].Calibrations *= 9 }, ""},
		"a slow machine":     {each(func(r *perflog.Row) { r.Nanos *= 9 }), ""},
		"what is too short":  {each(func(r *perflog.Row) { r.Calibrations *= map[bool]float64{true: 9, false: 1}[r.Algorithm == "Random"] }), ""},
		"another rounding":   {func(m *perflog.Measurement) { m.Rounding = "4567"; work(2, 0, 1)(m) }, ""},
		"slow, on another": {func(m *perflog.Measurement) {
			m.Rounding = "4567"
			row(popbo, 20, func(r *perflog.Row) { r.Calibrations *= 2 })(m)
		}, "take more than 1.3 times"},
		"both": {func(m *perflog.Measurement) {
			work(0, 0, 1)(m)
			work(2, 1, 1)(m)
			row(popbo, 10, func(r *perflog.Row) { r.Calibrations *= 9 })(m)
		}, "2 of 2 work counts grew; 1 of 2 algorithms"},
		"counts only":               {func(m *perflog.Measurement) { m.Passes = nil }, ""},
		"cannot: other settings":    {func(m *perflog.Measurement) { m.ConfigHash = "other" }, "cannot: suite demo has other cells or settings"},
		"cannot: a row is missing":  {each(func(r *perflog.Row) { r.T = max(r.T, 19) }), "cannot: the earlier measurement lacks 2 of 4, the first problem=branin/algorithm=POP-BO%2C%20a/d=2/t=19;"},
		"cannot: a cell is missing": {func(m *perflog.Measurement) { m.Cells = m.Cells[:3] }, "cannot: the later measurement lacks 1 of 4, the first problem=branin/algorithm=Random/d=2/t=20/repetition=1;"},
		"cannot: a cell more": {func(m *perflog.Measurement) {
			last := m.Cells[3]
			last.Repetition = 2
			m.Cells = append(m.Cells, last)
		}, "cannot: the earlier measurement lacks 1 of 5, the first problem=branin/algorithm=Random/d=2/t=20/repetition=2;"},
		"cannot: another count": {func(m *perflog.Measurement) { rename(m, "solves", "sweeps") }, "cannot: problem=branin/algorithm=POP-BO%2C%20a/d=2/t=20/repetition=0 has the counts newton, sweeps, but newton, solves in the earlier measurement"},
		"cannot: a count less": {func(m *perflog.Measurement) {
			for i := range m.Cells {
				m.Cells[i].Work = m.Cells[i].Work[:min(1, len(m.Cells[i].Work))]
			}
		}, "cannot: problem=branin/algorithm=POP-BO%2C%20a/d=2/t=20/repetition=0 has the counts newton, but newton, solves in the earlier measurement"},
	} {
		head := example(t)
		c.change(head)
		check.OK(t, head.Check())
		got := ""
		compared, err := Compare(example(t), head, 0.3)
		if err != nil {
			got = "cannot: " + err.Error()
		} else {
			if err := compared.Err(); err != nil {
				got = err.Error()
			}
			text := compareText(t, compared)
			check.Equal(t, name+": the text says\n"+text, strings.Contains(text, "  worse\n"), c.want != "")
		}
		check.That(t, strings.Contains(got, c.want) && (c.want == "") == (got == ""), "%s: %q, want %q", name, got, c.want)
	}
}

// rename changes the name of a count.
func rename(m *perflog.Measurement, from, to string) {
	change := func(work []perflog.Count) {
		for i := range work {
			if work[i].Name == from {
				work[i].Name = to
			}
		}
	}
	for _, c := range m.Cells {
		change(c.Work)
	}
	for _, p := range m.Passes {
		for _, r := range p {
			change(r.Work)
		}
	}
}

func compareText(t *testing.T, c *Comparison) string {
	t.Helper()
	var b bytes.Buffer
	check.OK(t, c.Write(&b))
	return b.String()
}

func TestComparisonText(t *testing.T) {
	head := example(t)
	for _, p := range head.Passes {
		p[0].Calibrations *= 2
	}
	head.Cells[2].Work[0].Value += 6
	head.Cells[0].Queries, head.Cells[0].Work[1].Value = "00000000000000ff", 300
	c := check.Must(Compare(example(t), head, 0.3))(t)
	check.Golden(t, "compared.txt", compareText(t, c))
	head.Passes = nil
	c = check.Must(Compare(example(t), head, 0.3))(t)
	check.Contains(t, "counts only", compareText(t, c), "are needed\ntimes are not compared: one of the two has only counts\n")
}

func TestActionJSON(t *testing.T) {
	check.GoldenWritten(t, "action.json", func(w io.Writer) error { return WriteActionJSON(w, example(t)) })
}

func TestHistory(t *testing.T) {
	var file []byte
	var want []Entry
	for i := range 3 {
		m := example(t)
		m.Version = fmt.Sprint(i)
		e := NewEntry(m, "2026-01-02T03:04:05Z")
		file, want = append(append(file, check.Must(json.Marshal(e))(t)...), '\n'), append(want, *e)
	}
	got, err := readHistory("h.jsonl", file)
	check.That(t, err == nil && reflect.DeepEqual(got, want), "%v, read %+v", err, got)
	r := got[0].Rows[0]
	check.That(t, r.Nanos == 250_000 && r.Calibrations == 2.5 && r.Work["newton"] == 100.05, "not that of the fastest pass: %+v", r)
	for name, bad := range map[string][]byte{
		"cut off":  file[:len(file)-20],
		"joined":   bytes.Replace(file, []byte("\n"), nil, 1),
		"no rows":  append(slices.Clone(file), `{"time":"x"}`...),
		"no entry": append(slices.Clone(file), `{"name":"x"}`...),
	} {
		check.Error(t, name, check.Err(readHistory("h.jsonl", bad)), "h.jsonl:", "remove it")
	}
}

// An editor may have removed the last line break.
func TestAppendToAnUnendedLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "h.jsonl")
	e := NewEntry(example(t), "2026-01-02T03:04:05Z")
	check.OK(t, os.WriteFile(path, check.Must(json.Marshal(e))(t), 0o666))
	check.Must(AppendFile(path, e))(t)
	check.Equal(t, "entries", len(check.Must(readHistory(path, []byte(check.Text(t, path))))(t)), 2)
}

func TestPage(t *testing.T) {
	old, now := example(t), example(t)
	now.Suite = "<demo>"
	for _, p := range now.Passes {
		p[0].Calibrations = 5
		p[0].Work = []perflog.Count{{Name: "newton", Value: 150.075}, {Name: "solves", Value: 30}}
	}
	late := *now
	late.Passes = []perflog.Pass{append(slices.Clone(now.Passes[0]), perflog.Row{Key: perflog.Key{Problem: "gp1", Algorithm: "New", Dim: 1, T: 10}, Nanos: 1e6, Calibrations: 7})}
	var b bytes.Buffer
	check.OK(t, WritePage(&b, []Entry{*NewEntry(old, "a"), *NewEntry(&late, "b")}))
	page := b.String()
	check.Contains(t, "the page", page,
		`<th scope="row">POP-BO, a</th>`, "&lt;demo&gt;", "2 measurements; the latest on b", `<meta name="description" content="Time and work`, `property="og:title"`, "A measurement of this project", "<h3>How to cite</h3>", "branin, 2-D", "gp1, 1-D", "×2.00", `>1.02</td><td>7</td>`, "newton 150.1, solves 30", ">abcdef1</text>", `<th scope="row">New</th><th scope="row">10</th><td>1</td><td>7</td>`)
	before, script, _ := strings.Cut(page, "<script>") // which has words of its own
	_, after, _ := strings.Cut(script, "</script>")
	check.Lacks(t, "the page", before+after, "NaN", "Inf", "<demo>", "%!", "%20")
	check.Equal(t, "charts: algorithm New has no work counts", strings.Count(page, "<svg"), 5)
}

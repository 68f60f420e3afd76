package perf

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"popbench/internal/harness/config"
	"popbench/internal/harness/runner"
	"popbench/internal/harness/suite"
	"popbench/internal/runlog"
)

// example is a measurement of two passes: POP-BO and random search on Branin,
// twenty steps of two runs, both of them timed.
func example() *Measurement {
	m := &Measurement{
		Suite: "demo", ConfigHash: "00ff", Version: "0.1.0+abcdef123456", Go: "go1.26.0", OS: "linux", Arch: "amd64", CPU: "Some (R) CPU: fast", Rounding: "0123",
	}
	for i := range 2 {
		cell := func(algorithm string, work ...Count) Cell {
			return Cell{Key: Key{Problem: "branin", Algorithm: algorithm, Dim: 2, T: 20}, Repetition: i, Queries: fmt.Sprintf("%015x%d", len(algorithm), i), Work: work}
		}
		m.Cells = append(m.Cells,
			cell("POP-BO%2C%20a", Count{"newton", 3000 + float64(i)}, Count{"solves", 303 + 2./3*float64(i)}),
			cell("Random"))
	}
	for pass := range 2 {
		slow := 1 + 0.5*float64(pass)
		row := func(algorithm string, t int, nanos, calibrations float64, work ...Count) Row {
			return Row{
				Key:   Key{Problem: "branin", Algorithm: algorithm, Dim: 2, T: t},
				Steps: 20, Nanos: nanos * slow, Calibrations: calibrations * slow, Bytes: 1024.5, Allocs: 7, Work: work,
			}
		}
		m.Passes = append(m.Passes, Pass{
			row("POP-BO%2C%20a", 10, 250_000, 2.5, Count{"newton", 100.05}, Count{"solves", 30}),
			row("POP-BO%2C%20a", 20, 1.0/3, 5, Count{"newton", 200}, Count{"solves", 1. / 3}),
			row("Random", 10, 2000, 0.02),
			row("Random", 20, 2000, 0.02),
		})
	}
	return m
}

func text(t *testing.T, m *Measurement) string {
	t.Helper()
	var b bytes.Buffer
	if err := m.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestFileGivesTheMeasurementAgain(t *testing.T) {
	want := example()
	got, err := Read("base.txt", []byte(text(t, want)))
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("read   %+v\nwritten %+v", got, want)
	}
	noisy := "PASS\nok  \tpopbench\t1.2s\nBenchmarkOther-8 1 5 ns/op\n\n" + text(t, want)
	if got, err := Read("base.txt", []byte(noisy)); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("with lines of others: %v, %+v", err, got)
	}
}

// Each line is one that the format's definition knows: a file setting whose key
// begins with a lower-case letter, a unit's metadata, or a result. Readers
// ignore unknown lines, such as those of cells.
func TestFileIsInGoBenchmarkFormat(t *testing.T) {
	setting := regexp.MustCompile(`^[a-z][^ \tA-Z]*: \S.*$`)
	unit := regexp.MustCompile(`^Unit \S+( [a-z]+=[a-z]+)+$`)
	result := regexp.MustCompile(`^Benchmark[A-Z]\S* [1-9][0-9]*( [0-9.]+ [^ 0-9]\S*)+$`)
	ignored := regexp.MustCompile(`^Cell/\S+( [0-9.]+ [^ 0-9]\S*)*$`)
	kinds := [4]int{}
	for line := range strings.Lines(text(t, example())) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case setting.MatchString(line):
			kinds[0]++
		case unit.MatchString(line):
			kinds[1]++
		case result.MatchString(line):
			kinds[2]++
		case ignored.MatchString(line):
			kinds[3]++
		default:
			t.Errorf("a line of no kind: %q", line)
		}
	}
	if kinds != [4]int{8, 2, 8, 4} {
		t.Errorf("%v settings, units, results and cells", kinds)
	}
}

func TestReadRefuses(t *testing.T) {
	good := text(t, example())
	for _, c := range []struct{ old, new, want string }{
		{"goarch: amd64\n", "", `base.txt: the line "goarch:" is missing`},
		{"BenchmarkStep", "BenchmarkOther", "base.txt: pass 2 has"},
		{" 20 ", " many ", `base.txt:15: "many" is not a number of iterations`},
		{" 7 allocs/op", " allocs/op", "base.txt:15: BenchmarkStep"},
		{" 7 allocs/op", "", "has no allocs/op"},
		{"250000 ns/op", "-1 ns/op", `base.txt:15: "-1" is not a measured value`},
		{"250000 ns/op", "NaN ns/op", `base.txt:15: "NaN" is not a measured value`},
		{"30 solves/op", "30 newton/op", "base.txt:15: newton/op is measured twice"},
		{"d=2/t=10", "d=two/t=10", `base.txt:15: d=two: strconv.Atoi`},
		{"d=2/t=10", "size=2/t=10", "base.txt:15: size=2: not one of algorithm, d, problem, t"},
		{"d=2/t=10", "d=2/d=2/t=10", "base.txt:15: d=2: not one of"},
		{"d=2/t=10", "t=10", "base.txt:15: problem=branin/algorithm=POP-BO%2C%20a/t=10: d is missing"},
		{"100.05 newton", "100 newton", "counts of work must not vary"},
		{"t=20 ", "t=30 ", "row 2 is"},

		{"/repetition=1/", "/repetition=0/", "base.txt: the cell problem=branin/algorithm=POP-BO%2C%20a/d=2/t=20/repetition=0 appears twice"},
		{"/repetition=1/", "/repetition=one/", "base.txt:13: repetition=one: strconv.Atoi"},
		{"/repetition=1/", "/", "base.txt:13: problem=branin/algorithm=POP-BO%2C%20a/d=2/t=20/queries=00000000000000d1: repetition is missing"},
		{"/queries=00000000000000d1", "/queries=d1", "base.txt:13: queries=d1: a fingerprint has 16 hexadecimal digits"},
		{"/queries=00000000000000d1", "/queries=g0000000000000d1", "base.txt:13: queries=g"},
		{"3001 newton", "3001", "base.txt:13: Cell/"},
		{"3001 newton", "3002 newton", "base.txt: POP-BO%2C%20a on branin counts 150.05 newton a step in its cells and 150.025 in its rows"},
		{" 3001 newton", "", "newton a step in its cells"},
		{"algorithm=Random/d=2/t=20/repetition=1", "algorithm=Other/d=2/t=20/repetition=1", "base.txt: Other on branin has counts of cells and was not timed"},
	} {
		_, err := Read("base.txt", []byte(strings.Replace(good, c.old, c.new, 1)))
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q for %q: %v, want %q", c.new, c.old, err, c.want)
		}
	}
	// What earlier versions wrote.
	old := regexp.MustCompile(`(?m)^Cell/.*\n`).ReplaceAllString(good, "")
	if _, err := Read("base.txt", []byte(old)); err == nil || err.Error() != "base.txt: it has no counts of cells, as an earlier version wrote it; measure again" {
		t.Errorf("an old file: %v", err)
	}
	// Counts alone are a measurement.
	if m, err := Read("base.txt", []byte(good[:strings.Index(good, "Benchmark")])); err != nil || len(m.Cells) != 4 || len(m.Passes) != 0 {
		t.Errorf("counts only: %v, %+v", err, m)
	}
}

// Times are compared; some measurements cannot be. work_test.go has the tests of
// counts.
func TestCompare(t *testing.T) {
	popbo := Key{Problem: "branin", Algorithm: "POP-BO%2C%20a", Dim: 2}
	each := func(f func(r *Row)) func(*Measurement) {
		return func(m *Measurement) {
			for _, p := range m.Passes {
				for i := range p {
					f(&p[i])
				}
			}
		}
	}
	row := func(k Key, t int, f func(r *Row)) func(*Measurement) {
		k.T = t
		return each(func(r *Row) {
			if r.Key == k {
				f(r)
			}
		})
	}
	// work changes the count of a cell, and of the rows in step.
	work := func(cell, count int, by float64) func(*Measurement) {
		return func(m *Measurement) {
			m.Cells[cell].Work[count].Value += by
			row(popbo, 20, func(r *Row) {
				r.Work = slices.Clone(r.Work)
				r.Work[count].Value += by / 20
			})(m)
		}
	}
	for name, c := range map[string]struct {
		change func(*Measurement)
		want   string // error of the comparison; "" if nothing got worse
	}{
		"nothing":            {func(*Measurement) {}, ""},
		"another version":    {func(m *Measurement) { m.Version, m.CPU, m.Go, m.Arch = "2", "other", "go2", "arm64" }, ""},
		"a little more work": {work(2, 0, 1), "1 of 2 counts of work grew"},
		"less work":          {work(2, 0, -1), ""},
		"a slow step":        {row(popbo, 20, func(r *Row) { r.Calibrations *= 1.6 }), "1 of 2 algorithms on a problem take more than 1.3 times as long"},
		"a slower one":       {row(popbo, 20, func(r *Row) { r.Calibrations *= 1.3 }), ""},
		"one slow pass":      {func(m *Measurement) { m.Passes[1][1].Calibrations *= 9 }, ""},
		"a slow machine":     {each(func(r *Row) { r.Nanos *= 9 }), ""},
		"what is too short":  {each(func(r *Row) { r.Calibrations *= map[bool]float64{true: 9, false: 1}[r.Algorithm == "Random"] }), ""},
		"another rounding":   {func(m *Measurement) { m.Rounding = "4567"; work(2, 0, 1)(m) }, ""},
		"slow, on another":   {func(m *Measurement) { m.Rounding = "4567"; row(popbo, 20, func(r *Row) { r.Calibrations *= 2 })(m) }, "take more than 1.3 times"},
		"both": {func(m *Measurement) {
			work(0, 0, 1)(m)
			work(2, 1, 1)(m)
			row(popbo, 10, func(r *Row) { r.Calibrations *= 9 })(m)
		}, "2 of 2 counts of work grew; 1 of 2 algorithms"},
		"counts only":               {func(m *Measurement) { m.Passes = nil }, ""},
		"cannot: other settings":    {func(m *Measurement) { m.ConfigHash = "other" }, "cannot: suite demo ran with other cells or settings"},
		"cannot: a row is missing":  {each(func(r *Row) { r.T = max(r.T, 19) }), "cannot: problem=branin/algorithm=POP-BO%2C%20a/d=2/t=10 was measured before and is not now"},
		"cannot: a cell is missing": {func(m *Measurement) { m.Cells = m.Cells[:3] }, "cannot: problem=branin/algorithm=Random/d=2/t=20/repetition=1 was measured before and is not now"},
		"cannot: another count":     {func(m *Measurement) { rename(m, "solves", "sweeps") }, "cannot: problem=branin/algorithm=POP-BO%2C%20a/d=2/t=20/repetition=0 counts newton, sweeps, but newton, solves before"},
		"cannot: a count less": {func(m *Measurement) {
			for i := range m.Cells {
				m.Cells[i].Work = m.Cells[i].Work[:min(1, len(m.Cells[i].Work))]
			}
		}, "cannot: problem=branin/algorithm=POP-BO%2C%20a/d=2/t=20/repetition=0 counts newton, but newton, solves before"},
	} {
		head := example()
		c.change(head)
		if err := head.Check(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got := ""
		compared, err := Compare(example(), head, 0.3)
		if err != nil {
			got = "cannot: " + err.Error()
		} else if err := compared.Err(); err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, c.want) || (c.want == "") != (got == "") {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		if err != nil {
			continue
		}
		text := compareText(t, compared)
		if worse := strings.Contains(text, "  worse\n"); worse != (c.want != "") {
			t.Errorf("%s: the text says\n%s", name, text)
		}
	}
}

// rename changes the name of a count.
func rename(m *Measurement, from, to string) {
	change := func(work []Count) {
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
	if err := c.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestComparisonText(t *testing.T) {
	head := example()
	for _, p := range head.Passes {
		p[0].Calibrations *= 2
	}
	head.Cells[2].Work[0].Value += 6
	head.Cells[0].Queries, head.Cells[0].Work[1].Value = "00000000000000ff", 300
	c, err := Compare(example(), head, 0.3)
	if err != nil {
		t.Fatal(err)
	}
	const want = `work: 1 worse, 1 undecided, 0 better, 0 same, of 2 counts
  problem=branin/algorithm=POP-BO%2C%20a/d=2 newton: 150.175 a step, was 150.025, ×1.001, same queries in 1 of 2 runs, of which 1 grew and 0 fell  worse
  problem=branin/algorithm=POP-BO%2C%20a/d=2 solves: 15.0917 a step, was 15.1667, ×0.995, P 1, same queries in 1 of 2 runs  undecided
  where queries differ: signed-rank tests of the runs, P by Holm for 1; worse is at most 0.05 and ×1.05 or more
  1 of 1 tests have too few runs to be significant whatever the data; with this many tests at least 6 runs are needed
time of all steps, in calibrations; up to ×1.3 is tolerated
  problem=branin/algorithm=POP-BO%2C%20a/d=2: 200, was 150, ×1.33  worse
  problem=branin/algorithm=Random/d=2: 0.8, was 0.8, ×1.00  too short to tell
`
	if text := compareText(t, c); text != want {
		t.Errorf("got\n%swant\n%s", text, want)
	}
	head.Passes = nil
	if c, err = Compare(example(), head, 0.3); err != nil {
		t.Fatal(err)
	}
	if text := compareText(t, c); !strings.HasSuffix(text, "are needed\ntime is not compared: one of the two has counts only\n") {
		t.Errorf("counts only:\n%s", text)
	}
}

func TestActionJSON(t *testing.T) {
	var b bytes.Buffer
	if err := example().WriteActionJSON(&b); err != nil {
		t.Fatal(err)
	}
	var all []map[string]any
	if err := json.Unmarshal(b.Bytes(), &all); err != nil {
		t.Fatal(err)
	}
	if len(all) != 8 { // four times, and twice two counts
		t.Fatalf("%d entries", len(all))
	}
	for _, e := range all {
		name, ok1 := e["name"].(string)
		_, ok2 := e["unit"].(string)
		_, ok3 := e["value"].(float64)
		if !ok1 || !ok2 || !ok3 || name == "" {
			t.Errorf("entry %v", e)
		}
	}
	want := map[string]any{
		"name": "problem=branin/algorithm=POP-BO%2C%20a/d=2/t=10/time", "unit": "calibrations/step", "value": 2.5,
		"range": "2.5 to 3.75", "extra": "250000 ns/step, 1024.5 B/step, 7 allocs/step",
	}
	if !reflect.DeepEqual(all[0], want) {
		t.Errorf("got  %v\nwant %v", all[0], want)
	}
}

func TestHistory(t *testing.T) {
	var file []byte
	var want []Entry
	for i := range 3 {
		m := example()
		m.Version = fmt.Sprint(i)
		e := m.Entry("2026-01-02T03:04:05Z")
		line, err := e.Line()
		if err != nil {
			t.Fatal(err)
		}
		file, want = append(file, line...), append(want, *e)
	}
	got, err := ReadHistory("h.jsonl", file)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, read %+v", err, got)
	}
	if r := got[0].Rows[0]; r.Nanos != 250_000 || r.Calibrations != 2.5 || r.Work["newton"] != 100.05 {
		t.Errorf("not that of the fastest pass: %+v", r)
	}
	for name, bad := range map[string][]byte{
		"cut off":  file[:len(file)-20],
		"no rows":  append(slices.Clone(file), `{"time":"x"}`...),
		"no entry": append(slices.Clone(file), `{"name":"x"}`...),
	} {
		if _, err := ReadHistory("h.jsonl", bad); err == nil || !strings.HasPrefix(err.Error(), "h.jsonl:") || !strings.Contains(err.Error(), "take it out") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestPage(t *testing.T) {
	old, now := example(), example()
	now.Suite = "<demo>"
	for _, p := range now.Passes {
		p[0].Calibrations = 5
		p[0].Work = []Count{{"newton", 150.075}, {"solves", 30}}
	}
	late := *now
	late.Passes = []Pass{append(slices.Clone(now.Passes[0]), Row{Key: Key{Problem: "gp1", Algorithm: "New", Dim: 1, T: 10}, Nanos: 1e6, Calibrations: 7})}
	var b bytes.Buffer
	if err := WritePage(&b, []Entry{*old.Entry("a"), *late.Entry("b")}); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	for _, want := range []string{"&lt;demo&gt;", "2 measurements", "branin, 2-D", "gp1, 1-D", "×2.00", "newton 150.1, solves 30", ">abcdef1</text>", "<td>New<td>10<td>1<td>7<td>"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	for _, bad := range []string{"NaN", "Inf", "<demo>", "%!"} {
		if strings.Contains(page, bad) {
			t.Errorf("the page has %q", bad)
		}
	}
	if n := strings.Count(page, "<svg"); n != 6 {
		t.Errorf("%d charts", n)
	}
	if err := WritePage(&b, nil); err == nil {
		t.Error("a page of nothing")
	}
}

// Points are where their values are: on a linear axis from zero, on a
// logarithmic one a decade is as high as the next.
func TestPlot(t *testing.T) {
	heights := func(p *plot) []float64 {
		var y []float64
		for _, m := range regexp.MustCompile(`cy="([0-9.]+)"`).FindAllStringSubmatch(string(p.SVG()), -1) {
			var v float64
			fmt.Sscan(m[1], &v)
			y = append(y, v)
		}
		return y
	}
	linear := &plot{Ticks: []string{"a", "b", "c"}}
	linear.add("x", 3, func(i int) float64 { return float64(i) })
	if y := heights(linear); math.Abs((y[0]-y[1])-(y[1]-y[2])) > 0.2 || y[0] != leastHeight-plotBottom {
		t.Errorf("heights of 0, 1, 2: %v", y)
	}
	log := &plot{Ticks: []string{"a", "b", "c", "d"}, Log: true}
	log.add("x", 4, func(i int) float64 { return []float64{1, 10, math.NaN(), 100}[i] })
	if y := heights(log); len(y) != 3 || math.Abs((y[0]-y[1])-(y[1]-y[2])) > 0.2 {
		t.Errorf("heights of 1, 10, 100: %v", y)
	}
	for _, hi := range []float64{1e-5, 0.3, 1.05, 2, 7, 99, 1e6} {
		if grid := linear.grid(0, hi); len(grid) < 3 || len(grid) > 8 || grid[len(grid)-1] > hi {
			t.Errorf("up to %g: lines at %v", hi, grid)
		}
	}
}

const small = `
name: small
steps: 12
repetitions: 3
problems: [{name: branin}]
algorithms:
  - {name: gpucb, label: "GP-UCB, a", settings: {fit: none}}
  - {name: random}
`

func cells(t *testing.T, text string) []suite.Cell {
	t.Helper()
	s, err := config.Parse("small.yaml", []byte(text), suite.Catalogue{})
	if err != nil {
		t.Fatal(err)
	}
	all, err := suite.Catalogue{}.Expand(s, new(suite.Fits))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// keep is a sink.
type keep []*runlog.Record

func (k *keep) Put(r *runlog.Record, _ *runlog.Timing) error { *k = append(*k, r); return nil }

// What is counted is what the records of the same cells have, where nothing is
// measured.
func TestMeasure(t *testing.T) {
	all := cells(t, small)
	done := 0
	o := Options{Passes: 2, Workers: 3, Done: func() { done++ }}
	m, err := Measure(context.Background(), "small", all, o)
	if err != nil {
		t.Fatal(err)
	}
	if done != 6+2*4 || o.Runs(all) != done || len(m.Passes) != 2 { // all once, and the timed ones twice
		t.Errorf("%d cells done in %d passes, %d announced", done, len(m.Passes), o.Runs(all))
	}
	var records keep
	if err := runner.Run(context.Background(), all, &records, runner.Options{Workers: 1}); err != nil {
		t.Fatal(err)
	}
	var keys []Key
	for _, r := range m.rows() {
		keys = append(keys, r.Key)
		first, steps := 1, 10
		if r.T == 12 {
			first, steps = 11, 2
		}
		want := 0.0
		for _, record := range records {
			for _, s := range record.Steps {
				if v, ok := s.Metrics.Get("evaluations"); ok && s.T >= first && s.T <= r.T {
					want += v
				}
			}
		}
		if r.Algorithm == "random" {
			if r.Work != nil {
				t.Errorf("%v counts %v", r.Key, r.Work)
			}
		} else if got := strings.Join(names(r.Work), ", "); got != "evaluations, failures, fit_evaluations" {
			t.Errorf("%v counts %s", r.Key, got)
		} else if i := slices.IndexFunc(r.Work, func(c Count) bool { return c.Name == "evaluations" }); i < 0 || r.Work[i].Value != want/float64(3*steps) || want == 0 {
			t.Errorf("%v: %v, want %g evaluations in %d steps of three runs", r.Key, r.Work, want, steps)
		}
		if r.Steps != Timed*steps || !(r.Nanos > 0) || !(r.Calibrations >= 0) || r.Allocs < 3 || r.Bytes < 100 {
			t.Errorf("row %+v", r)
		}
	}
	branin := func(a string, t int) Key { return Key{Problem: "branin", Algorithm: a, Dim: 2, T: t} }
	if want := []Key{branin("GP-UCB,%20a", 10), branin("GP-UCB,%20a", 12), branin("random", 10), branin("random", 12)}; !slices.Equal(keys, want) {
		t.Errorf("rows %v", keys)
	}
	if other, err := Measure(context.Background(), "small", cells(t, strings.Replace(small, "12", "11", 1))[:1], Options{}); err != nil || other.ConfigHash == m.ConfigHash {
		t.Errorf("another suite has config hash %s, this one %s (%v)", other.ConfigHash, m.ConfigHash, err)
	}
}

func TestMeasureRefusesAFailedCell(t *testing.T) {
	all := cells(t, small)
	all[1].Begin = func(runlog.Header) (*suite.Trial, error) { return nil, fmt.Errorf("no luck") }
	if _, err := Measure(context.Background(), "small", all, Options{}); err == nil || !strings.Contains(err.Error(), "cell branin/random/000 failed: no luck") {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Measure(ctx, "small", cells(t, small), Options{}); err != runner.ErrInterrupted {
		t.Errorf("cancelled: %v", err)
	}
}

func TestCalibrationIsFixed(t *testing.T) {
	if got := logDeterminant(); got != calibrationResult {
		t.Errorf("log-determinant %g, should be %d", got, calibrationResult)
	}
}

func TestRounding(t *testing.T) {
	const want = "f168467419ef1c13"
	if got := rounding(); got != want {
		t.Errorf("the fingerprint is %s, with portable arithmetic %s", got, want)
	}
}

func TestCheckRefusesAClockThatStandsStill(t *testing.T) {
	for _, v := range []float64{math.Inf(1), math.NaN()} {
		m := example()
		m.Passes[1][2].Calibrations = v
		if err := m.Check(); err == nil || !strings.Contains(err.Error(), "pass 2: problem=branin/algorithm=Random/d=2/t=10") || !strings.Contains(err.Error(), "too coarse") {
			t.Errorf("%g calibrations: %v", v, err)
		}
	}
}

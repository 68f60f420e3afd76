package export

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/internal/outcome"
	"popbench/internal/views/report/reporttest"
	"popbench/record"
)

// values is the tidy table of records.
func values(t *testing.T, in record.Source) string {
	t.Helper()
	fs, _ := exported(t, Tidy, Folder{Source: in})
	return fs[Values].String()
}

func imports(t *testing.T, text string, o ImportOptions) *reporttest.Folder {
	t.Helper()
	o.File = "their.csv"
	records := check.Must(Import(strings.NewReader(text), o))(t)
	for _, r := range records { // through a file, as they will be read
		check.OK(t, check.Err(record.Decode("x", check.Must(record.Encode(r))(t))))
	}
	return &reporttest.Folder{Dir: "results/imported", Records: records}
}

// withoutPoints is a table without the lines of metrics that need the points of the queries, which no table has.
func withoutPoints(table string) string {
	var kept strings.Builder
	for line := range strings.Lines(table) {
		if !slices.ContainsFunc(derived, func(m *outcome.Measure) bool { return !m.Rule && strings.Contains(line, ","+string(m.Name)+",") }) {
			kept.WriteString(line)
		}
	}
	return kept.String()
}

// What was exported, imported and exported again is the same table but for the metrics that need points, with an optimum or
// without, and with each function of a random problem.
func TestRoundTrip(t *testing.T) {
	snapshots := reporttest.Results(reporttest.Options{Problems: []string{"beale", "branin"}, Algorithms: []string{"popbo", "gpucb"}, Runs: 11, Steps: 7, Snapshots: []int{2}})
	for i, r := range snapshots.Records {
		*r.Header.Problem.Optimum += float64(i) / 3 // as of a random problem
	}
	for name, in := range map[string]*reporttest.Folder{"tiny": tiny(), "synthetic": reporttest.Results(reporttest.Options{Runs: 3, Steps: 6}), "random": snapshots} {
		first := values(t, in)
		want := withoutPoints(first)
		check.That(t, len(want) != len(first), "%s: no metric needs points", name)
		check.Equal(t, name+": exported again", values(t, imports(t, first, ImportOptions{})), want)
	}
}

// The order of the lines does not matter, except among rules and metrics.
func TestImportInAnyOrder(t *testing.T) {
	first := withoutPoints(values(t, reporttest.Results(reporttest.Options{Problems: []string{"beale"}, Runs: 2, Steps: 3})))
	lines := strings.Split(strings.TrimSuffix(first, "\n"), "\n")
	half := 1 + len(lines)/2 // the second run comes first
	mixed := strings.Join(append(append(lines[:1:1], lines[half:]...), lines[1:half]...), "\r\n")
	check.Equal(t, "the table", values(t, imports(t, "\ufeff"+mixed, ImportOptions{})), first)
}

// minimal is the least that a table can have.
const minimal = `problem,algorithm,repetition,step,metric,value
branin,theirs,0,1,suboptimality,2.5
branin,theirs,0,1,instantaneous-regret,3
branin,theirs,0,2,suboptimality,0.5
branin,theirs,0,2,instantaneous-regret,1
`

func TestImportOfTheLeast(t *testing.T) {
	r := imports(t, minimal, ImportOptions{Suite: "quick"}).Records[0]
	check.Equal(t, "cell", r.Header.Cell, "branin/theirs/000")
	check.Equal(t, "suite", r.Header.Suite, "quick")
	check.Equal(t, "file", r.Header.Imported.File, "their.csv")
	check.Equal(t, "steps", r.Header.Budget, 2)
	run := outcome.NewRun(r, nil)
	check.Equal(t, "suboptimality", run.FinalSuboptimality(0), 0.5)
	check.Equal(t, "cumulative regret", run.CumulativeRegret(2), 4)
	check.Equal(t, "rule", outcome.Rules(r)[0], defaultRule)
}

// A cumulative regret may be rounded in its last digits, however large it is.
func TestImportOfRoundedSums(t *testing.T) {
	text := strings.NewReplacer("regret,3", "regret,3e6", "regret,1\n", "regret,1e6\n").Replace(minimal)
	run := outcome.NewRun(imports(t, text+"branin,theirs,0,2,cumulative-regret,4000000.001\n", ImportOptions{Suite: "quick"}).Records[0], nil)
	check.Equal(t, "cumulative regret", run.CumulativeRegret(2), 4e6)
	_, err := Import(strings.NewReader(text+"branin,theirs,0,2,cumulative-regret,4000000.01\n"), ImportOptions{File: "t.csv", Suite: "quick"})
	check.Error(t, "a wrong sum", err, "cumulative-regret is 4.00000001e+06, the instantaneous ones up to step 2 sum up to 4e+06")
}

// Of a table of several suites, one can be taken.
func TestImportOfASuite(t *testing.T) {
	text := "suite,problem,algorithm,repetition,step,metric,value\n"
	for _, suite := range []string{"a", "b"} {
		text += suite + ",branin,theirs,0,1,suboptimality,2\n" + suite + ",branin,theirs,0,1,instantaneous-regret,3\n"
	}
	check.Equal(t, "suite", imports(t, text, ImportOptions{Only: "b"}).Records[0].Header.Suite, "b")
	for only, want := range map[string]string{"": `t.csv:4: column suite: "b", but "a" in line 2`, "c": "t.csv:1: the table has no runs of the suite c"} {
		check.Error(t, only, check.Err(Import(strings.NewReader(text), ImportOptions{File: "t.csv", Only: only})), want)
	}
}

// Every fault is refused in one line, with the place: it stands below a change of the least table, at ONE place or at ALL,
// below MORE lines of it, below the ONLY lines, and below lines of a WIDE table.
func TestImportRefuses(t *testing.T) {
	const wide = "problem,algorithm,repetition,step,metric,value,kind,rule,selected,against,seed,dimension\n"
	check.GoldenLines(t, "refusals.golden", func(line string) string {
		kind, text, _ := strings.Cut(strings.NewReplacer(`\n`, "\n", `\x1b`, "\x1b").Replace(line), " ")
		old, changed, _ := strings.Cut(text, " → ")
		switch kind {
		case "ONE":
			text = strings.Replace(minimal, old, changed, 1)
		case "ALL":
			text = strings.ReplaceAll(minimal, old, changed)
		case "MORE":
			text = minimal + text
		case "WIDE":
			text = wide + text
		}
		check.That(t, text != minimal, "%s: nothing changes", line)
		return fmt.Sprint(check.Err(Import(strings.NewReader(text), ImportOptions{File: "t.csv", Suite: "s"})))
	})
}

// Whatever is read makes records that can be written and exported, or an error of one line with the place.
func FuzzImport(f *testing.F) {
	f.Add(minimal)
	seeds, err := filepath.Glob("testdata/tiny.*.csv")
	if err != nil || len(seeds) != 2 {
		f.Fatalf("%q, %v", seeds, err)
	}
	for _, path := range seeds {
		f.Add(check.Text(f, path))
	}
	f.Fuzz(func(t *testing.T, text string) {
		records, err := Import(strings.NewReader(text), ImportOptions{File: "t.csv", Suite: "s"})
		if err != nil {
			if text := err.Error(); !strings.HasPrefix(text, "t.csv:") || strings.ContainsAny(text, "\n\x1b") || records != nil {
				t.Fatalf("%q", text)
			}
			return
		}
		for _, r := range records {
			err := check.Err(record.Encode(r))
			check.That(t, err == nil && r.OK() && r.Header.Imported != nil, "%v: %+v", err, r.Header)
		}
		first := values(t, &reporttest.Folder{Records: records})
		again, err := Import(strings.NewReader(first), ImportOptions{File: "t.csv", Suite: "s"})
		check.Ensure(t, err == nil && values(t, &reporttest.Folder{Records: again}) == first, "%v\n%s", err, first)
	})
}

// Reports, headlines and rankings say what was imported; claims and the coverage take nothing from it.
func TestReportsSayWhatIsImported(t *testing.T) {
	own := reporttest.Results(reporttest.Options{Problems: []string{"beale"}, Algorithms: []string{"popbo", "dts"}, Runs: 8, Steps: 4, Norm: 3})
	text := strings.ReplaceAll(strings.ReplaceAll(values(t, own), ",POP-BO,", ",Theirs,"), ",DTS,", ",Others,")
	own.Records = append(own.Records, imports(t, text, ImportOptions{}).Records...)
	results := check.Must(outcome.Collect(own))(t)
	table := outcome.NewTable(results)
	if len(table.Rows) != 4 || len(results.Programs) != 1 || len(results.Mixtures) > 0 {
		t.Fatalf("%d rows, %q, %q", len(table.Rows), results.Programs, results.Mixtures)
	}
	check.Contains(t, "the warnings", strings.Join(results.Warnings, "\n"), "Imported: the numbers of Others and Theirs were read from their.csv.")
	for _, row := range table.Rows {
		imported := row.Imported != nil
		check.Equal(t, row.Algorithm.Label+" is marked", strings.HasSuffix(row.Algorithm.Label, " (imported)"), imported)
		check.Equal(t, row.Algorithm.Label+" is ranked", row.Standing.Best != nil, !imported)
		check.That(t, !imported || !row.Coverage.Known && row.Printed == nil && !row.Conditional(),
			"%s: coverage %+v, printed %v", row.Algorithm.Label, row.Coverage, row.Printed)
	}
}

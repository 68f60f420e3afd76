package export

import (
	"errors"
	"os"
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
		data := check.Must(record.Encode(r))(t)
		check.OK(t, check.Err(record.Decode("x", data)))
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
	in := imports(t, minimal, ImportOptions{Suite: "quick"})
	r := in.Records[0]
	check.Equal(t, "cell", r.Header.Cell, "branin/theirs/000")
	check.Equal(t, "suite", r.Header.Suite, "quick")
	check.Equal(t, "file", r.Header.Imported.File, "their.csv")
	check.Equal(t, "steps", r.Header.Budget, 2)
	run := outcome.NewRun(r, nil)
	check.Equal(t, "suboptimality", run.FinalSuboptimality(0), 0.5)
	check.Equal(t, "cumulative regret", run.CumulativeRegret(2), 4)
	check.Equal(t, "rule", outcome.Rules(r)[0], DefaultRule)
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

// Every fault is refused in one line, with the place.
func TestImportRefuses(t *testing.T) {
	change := func(old, new string) string {
		if !strings.Contains(minimal, old) {
			t.Fatalf("nothing changes: %q", old)
		}
		return strings.Replace(minimal, old, new, 1)
	}
	changeAll := func(old, new string) string {
		change(old, new)
		return strings.ReplaceAll(minimal, old, new)
	}
	wide := "problem,algorithm,repetition,step,metric,value,kind,rule,selected,against,seed,dimension\n"
	for name, c := range map[string]struct{ text, want string }{
		"empty":             {"", "t.csv:1: the file is empty; its first line has to name the columns: problem,algorithm,repetition,step,metric,value"},
		"head only":         {change(minimal[strings.Index(minimal, "branin"):], ""), "t.csv:1: the table has no runs"},
		"unknown column":    {change("metric", "metrics"), `t.csv:1: column "metrics" is unknown; did you mean metric?`},
		"column twice":      {change("metric", "value"), "t.csv:1: column value: the table has it twice"},
		"no column":         {"problem,step\na,1\n", "t.csv:1: there is no column algorithm; a table needs problem, algorithm, repetition, step, metric and value"},
		"cells":             {change(",2.5", ""), "t.csv:2: the line has 5 cells, the first line has 6; it has to be a table of comma-separated values"},
		"quotes":            {change("2.5", `"2.5`), `t.csv:5: extraneous or missing " in quoted-field`},
		"number":            {change("2.5", "2x"), `t.csv:2: column value: "2x" is not a finite number`},
		"nan":               {change("2.5", "NaN"), `t.csv:2: column value: "NaN" is not a finite number`},
		"no value":          {change("2.5", ""), `t.csv:2: column value: "" is not a finite number`},
		"huge":              {change("2.5", "1e999"), `t.csv:2: column value: "1e999" is not a finite number`},
		"step 0":            {change("0,1,sub", "0,0,sub"), `t.csv:2: column step: "0" is not a whole number from 1 to 1000000`},
		"repetition":        {change("theirs,0", "theirs,-1"), `t.csv:2: column repetition: "-1" is not a whole number from 0 to 999999`},
		"metric":            {change("suboptimality", "regret"), `t.csv:2: column kind: "" is not one of outcome, work, certificate, state`},
		"twice":             {change("instantaneous-regret", "suboptimality"), `t.csv:3: column metric: the step has "suboptimality" already, in line 2 or later`},
		"a step is missing": {changeAll("theirs,0,2", "theirs,0,3"), "t.csv:2: column step: the run that begins here has 2 steps, and none is step 2; it needs every step from 1"},
		"no regret":         {change("branin,theirs,0,2,instantaneous-regret,1\n", ""), "t.csv:4: column metric: there is no instantaneous-regret of step 2"},
		"no suboptimality":  {change("branin,theirs,0,2,suboptimality,0.5\n", ""), `t.csv:4: column metric: there is no suboptimality of step 2 by the rule "recommended"`},
		"no label":          {changeAll("theirs", ""), "t.csv:2: the run that begins here makes no record: header: algorithm name"},
		"strange label":     {changeAll("theirs", "\"a\x1bb\""), "t.csv:2: the run that begins here makes no record: header: algorithm name"},
		"cumulative":        {minimal + "branin,theirs,0,2,cumulative-regret,5\n", "t.csv:6: column value: the cumulative-regret is 5, the instantaneous ones up to step 2 sum up to 4"},
		"only regret":       {changeAll("suboptimality", "cumulative-regret"), "t.csv:2: the run that begins here has no suboptimality"},
		"kind":              {wide + "a,b,0,1,gap,1,size,,,,,\n", `t.csv:2: column kind: "size" is not one of outcome, work, certificate, state`},
		"outcome":           {wide + "a,b,0,1,gap,1,outcome,,,,,\n", `t.csv:2: column metric: "gap" is not an outcome`},
		"two kinds":         {wide + "a,b,0,1,gap,1,work,,,,,\na,b,0,2,gap,1,state,,,,,\n", `t.csv:3: column kind: state, but work in an earlier line of the run`},
		"own twice":         {wide + "a,b,0,1,gap,1,work,,,,,\na,b,0,1,gap,1,work,,,,,\n", `t.csv:3: column metric: the step has "gap" already`},
		"seed":              {wide + "a,b,0,1,gap,1,work,,,,1,\na,b,0,2,gap,1,work,,,,2,\n", `t.csv:3: column seed: 2, but 1 in line 2, which is of the same run`},
		"dimension":         {wide + "a,b,0,1,gap,1,work,,,,,x\n", `t.csv:2: column dimension: "x" is not a whole number from 0 to 1000000`},
		"against":           {wide + "a,b,0,1,suboptimality,1,,,,grid,,\n", `t.csv:2: column against: "grid" is not one of optimum, best-found, zero`},
		"two references":    {wide + "a,b,0,1,suboptimality,1,,,,,,\na,b,0,2,suboptimality,1,,,,zero,,\n", `t.csv:3: column against: zero, but optimum in an earlier line of the run`},
		"best value":        {wide + "a,b,0,1,best-value,1,,,,,,\n", "t.csv:2: column against: a best-value is against zero"},
		"best value twice":  {wide + "a,b,0,1,best-value,1,,,,zero,,\na,b,0,1,best-value,2,,,,zero,,\n", `t.csv:3: column metric: the step has "best-value" already`},
		"only best found":   {wide + "a,b,0,1,suboptimality,1,,,,best-found,,\n", "t.csv:2: the run that begins here has no suboptimality against an optimum or zero"},
		"selected":          {wide + "a,b,0,1,suboptimality,1,,,yes,,,\n", `t.csv:2: column selected: "yes" is not one of`},
		"two selected":      {wide + "a,b,0,1,suboptimality,1,,r,true,,,\na,b,0,1,suboptimality,1,,s,true,,,\n", `t.csv:3: column selected: true of the rule "s", and of "r" in an earlier line of the run`},
		"unselected":        {wide + "a,b,0,1,suboptimality,1,,r,true,,,\na,b,0,2,suboptimality,1,,r,false,,,\n", `t.csv:3: column selected: false of the rule "r", which an earlier line of the run selects`},
		"own missing":       {wide + "a,b,0,1,suboptimality,1,,,,,,\na,b,0,1,instantaneous-regret,1,,,,,,\na,b,0,1,gap,1,work,,,,,\na,b,0,2,suboptimality,1,,,,,,\na,b,0,2,instantaneous-regret,1,,,,,,\n", `t.csv:5: column metric: there is no "gap" of step 2`},
	} {
		_, err := Import(strings.NewReader(c.text), ImportOptions{File: "t.csv", Suite: "s"})
		check.That(t, err != nil && strings.HasPrefix(err.Error(), c.want) && !strings.Contains(err.Error(), "\n"),
			"%s: %v\nwant %s", name, err, c.want)
	}
}

// Whatever is read makes records that can be written and exported, or an error of one line with the place.
func FuzzImport(f *testing.F) {
	f.Add(minimal)
	seeds, err := filepath.Glob("testdata/tiny.*.csv")
	if err != nil || len(seeds) != 2 {
		f.Fatalf("%q, %v", seeds, err)
	}
	for _, path := range seeds {
		data := check.Must(os.ReadFile(path))(f)
		f.Add(string(data))
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
			if _, err := record.Encode(r); err != nil || !r.OK() || r.Header.Imported == nil {
				t.Fatalf("%v: %+v", err, r.Header)
			}
		}
		first := values(t, &reporttest.Folder{Records: records})
		again, err := Import(strings.NewReader(first), ImportOptions{File: "t.csv", Suite: "s"})
		if err != nil || values(t, &reporttest.Folder{Records: again}) != first {
			t.Fatalf("%v\n%s", err, first)
		}
	})
}

// A file that cannot be read is not a faulty table.
func TestImportOfAnUnreadableFile(t *testing.T) {
	broken := errors.New("input/output error")
	_, err := Import(failing{broken}, ImportOptions{File: "t.csv"})
	if !errors.Is(err, broken) {
		t.Error(err)
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

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
	for i := range table.Rows {
		row := &table.Rows[i]
		imported := row.Imported != nil
		check.Equal(t, row.Algorithm.Label+" is marked", strings.HasSuffix(row.Algorithm.Label, " (imported)"), imported)
		check.Equal(t, row.Algorithm.Label+" is ranked", row.Standing.Best != nil, !imported)
		check.That(t, !imported || !row.Coverage.Known && row.Printed == nil && !row.Conditional(),
			"%s: coverage %+v, printed %v", row.Algorithm.Label, row.Coverage, row.Printed)
	}
}

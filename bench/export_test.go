package bench

import (
	"context"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/internal/console"
	"popbench/internal/outcome"
	"popbench/internal/views/report/reporttest"
)

func TestExport(t *testing.T) {
	dir := resultsFolder(t, reporttest.Options{Problems: []string{"beale"}, Algorithms: []string{"popbo", "gpucb"}, Runs: 2, Steps: 3})
	out := filepath.Join(t.TempDir(), "new", "folder")
	check.Equal(t, "output", succeed(t, "export", dir, "--out", out), "4 runs exported\nwrote "+out+"\n")
	check.Equal(t, "files", strings.Join(slices.Sorted(maps.Keys(check.Files(t, out))), " "), "croissant.json datapackage.json failures.csv values.csv")
	refuse(t, "export: "+out+" has files already; delete it or give another --out", "export", dir, "--out", out)
	refuse(t, `export: invalid value "tidy" for flag -format: give csv, ioh, pairs, compact, archive or submission; usage: bench export RESULTS [flags]`, "export", dir, "--format", "tidy")
	check.Equal(t, "output", succeed(t, "export", dir, "--format", "pairs"),
		"2 runs exported, 2 left out: see failures.csv\nwrote "+filepath.Join(dir, "export", "pairs")+"\n")

	// The folder of a results folder is still one.
	succeed(t, "export", dir, "--format", "ioh")
	check.Equal(t, "output", succeed(t, "export", dir), "4 runs exported\nwrote "+filepath.Join(dir, "export", "csv")+"\n")
}

// Several results folders make one export, whose table has the suites in a column.
func TestExportOfSeveralFolders(t *testing.T) {
	above := t.TempDir()
	for _, name := range []string{"a", "b"} {
		succeedOnStdout(t, "run", demoSuite(t, "1"), "--out", filepath.Join(above, name))
	}
	check.Contains(t, "the output", succeed(t, "export", above), "8 runs exported")
	succeed(t, "export", above, "--format", "pairs")
	files := check.Files(t, filepath.Join(above, "export", "pairs"))
	if len(files) != 1+8 || files["data/b/beale/popbo/000.json"] == "" {
		t.Errorf("%q", slices.Sorted(maps.Keys(files)))
	}
}

// An export that fails or is interrupted leaves nothing behind.
func TestExportLeavesNothingHalfWritten(t *testing.T) {
	dir := resultsFolder(t, reporttest.Options{Problems: []string{"beale"}, Runs: 2, Steps: 3})
	above := t.TempDir()
	out := filepath.Join(above, "out")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := plain().run(ctx, &strings.Builder{}, &strings.Builder{}, []string{"export", dir, "--out", out})
	check.Equal(t, "exit code", console.ExitCode(err), console.ExitInterrupted)
	_, _, err = bench(t, "export", filepath.Join(dir, "none"), "--out", out)
	check.Equal(t, "exit code", console.ExitCode(err), console.ExitRefused)
	if files := check.Files(t, above); len(files) > 0 {
		t.Errorf("%q", slices.Sorted(maps.Keys(files)))
	}
}

// What is exported of real records, imported and exported again, is the same but for what needs points.
func TestExportImportExport(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "demo")
	succeedOnStdout(t, "run", demoSuite(t, "2"), "--out", dir)
	succeed(t, "export", dir)
	table := filepath.Join(dir, "export", "csv", "values.csv")
	again := filepath.Join(t.TempDir(), "again")
	succeed(t, "import", table, "--out", again)
	succeed(t, "export", again)
	first := readFile(t, table)
	check.Equal(t, "the table", readFile(t, filepath.Join(again, "export", "csv", "values.csv")), withoutPoints(first))
	if n := strings.Count(first, "\n"); n < 100 {
		t.Errorf("%d lines: the table is not of the suite", n)
	}
}

const theirTable = `problem,algorithm,repetition,step,metric,value
beale,theirs,0,1,suboptimality,2
beale,theirs,0,1,instantaneous-regret,3
`

func TestImport(t *testing.T) {
	check.Sequential(t)
	above := t.TempDir()
	dir := filepath.Join(above, "demo")
	suite := demoSuite(t, "1")
	succeedOnStdout(t, "run", suite, "--out", dir)
	before := check.Files(t, dir)
	table := filepath.Join(above, "theirs.csv")
	put := func(text string) {
		t.Helper()
		check.OK(t, os.WriteFile(table, []byte(text), 0o666))
	}

	// A faulty table, or one that does not fit, leaves the folder as it is.
	refuse(t, "import: give a results folder with --out", "import", table)
	put(theirTable + "beale,theirs,0,2,suboptimality,x\n")
	refuse(t, `import: `+table+`:4: column value: "x" is not a finite number`, "import", table, "--out", dir)
	put(strings.ReplaceAll(theirTable, "theirs", "popbo"))
	refuse(t, "import: "+dir+" has a record of beale/popbo/000 that was not imported; change the column label, or give another --out", "import", table, "--out", dir)
	put(strings.NewReplacer("problem,", "suite,problem,", "beale", "other,beale").Replace(theirTable))
	refuse(t, "import: "+dir+" has the suite demo, the table other; give another --out, or change the column suite", "import", table, "--out", dir)
	check.Equal(t, "files changed", maps.Equal(check.Files(t, dir), before), true)

	put(theirTable)
	check.Contains(t, "the output", succeed(t, "import", table, "--out", dir), "1 run imported, as the suite demo\nresults: "+dir+"\nnext:    bench report "+dir)
	after := check.Files(t, dir)
	for path, text := range before {
		if path != "cells.json" && after[path] != text {
			t.Errorf("%s changed", path)
		}
	}
	check.Equal(t, "cells", listOf(t, dir).Cells(), 5)

	// A corrected table replaces the record of the faulty one.
	put(strings.Replace(theirTable, ",2\n", ",1.5\n", 1))
	succeed(t, "import", table, "--out", dir)
	const record = "records/beale/theirs/000.jsonl"
	check.Contains(t, "the record", check.Files(t, dir)[record], `"utility":-1.5`, `"title":"Beale"`, `"imported":{"file":"theirs.csv"`)

	// Running the suite again leaves it alone, and compare leaves it out.
	kept := check.Files(t, dir)[record]
	if _, _, err := bench(t, "run", suite, "--out", dir); err != nil {
		t.Error(err)
	}
	check.Equal(t, "the record after a run", check.Files(t, dir)[record], kept)
	check.Contains(t, "the list after a run", check.Files(t, dir)["cells.json"], "beale/theirs")
	refuse(t, "compare: beale/theirs/000 is an imported record (from theirs.csv); only records that bench run made can be compared exactly",
		"compare", "--exact", dir, dir)
	alone := filepath.Join(above, "alone")
	succeed(t, "import", table, "--out", alone)
	refuse(t, "compare: HEAD ("+alone+") has imported records only, which say nothing about a change of this program; give records that bench run made", "compare", dir, alone)
	check.Contains(t, "the report", succeedOnStdout(t, "report", alone, "--format", "text"), "Imported: the numbers of theirs were read from theirs.csv.", "theirs (imported)")
	check.Contains(t, "the page", readFile(t, filepath.Join(alone, "report", "index.html")), "Imported: the numbers of theirs")
}

// succeedOnStdout runs a command that may say something on stderr.
func succeedOnStdout(t *testing.T, args ...string) string {
	t.Helper()
	stdout, _, err := bench(t, args...)
	if err != nil {
		t.Fatal(err)
	}
	return stdout
}

// Compare leaves imported runs out with a sentence.
func TestCompareLeavesImportedRunsOut(t *testing.T) {
	dir := resultsFolder(t, reporttest.Options{Problems: []string{"beale"}, Algorithms: []string{"dts"}, Runs: 8, Steps: 3})
	table := writeFile(t, "theirs.csv", theirTable)
	want := succeed(t, "compare", dir, dir, "--format", "json")
	succeed(t, "import", table, "--out", dir)
	got := succeed(t, "compare", dir, dir)
	check.Contains(t, "the comparison", got, "BASE: the records of beale/theirs were imported. Not compared.")
	rows := func(text string) any {
		var c struct{ Rows any }
		check.OK(t, json.Unmarshal([]byte(text), &c))
		data, _ := json.Marshal(c.Rows)
		return string(data)
	}
	check.Equal(t, "rows", rows(succeed(t, "compare", dir, dir, "--format", "json")), rows(want))
}

// withoutPoints is a table of values without the metrics that need the points of queries, which a table does not have.
func withoutPoints(table string) string {
	var kept strings.Builder
	for line := range strings.Lines(table) {
		if !slices.ContainsFunc(outcome.Measures, func(m outcome.Measure) bool {
			return !m.Rule && m.Name != outcome.CumulativeRegret && strings.Contains(line, ","+string(m.Name)+",")
		}) {
			kept.WriteString(line)
		}
	}
	return kept.String()
}

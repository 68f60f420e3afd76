package bench

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/xml"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/internal/console"
	"popbench/internal/views/report"
	"popbench/internal/views/report/reporttest"
	"popbench/internal/views/verify"
	"popbench/record"
)

// resultsFolder writes synthetic records.
func resultsFolder(t *testing.T, o reporttest.Options) string {
	t.Helper()
	return putFolder(t, reporttest.Results(o))
}

func reportOn(t *testing.T, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	var out, errs bytes.Buffer
	err = plain().run(context.Background(), &out, &errs, append([]string{"report"}, args...))
	return out.String(), errs.String(), err
}

func TestReport(t *testing.T) {
	check.Sequential(t)
	t.Parallel()
	dir := resultsFolder(t, reporttest.Options{Problems: []string{"beale", "branin"}, Runs: 4, Steps: 5})
	check.OK(t, os.WriteFile(filepath.Join(dir, "suite.yaml"), []byte("name: synthetic\n"), 0o666))
	stdout, stderr, err := reportOn(t, dir, "--format", "text")
	if err != nil {
		t.Fatal(err)
	}
	files := check.Files(t, filepath.Join(dir, "report"))
	// 4 tables, 2 of curves, 3 overviews, 2 profiles and 4 figures in 3 formats and as data,
	// the page, the list.
	if want := 4 + 2 + 9*4 + 1 + 1; len(files) != want {
		t.Errorf("%d files are written, want %d", len(files), want)
	}
	if stdout != files["table.txt"] || !strings.Contains(stdout, "Branin") {
		t.Errorf("stdout is not the text table:\n%s", stdout)
	}
	if !strings.Contains(stderr, filepath.Join(dir, "report", "index.html")) {
		t.Errorf("stderr does not say where the page is: %q", stderr)
	}
	for name, start := range map[string]string{"figures/beale-regret.svg": "<?xml", "figures/branin-suboptimality.png": "\x89PNG", "figures/overview-suboptimality.pdf": "%PDF", "data/beale.csv": "problem,"} {
		if !strings.HasPrefix(files[name], start) {
			t.Errorf("%s starts %.20q", name, files[name])
		}
	}

	page := files["index.html"]
	d := xml.NewDecoder(strings.NewReader(page))
	links := 0
	for {
		token, err := d.Token()
		if token == nil {
			break
		}
		if err != nil {
			t.Fatalf("the page is not well-formed: %v", err)
		}
		e, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		for _, a := range e.Attr {
			if e.Name.Local == "a" && strings.HasPrefix(a.Value, "https://arxiv.org/abs/") {
				continue // papers of the methods, which nobody needs for reading the page
			}
			if a.Name.Local == "src" || strings.Contains(a.Value, "//") {
				t.Errorf("the page needs %s=%q", a.Name.Local, a.Value)
			}
			if a.Name.Local != "href" || strings.HasPrefix(a.Value, "#") || a.Value == "data:," {
				continue
			}
			links++
			if _, err := os.Stat(filepath.Join(dir, "report", a.Value)); err != nil {
				t.Errorf("a link leads nowhere: %v", err)
			}
		}
	}
	if links < 20 {
		t.Errorf("the page has %d links to files", links)
	}
	if strings.Contains(page, dir) || strings.Contains(files["table.txt"], dir) {
		t.Error("the report has a path of this machine")
	}

	// Again, elsewhere: the same bytes.
	out := filepath.Join(t.TempDir(), "other")
	if _, _, err := reportOn(t, dir, "--out", out); err != nil {
		t.Fatal(err)
	}
	again := check.Files(t, out)
	if len(again) != len(files) {
		t.Errorf("%d files are written again, want %d", len(again), len(files))
	}
	delete(again, "index.html") // from here it has no link to the suite file
	delete(again, report.Manifest)
	for name, data := range again {
		if data != files[name] {
			t.Errorf("%s differs when it is made again", name)
		}
	}
}

// A report removes all files of an earlier report in the same folder, and no other files.
func TestReportReplacesAnEarlierOne(t *testing.T) {
	check.Sequential(t)
	t.Parallel()
	dir := resultsFolder(t, reporttest.Options{Problems: []string{"beale", "branin"}, Runs: 2, Steps: 2})
	out := filepath.Join(dir, "report")
	if _, _, err := reportOn(t, dir); err != nil {
		t.Fatal(err)
	}
	first := check.Files(t, out)
	for path, sum := range sums(t, first[report.Manifest]) {
		if got := sumOf(first[path]); got != sum {
			t.Errorf("%s is listed with another checksum", path)
		}
		delete(first, path)
	}
	if len(first) != 1 {
		t.Errorf("files that are not listed: %v", first)
	}

	write := func(path, text string) {
		t.Helper()
		check.OK(t, os.WriteFile(filepath.Join(out, path), []byte(text), 0o666))
	}
	write("notes.txt", "mine")
	write("figures/mine.svg", "mine")
	write("figures/beale-regret.svg", "changed")
	write("table.txt", "changed") // will be written again
	list := check.Files(t, out)[report.Manifest]
	write(report.Manifest, list+"no sum\n"+sumOf("")+"  ../suite.yaml\n"+strings.Repeat("0", 64)+"  gone.txt\n")
	check.OK(t, os.WriteFile(filepath.Join(dir, "suite.yaml"), nil, 0o666))
	check.OK(t, os.RemoveAll(filepath.Join(dir, "records", "beale")))
	_, stderr, err := reportOn(t, dir)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(stderr, filepath.Join(out, "figures", "beale-regret.svg")+" is from an earlier report and was changed since") {
		t.Errorf("stderr does not tell of the changed file: %q", stderr)
	}
	files := check.Files(t, out)
	for path := range files {
		if strings.Contains(path, "beale") != (path == "figures/beale-regret.svg") || strings.Contains(path, "overview") {
			t.Errorf("%s is there still", path)
		}
	}
	for path, want := range map[string]string{"notes.txt": "mine", "figures/mine.svg": "mine", "figures/beale-regret.svg": "changed"} {
		check.Equal(t, path, files[path], want)
	}
	if files["table.txt"] == "changed" {
		t.Error("table.txt is not new")
	}
	if _, err := os.Stat(filepath.Join(dir, "suite.yaml")); err != nil {
		t.Errorf("a file outside of the report: %v", err)
	}
	listed := sums(t, files[report.Manifest])
	for _, path := range []string{"notes.txt", "figures/mine.svg", "figures/beale-regret.svg"} {
		delete(files, path)
		if listed[path] != "" {
			t.Errorf("%s is listed as of this report", path)
		}
	}
	if len(listed) != len(files)-1 {
		t.Errorf("%d files are listed, %d are there", len(listed), len(files)-1)
	}
}

// sums returns the checksums in a list of files, by path.
func sums(t *testing.T, list string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for line := range strings.Lines(list) {
		sum, path, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "  ")
		if !ok {
			t.Fatalf("%q is not a line of sha256sum", line)
		}
		all[path] = sum
	}
	return all
}

// The report of the confidence-set suite has the figure of the confidence set.
func TestConfidenceSetSuite(t *testing.T) {
	check.Sequential(t)
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "results")
	if _, _, err := bench(t, "run", "../configs/paper/confidence-set.yaml", "--seeds", "2", "--out", dir); err != nil {
		t.Fatal(err)
	}
	stdout, _, err := reportOn(t, "--format", "text", dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Confidence set of a function", "Inside: runs", "Step, median"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("the table does not have %q:\n%s", want, stdout)
		}
	}
	files := check.Files(t, filepath.Join(dir, "report"))
	for i := range 2 {
		svg := files[fmt.Sprintf("figures/gp1-POP-BO-confidence-set-%03d.svg", i)]
		for _, want := range []string{"10 comparisons", "20 comparisons", "30 comparisons", "confidence range"} {
			if !strings.Contains(svg, want) {
				t.Errorf("the figure of run %d does not have %q", i, want)
			}
		}
	}
	if lines := strings.Count(files["data/gp1-POP-BO-confidence-set.csv"], "\n"); lines != 1+2*3*201 {
		t.Errorf("%d lines of numbers", lines)
	}
	// As the suite says, comparisons are sequential and of random points.
	records, err := reporttest.ReadDir(dir)
	if err != nil || len(records.Records) != 2 {
		t.Fatal(err)
	}
	for _, s := range records.Records[0].Steps[1:] {
		before := records.Records[0].Steps[s.T-2]
		if s.Points[0][0] != before.Points[1][0] {
			t.Errorf("step %d does not compare with the point before", s.T)
		}
		if beta, _ := s.Metrics.Get("beta"); beta != 1 {
			t.Errorf("step %d: beta = %g", s.T, beta)
		}
	}
}

// Reports of the paper's 1-D suites have the figure of the order.
func TestOrderOfRegret(t *testing.T) {
	check.Sequential(t)
	t.Parallel()
	dir := resultsFolder(t, reporttest.Options{Problems: []string{"gp1"}, Paper: "gp-1d", Runs: 2, Steps: 12})
	if _, _, err := reportOn(t, dir); err != nil {
		t.Fatal(err)
	}
	files := check.Files(t, filepath.Join(dir, "report"))
	for _, path := range []string{"orders.csv", "data/gp1-growth.csv", "figures/gp1-growth.pdf", "figures/gp1-growth.svg"} {
		if files[path] == "" {
			t.Errorf("%s is not there", path)
		}
	}
	page := files["index.html"]
	if at := strings.Index(page, `id="gp1-growth"`); at < strings.Index(page, `<section id="growth">`) || at > strings.Index(page, `<section id="growth-claims">`) {
		t.Error("the figure of the order is not in its section of the page")
	}
}

// Each of several results folders gets its report, and an index lists them in the paper's
// order. A folder without a report does not affect the others.
func TestReportOfSeveral(t *testing.T) {
	check.Sequential(t)
	t.Parallel()
	dir := t.TempDir()
	add := func(name string, o reporttest.Options) {
		t.Helper()
		o.Runs, o.Steps = 2, 3
		check.OK(t, os.Rename(resultsFolder(t, o), filepath.Join(dir, name)))
	}
	add("a-comfort", reporttest.Options{Problems: []string{"thermal2"}, Paper: "thermal-2d"})
	add("b-drawn", reporttest.Options{Problems: []string{"gp1"}, Paper: "gp-1d"})
	add("c-other", reporttest.Options{Problems: []string{"beale"}, Paper: "none"})
	check.OK(t, os.MkdirAll(filepath.Join(dir, "notes"), 0o777))
	for name, chosen := range map[string][]record.Part{
		"b-drawn": {{Group: "gp1/POP-BO", Repetitions: record.Repetitions{{0, 29}}}, {Group: "gp1/Random", Repetitions: record.Repetitions{{0, 29}}}},
		"c-other": {{Group: "beale/POP-BO", Repetitions: record.Repetitions{{0, 1}}}},
	} {
		folder, err := record.Create(filepath.Join(dir, name))
		if err == nil {
			err = cmp.Or(folder.PutList(record.List{Chosen: chosen}, nil), folder.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	stdout, _, err := reportOn(t, dir)
	if err != nil {
		t.Fatal(err)
	}
	want := dir + ": 3 reports written\n" +
		"a-comfort: 1 problem × 1 algorithm × 2 runs of 3 steps; no cells.json tells whe…\n" +
		"b-drawn: 1 problem × 1 algorithm × 2 of 30 runs of 3 steps; not complete: 58 ru…\n" +
		"c-other: 1 problem × 1 algorithm × 2 runs of 3 steps; complete\n"
	want += "open file://" + dir + "/index.html\n"
	if !strings.HasSuffix(strings.Join(strings.Fields(stdout), " "), strings.Join(strings.Fields(want), " ")) {
		t.Errorf("stdout %q, want %q", stdout, want)
	}
	files := check.Files(t, dir)
	index := files["index.html"]
	check.Contains(t, "index", index, "58 runs have no record")
	before := 0
	for _, name := range []string{"b-drawn", "a-comfort", "c-other"} { // Sec. 6.1, then the appendix
		at := strings.Index(index, `<a href="`+name+`/report/index.html">`)
		if at <= before {
			t.Errorf("%s is at %d of the index, the one before at %d", name, at, before)
		}
		before = at
		if !strings.Contains(files[name+"/report/index.html"], `<a href="../../index.html">All suites</a>`) {
			t.Errorf("the page of %s does not lead back", name)
		}
	}
	if strings.Contains(index, verify.Page) || strings.Contains(index, dir) {
		t.Error("the index leads to claims that are not there, or has a path of this machine")
	}

	for _, flag := range []string{"--out=x", "--format=csv"} {
		if _, _, err := reportOn(t, dir, flag); console.ExitCode(err) != console.ExitRefused || !strings.Contains(err.Error(), "3 results folders") {
			t.Errorf("%s: %v", flag, err)
		}
	}

	check.OK(t, os.WriteFile(record.RecordPath(filepath.Join(dir, "b-drawn"), "gp1/POP-BO/000"), nil, 0o666))
	check.OK(t, os.Remove(record.RecordPath(filepath.Join(dir, "b-drawn"), "gp1/POP-BO/001")))
	_, _, err = reportOn(t, dir)
	if console.ExitCode(err) != console.ExitFailed || !strings.Contains(err.Error(), "b-drawn") {
		t.Errorf("a folder without a usable record: %v", err)
	}
	if index := check.Files(t, dir)["index.html"]; !strings.Contains(index, "There is no report of this.") || !strings.Contains(index, `<a href="a-comfort/report/index.html">`) {
		t.Error("the index does not tell of the folder without a report, or only of that")
	}
}

func TestReportFormats(t *testing.T) {
	check.Sequential(t)
	t.Parallel()
	dir := resultsFolder(t, reporttest.Options{Problems: []string{"beale"}, Runs: 2, Steps: 2})
	for format, name := range tableFiles {
		stdout, _, err := reportOn(t, dir, "--format", format)
		if err != nil {
			t.Fatal(err)
		}
		if want := check.Files(t, filepath.Join(dir, "report"))[name]; stdout != want || want == "" {
			t.Errorf("--format %s does not print %s", format, name)
		}
	}
}

// The reference is the first algorithm of the suite, which is not the first of the records, or the one that is named.
func TestReportReference(t *testing.T) {
	check.Sequential(t)
	t.Parallel()
	suite := writeFile(t, "m.yaml", "{name: m, steps: 3, repetitions: 7, problems: [{name: beale}], algorithms: [{name: random, label: Zufall}, {name: random, label: Another}, {name: gpucb, label: Values}]}")
	dir := t.TempDir() + "/r"
	if _, _, err := bench(t, "run", suite, "--out", dir); err != nil {
		t.Fatal(err)
	}
	report := func(args ...string) string {
		t.Helper()
		stdout, _, err := bench(t, append([]string{"report", dir, "--format", "text"}, args...)...)
		if err != nil {
			t.Fatal(err)
		}
		return stdout
	}
	check.Contains(t, "the report", report(), "Better than Zufall?", "within ±0.134 U")
	check.Contains(t, "the report with a reference and a margin", report("--reference", "Another", "--margin", "1000"), "Better than Another?", "within ±1000 U", "  same  ")
	check.Contains(t, "the report without a margin", report("--margin", "0"), "no run differs; a margin")
	for _, c := range []struct{ flag, value, want string }{
		{"--reference", "Zufal", "did you mean Zufall?"}, {"--margin", "-0.1", "give a number from 0 to 1000"}, {"--margin", "Inf", "give a number from 0 to 1000"},
	} {
		stdout, _, err := bench(t, "report", dir, c.flag, c.value)
		refused(t, stdout, err, c.want)
	}
}

func TestReportTellsOfDamagedRecords(t *testing.T) {
	check.Sequential(t)
	dir := resultsFolder(t, reporttest.Options{Problems: []string{"beale"}, Runs: 3, Steps: 3})
	bad := record.RecordPath(dir, "beale/POP-BO/001")
	check.OK(t, os.Truncate(bad, 700))
	stdout, _, err := reportOn(t, "--format", "text", dir)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(stdout, "records/beale/POP-BO/001.jsonl") || !strings.Contains(stdout, "1 run of 3 has no record") {
		t.Errorf("the table does not tell of the damaged record:\n%s", stdout)
	}
}

func TestReportRefuses(t *testing.T) {
	check.Sequential(t)
	good := resultsFolder(t, reporttest.Options{Problems: []string{"beale"}, Runs: 1, Steps: 1})
	damaged := resultsFolder(t, reporttest.Options{Problems: []string{"beale"}, Runs: 1, Steps: 1})
	check.OK(t, os.WriteFile(record.RecordPath(damaged, "beale/POP-BO/000"), nil, 0o666))
	file := filepath.Join(t.TempDir(), "file")
	check.OK(t, os.WriteFile(file, nil, 0o666))
	for name, tc := range map[string]struct {
		args []string
		want []string // parts of the one line
	}{
		"no folder":      {[]string{filepath.Join(t.TempDir(), "none")}, []string{"none", "bench run SUITE.yaml"}},
		"an empty one":   {[]string{t.TempDir()}, []string{"bench run SUITE.yaml"}},
		"only damage":    {[]string{damaged}, []string{"beale/POP-BO/000.jsonl", "empty", "bench run"}},
		"a form":         {[]string{good, "--format", "word"}, []string{`"word"`, "markdown"}},
		"an output file": {[]string{good, "--out", file}, []string{file, "--out"}},
		"no argument":    {nil, []string{"RESULTS"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := reportOn(t, tc.args...)
			if err == nil {
				t.Fatal("no error")
			}
			if code := console.ExitCode(err); code != 2 || strings.Contains(err.Error(), "\n") {
				t.Errorf("exit code %d, error %q", code, err)
			}
			for _, want := range tc.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error %q does not have %q", err, want)
				}
			}
		})
	}
}

// sumOf is the SHA-256 of a text, as sha256sum prints it.
func sumOf(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text))) }

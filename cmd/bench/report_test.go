package main

import (
	"bytes"
	"context"
	"encoding/xml"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"popbench/internal/report/reporttest"
	"popbench/internal/runlog"
)

// resultsFolder writes synthetic records.
func resultsFolder(t *testing.T, o reporttest.Options) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "results")
	for _, r := range reporttest.Results(o).Records {
		if err := runlog.WriteFile(runlog.RecordPath(dir, r.Header.Cell), r); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func reportOn(t *testing.T, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	var out, errs bytes.Buffer
	err = run(context.Background(), &out, &errs, append([]string{"report"}, args...))
	return out.String(), errs.String(), err
}

// contents are the files below a folder, by their path from it.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		all[filepath.ToSlash(name)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestReport(t *testing.T) {
	dir := resultsFolder(t, reporttest.Options{Problems: []string{"beale", "branin"}, Runs: 4, Steps: 5})
	if err := os.WriteFile(filepath.Join(dir, "suite.yaml"), []byte("name: synthetic\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	stdout, stderr, err := reportOn(t, dir)
	if err != nil {
		t.Fatal(err)
	}
	files := contents(t, filepath.Join(dir, "report"))
	// 4 tables, 2 of data, 2 overviews and 4 figures in 3 formats, the page.
	if want := 4 + 2 + 6*3 + 1; len(files) != want {
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
	again := contents(t, out)
	delete(again, "index.html") // from here it has no link to the suite file
	if len(again) != len(files)-1 {
		t.Errorf("%d files are written again, want %d", len(again), len(files)-1)
	}
	for name, data := range again {
		if data != files[name] {
			t.Errorf("%s differs when it is made again", name)
		}
	}
}

func TestReportFormats(t *testing.T) {
	dir := resultsFolder(t, reporttest.Options{Problems: []string{"beale"}, Runs: 2, Steps: 2})
	for format, name := range tableFiles {
		stdout, _, err := reportOn(t, dir, "--format", format)
		if err != nil {
			t.Fatal(err)
		}
		if want := contents(t, filepath.Join(dir, "report"))[name]; stdout != want || want == "" {
			t.Errorf("--format %s does not print %s", format, name)
		}
	}
}

func TestReportTellsOfDamagedRecords(t *testing.T) {
	dir := resultsFolder(t, reporttest.Options{Problems: []string{"beale"}, Runs: 3, Steps: 3})
	bad := runlog.RecordPath(dir, "beale/POP-BO/001")
	if err := os.Truncate(bad, 700); err != nil {
		t.Fatal(err)
	}
	stdout, _, err := reportOn(t, dir)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(stdout, "records/beale/POP-BO/001.jsonl") || !strings.Contains(stdout, "1 run of 3 has no record") {
		t.Errorf("the table does not tell of the damaged record:\n%s", stdout)
	}
}

func TestReportRefuses(t *testing.T) {
	good := resultsFolder(t, reporttest.Options{Problems: []string{"beale"}, Runs: 1, Steps: 1})
	damaged := resultsFolder(t, reporttest.Options{Problems: []string{"beale"}, Runs: 1, Steps: 1})
	if err := os.WriteFile(runlog.RecordPath(damaged, "beale/POP-BO/000"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
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
		_, _, err := reportOn(t, tc.args...)
		if err == nil {
			t.Errorf("%s: no error", name)
			continue
		}
		if code := exitCode(err); code != 2 || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: exit code %d, error %q", name, code, err)
		}
		for _, want := range tc.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: error %q does not have %q", name, err, want)
			}
		}
	}
}

package bench

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/internal/views/report"
	"popbench/internal/views/report/reporttest"
)

// resultsFolder writes synthetic records.
func resultsFolder(t *testing.T, o reporttest.Options) string {
	t.Helper()
	return putFolder(t, reporttest.Results(o))
}

// A report has its files in every form, with links that lead to them, without a path of this machine, and the same bytes if
// it is made again elsewhere.
func TestReport(t *testing.T) {
	check.Sequential(t)
	t.Parallel()
	dir := resultsFolder(t, reporttest.Options{Problems: []string{"beale", "branin"}, Runs: 4, Steps: 5})
	check.OK(t, os.WriteFile(filepath.Join(dir, "suite.yaml"), []byte("name: synthetic\n"), 0o666))
	done(t, "report", dir)
	files := check.Files(t, filepath.Join(dir, "report"))
	// 4 tables, 2 of curves, 3 overviews, 2 profiles and 4 figures in 3 formats and as data, the page, the list.
	check.Equal(t, "files", len(files), 4+2+9*4+1+1)
	for name, start := range map[string]string{"figures/beale-regret.svg": "<?xml", "figures/branin-suboptimality.png": "\x89PNG", "figures/overview-suboptimality.pdf": "%PDF", "data/beale.csv": "problem,"} {
		check.That(t, strings.HasPrefix(files[name], start), "%s starts %.20q", name, files[name])
	}
	page := files["index.html"]
	check.Lacks(t, "the page", page, dir, " src=")
	links := regexp.MustCompile(` href="([^#"][^"]*)"`).FindAllStringSubmatch(page, -1)
	check.That(t, len(links) >= 20, "the page has %d links", len(links))
	for _, link := range links {
		if href := link[1]; href != "data:," && !strings.HasPrefix(href, "https://arxiv.org/abs/") {
			readFile(t, filepath.Join(dir, "report", href))
		}
	}

	out := filepath.Join(t.TempDir(), "other")
	done(t, "report", dir, "--out", out)
	again := check.Files(t, out)
	for name, data := range files {
		if name != "index.html" && name != report.Manifest { // there is no link to the suite file from there
			check.That(t, data == again[name], "%s differs when it is made again", name)
		}
	}
	check.Equal(t, "files made again", len(again), len(files))
}

// A report removes all files of an earlier report in the same folder, and no other files.
func TestReportReplacesAnEarlierOne(t *testing.T) {
	check.Sequential(t)
	t.Parallel()
	dir := resultsFolder(t, reporttest.Options{Problems: []string{"beale", "branin"}, Runs: 2, Steps: 2})
	out := filepath.Join(dir, "report")
	done(t, "report", dir)
	first := check.Files(t, out)
	for path, sum := range sums(t, first[report.Manifest]) {
		check.Equal(t, "checksum of "+path, sum, sumOf(first[path]))
		delete(first, path)
	}
	check.Equal(t, "files that are not listed", len(first), 1)

	write := func(path, text string) { check.OK(t, os.WriteFile(filepath.Join(out, path), []byte(text), 0o666)) }
	kept := map[string]string{"notes.txt": "mine", "figures/mine.svg": "mine", "figures/beale-regret.svg": "changed"}
	for path, text := range kept {
		write(path, text)
	}
	write("table.txt", "changed") // will be written again
	write(report.Manifest, readFile(t, filepath.Join(out, report.Manifest))+"no sum\n"+sumOf("")+"  ../suite.yaml\n"+strings.Repeat("0", 64)+"  gone.txt\n")
	check.OK(t, os.WriteFile(filepath.Join(dir, "suite.yaml"), nil, 0o666))
	check.OK(t, os.RemoveAll(filepath.Join(dir, "records", "beale")))
	_, stderr, err := bench(t, "report", dir)
	check.OK(t, err)
	check.Contains(t, "stderr", stderr, filepath.Join(out, "figures", "beale-regret.svg")+" is from an earlier report and was changed since")
	readFile(t, filepath.Join(dir, "suite.yaml")) // outside of the report
	files := check.Files(t, out)
	check.That(t, files["table.txt"] != "changed", "table.txt is not new")
	listed := sums(t, files[report.Manifest])
	for path, text := range kept {
		check.Equal(t, path, files[path], text)
		check.Equal(t, "sum of "+path, listed[path], "")
		delete(files, path)
	}
	check.Equal(t, "files listed", len(listed), len(files)-1)
	for path := range files {
		check.That(t, !strings.Contains(path, "beale") && !strings.Contains(path, "overview"), "%s is there still", path)
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

// sumOf is the SHA-256 of a text, as sha256sum prints it.
func sumOf(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text))) }

package bench

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
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
	write(report.Manifest, check.Text(t, filepath.Join(out, report.Manifest))+"no sum\n"+sumOf("")+"  ../suite.yaml\n"+strings.Repeat("0", 64)+"  gone.txt\n")
	check.OK(t, os.WriteFile(filepath.Join(dir, "suite.yaml"), nil, 0o666))
	check.OK(t, os.RemoveAll(filepath.Join(dir, "records", "beale")))
	_, stderr, err := bench(t, "report", dir)
	check.OK(t, err)
	check.Equal(t, "stderr", stderr, filepath.Join(out, "figures", "beale-regret.svg")+
		" is from an earlier report and was changed since; it was kept, but is not part of this report\n")
	check.Text(t, filepath.Join(dir, "suite.yaml")) // outside of the report
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
		check.That(t, ok, "%q is not a line of sha256sum", line)
		all[path] = sum
	}
	return all
}

// sumOf is the SHA-256 of a text, as sha256sum prints it.
func sumOf(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text))) }

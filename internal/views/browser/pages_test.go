// Package browser tests in a browser what reports, verdicts and their index show, and what their scripts do.
package browser

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"popbench/bench"
	"popbench/internal/app"
	"popbench/internal/check"
	"popbench/internal/page/figure"
	"popbench/internal/site"
	"popbench/internal/views/report/reporttest"
	"popbench/record"
)

// sharedDir has what tests share; no test changes it.
var sharedDir string

func TestMain(m *testing.M) {
	figure.PixelsPerInch = 30 // a hundredth of the pixels, which take most of a report's time
	var err error
	if sharedDir, err = os.MkdirTemp("", "popbench-tests"); err != nil {
		panic(err)
	}
	code := m.Run()
	if browserStarted != nil {
		browserStarted.end()
	}
	os.RemoveAll(sharedDir)
	os.Exit(code)
}

// shown is what a page shows, and to how many files it leads.
type shown struct {
	title                string
	figures, rows, files int
}

// leastShown is what the pages of madePages have to show at least, and to how many files they lead.
var leastShown = map[string]shown{
	"index.html":                             {"Results", 2, 2 * 6, 3},
	"paper-test-functions/report/index.html": {"made-up runs: paper-test-functions", 2 + 2*2, 6 + 2*6, 8*3 + 3 + 5},
	"synthetic/report/index.html":            {"made-up runs: synthetic", 4 + 3, 6 + 6 + 6, 7*4 + 1 + 7},
}

// pages returns a results folder with all that pages have, or the one in $POPBENCH_PAGES: a whole bench reproduce is too
// long for a test. One method has a name that would be markup, if a page took it for that.
func pages(t *testing.T) string {
	t.Helper()
	if dir := os.Getenv("POPBENCH_PAGES"); dir != "" {
		return dir
	}
	return madePages(t)
}

var makePages sync.Once

// madePages returns a results folder with reports of two suites, the verdicts on a third and their index. The first test
// that asks makes it.
func madePages(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(sharedDir, "pages")
	makePages.Do(func() {
		check.OK(t, reporttest.Ackley(8).Write(filepath.Join(dir, "paper-ackley-6d")))
		for name, o := range map[string]reporttest.Options{
			"paper-test-functions": {Problems: []string{"branin", "a_problem_with_a_long_name"}, Algorithms: []string{"popbo", "qeubo", "sgp", "dts", "random", "<i>a&b</i>"}, Runs: 10, Steps: 12},
			"synthetic":            {Problems: []string{"gp1"}, Algorithms: []string{"popbo", "qeubo", "sgp", "dts", "gpucb", "random"}, Paper: "gp-1d", Runs: 6, Steps: 12, Norm: 5, Snapshots: []int{4, 12}},
		} {
			in := reporttest.Results(o)
			for _, r := range in.Records {
				r.Header.Suite, r.Header.SuiteTitle = name, "made-up runs: "+name
			}
			check.OK(t, in.Write(filepath.Join(dir, name)))
		}
		verified(t, dir)
		check.Must(new(app.App).ReportAll(t.Context(), dir, check.Must(record.Folders(dir))(t)))(t)
	})
	return dir
}

var makeSite sync.Once

// madeSite returns a folder with the site of the project. The first test that asks makes it.
func madeSite(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(sharedDir, "site")
	makeSite.Do(func() {
		s := check.Must(site.Build(os.DirFS("../../.."), check.Must(bench.Catalogue())(t)))(t)
		check.OK(t, s.Write(dir))
		check.That(t, s.Size() < 15e6, "%d bytes", s.Size())
	})
	return dir
}

// verified checks the claims of the paper on the records in a folder.
func verified(t *testing.T, dir string) {
	t.Helper()
	check.Must(new(app.App).Verify(t.Context(), app.VerifyOptions{Dir: dir, Out: dir}))(t)
}

package bench

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"popbench/configs"
	"popbench/internal/analysis/verify"
	"popbench/internal/check"
)

// The paper's suites that are built into the program are the files in configs/paper.
func TestPaperSuitesAreTheFiles(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(configsDir, "paper", "*.yaml"))
	if err != nil || len(paths) != len(configs.Paper()) {
		t.Fatalf("%d files, %d suites (%v)", len(paths), len(configs.Paper()), err)
	}
	for _, s := range configs.Paper() {
		text, err := os.ReadFile(filepath.Join("..", s.Path))
		if err != nil || string(text) != string(s.Text) {
			t.Errorf("%s is not the file (%v)", s.Path, err)
		}
	}
}

// Reproduce runs from an empty folder to the verdicts, and continues after an interruption and
// after --quick.
func TestReproduce(t *testing.T) {
	check.Sequential(t)
	t.Parallel()
	out := filepath.Join(t.TempDir(), "out")
	const suite = "paper-confidence-set"
	done(t, "reproduce", "--quick", "--only", suite, "--out", out)
	records := tree(t, filepath.Join(out, suite, "records"))
	if len(records) != 1 {
		t.Errorf("%d records, one of 30 repetitions is 1", len(records))
	}
	if page := string(mustRead(t, filepath.Join(out, "index.html"))); !strings.Contains(page, suite+"/report/index.html") || strings.Contains(page, verify.Page) {
		t.Error("the index does not lead to the report, or leads to claims about which nothing was run")
	}

	const judged = "paper-test-functions-authors-code"
	text := done(t, "reproduce", "--quick", "--only", judged, "--out", out)
	if !strings.Contains(text, "Of the paper's 28 claims") || !strings.Contains(text, "not run") {
		t.Errorf("the verdicts are %q", text)
	}
	page := string(mustRead(t, filepath.Join(out, "index.html")))
	for _, href := range []string{verify.Page, suite + "/report/index.html", judged + "/report/index.html"} {
		if !strings.Contains(page, `href="`+href+`"`) {
			t.Errorf("the index does not lead to %s", href)
		}
		if len(mustRead(t, filepath.Join(out, href))) == 0 {
			t.Errorf("%s is empty", href)
		}
	}

	check.Equal(t, "pages", checkPages(t, out), 4)
	_, main, _ := strings.Cut(page, "<main>")
	first, _, _ := strings.Cut(main, "</section>")
	check.Contains(t, "the first section of the index", first, `<ul class="tally">`, "not run", "<figure ")

	done(t, "report", out)
	check.Contains(t, "the index that bench report makes", string(mustRead(t, filepath.Join(out, "index.html"))), `<ul class="tally">`, `href="claims.html"`)

	_, log, err := bench(t, "reproduce", "--only", suite, "--out", out)
	if err != nil || !strings.Contains(log, "29 cells to run, 1 kept") {
		t.Errorf("the whole does not go on from the quick look: %v, %q", err, log)
	}
	for name, data := range tree(t, filepath.Join(out, suite, "records")) {
		if old, ok := records[name]; ok && old != data {
			t.Errorf("%s of the quick look was run again and differs", name)
		}
	}

	for want, args := range map[string][]string{
		`--only "none" matches none of the suites paper-ackley-6d`:                {"reproduce", "--only", "none", "--out", out},
		`--only "[" is not a pattern`:                                             {"reproduce", "--only", "[", "--out", out},
		`invalid value "0" for flag -workers: give a whole number from 1 to 1000`: {"reproduce", "--only", suite, "--workers", "0", "--out", out},
	} {
		t.Run(want, func(t *testing.T) {
			if _, _, err := bench(t, args...); exitCode(err) != exitRefused || !strings.Contains(err.Error(), want) {
				t.Errorf("%v: got %v, should say %q", args, err, want)
			}
		})
	}
}

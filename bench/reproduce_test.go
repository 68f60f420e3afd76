package bench

import (
	"path/filepath"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/internal/console"
	"popbench/internal/views/verify"
)

// Reproduce runs from an empty folder to the verdicts, and continues after an interruption and
// after --quick.
func TestReproduce(t *testing.T) {
	check.Sequential(t)
	t.Parallel()
	out := filepath.Join(t.TempDir(), "out")
	const suite = "paper-confidence-set"
	done(t, "reproduce", "--quick", "--only", suite, "--out", out)
	records := check.Files(t, filepath.Join(out, suite, "records"))
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

	_, log, err := bench(t, "reproduce", "--only", suite, "--out", out)
	if err != nil || !strings.Contains(log, "29 cells to run, 1 kept") {
		t.Errorf("the whole does not go on from the quick look: %v, %q", err, log)
	}
	for name, data := range check.Files(t, filepath.Join(out, suite, "records")) {
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
			if _, _, err := bench(t, args...); console.ExitCode(err) != console.ExitRefused || !strings.Contains(err.Error(), want) {
				t.Errorf("%v: got %v, should say %q", args, err, want)
			}
		})
	}
}

// Every paper can be reproduced from an empty folder. What needs data that are absent is left out, and the claims say why.
func TestReproducePapers(t *testing.T) {
	check.Sequential(t)
	t.Parallel()
	papers := t.TempDir()
	out := filepath.Join(papers, "pf-ts-2026")
	text, log, err := bench(t, "reproduce", "--quick", "--paper", "pf-ts-2026", "--only", "pf-ts-[ao]*", "--out", out)
	if err != nil {
		t.Fatal(err, log)
	}
	check.Contains(t, "the summary", text, "Of 13 claims 9 are undecided and 4 were not run.\n", "left out: 8 cells: CatData_final.csv is absent")
	page := string(mustRead(t, filepath.Join(out, verify.Page)))
	for _, want := range []string{"What we claim about the paper", "(ours)", "CatData_final.csv is absent", "pf-ts-descent: no records"} {
		if !strings.Contains(page, want) {
			t.Errorf("%s does not say %q", verify.Page, want)
		}
	}
	check.Contains(t, "verify of all papers", done(t, "verify", "--paper", "all", papers), "Of 13 claims 9 are undecided and 4 were not run.\n", "\nnot run    pfts-3 ",
		"\nOf 13 claims about 1 paper 9 are undecided and 4 were not run.\nopen file://"+filepath.Join(papers, verify.Page)+"\n")
	together := string(mustRead(t, filepath.Join(papers, verify.Page)))
	index := string(mustRead(t, filepath.Join(papers, "index.html")))
	check.Contains(t, "the index", index, `href="claims.html"`, `href="pf-ts-2026/index.html"`)
	check.Contains(t, "the page of all papers", together, `href="pf-ts-2026/claims.html"`, `href="pf-ts-2026/pf-ts-ackley/report/index.html"`)
}

package bench

import (
	"path/filepath"
	"strings"
	"testing"

	"popbench/internal/check"
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
	check.Equal(t, "records, one of 30 repetitions", len(records), 1)
	index := readFile(t, filepath.Join(out, "index.html"))
	check.Contains(t, "the index", index, suite+"/report/index.html")
	check.Lacks(t, "the index of what no claim is about", index, verify.Page)

	const judged = "paper-test-functions-authors-code"
	text := done(t, "reproduce", "--quick", "--only", judged, "--out", out)
	check.Contains(t, "the verdicts", text, "Of the paper's 28 claims", "not run")
	page := readFile(t, filepath.Join(out, "index.html"))
	for _, href := range []string{verify.Page, suite + "/report/index.html", judged + "/report/index.html"} {
		check.Contains(t, "the index", page, `href="`+href+`"`)
		check.Contains(t, href, readFile(t, filepath.Join(out, href)), "</html>")
	}

	check.Equal(t, "pages", checkPages(t, out), 4)
	_, main, _ := strings.Cut(page, "<main>")
	first, _, _ := strings.Cut(main, "</section>")
	check.Contains(t, "the first section of the index", first, `<ul class="tally">`, "not run", "<figure ")

	_, log, err := bench(t, "reproduce", "--only", suite, "--out", out)
	check.OK(t, err)
	check.Contains(t, "the whole goes on from the quick look", log, "29 cells to run, 1 kept")
	whole := check.Files(t, filepath.Join(out, suite, "records"))
	for name, data := range records {
		check.Equal(t, name+" of the quick look", whole[name], data)
	}
}

// Every paper can be reproduced from an empty folder. What needs data that are absent is left out, and the claims say why.
func TestReproducePapers(t *testing.T) {
	check.Sequential(t)
	t.Parallel()
	papers := t.TempDir()
	out := filepath.Join(papers, "pf-ts-2026")
	text := done(t, "reproduce", "--quick", "--paper", "pf-ts-2026", "--only", "pf-ts-[ao]*", "--out", out)
	check.Contains(t, "the summary", text, "Of 13 claims 9 are undecided and 4 were not run.\n", "left out: 8 cells: CatData_final.csv is absent")
	check.Contains(t, "the page", readFile(t, filepath.Join(out, verify.Page)), "What we claim about the paper", "(ours)", "CatData_final.csv is absent", "pf-ts-descent: no records")
	check.Contains(t, "verify of all papers", done(t, "verify", "--paper", "all", papers), "Of 13 claims 9 are undecided and 4 were not run.\n", "\nnot run    pfts-3 ",
		"\nOf 13 claims about 1 paper 9 are undecided and 4 were not run.\nopen file://"+filepath.Join(papers, verify.Page)+"\n")
	together := readFile(t, filepath.Join(papers, verify.Page))
	index := readFile(t, filepath.Join(papers, "index.html"))
	check.Contains(t, "the index", index, `href="claims.html"`, `href="pf-ts-2026/index.html"`)
	check.Contains(t, "the page of all papers", together, `href="pf-ts-2026/claims.html"`, `href="pf-ts-2026/pf-ts-ackley/report/index.html"`)
}

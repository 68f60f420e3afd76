package browser

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"popbench/internal/check"
)

// A reader who starts at the index of a results folder has the answer of each question in the window after two clicks at
// most.
func TestAnswersInTwoClicks(t *testing.T) {
	check.Sequential(t)
	t.Parallel()
	b := openTab(t, 1400, 1000)
	dir := madePages(t)
	const page = "made-up runs: paper-test-functions"
	for _, q := range []struct {
		question string
		clicks   []string // on links and buttons with these texts, or "SELECTOR = OPTION"
		answer   string   // a regular expression
	}{
		{"Which paper do the runs repeat?", nil, `The experiments of Principled Preferential Bayesian Optimization \(W\. Xu, .*, ICML 2024\)`},
		{"Who wins on Branin, and how sure is that?", []string{page, "Best on each problem"}, `Branin [^*]*\* .*clearly`},
		{"Which claims fail, and why?", []string{"ack-2"}, `ack-2 .*✗ does not hold .*no part of the interval is below 0`},
		{"What does a step cost?", []string{page, "Computation time"}, `DTS [\d.]+ ms`},
		{"Where did POP-BO sample in run 7?", []string{page, "#branin-runs label + label select = 7"}, `POP-BO, run 7, step 12 of 12: \(`},
	} {
		if len(q.clicks) > 2 {
			t.Errorf("%s takes %d clicks", q.question, len(q.clicks))
		}
		b.open(filepath.Join(dir, "index.html"))
		for _, text := range q.clicks {
			if selector, option, ok := strings.Cut(text, " = "); ok {
				b.choose(selector, option)
			} else {
				b.click(text)
			}
		}
		if got := b.sight(); !regexp.MustCompile(q.answer).MatchString(got) {
			t.Errorf("%s After clicks on %q the window has no %s:\n%s", q.question, q.clicks, q.answer, got)
		}
	}
}

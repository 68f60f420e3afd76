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
	dir := madePages(t)
	const page = "made-up runs: paper-test-functions"
	walk(t, dir, []walkTo{
		{"Which paper do the runs repeat?", nil, `The experiments of Principled Preferential Bayesian Optimization \(W\. Xu, .*, ICML 2024\)`},
		{"Who wins on Branin, and how sure is that?", []string{page, "Best on each problem"}, `Branin [^*]*\* .*clearly`},
		{"Which claims fail, and why?", []string{"ack-2"}, `ack-2 .*✗ does not hold .*no part of the interval is below 0`},
		{"What does a step cost?", []string{page, "Computation time"}, `DTS [\d.]+ ms`},
		{"Where did POP-BO sample in run 7?", []string{page, "#branin-runs label + label select = 7"}, `POP-BO, run 7, step 12 of 12: \(`},
	})
}

// The same is true of the project's site.
func TestSiteAnswersInTwoClicks(t *testing.T) {
	check.Sequential(t)
	t.Parallel()
	walk(t, madeSite(t), []walkTo{
		{"Which method first?", nil, `Method Rank, 73 % right .*tuned [\d.]+ \[`},
		{"Is X better than Y, and how sure is that?", []string{"The field: all pairs"}, `Pairs, 73 % right .*P `},
		{"What does claim gp1d-3 say, and why does it not hold?", []string{"The claims of POP-BO’s paper", "gp1d-3"}, `more than 2\.5 times .*Why: .*no part of the repeated interval`},
		{"What does a step cost?", []string{"The field: cost"}, `DTS tuned .*[\d.]+ ms`},
		{"How do I enter mine?", []string{"Your method in the field"}, `bench field --tune mine\.yaml`},
		{"What is it, where does it stand, what can be set?", []string{"Methods", "MaxMinLCB"}, `In the field .*MaxMinLCB tuned [\d.]+ \[.*Settings`},
		{"What does Beale look like, and who does well?", []string{"Problems", "Beale"}, `Shading: .*minimum 0 at \(3, 0\.5\).*Who does well`},
	})
}

// walkTo is a question, and the way to its answer.
type walkTo struct {
	question string
	clicks   []string // on links and buttons with these texts, or "SELECTOR = OPTION"
	answer   string   // a regular expression
}

// walk asks questions at the index in a folder.
func walk(t *testing.T, dir string, questions []walkTo) {
	t.Helper()
	b := openTab(t, 1400, 1000)
	for _, q := range questions {
		check.That(t, len(q.clicks) <= 2, "%s takes %d clicks", q.question, len(q.clicks))
		b.open(filepath.Join(dir, "index.html"))
		for _, text := range q.clicks {
			if selector, option, ok := strings.Cut(text, " = "); ok {
				b.choose(selector, option)
			} else {
				b.click(text)
			}
		}
		got := b.sight()
		check.That(t, regexp.MustCompile(q.answer).MatchString(got), "%s After clicks on %q the window has no %s:\n%s", q.question, q.clicks, q.answer, got)
	}
}

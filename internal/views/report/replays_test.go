package report

import (
	"fmt"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/internal/outcome"
	"popbench/internal/views/report/reporttest"
)

// A page has as many runs of each method as its share of bytes allows, of POP-BO first.
func TestReplays(t *testing.T) {
	table := outcome.NewTable(mustCollect(t, reporttest.Results(reporttest.Options{
		Problems: []string{"beale", "branin"}, Algorithms: []string{"dts", "popbo"}, Runs: 12, Steps: 9})))
	page := func(limit int) (*Page, int) {
		t.Helper()
		p := &Page{Table: table, Problems: []PageProblem{{name: "beale", file: "beale"}, {name: "branin", file: "branin-2"}}}
		check.OK(t, p.addReplays(limit))
		size := 0
		for _, problem := range p.Problems {
			if problem.Replay != nil {
				size += len(problem.Replay.JSON)
			}
		}
		return p, size
	}
	whole, size := page(1e9)
	check.Equal(t, "runs", whole.Problems[0].Replay.Runs, 12)
	text := string(whole.Problems[1].Replay.HTML())
	check.Contains(t, "figure", text, `<figure id="branin-2-runs"`, "POP-BO, run 0, step 9 of 9: (")
	check.Lacks(t, "figure", text, "Here are")
	check.Equal(t, "order of the methods", strings.Index(text, `"label":"POP-BO"`) < strings.Index(text, `"label":"DTS"`), true)
	none, nothing := page(100)
	check.Equal(t, "bytes where not one run fits", nothing, 0)
	check.Equal(t, "the page says so", none.Unshown && !whole.Unshown, true)
	for _, limit := range []int{size - 1, size / 2, size / 5} {
		some, is := page(limit)
		if n := some.Problems[0].Replay.Runs; is > limit || n < 12*limit/size-2 {
			t.Errorf("%d runs in %d bytes of %d, where 12 need %d", n, is, limit, size)
		} else {
			check.Contains(t, "figure", string(some.Problems[1].Replay.HTML()), fmt.Sprintf("Here are the first %d of 12 runs of each method.", n))
		}
	}
}

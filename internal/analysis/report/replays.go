package report

import (
	"slices"

	"popbench/internal/analysis/chart"
	"popbench/internal/analysis/outcome"
	"popbench/internal/analysis/replay"
)

// maxReplays is how many bytes of a page are for runs step by step. The runs of every method are cut to as many as fit.
const maxReplays = 1_500_000

// addReplays puts the runs on problems of one or two dimensions on the page, step by step. The method whose lines have
// the first style comes first: POP-BO where it was run. If not even one run of each fits, there are none.
func (page *Page) addReplays(limit int) error {
	styles := chart.Styles(page.Table.Results)
	for most := outcome.MaxTraces; most > 0; {
		size := 0
		for i := range page.Problems {
			p := &page.Problems[i]
			var groups []*outcome.Group
			for k := range page.Table.Groups {
				if g := &page.Table.Groups[k]; g.Problem.Name == p.name {
					groups = append(groups, g)
				}
			}
			if k := slices.IndexFunc(groups, func(g *outcome.Group) bool { return styles[g.Algorithm.Label] == 0 }); k > 0 {
				first := groups[k]
				groups = slices.Insert(slices.Delete(groups, k, k+1), 0, first)
			}
			var err error
			if p.Replay, err = replay.New(page.Table.Dir(), p.file+"-runs", groups, most); err != nil {
				return err
			}
			if p.Replay != nil {
				size += len(p.Replay.JSON)
			}
		}
		if size <= limit {
			return nil
		}
		most = min(most-1, most*limit/size)
	}
	for i := range page.Problems {
		page.Problems[i].Replay = nil
	}
	page.Unshown = true
	return nil
}

package verify

import (
	"popbench/internal/judge"
	"popbench/internal/page/document"
	"popbench/internal/paper"
	"popbench/internal/views/about"
)

// aboutOf says what the page with the claims is.
func aboutOf(v *judge.Verdicts) *document.About {
	p := about.Page{Paper: paper.LookupPublication(v.Study().Name), Uses: about.Uses(v.Results()...), Metrics: about.Metrics(v.Results()...),
		Description: Counts(v)}
	if p.Paper == nil {
		p.Lead = document.Text("Claims of this project, not of a paper")
		return p.About()
	}
	p.Lead = "Claims of"
	if v.Study().HasOwn() {
		p.Lead = "Claims about the experiments of"
	}
	p.Description += " Each is checked on the records of runs, with an interval: " + p.Paper.Title + ", " + p.Paper.Short() + "."
	return p.About()
}

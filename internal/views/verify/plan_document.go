package verify

import (
	"popbench/internal/judge"
	"popbench/internal/page/document"
)

// PlanDocument is the plan as a table: a row for each part.
func PlanDocument(p *judge.Plan) *document.Document {
	d := &document.Document{Title: "How the claims are decided", Summary: []document.Text{document.Textf(
		"Looks after %s fresh runs, from repetition %d on. Error probability of a verdict: %g. SHA-256 of the plan: %s.",
		p.LooksText(), p.First, p.Alpha, p.Hash())}}
	type row struct {
		judge.PlannedPart
		claim string
	}
	var rows []row
	for _, c := range p.Claims {
		for _, part := range c.Parts {
			rows = append(rows, row{part, c.ID})
		}
	}
	optional := func(v *float64) document.Cell {
		if v == nil {
			return document.Words("—")
		}
		return document.Short(*v)
	}
	d.Add(document.Tabulate(document.Sheet{ID: "plan", Title: "Plan",
		Caption: "Spread: standard deviation of a run, from earlier runs. δ: a repeated interval that holds the border and lies within δ of it is at the border. Reachable: the δ that is reached with probability 0.8 by the largest look."},
		rows,
		document.Column[row]{Title: "Claim", Head: true, Of: func(r row) document.Cell { return document.Words(r.claim) }},
		texts("Statistic", func(r row) string { return r.Statistic }),
		texts("As", func(r row) string { return r.Estimand }),
		texts("Guarantee", func(r row) string { return r.Guarantee }),
		numbers("Spread", func(r row) document.Cell { return optional(r.Spread) }),
		numbers("δ", func(r row) document.Cell { return optional(r.Margin) }),
		numbers("Reachable", func(r row) document.Cell { return optional(r.Reachable) })))
	if len(p.Outside) > 0 {
		d.Add(document.Tabulate(document.Sheet{ID: "outside", Title: "Not decided by this plan"}, p.Outside,
			document.Column[judge.OutsideClaim]{Title: "Claim", Head: true, Of: func(r judge.OutsideClaim) document.Cell { return document.Words(r.ID) }},
			texts("Because", func(r judge.OutsideClaim) string { return r.Reason })))
	}
	return d
}

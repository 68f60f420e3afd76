// Package report puts the outcome of a results folder into sheets, charts and pages.
// It reads records and nothing else.
//
//	record → outcome → charts → figure
//	                 → document
//
// Nothing is left out silently: what a record lacks is a footnote.
package report

import (
	"fmt"
	"strings"

	"popbench/internal/outcome"
	"popbench/internal/page/document"
	"popbench/internal/paper"
	"popbench/internal/words"
)

// factRepeats names the fact of which experiment the suite repeats.
const factRepeats = "Repeats"

// Document puts the table into words, and the comparison of its algorithms, which may be nil.
func Document(t *outcome.Table, c *Comparison) *document.Document {
	l := newLayout(t)
	d := &document.Document{Title: document.Plain(t.Suite), Warnings: document.PlainAll(t.Warnings), Summary: l.summary()}
	if t.Title != "" {
		d.Title = document.Textf("%s: %s", t.Suite, t.Title)
	}
	if t.Experiment != nil {
		d.AddFact(factRepeats, paper.Source+", "+repeats(t.Results))
	}
	d.AddFact("Runs", t.Size())
	if n := t.FirstDuels; n > 0 {
		d.AddFact("First duels", fmt.Sprintf("%s of random points, the same for all algorithms of a repetition", words.Count(n, "step")))
	}
	d.AddFact("Left out", t.LeftOut())
	d.AddFact("Seed", strings.Trim(strings.ReplaceAll(fmt.Sprint(t.Seeds), " ", ", "), "[]"))
	d.AddFact("Program", t.Programs...)
	d.Add(l.outcome(), l.ranking())
	if c != nil {
		d.Add(c.overallSheet(l), c.problemsSheet(l), c.ranksSheet(l), l.targetSheet(c))
	}
	d.Add(l.verdicts(), l.rules(), l.regret(), l.metrics())
	if t.Growth != nil {
		d.Add(l.growth(), l.growthClaims())
	}
	if t.Times != nil {
		d.Add(l.times(t.Times))
	}
	d.Add(l.coverage(), l.beliefs(), l.solver())
	if t.Paper != nil {
		d.Add(l.printed())
	}
	d.Add(l.programs(), l.prior(), l.fits())
	if t.Experiment != nil {
		d.Add(l.setup())
	}
	return d
}

package report

import (
	"bytes"
	"html/template"
	"math"
	"path"
	"slices"
	"strings"

	"popbench/internal/outcome"
	"popbench/internal/page/chart"
	"popbench/internal/page/figure"
	"popbench/internal/paper"
	"popbench/internal/views/charting"
)

// Add adds the card of a suite, whose page is at href from the index, under a name of
// its own: there may be several folders of one suite.
func (x *Index) Add(name string, r *Report, href string) (*Card, error) {
	card := NewCard(r.Table, href)
	card.Suite, card.programs = name, r.Identities
	if card.rank = slices.Index(paper.Experiments(), r.Experiment); card.rank < 0 {
		card.rank = len(paper.Experiments())
	}
	charts := r.shown()
	if len(charts) > 0 {
		f := figure.Thumb("thumb", charts)
		svg, err := f.Inline()
		if err != nil {
			return nil, err
		}
		card.Thumb, card.Shows = template.HTML(svg), f.Caption+"."
	}
	x.Cards = append(x.Cards, *card)
	return card, x.lead(card, r, charts)
}

// leads is how many figures an index begins with.
const leads = 2

// lead takes the suite's figure to the top of the index if the suite is among the first. Suites of one experiment of the
// paper have one figure together.
func (x *Index) lead(c *Card, r *Report, charts []*chart.Chart) error {
	at, found := slices.BinarySearchFunc(x.Leads, c.rank, func(l lead, rank int) int { return l.rank - rank })
	if found && r.Experiment == nil {
		at, found = len(x.Leads), false
	}
	if at >= leads || found || len(charts) == 0 {
		return nil
	}
	f := figure.Together(charting.OverviewName(charts[0].Metric), charts)
	shown, err := f.OnPage("lead-" + c.Suite)
	if err != nil {
		return err
	}
	image, file := "", "figures/"+f.Name+".png"
	if slices.ContainsFunc(r.Files, func(f File) bool { return f.Path == file }) {
		image = path.Join(path.Dir(c.Href), file)
	}
	x.Leads = slices.Insert(x.Leads, at, lead{c.rank, image, shown, Link{Text: c.Suite, Href: c.Href}})
	x.Leads = x.Leads[:min(len(x.Leads), leads)]
	return nil
}

// AddError adds a card that says why a suite has no page.
func (x *Index) AddError(name, why string) {
	x.Cards = append(x.Cards, Card{Suite: name, Error: why, rank: math.MaxInt})
}

// File returns the page, with the suites in the order of the paper.
func (x *Index) File() (File, error) {
	slices.SortStableFunc(x.Cards, func(a, b Card) int { return a.rank - b.rank })
	if x.Claims != nil { // claims depend on all suites together
		var programs [][]string
		for _, c := range x.Cards {
			programs = append(programs, c.programs)
		}
		x.Warning = Mixture(programs)
	}
	var page bytes.Buffer
	err := WriteIndex(&page, x)
	return File{"index.html", page.Bytes()}, err
}

// State says in a line whether the suite's records are complete and by one program.
func (c *Card) State() string {
	state := "complete"
	switch {
	case c.Missing != nil:
		state = "not complete: " + strings.Join(c.Missing, "; ")
	case c.Unlisted:
		state = "no cells.json tells whether runs are missing"
	}
	if c.LeftOut != "" {
		state += "; left out: " + c.LeftOut
	}
	return strings.Join(append([]string{state}, c.Mixtures...), "; ")
}

// shown are the charts that stand for the report: of the confidence set where the suite is about that, of the headline or
// the suboptimality elsewhere.
func (r *Report) shown() []*chart.Chart {
	if r.AboutCoverage() {
		return charting.Coverage(r.Table, r.curves)
	}
	charts := charting.Of(r.Table, r.curves)
	if shown := charting.OfMetric(charts, r.Headline.Name); len(shown) > 0 {
		return shown
	}
	return charting.OfMetric(charts, outcome.Suboptimality)
}

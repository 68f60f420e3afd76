package report

import (
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"
	"path"
	"slices"
	"strings"

	"popbench/internal/judge"
	"popbench/internal/outcome"
	"popbench/internal/page/document"
	"popbench/internal/page/figure"
	"popbench/internal/paper"
	"popbench/internal/views/about"
	"popbench/internal/words"
)

// Index is a page that leads to the pages of several suites. It needs nothing from a network, and no scripts to be read.
type Index struct {
	Title  string
	Claims *Claims // nil without claims
	Cards  []*Card
	Papers []Claims // pages of papers, each with its suites, where this page has no cards
	Leads  []lead   // figures at the top
}

// Claims is a page about all suites together: which of the paper's claims hold.
type Claims struct {
	Title   string
	Counts  string // how many hold, in a line
	Href    string // from the index
	Tally   []Tally
	Failing []*judge.Outcome // those that do not hold
}

// Tally is how many claims have a verdict.
type Tally struct {
	Words string
	N     int
	Key   string // of the verdict in the style sheet
	Icon  string // readable without its colour
}

// lead is a figure at the top of the index.
type lead struct {
	rank   int
	image  string // path of the figure from the index, as PNG
	Figure document.Figure
}

// Mixture warns of suites whose records are by several programs; "" if all are by
// one. Suites has the programs of each suite, as in Results.Identities.
func Mixture(suites [][]string) string {
	all := words.Once(slices.Concat(suites...))
	if len(all) < 2 {
		return ""
	}
	return fmt.Sprintf("A mixture: the suites were run by %d programs that may not make the same steps: %s.", len(all), strings.Join(all, "; "))
}

// Card is a suite in short.
type Card struct {
	Suite    string // its name
	Title    string
	Href     string // of its page, from the index
	Repeats  string // which part of the paper; "" for none
	Size     string
	Missing  []string // runs without a complete record; nil if none
	LeftOut  string   // runs that cannot be done; "" if none
	Unlisted bool     // the expected runs are unknown
	Mixtures []string // differences that the records should not have; nil if none
	Headline *Headline
	Thumb    template.HTML // a small figure
	Shows    document.Text // what the figure shows
	Error    string        // why the suite has no page; all else but Suite is empty then

	rank     int      // its place in the index
	programs []string // that made its records
	releases []string // the programs as readers know them
	machines []string
	about    about.Page
}

// NewCard is the card of a suite's table, without its figures.
func NewCard(t *outcome.Table, href string) *Card {
	c := &Card{
		Suite: t.Suite, Title: t.Title, Href: href, Size: t.Size(),
		Missing: t.Missing(), LeftOut: t.LeftOut(), Unlisted: t.Unlisted, Mixtures: t.Mixtures,
		Headline: newHeadline(t, true),
		about:    about.Suite(t.Results, about.Metrics(t.Results)), releases: t.Programs, machines: t.Machines(),
	}
	if t.Experiment != nil {
		c.Repeats = repeats(t.Results)
	}
	return c
}

// Words is what the words of the headlines mean, the same for all.
func (x *Index) Words() (about document.Text) {
	for _, c := range x.Cards {
		if c.Headline != nil {
			about = cmp.Or(c.Headline.About, about)
		}
	}
	return about
}

// about says what the index is: of the paper that all its suites belong to, or of no paper.
func (x *Index) about() *document.About {
	const several = "Suites of several sources; each page names its own"
	p := about.Page{Lead: several}
	for _, c := range x.Cards {
		if c.Error != "" {
			continue
		}
		if p.Uses == nil {
			p.Paper = c.about.Paper
			if p.Lead = "Suites without a paper: they are their author’s own"; p.Paper != nil {
				p.Lead = "The experiments of"
			}
		} else if p.Paper != c.about.Paper {
			p.Paper, p.Lead = nil, several
		}
		p.Uses, p.Metrics = append(p.Uses, c.about.Uses...), append(p.Metrics, c.about.Metrics...)
	}
	p.Description = fmt.Sprintf("%s: %s of preferential optimisers.", x.Title, words.Count(len(x.Cards)+len(x.Papers), "suite"))
	if x.Papers != nil {
		p.Description = fmt.Sprintf("%s: %s.", x.Title, words.Count(len(x.Papers), "study"))
	}
	if x.Claims != nil {
		p.Description += " " + x.Claims.Counts
	}
	if p.Paper != nil {
		p.Description += " After " + p.Paper.Title + ", " + p.Paper.Short() + "."
	}
	a := p.About()
	if len(x.Leads) > 0 {
		a.Image, a.ImageAlt = words.URLPath(x.Leads[0].image), x.Leads[0].Figure.Caption.String()
	}
	return a
}

// Add adds the card of a suite, whose page is at href. Its name is its own: there may be several folders of one suite.
func (x *Index) Add(name string, r *Report, href string) *Card {
	card := NewCard(r.Table, href)
	card.Suite, card.programs, card.Headline.Suite = name, r.Identities, name
	if card.rank = slices.Index(paper.Experiments(), r.Experiment); card.rank < 0 {
		card.rank = len(paper.Experiments())
	}
	charts := r.shown()
	if len(charts) > 0 {
		f := figure.Thumb("thumb", charts)
		card.Thumb, card.Shows = f.Inline(), f.Caption+"."
	}
	x.Cards = append(x.Cards, card)
	x.lead(card, r, charts)
	return card
}

// leads is how many figures an index begins with.
const leads = 2

// lead takes the suite's figure to the top of the index if the suite is among the first. Suites of one experiment of the
// paper have one figure together.
func (x *Index) lead(c *Card, r *Report, charts []*figure.Chart) {
	at, found := slices.BinarySearchFunc(x.Leads, c.rank, func(l lead, rank int) int { return l.rank - rank })
	if found && r.Experiment == nil {
		at, found = len(x.Leads), false
	}
	if at >= leads || found || len(charts) == 0 {
		return
	}
	f := figure.Together(OverviewName(charts[0].Metric), charts)
	image, file := "", "figures/"+f.Name+".png"
	if slices.ContainsFunc(r.Files, func(f File) bool { return f.Path == file }) {
		image = path.Join(path.Dir(c.Href), file)
	}
	drawn := f.OnPage("lead-" + c.Suite)
	drawn.Links = []document.Link{{Text: c.Suite, Href: c.Href}}
	x.Leads = slices.Insert(x.Leads, at, lead{c.rank, image, drawn})
	x.Leads = x.Leads[:min(len(x.Leads), leads)]
}

// AddError adds a card that says why a suite has no page.
func (x *Index) AddError(name, why string) {
	x.Cards = append(x.Cards, &Card{Suite: name, Error: why, rank: math.MaxInt})
}

// File returns the page, with the suites in the order of the paper.
func (x *Index) File() (File, error) {
	slices.SortStableFunc(x.Cards, func(a, b *Card) int { return a.rank - b.rank })
	body, err := document.Fragment(pageTemplate(), "index", x)
	if err != nil {
		return File{}, err
	}
	doc := &document.Document{Title: document.Plain(x.Title)}
	all := func(of func(*Card) []string) []string { return words.Once(slices.Concat(words.Each(x.Cards, of)...)) }
	doc.AddFact("Program", all(func(c *Card) []string { return c.releases })...)
	doc.AddFact("Machine", all(func(c *Card) []string { return c.machines })...)
	programs := words.Each(x.Cards, func(c *Card) []string { return c.programs })
	if warning := Mixture(programs); warning != "" && x.Claims != nil { // claims depend on all suites together
		doc.Warnings = []document.Text{document.Plain(warning)}
	}
	page := &document.Page{Document: doc, About: x.about(), FigureCSS: figure.InlineCSS, Body: body}
	return Written(indexFile, func(w io.Writer) error { return document.WriteHTML(w, page) })
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
func (r *Report) shown() []*figure.Chart {
	if r.AboutCoverage() {
		return CoverageCharts(r.Table, r.curves)
	}
	charts := Charts(r.Table, r.curves)
	if shown := OfMetric(charts, r.Headline.Name); len(shown) > 0 {
		return shown
	}
	return OfMetric(charts, outcome.Suboptimality)
}

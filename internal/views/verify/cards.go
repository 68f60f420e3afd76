package verify

import (
	_ "embed"
	"fmt"
	"html/template"
	"math"
	"path"
	"slices"
	"strings"

	"popbench/internal/claims"
	"popbench/internal/judge"
	"popbench/internal/math/stats"
	"popbench/internal/outcome"
	"popbench/internal/page/document"
	"popbench/internal/page/figure"
	"popbench/internal/paper"
	"popbench/internal/views/report"
	"popbench/internal/words"
)

func (p placed) from(href string) string { return path.Join(p.dir, href) }

// card is what the page shows of a claim.
type card struct {
	*claims.Claim
	*judge.Outcome
	Study      string        // "" where all are of one
	Paper      document.Link // to it
	Why        document.Text
	Notes      []document.Text
	Rows       []part
	Axis       template.HTML
	Long       bool // there are many
	HasPrinted bool // the paper prints numbers for some parts
	Problems   bool // the parts are about several problems
	Looks      bool // some part was decided by a group-sequential plan
	Fold       string
	Checks     *document.Sheet
	Suites     []document.Link // to the reports; without an address where there is no report
	Thumbs     []thumb
}

// part is a row of the figure of a card.
type part struct {
	Verdict                judge.Verdict
	What                   document.Text
	Problem                string
	Strip                  template.HTML
	Ours, Claimed, Printed document.Text
}

type sized struct {
	document.Link
	Size string
}

type thumb struct{ Image, Href, Alt string }

// option is a choice of a filter.
type option struct {
	ID, Value, Icon, Text string
	Count                 int
}

// filter is a choice of claims to show. The first option shows all.
type filter struct {
	Name, Legend string
	Options      []option
}

// manyParts is the number of parts above which the figure of a card has its whole width.
const manyParts = 8

//go:embed cards.tmpl
var cardsSource string

//go:embed cards.css
var cardsCSS string

var cardsTemplate = document.Template(cardsSource)

// pageDocument is what the page has besides the cards: the head of the text forms, other sheets of the study, and notes.
func pageDocument(v *judge.Verdicts, sheets ...document.Sheet) *document.Document {
	d := Brief(v)
	d.Sheets = nil
	d.Add(sheets...)
	d.Facts = slices.DeleteFunc(d.Facts, func(f document.Fact) bool {
		// They are below the cards, and the paper is above the facts.
		return f.Name == "Suites" || f.Name == "Paper" && paper.LookupPublication(v.Study().Name) != nil
	})
	d.Notes = pageNotes(v)
	return d
}

// pageNotes are the notes of all claims, then the notes of the suites, each once.
func pageNotes(all ...*judge.Verdicts) []document.Text {
	notes := claimNotes(all...)
	said := len(notes)
	for _, v := range all {
		notes = append(notes, groupNotes(v, notes[:said])...)
	}
	return notes
}

// writeCards writes the claims about papers, with their style.
func writeCards(papers []placed, h *document.HTML) (template.HTML, template.CSS) {
	var cards []card
	var sizes []sized
	for _, p := range papers {
		for _, o := range p.Outcomes {
			c := p.card(o)
			if len(papers) > 1 {
				c.Study = p.Study().Name
			}
			cards = append(cards, c)
		}
		sizes = append(sizes, p.sizes()...)
	}
	filters := filtersOf(cards)
	var b strings.Builder
	if err := cardsTemplate().Execute(&b, map[string]any{
		"Show": h, "Cards": cards, "Filters": filters, "Rules": rules(papers), "Sizes": sizes,
		"Printed": slices.ContainsFunc(cards, func(c card) bool { return c.HasPrinted }),
		"Looks":   slices.ContainsFunc(cards, func(c card) bool { return c.Looks }),
		"Files":   len(papers) == 1, // then the page has other forms
	}); err != nil {
		panic(err) // the template is part of the program
	}
	return template.HTML(b.String()), template.CSS(figure.IntervalsCSS + cardsCSS + filterCSS(filters, cards))
}

// paperLink leads to the paper, or to its program where we know of no public paper. It is empty if the study belongs to
// none.
func paperLink(s *claims.Study) document.Link {
	p := paper.LookupPublication(s.Name)
	if p == nil {
		return document.Link{}
	}
	if strings.Contains(p.URL, "github.com") {
		return document.Link{Text: "program", Href: p.URL}
	}
	return document.Link{Text: "paper", Href: p.URL}
}

func (p placed) card(o *judge.Outcome) card {
	sheet := checkSheet([]*judge.Outcome{o})
	sheet.Title = document.Textf("Checks of %s", o.Claim.ID)
	c := card{Claim: o.Claim, Outcome: o, Paper: paperLink(p.Study()), Why: why(o), Notes: notesOf(o),
		Checks: &sheet, Problems: severalProblems(o), Long: len(o.Parts) > manyParts, Fold: words.Count(len(o.Parts), "part"),
		Suites: words.Each(suitesOf(o), p.linkTo), Thumbs: p.thumbs(o)}
	for _, f := range o.Parts {
		c.HasPrinted, c.Looks = c.HasPrinted || !math.IsNaN(f.Printed), c.Looks || f.Decided != nil
	}
	c.Rows, c.Axis = rows(o.Parts)
	if n := len(o.Beside); n > 0 {
		c.Fold += ", and " + words.Count(n, "check") + " beside the claim"
	}
	return c
}

// rows are the parts of a claim, drawn on one axis.
func rows(findings []*judge.Finding) (parts []part, axis template.HTML) {
	var drawn figure.Intervals
	for _, f := range findings {
		estimate, ci := estimate(f)
		row := figure.IntervalRow{Value: estimate, Interval: ci, Joint: f.Joint, Region: stats.Interval{Lo: f.Region.Lo, Hi: f.Region.Hi}, Printed: f.Printed,
			Settled: f.Verdict != judge.Undecided}
		if d := f.Decided; d != nil {
			row.Joint, row.Border, row.Margin = f.CI, d.Border, d.Margin
			for _, look := range d.Looks[:max(0, len(d.Looks)-1)] { // the last one is the joint interval
				row.Looks = append(row.Looks, look.Interval)
			}
		}
		p := part{Verdict: f.Verdict, What: statistic(f), Problem: problemsOf(f), Ours: document.Textf("%s", ours(f)), Claimed: regionCell(f.Region).Text}
		if f.Decided != nil {
			p.Ours += document.Textf(", %s", words.Count(f.Runs, "run"))
		}
		if !math.IsNaN(f.Printed) {
			p.Printed = document.Textf("%s", document.Short(f.Printed))
		}
		text := document.Textf("%s; claimed: %s", p.Ours, p.Claimed)
		if p.Printed != "" {
			text += "; in the paper: " + p.Printed
		}
		row.Alt = text.String()
		parts, drawn = append(parts, p), append(drawn, row)
	}
	strips, axis := drawn.Draw()
	for i := range parts {
		parts[i].Strip = strips[i]
	}
	return parts, axis
}

// suitesOf returns the names of the suites of a claim, the suites of its parts first.
func suitesOf(o *judge.Outcome) (names []string) {
	for _, f := range slices.Concat(o.Parts, o.Beside) {
		for _, s := range f.Samples {
			names = words.Include(names, s.Suite)
		}
	}
	return names
}

func (p placed) sizes() []sized {
	return words.Each(p.Results(), func(r *outcome.Results) sized { return sized{p.linkTo(r.Suite), r.Size()} })
}

func (p placed) linkTo(suite string) document.Link {
	s := document.Link{Text: suite}
	if dir := p.reportOf(suite); dir != "" {
		s.Href = p.from(path.Join(dir, "index.html"))
	}
	return s
}

// reportOf is the folder of a suite's report, as a path from the folder of all results; "" if there is no report.
func (p placed) reportOf(suite string) string {
	folders := []string{path.Join(suite, "report")}
	if all := p.Results(); len(all) == 1 && all[0].Suite == suite { // the report may be in the results folder itself
		folders = append(folders, "report")
	}
	for _, dir := range folders {
		if p.exists(path.Join(dir, "index.html")) {
			return dir
		}
	}
	return ""
}

// thumbs are the figures of the suites' reports that show what the parts are about.
func (p placed) thumbs(o *judge.Outcome) (all []thumb) {
	type curves struct {
		suite  string
		metric outcome.Metric
	}
	var shown []curves
	problems := map[curves][]string{}
	for _, f := range o.Parts {
		for _, s := range f.Samples {
			for _, q := range s.Quantities {
				if q.Shown == "" {
					continue
				}
				c := curves{s.Suite, q.Shown}
				shown, problems[c] = words.Include(shown, c), words.Include(problems[c], s.Problem)
			}
		}
	}
	for _, c := range shown {
		dir := p.reportOf(c.suite)
		if dir == "" {
			continue
		}
		name, about := report.OverviewName(c.metric), words.Count(len(problems[c]), "problem")
		if len(problems[c]) == 1 {
			name, about = report.FigureName(report.FileNames(problems[c])[0], c.metric), problems[c][0]
		}
		if image := path.Join(dir, "figures", name+".svg"); p.exists(image) {
			all = append(all, thumb{Image: p.from(image), Href: p.from(path.Join(dir, "index.html")) + "#figure-" + name,
				Alt: fmt.Sprintf("Curves: %s on %s, in %s", outcome.Find(c.metric).Title, about, c.suite)})
		}
	}
	return all
}

// filtersOf are the choices of a reader, without filters of a single option.
func filtersOf(cards []card) (all []filter) {
	var studies, suites []string
	for _, c := range cards {
		studies = words.Include(studies, c.Study)
		for _, name := range suitesOf(c.Outcome) {
			suites = words.Include(suites, name)
		}
	}
	if len(studies) == 1 { // then the suites are not by paper
		slices.Sort(suites)
	}
	named := func(names []string) []option {
		return words.Each(names, func(name string) option { return option{Value: name, Text: name} })
	}
	verdicts := words.Each(judge.All(), func(v judge.Verdict) option { return option{Value: v.Key(), Icon: v.Icon(), Text: v.String()} })
	for _, f := range []filter{
		{"paper", "Paper", named(studies)},
		{"verdict", "Verdict", verdicts},
		{"whose", "Whose claim", []option{{Value: "paper", Text: "the paper’s"}, {Value: "ours", Text: "ours"}}},
		{"suite", "Suite", named(suites)},
	} {
		options := []option{{ID: f.Name + "-all", Text: "all", Count: len(cards)}}
		for _, o := range f.Options {
			o.ID = f.Name + "-" + o.Value
			o.Count = stats.Count(cards, func(c card) bool { return c.is(f.Name, o.Value) })
			if o.Count > 0 {
				options = append(options, o)
			}
		}
		if len(options) > 2 {
			all = append(all, filter{f.Name, f.Legend, options})
		}
	}
	return all
}

// Tags are what the card has for a filter, separated by spaces.
func (c card) Tags(filter string) string {
	switch {
	case filter == "paper":
		return c.Study
	case filter == "verdict":
		return c.Verdict.Key()
	case filter == "suite":
		return strings.Join(suitesOf(c.Outcome), " ")
	case c.Ours:
		return "ours"
	}
	return "paper"
}

func (c card) is(filter, value string) bool {
	return slices.Contains(strings.Fields(c.Tags(filter)), value)
}

// filterCSS hides what the chosen options leave out, without a script. A claim that a link leads to is always shown.
func filterCSS(filters []filter, cards []card) string {
	var b strings.Builder
	for i, f := range filters {
		for _, o := range f.Options[1:] {
			fmt.Fprintf(&b, ":root:has(#%s:checked) .claim:not([data-%s~=%q],:target){display:none}\n", o.ID, f.Name, o.Value)
			for _, other := range filters[:i] {
				for _, p := range other.Options[1:] {
					if !slices.ContainsFunc(cards, func(c card) bool { return c.is(f.Name, o.Value) && c.is(other.Name, p.Value) }) {
						fmt.Fprintf(&b, ":root:has(#%s:checked):has(#%s:checked) .none{display:block}\n", o.ID, p.ID)
					}
				}
			}
		}
	}
	return b.String()
}

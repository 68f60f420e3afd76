package report

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"

	"popbench/internal/analysis/document"
	"popbench/internal/analysis/outcome"
	"popbench/internal/words"
)

// Index is a page that leads to the pages of several suites. Like these it has
// no scripts and needs nothing from a network.
type Index struct {
	Title     string
	Claims    *Claims // nil if there are none
	Warning   string  // shown before everything else; "" if none
	Cards     []Card
	Papers    []Claims // pages of papers, each with its suites, where this page has no cards
	FigureCSS template.CSS
}

// Claims is a page about all suites together: which of the paper's claims hold.
type Claims struct {
	Title  string
	Counts string // how many hold, in a line
	Href   string // from the index
}

// Mixture warns of suites whose records are by several programs; "" if all are by
// one. Suites has the programs of each suite, as in Results.Identities.
func Mixture(suites [][]string) string {
	var all []string
	for _, programs := range suites {
		for _, p := range programs {
			all = words.Include(all, p)
		}
	}
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
	Swatches []template.HTML // a sample of the line of each row of the headline
	Thumb    template.HTML   // a small figure
	Shows    document.Text   // what that shows
	Error    string          // why the suite has no page; all else but Suite is empty then

	rank     int      // its place in the index
	programs []string // that made its records
}

// NewCard is the card of a suite's table, without its figures.
func NewCard(t *outcome.Table, href string) *Card {
	c := &Card{Suite: t.Suite, Title: t.Title, Href: href, Size: t.Size(), Missing: t.Missing(), LeftOut: t.LeftOut(), Unlisted: t.Unlisted, Mixtures: t.Mixtures, Headline: NewHeadline(t, true)}
	if t.Experiment != nil {
		c.Repeats = repeats(t.Results)
	}
	return c
}

//go:embed index.tmpl
var indexSource string

// WriteIndex writes the index.
func WriteIndex(w io.Writer, x *Index) error {
	about := document.Text("") // the same for all
	for i := range x.Cards {
		if h := x.Cards[i].Headline; h != nil && h.About != "" {
			about = h.About
		}
	}
	return pageTemplate.ExecuteTemplate(w, "index", struct {
		*Index
		CSS   template.CSS
		About document.Text
	}{x, document.CSS(), about})
}

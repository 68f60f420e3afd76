package report

import (
	_ "embed"
	"io"
	"slices"
	"strings"

	"popbench/internal/outcome"
	"popbench/internal/page/document"
	"popbench/internal/page/figure"
	"popbench/internal/paper"
	"popbench/internal/views/about"
	"popbench/internal/views/replay"
	"popbench/internal/words"
)

// Page is the whole report as one HTML page with its figures. It needs nothing from a network, and no scripts to be read.
type Page struct {
	Table      *outcome.Table
	Document   *document.Document
	Comparison *Comparison // nil if algorithms are not compared
	Problems   []*pageProblem
	With       map[string][]document.Figure // figures by the ID of their sheet; those of all problems by "figures"
	Files      []document.Link              // of the report, beside the page
	Suite      string                       // path of the suite file from the page; "" without one
	Up         *document.Link               // to the index of all suites; nil without one
	Unshown    bool                         // runs are so long that the page does not have them step by step
	Brief      string                       // what is left out of the data for the script; "" if nothing is

	curves   []*outcome.Curve
	exhibits []*exhibit // all figures, in order
	made     Files      // beside the page, but for the files of figures
}

// pageProblem is the figures of one problem.
type pageProblem struct {
	Title  string
	Data   string       // file of all its curves
	Place  string       // of its figures in Page.With
	Replay *replay.View // its runs, step by step; nil if it has more than two dimensions

	name, file string // as records and files have it
}

// exhibit is a figure and where on the page it stands.
type exhibit struct {
	*figure.Figure
	place string        // key of Page.With
	data  string        // the file of its numbers, from the report's folder
	lines *figure.Chart // that the script of the page may show in another way; nil for none
	live  document.Data // for that script
}

// pageSheet is a sheet and the figures that belong to it.
type pageSheet struct {
	*document.Sheet
	Page    *document.HTML
	Figures []document.Figure
	Beside  string          // what the paper has in its place; "" if it has nothing
	Words   []document.Text // the same as the sheet, in words
}

// Pair reports whether the figures stand side by side.
func (s pageSheet) Pair() bool {
	return len(s.Figures) > 1 && !slices.ContainsFunc(s.Figures, func(f document.Figure) bool { return f.Wide })
}

// Fold reports whether the table is in a fold: it is long, and others sum it up.
func (s pageSheet) Fold() bool { return s.ID == "pairwise-problems" }

// besides are the things that the paper shows for a sheet, by its ID.
var besides = map[string]string{"times": "time", "beliefs": "confidence-set", "growth": string(outcome.RelativeRegret)}

//go:embed page.tmpl
var pageSource string

//go:embed index.tmpl
var indexSource string

var pageTemplate = document.Template(pageSource + indexSource)

// figureID begins the IDs of figures on the page: others are those of sections.
const figureID = "figure-"

// fileOf is the path of a figure of the page, as a file with the extension.
func fileOf(f *document.Figure, ext string) string {
	return words.URLPath("figures/" + strings.TrimPrefix(f.ID, figureID) + ext)
}

// writeHTML writes the page.
func writeHTML(w io.Writer, p *Page) error {
	shown := document.NewHTML(p.Document)
	said := map[string][]document.Text{"verdict": p.Document.Summary, "pairwise": p.Comparison.words()}
	sheets := map[string]pageSheet{}
	for _, s := range pointers(p.Document.Sheets) {
		sheets[s.ID] = pageSheet{s, shown, p.With[s.ID], besideThing(p.Table.Results, besides[s.ID]), said[s.ID]}
	}
	problems, sources := problems(p.Table.Results)
	external := programsOf(p.Table.Results)
	of := about.Suite(p.Table.Results, newLayout(p.Table).measured()).About()
	for _, f := range pointers(p.With["figures"]) {
		of.Image, of.ImageAlt = fileOf(f, ".png"), f.Caption.String()
	}
	top, err := document.Fragment(pageTemplate(), "top", newHeadline(p.Table, false))
	if err != nil {
		return err
	}
	body, err := document.Fragment(pageTemplate(), "body", struct {
		*Page
		Show        *document.HTML
		Sections    []struct{ ID, Name string }
		Sheet       map[string]pageSheet
		ProblemList *document.Sheet
		Beside      string // what the paper has in place of the figures
		Sources     []document.Fact
		Settings    []Settings
		External    bool // programs took part
		Random      bool // one of them says that it is
	}{p, shown, sections, sheets, &problems, besideFigures(p.Table.Results), sources, settingsOfAll(p.Table.Results), external != nil,
		slices.ContainsFunc(external, func(u used) bool { return u.program.Random })})
	if err != nil {
		return err
	}
	doc := *p.Document
	doc.Summary = nil // stands with its sheet
	// The introduction says in full what the suite repeats.
	doc.Facts = words.Only(doc.Facts, func(f document.Fact) bool { return f.Name != factRepeats })
	doc.AddFact("Machine", p.Table.Machines()...)
	return document.WriteHTML(w, &document.Page{Document: &doc, About: of, FigureCSS: figure.InlineCSS,
		Up: p.Up, Top: top, Contents: p.contents(sheets), Body: body})
}

// sections are those of a page in their order, with their names in the contents, "" for those that stand behind another.
// Most are sheets.
var sections = []struct{ ID, Name string }{
	{"pairwise", sheetTitle}, {"pairwise-problems", ""}, {"ranks", sheetTitle}, {"to-target", "Comparisons to target"}, {figuresID, "Figures"},
	{"paper", "The paper’s table"}, {"suboptimality", "Suboptimality"}, {"ranking", "Best on each problem"}, {"verdict", "Verdict"},
	{"rules", "Recommendation rules"}, {"regret", "Regret"}, {"metrics", "All metrics"}, {"growth", "Order of the regret"}, {"growth-claims", ""},
	{"times", "Computation time"}, {"coverage", "Coverage"}, {"beliefs", "Confidence set"}, {"solver", "Solver and time"},
	{"programs", "External programs"}, {"prior", ""}, {"fits", ""}, {"setup", ""}, {whatID, "What was run"},
}

const (
	sheetTitle = "the title of the sheet"
	figuresID  = "figures" // of all problems
	whatID     = "what"
)

// contents lead to the sections of a page that has these sheets.
func (p *Page) contents(sheets map[string]pageSheet) (links []document.Link) {
	for _, s := range sections {
		sheet, there := sheets[s.ID]
		if s.Name == sheetTitle && there {
			s.Name = sheet.Title.String()
		}
		if s.Name != "" && (there || s.ID == whatID || s.ID == figuresID && p.Problems != nil) {
			links = append(links, document.Link{Text: s.Name, Href: "#" + s.ID})
		}
	}
	return links
}

// besideThing says what the paper shows where the report has a sheet on a thing: "time" or "confidence-set".
func besideThing(r *outcome.Results, thing string) string {
	return beside(r, func(e *paper.Exhibit) bool { return slices.Contains(e.Shows, thing) })
}

// besideFigures is besideThing for the figures of the problems.
func besideFigures(r *outcome.Results) string {
	return beside(r, func(e *paper.Exhibit) bool {
		return slices.ContainsFunc(r.Groups, func(g *outcome.Group) bool {
			return e.Has(string(outcome.CumulativeRegret), g.Problem.Name) || e.Has(string(outcome.Suboptimality), g.Problem.Name)
		})
	})
}

// beside says which figures and tables of the paper are such, and what they show; "" if the suite repeats no experiment of
// the paper.
func beside(r *outcome.Results, is func(*paper.Exhibit) bool) string {
	if r.Experiment == nil {
		return ""
	}
	var parts []string // by section
	last := ""
	for _, e := range pointers(r.Experiment.Exhibits) {
		if !is(e) {
			continue
		}
		text := e.Name + ", " + e.About
		if e.Section == last {
			parts[len(parts)-1] += "; " + text
		} else {
			parts = append(parts, e.Section+": "+text)
		}
		last = e.Section
	}
	if parts == nil {
		return ""
	}
	return strings.Join(parts, ". ") + "."
}

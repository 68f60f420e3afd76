// Package about says what pages have of papers, methods and metrics: each in a sentence, how to cite it, and the style of a
// method in figures.
package about

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"

	"popbench"
	"popbench/internal/outcome"
	"popbench/internal/page/document"
	"popbench/internal/paper"
	"popbench/internal/words"
)

// Field says what preferential optimisation is.
const Field = "Preferential optimisation looks for the point that somebody likes best, when all that can be observed is which of a few points they prefer. " +
	"A method chooses each question after the answers so far, and recommends a point; here a program answers in place of a person, so that the quality of that point is known."

// Page is what there is to say about a page.
type Page struct {
	Description string
	Lead        document.Text      // how the page relates to the paper
	Paper       *paper.Publication // nil if the page belongs to no paper
	Part        document.Text      // of the paper; may be empty
	Uses        []Use
	Metrics     []outcome.Metric
}

// Use is an algorithm as a suite names it.
type Use struct {
	Name     string // of the method
	Label    string
	External bool // another program is the algorithm
	Imported bool // its numbers were imported
}

// Uses returns the algorithms of the results.
func Uses(results ...*outcome.Results) (all []Use) {
	for _, r := range results {
		for _, g := range r.Groups {
			a := &g.Algorithm
			u := Use{Name: a.Name, Label: a.Label, External: a.Program != nil, Imported: g.Imported != nil}
			if !slices.Contains(all, u) {
				all = append(all, u)
			}
		}
	}
	return all
}

// Titled returns the built-in method whose title or name is the label; of any other algorithm only the label is known.
func Titled(label string) Use {
	u := Use{Label: label}
	if i := slices.IndexFunc(methods(), func(m method) bool { return m.Title == label || strings.EqualFold(m.name, label) }); i >= 0 {
		u.Name = methods()[i].name
	}
	return u
}

// Metrics returns the metrics that lead the pages of the results.
func Metrics(results ...*outcome.Results) (all []outcome.Metric) {
	for _, r := range results {
		for _, m := range []outcome.Metric{r.Headline.Name, outcome.Suboptimality, outcome.CumulativeRegret} {
			if !slices.Contains(all, m) {
				all = append(all, m)
			}
		}
	}
	return all
}

// Suite returns the page of a suite's results, which shows the given metrics.
func Suite(r *outcome.Results, metrics []outcome.Metric) Page {
	p := Page{Uses: Uses(r), Metrics: metrics, Lead: "No paper’s experiment: the suite is its author’s own"}
	after := ""
	if e := r.Experiment; e != nil {
		p.Paper, p.Lead, p.Part = paper.LookupPublication("popbo-2024"), "Repeats an experiment of", document.Plain(e.Section)
		if names := Exhibits(e); names != nil {
			p.Part += document.Plain(", " + words.List(names))
		}
	} else if p.Paper = paper.OfSuite(r.Suite); p.Paper != nil {
		p.Lead = "After the experiments of"
	}
	if p.Paper != nil {
		after = " After " + p.Paper.Short() + "."
	}
	labels := words.Once(words.Each(p.Uses, func(u Use) string { return u.Label }))
	p.Description = fmt.Sprintf("%s: %s. Preferential optimisers compared: %s.%s", cmp.Or(r.Title, r.Suite), r.Size(), words.List(labels), after)
	return p
}

// Exhibits names the figures and tables of an experiment.
func Exhibits(e *paper.Experiment) []string {
	return words.Each(e.Exhibits, func(x paper.Exhibit) string { return x.Name })
}

// About puts the page into words.
func (p Page) About() *document.About {
	a := &document.About{Description: p.Description, Field: Field, Source: document.Source{Lead: p.Lead, Part: p.Part}}
	project := &popbenchProject
	cite, bibTeX := []document.Link{{Text: project.text(), Href: project.repository}}, []string{project.bibTeX()}
	credit := func(pub *paper.Publication) {
		link := document.Link{Text: pub.Title + " (" + pub.Byline() + ")", Href: pub.URL}
		if !slices.Contains(cite, link) {
			cite, bibTeX = append(cite, link), append(bibTeX, entry(pub))
		}
	}
	if p.Paper != nil {
		a.Source.Paper, a.Source.By = document.Link{Text: p.Paper.Title, Href: p.Paper.URL}, p.Paper.Byline()
		credit(p.Paper)
	}
	a.Methods = p.methods(credit)
	for i, name := range p.Metrics {
		if slices.Contains(p.Metrics[:i], name) {
			continue
		}
		m := outcome.Find(name)
		a.Metrics = append(a.Metrics, document.Entry{Name: document.Plain(words.Capital(m.Title)) + ":",
			Text: document.Textf("$%s$, %s. %s", document.Text(m.Formula), document.Text(m.About), words.Capital(m.Better())+".")})
	}
	a.Symbols = "The points of the query at step $s$ are $x_{s1}$ to $x_{sq}$; $x_s$ is its new point, and $r_s$ the point that the selected rule recommends after it."
	a.Cite, a.BibTeX = cite, strings.Join(bibTeX, "\n")
	for _, path := range []string{"docs/metrics.md", "docs/baselines.md", "docs/glossary.md", "docs/claims.md"} {
		a.Docs = append(a.Docs, project.file(path))
	}
	if project.repository == "" {
		a.Where = "These paths are in the source of popbench; go doc shows the pages of methods."
	}
	return a
}

// methods explains each method once, with the labels that it has, and credits its paper.
func (p Page) methods(credit func(*paper.Publication)) (all []document.Entry) {
	for _, m := range methods() {
		var labels []string
		for _, u := range p.Uses {
			if u.Name == m.name && !u.External && !u.Imported {
				labels = words.Include(labels, u.Label)
			}
		}
		if labels == nil {
			continue
		}
		e := document.Entry{Name: document.Plain(m.Title), Text: document.Plain(m.Text)}
		if !slices.Equal(labels, []string{m.Title}) {
			e.Name += document.Plain(", here " + words.List(labels) + ",")
		}
		if pub := m.Paper.Publication; pub != nil {
			e.Links = append(e.Links, document.Link{Text: pub.Short(), Href: pub.URL})
			credit(pub)
		}
		e.Links = append(e.Links, popbenchProject.file(m.folder))
		all = append(all, e)
	}
	for _, u := range p.Uses {
		e := document.Entry{Name: document.Plain(u.Label)}
		switch {
		case u.Imported:
			e.Text = "has the numbers of another program, which were imported and are not ranked."
			e.Links = []document.Link{popbenchProject.file("docs/export.md")}
		case u.External:
			e.Text = "is a program beside popbench, which asks and is told over its protocol."
			e.Links = []document.Link{popbenchProject.file("docs/protocol.md")}
		case u.Name != "" && !slices.Contains(Names(), u.Name):
			e.Text = document.Textf("is the method %s, which whoever ran this added to popbench.", u.Name)
		default:
			continue
		}
		all = append(all, e)
	}
	return all
}

// entry is a paper for LaTeX. The braces around its title keep capitals, which styles change otherwise.
func entry(p *paper.Publication) string {
	return fmt.Sprintf("@misc{%s,\n  title  = {{%s}},\n  author = {%s},\n  year   = {%d},\n  note   = {%s},\n  url    = {%s},\n}",
		p.Name, p.Title, strings.Join(p.Authors, " and "), p.Year, p.Venue, p.URL)
}

// method is what a method says of itself, in method.json of its package. Styles with the same remainder by chart.Colours
// have the same colour. Methods in the figures of one paper have different colours.
type method struct {
	name   string // as in suites and records
	folder string // of its package, whose comment has the formulas

	Title  string
	Text   string         // what it does; with the title before it, a sentence
	Paper  source         // of the method; empty without a paper
	Style  *int           // of its lines in figures; nil if it depends on the setting "rule"
	Styles map[string]int // by that setting; by "" for Style. All methods together have no style twice
}

// source is a paper: its name if its experiments are run again, so that publications.json has it, or else all of it.
type source struct{ *paper.Publication }

func (s *source) UnmarshalJSON(text []byte) error {
	var name string
	if json.Unmarshal(text, &name) != nil {
		return json.Unmarshal(text, &s.Publication)
	}
	if s.Publication = paper.LookupPublication(name); s.Publication == nil {
		return fmt.Errorf("paper: %q is not in internal/paper/publications.json; add it there, or give the paper itself as a mapping", name)
	}
	return nil
}

// methods are the built-in methods, by title.
var methods = sync.OnceValue(func() (all []method) {
	err := fs.WalkDir(popbench.Methods, ".", func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := popbench.Methods.ReadFile(file)
		if err != nil {
			return err
		}
		m := method{folder: path.Dir(file), name: path.Base(path.Dir(file))}
		if err := json.Unmarshal(text, &m); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		if m.Style != nil {
			m.Styles = map[string]int{"": *m.Style}
		}
		all = append(all, m)
		return nil
	})
	if err != nil {
		panic(err)
	}
	slices.SortFunc(all, func(a, b method) int { return cmp.Compare(strings.ToLower(a.Title), strings.ToLower(b.Title)) })
	return all
})

// find returns the method with a name, an empty one if there is none.
func find(name string) (m method) {
	if i := slices.IndexFunc(methods(), func(m method) bool { return m.name == name }); i >= 0 {
		m = methods()[i]
	}
	return m
}

// Names returns the names of the methods with a sentence, as suites have them.
func Names() []string { return words.Each(methods(), func(m method) string { return m.name }) }

// Method says in a sentence what a built-in method does, and which paper it is from; nil without a paper. The sentence
// begins with the title. Both are empty for a name that is not built in.
func Method(name string) (title, sentence string, of *paper.Publication) {
	m := find(name)
	return m.Title, strings.TrimSpace(m.Title + " " + m.Text), m.Paper.Publication
}

// project is what CITATION.cff says of this project.
type project struct {
	title, abstract, version string
	authors                  []string
	repository               string // URL of the source; "" if it is not published
}

var popbenchProject = readCitation(popbench.Citation)

// readCitation reads the top-level keys of a file in the Citation File Format, whose values here are plain text on one line,
// and the names of the authors.
func readCitation(cff string) (p project) {
	top := map[string]string{}
	block := "" // key of the list that a line belongs to
	for line := range strings.Lines(cff) {
		key, value, _ := strings.Cut(strings.TrimRight(line, "\n"), ":")
		value = strings.Trim(strings.TrimSpace(value), `"'`)
		if !strings.HasPrefix(line, " ") {
			block, top[key] = key, value
		} else if block == "authors" && strings.TrimLeft(key, " -") == "name" {
			p.authors = append(p.authors, value)
		}
	}
	p.title, p.abstract, p.version, p.repository = top["title"], top["abstract"], top["version"], strings.TrimRight(top["repository-code"], "/")
	return p
}

// text is the citation in a line.
func (p *project) text() string {
	return fmt.Sprintf("%s: %s %s. Version %s.", strings.Join(p.authors, ", "), p.title, strings.TrimSuffix("— "+p.abstract, "."), p.version)
}

// bibTeX is the citation for LaTeX.
func (p *project) bibTeX() string {
	b := fmt.Sprintf("@software{%s,\n  title   = {{%s: %s}},\n  author  = {{%s}},\n  version = {%s},\n",
		p.title, p.title, strings.TrimSuffix(p.abstract, "."), strings.Join(p.authors, "} and {"), p.version)
	if p.repository != "" {
		b += fmt.Sprintf("  url     = {%s},\n", p.repository)
	}
	return b + "}"
}

// file is a link to a file of the source, or its path if the source is not published.
func (p *project) file(path string) document.Link {
	if p.repository == "" {
		return document.Link{Text: path}
	}
	return document.Link{Text: path, Href: p.repository + "/blob/main/" + path}
}

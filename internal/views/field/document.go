package field

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"popbench/internal/math/stats"
	"popbench/internal/outcome"
	"popbench/internal/page/chart"
	"popbench/internal/page/document"
	"popbench/internal/page/figure"
	"popbench/internal/views/about"
	"popbench/internal/views/charting"
	"popbench/internal/views/profile"
	"popbench/internal/views/report"
	"popbench/internal/words"
	"popbench/record"
)

// head says what was run.
func (f *Field) head() *document.Document {
	d := &document.Document{Title: "The field: preferential optimisers on equal terms", Warnings: document.PlainAll(f.Warnings)}
	fact := func(name document.Text, text string) {
		d.Facts = append(d.Facts, document.Fact{Name: name, Value: document.Plain(text)})
	}
	fact("Runs", f.Size())
	if f.mine != nil {
		fact("Beside the field", words.List(f.mine))
	}
	terms := "nothing is disclosed, no comparison is free"
	if f.FirstDuels > 0 {
		terms = fmt.Sprintf("the same %s of random points first, which count as steps; ", words.Count(f.FirstDuels, "duel")) + terms
	}
	fact("Equal terms", terms)
	fact("Seed", strings.Trim(fmt.Sprint(f.Seeds), "[]"))
	fact("Program", strings.Join(f.Programs, "; "))
	if machines := f.Machines(); machines != nil {
		fact("Machine", strings.Join(machines, "; "))
	}
	return d
}

// Document is the whole comparison in sheets.
func (f *Field) Document() *document.Document {
	d := f.Brief()
	d.Notes = document.PlainAll(f.Notes)
	d.Add(f.outcomeSheet())
	for _, id := range []string{"runtime", "performance"} {
		for i := range f.Rankings {
			d.Add(f.Rankings[i].sheet(id))
		}
	}
	d.Add(f.costSheet())
	d.Add(f.problemSheet())
	for _, m := range f.Methods {
		if m.Unranked != "" {
			d.Notes = append(d.Notes, document.Plain(fmt.Sprintf("%s is not ranked: %s.", m.Label, m.Unranked)))
		}
	}
	return d
}

// Brief has the ranks only.
func (f *Field) Brief() *document.Document {
	d := f.head()
	for i := range f.Rankings {
		d.Add(f.rankSheet(&f.Rankings[i]))
	}
	return d
}

// sheet is one of the profile's, its algorithms by rank.
func (r *Ranking) sheet(id string) document.Sheet {
	var s document.Sheet
	for _, one := range r.Profile.Document().Sheets {
		if one.ID == id {
			s = one
		}
	}
	if s.Rows == nil {
		return s
	}
	s.ID, s.Title = id+"-"+r.ID, s.Title+document.Text(": ")+document.Plain(strings.ToLower(r.Title[:1])+r.Title[1:])
	rows := slices.Clone(s.Rows)
	for i, a := range r.Profile.Ranks.Order() {
		s.Rows[i] = rows[a]
	}
	return s
}

func (f *Field) rankSheet(r *Ranking) document.Sheet {
	s := r.sheet("ranks")
	// The last column names whom an algorithm does not differ from, which is too much of this many. By rank, those that are
	// clearly worse are all from one on.
	last := len(s.Columns) - 1
	s.Columns[last].Title = "Clearly better than"
	for i, a := range r.Profile.Ranks.Order() {
		s.Rows[i][last] = document.Words(r.Profile.Ranks.BetterThan(a, r.Profile.Algorithms))
	}
	titles := make([]string, len(r.Profile.Problems))
	for i := range titles {
		titles[i] = r.Profile.Problems[i].Title
	}
	s.Caption += document.Plain(fmt.Sprintf(" Problems: %s.", strings.Join(titles, "; ")))
	if r.Absent != nil {
		s.Caption += document.Plain(fmt.Sprintf(" Not here, because some of these problems have no complete run of it: %s.", words.List(r.Absent)))
	}
	return s
}

// outcomeSheet has the headline metric of each method on each problem.
func (f *Field) outcomeSheet() document.Sheet {
	fair := *f.Results
	fair.Groups = slices.DeleteFunc(slices.Clone(f.Groups), func(g outcome.Group) bool { return f.method(g.Algorithm.Label).Unranked != "" })
	stands := map[*Method]map[string]*outcome.Standing{}
	table := outcome.NewTable(&fair)
	for i := range table.Rows {
		row := &table.Rows[i]
		m := f.method(row.Algorithm.Label)
		if stands[m] == nil {
			stands[m] = map[string]*outcome.Standing{}
		}
		stands[m][row.Problem.Name] = &row.Standing
	}
	columns := []document.Column[Problem]{{Title: "Problem", Head: true, Of: func(p Problem) document.Cell { return document.Words(p.Title) }}}
	for _, m := range f.pointers() {
		columns = append(columns, document.Column[Problem]{Title: document.Plain(m.name()), Of: func(p Problem) document.Cell {
			mean, _, _ := f.final(m.Groups[p.Name])
			cell := document.Number(mean, 2)
			if at := stands[m][p.Name]; at != nil && at.Best != nil {
				switch {
				case at.Lowest:
					cell.Mark = document.Best
				case at.Versus == outcome.Equal:
					cell.Mark = document.Level
				}
			}
			return cell
		}})
	}
	return document.Tabulate(document.Sheet{ID: "outcome", Title: "Every problem", Caption: f.finalCaption()}, f.Problems, columns...)
}

// relative reports whether the headline metric can be divided by the suboptimality of a random point.
func (f *Field) relative() bool {
	return f.Headline.Unit == outcome.Utility && f.Headline.AgainstOptimum()
}

func (f *Field) finalCaption() document.Text {
	caption := document.Plain(fmt.Sprintf("Mean %s over the runs after %s", f.Headline.Title, words.Count(f.Steps, "step")))
	if f.relative() {
		caption += ", divided by the suboptimality of a uniform random point: 1 is no better than one random point"
		if f.Headline.Over == outcome.Sum {
			caption += " in every step"
		}
	}
	return caption + ". Methods without a rank are not marked."
}

// final returns mean and standard deviation of the headline metric after the last step, in the unit of the table, and the
// number of runs; NaN without runs.
func (f *Field) final(g *outcome.Group) (mean, std float64, runs int) {
	if g == nil {
		return math.NaN(), math.NaN(), 0
	}
	values := make([]float64, len(g.Runs))
	for i := range g.Runs {
		values[i] = f.Headline.Final(&g.Runs[i])
		if f.relative() {
			values[i] /= g.Runs[i].Unit()
			if f.Headline.Over == outcome.Sum {
				values[i] /= float64(f.Steps)
			}
		}
	}
	return stats.Mean(values), stats.Std(values), len(values)
}

func (f *Field) method(label string) *Method {
	return &f.Methods[slices.IndexFunc(f.Methods, func(m Method) bool { return m.Label == label })]
}

func (f *Field) pointers() (all []*Method) {
	for i := range f.Methods {
		all = append(all, &f.Methods[i])
	}
	return all
}

func (f *Field) nameColumn() document.Column[*Method] {
	return document.Column[*Method]{Title: "Method", Head: true, Of: func(m *Method) document.Cell { return document.Words(m.name()) }}
}

// name is the label of the method, and that it has no rank.
func (m *Method) name() string {
	if m.Unranked != "" {
		return m.Label + " (not ranked)"
	}
	return m.Label
}

// costSheet has time and work of each method.
func (f *Field) costSheet() document.Sheet {
	return document.Tabulate(document.Sheet{ID: "cost", Title: "Cost",
		Caption: "Wall clock of a step: to propose, and to learn from the answer and recommend; the mean over problems, and the slowest of them. Other processes and runs at the same time make it longer. Work is the same on every machine: mean per step over all runs, of what the method counts itself."},
		f.pointers(), f.nameColumn(),
		document.Column[*Method]{Title: "A step", Of: func(m *Method) document.Cell {
			_, seconds := m.secondsOf(f.Problems)
			return document.Seconds(stats.Mean(seconds))
		}},
		document.Column[*Method]{Title: "Slowest", Of: func(m *Method) document.Cell {
			_, seconds := m.secondsOf(f.Problems)
			if seconds == nil {
				return document.Seconds(math.NaN())
			}
			return document.Seconds(slices.Max(seconds))
		}},
		document.Column[*Method]{Title: "On", Words: true, Of: func(m *Method) document.Cell {
			problem, seconds := m.secondsOf(f.Problems)
			if seconds == nil {
				return document.Words("")
			}
			return document.Words(f.Problems[problem[slices.Index(seconds, slices.Max(seconds))]].Title)
		}},
		document.Column[*Method]{Title: "Work of a step", Words: true, Wrap: true, Of: func(m *Method) document.Cell { return document.Words(f.work(m)) }})
}

// work lists the work counts of a method, per step.
func (f *Field) work(m *Method) string {
	var names []string
	sums, steps := map[string]float64{}, 0
	for i := range f.Problems {
		g := m.Groups[f.Problems[i].Name]
		if g == nil {
			continue
		}
		for k := range g.Runs {
			steps += f.Steps
			for _, t := range g.Algorithm.Metrics {
				if t.Kind == record.Work {
					names = words.Include(names, t.Name)
					sums[t.Name] += g.Runs[k].Total(t.Name).Sum
				}
			}
		}
	}
	var parts []string
	for _, name := range names {
		if sums[name] > 0 {
			parts = append(parts, fmt.Sprintf("%s %s", strings.ReplaceAll(name, "_", " "), document.Short(sums[name]/float64(steps))))
		}
	}
	return strings.Join(parts, ", ")
}

func (f *Field) problemSheet() document.Sheet {
	return document.Tabulate(document.Sheet{ID: "problems", Title: "Problems",
		Caption: "Scale is that of the utilities, which decides how often the oracle errs."}, f.Problems,
		document.Column[Problem]{Title: "Problem", Head: true, Of: func(p Problem) document.Cell { return document.Words(p.Title) }},
		document.Column[Problem]{Title: "Domain", Words: true, Of: func(p Problem) document.Cell {
			text := fmt.Sprintf("box, %d-D", len(p.Lo))
			if p.Arms != nil {
				text = fmt.Sprintf("%s, %d-D", words.Count(p.Arms.Count, "arm"), len(p.Lo))
			}
			return document.Words(text)
		}},
		document.Column[Problem]{Title: "Scale", Words: true, Of: func(p Problem) document.Cell { return document.Words(p.Scale) }},
		document.Column[Problem]{Title: "Optimum", Words: true, Of: func(p Problem) document.Cell {
			if p.BestFound != nil {
				return document.Words(p.BestFound.String())
			}
			return document.Words("known")
		}})
}

// figures returns the figures of the sheets, by ID.
func (f *Field) figures() map[string][]*figure.Figure {
	all, styles := map[string][]*figure.Figure{}, charting.Styles(f.Results)
	for i := range f.Rankings {
		r := &f.Rankings[i]
		p := r.Profile
		ranks := chart.NewRanks("ranks-"+r.ID, "Average rank: "+strings.ToLower(r.Title[:1])+r.Title[1:], p.Algorithms, p.Ranks.Ranks, p.Ranks.Critical,
			p.Ranks.Differ, f.isMine)
		ranks.Stands = "your algorithm"
		all["ranks-"+r.ID] = []*figure.Figure{figure.Ranks(ranks)}
		for _, s := range p.Charts(p.Ranks.Order(), styles) {
			sheet := "runtime-" + r.ID
			if s.Name == profile.Performance {
				sheet = "performance-" + r.ID
			}
			s.Name += "-" + r.ID
			all[sheet] = append(all[sheet], figure.Shares(s))
		}
	}
	return all
}

// Files are the page, its tables as text and Markdown, and its numbers as CSV. Links lead elsewhere from the page.
func (f *Field) Files(links []document.Link) ([]report.File, error) {
	doc := f.Document()
	of := about.Page{Lead: "An experiment of this project, not of a paper", Uses: about.Uses(f.Results), Metrics: about.Metrics(f.Results),
		Description: fmt.Sprintf("Average ranks, profiles and cost of %s on equal terms: %s.", words.Count(len(f.Methods), "preferential optimiser"), f.Size())}
	page := &document.Page{Document: doc, About: of.About(), Figures: map[string][]document.Figure{}, FigureCSS: figure.InlineCSS}
	for id, figures := range f.figures() {
		for _, drawing := range figures {
			shown, err := drawing.OnPage("figure-" + drawing.Name)
			if err != nil {
				return nil, err
			}
			page.Figures[id] = append(page.Figures[id], shown)
		}
	}
	type file struct {
		path  string
		write func(io.Writer) error
	}
	files := []file{
		{"table.txt", func(w io.Writer) error { return document.WriteText(w, doc) }},
		{"table.md", func(w io.Writer) error { return document.WriteMarkdown(w, doc) }},
		{"table.csv", f.writeCSV},
	}
	for i := range f.Rankings {
		files = append(files, file{"profile-" + f.Rankings[i].ID + ".csv", f.Rankings[i].Profile.WriteCSV})
	}
	page.Links = slices.Clone(links)
	for _, one := range files {
		page.Links = append(page.Links, document.Link{Text: one.path, Href: one.path})
	}
	files = append(files, file{"index.html", func(w io.Writer) error { return document.WriteHTML(w, page) }})
	var all []report.File
	for _, one := range files {
		var b bytes.Buffer
		if err := one.write(&b); err != nil {
			return nil, err
		}
		all = append(all, report.File{Path: one.path, Data: b.Bytes()})
	}
	return all, nil
}

// writeCSV writes a line for each method and problem.
func (f *Field) writeCSV(w io.Writer) error {
	var rows []*outcome.Group
	for i := range f.Groups {
		rows = append(rows, &f.Groups[i])
	}
	final := func(g *outcome.Group) (mean, std float64, runs int) { return f.final(g) }
	return document.WriteCSV(w, rows,
		document.WordsAt("problem", func(g *outcome.Group) string { return g.Problem.Name }),
		document.WordsAt("method", func(g *outcome.Group) string { return g.Algorithm.Label }),
		document.Column[*outcome.Group]{Key: "ranked", Of: func(g *outcome.Group) document.Cell {
			return document.Bool(f.method(g.Algorithm.Label).Unranked == "")
		}},
		document.CountAt("runs", func(g *outcome.Group) int { return len(g.Runs) }),
		document.WordsAt("metric", func(*outcome.Group) string { return string(f.Headline.Name) }),
		document.NumberAt("mean", func(g *outcome.Group) float64 { m, _, _ := final(g); return m }),
		document.NumberAt("std", func(g *outcome.Group) float64 { _, s, _ := final(g); return s }),
		document.NumberAt("step_seconds", func(g *outcome.Group) float64 {
			_, s := f.method(g.Algorithm.Label).secondsOf([]Problem{{Problem: g.Problem}})
			return stats.Mean(s)
		}))
}

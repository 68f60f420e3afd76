package field

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"popbench/internal/judge"
	"popbench/internal/math/stats"
	"popbench/internal/outcome"
	"popbench/internal/page/document"
	"popbench/internal/page/figure"
	"popbench/internal/views/about"
	"popbench/internal/views/profile"
	"popbench/internal/views/report"
	"popbench/internal/words"
	"popbench/record"
)

// Document is the whole comparison in sheets, first the ranks.
func (f *Field) Document() *document.Document {
	title := "The field"
	if f.Mine != nil {
		title = words.List(f.Mine) + " beside the field"
	}
	d := &document.Document{Title: document.Plain(title + ": preferential optimisers on equal terms"),
		Warnings: document.PlainAll(f.Warnings), Summary: document.PlainAll(f.Conclusion()), Notes: document.PlainAll(f.Notes)}
	d.AddFact("Runs", f.Size())
	terms := "nothing is disclosed, no comparison is free"
	if f.FirstDuels > 0 {
		terms = fmt.Sprintf("the same %s of random points first, which count as steps; ", words.Count(f.FirstDuels, "duel")) + terms
	}
	d.AddFact("Equal terms", terms)
	if len(f.Levels) > 1 {
		d.AddFact("Oracles", words.List(words.Each(f.Levels, func(l *Level) string { return l.Name }))+". Right: how often the better of two points wins that are one unit of scaled utility apart")
	}
	d.AddFact("Seed", strings.Trim(fmt.Sprint(f.Seeds), "[]"))
	d.AddFact("Program", f.Programs...)
	d.AddFact("Machine", f.Machines()...)
	if text := f.entrantConclusion(); text != "" {
		d.Summary = append(d.Summary, document.Plain(text))
	}
	d.Add(f.RankSheet(), f.horizonSheet(), f.kindSheet())
	for _, l := range f.Levels {
		d.Add(f.pairSheet(l))
	}
	first := f.Levels[0].Rankings[0] // profile-*.csv have the numbers of all other rankings
	d.Add(f.alwaysSheet(), f.entrantSheet(), f.tuningSheet(), f.outcomeSheet(), first.sheet("runtime"), first.sheet("performance"),
		f.costSheet(), f.problemSheet(), f.objectionSheet())
	for _, m := range f.Methods {
		if m.Unranked != "" && m.Unranked != published {
			d.Notes = append(d.Notes, document.Plain(fmt.Sprintf("%s is not ranked: %s.", m.Label, m.Unranked)))
		}
	}
	return d
}

// rankedSomewhere are the methods that are ranked under some oracle, in the order of the first oracle.
func (f *Field) rankedSomewhere() (all []*Method) {
	for _, l := range f.Levels {
		s := l.last()
		for _, j := range s.Ranks.Order() {
			all = words.Include(all, f.method(s.Methods[j]))
		}
	}
	return all
}

// RankSheet has the average ranks after the last step, with what tuning brought.
func (f *Field) RankSheet() document.Sheet {
	first := f.Levels[0].Rankings[0].Profile
	caption := fmt.Sprintf("Of the mean %s after %s over %s; 1 is the best. In brackets: 95\u00a0%% intervals by resampling functions and runs.",
		first.Options.Metric.Title, words.Count(f.Steps, "step"), words.Count(len(first.Problems), "problem"))
	columns := []document.Column[*Method]{nameColumn}
	tuned := slices.ContainsFunc(f.Methods, func(m *Method) bool { return m.Published != "" })
	if tuned {
		caption += " As published: the rank that the published form of the method would have in the place of the tuned one."
	}
	for _, l := range f.Levels {
		s, r := l.last(), l.Rankings[0]
		columns = append(columns, l.rankColumn())
		if tuned {
			columns = append(columns, among(s.Methods, l.titled("As published"), func(m int) document.Cell { return document.Number(s.Published[m], 2) }))
		}
		caption += fmt.Sprintf(" %s: %.2f (Nemenyi).%s", l.titled("Critical difference"), r.Profile.Ranks.Critical, r.absentees())
	}
	caption += " Clearly better: by the signed-rank test under Pairs, not by the critical difference."
	s := f.Levels[0].last()
	better := among(s.Methods, f.Levels[0].titled("Clearly better than"), func(m int) document.Cell {
		return document.Words(s.Ranks.BetterThan(m, s.Methods, s.Better))
	})
	better.Words, better.Wrap = true, true
	return document.Tabulate(document.Sheet{ID: "ranks", Title: "Average rank: all problems", Caption: document.Plain(caption)},
		f.rankedSomewhere(), append(columns, better)...)
}

// absentees names the methods that are missing in a ranking, with a space before the sentence; "" if none is.
func (r *Ranking) absentees() string {
	if r.Absent == nil {
		return ""
	}
	return fmt.Sprintf(" Not here, because some of these problems have no complete run of it: %s.", words.List(r.Absent))
}

func (f *Field) horizonSheet() document.Sheet {
	columns := []document.Column[*Method]{nameColumn}
	for _, l := range f.Levels {
		for _, s := range l.Standing {
			columns = append(columns,
				among(s.Methods, l.titled(fmt.Sprint(s.Steps)), func(m int) document.Cell { return document.Number(s.Ranks.Ranks[m], 1) }))
		}
	}
	caption := "Average ranks after so many steps."
	if f.FirstDuels > 0 {
		caption += fmt.Sprintf(" In the first %s all have the same duels; only what they recommend differs.", words.Count(f.FirstDuels, "step"))
	}
	return document.Tabulate(document.Sheet{ID: "horizons", Title: "Ranks over time", Caption: document.Plain(caption)}, f.rankedSomewhere(), columns...)
}

func (f *Field) kindSheet() document.Sheet {
	columns := []document.Column[*Method]{nameColumn}
	caption := fmt.Sprintf("Average ranks after %s.", words.Count(f.Steps, "step"))
	for _, l := range f.Levels {
		for _, r := range l.Rankings[1:] {
			p := r.Profile
			columns = append(columns, among(p.Algorithms, r.Title, func(m int) document.Cell { return document.Number(p.Ranks.Ranks[m], 1) }))
			caption += fmt.Sprintf(" %s: %s, critical difference %.2f.%s", r.Title, words.Count(len(p.Problems), "problem"), p.Ranks.Critical, r.absentees())
		}
	}
	return document.Tabulate(document.Sheet{ID: "kinds", Title: "Boxes and finite sets", Caption: document.Plain(caption)}, f.rankedSomewhere(), columns...)
}

// pairSheet has the share of problems on which each method is better than each other one.
func (f *Field) pairSheet(l *Level) document.Sheet {
	s := l.last()
	columns := []document.Column[int]{document.Names("Method", func(a int) string { return s.Methods[a] })}
	for _, b := range s.Ranks.Order() {
		columns = append(columns, document.Cells(document.Plain(s.Methods[b]), func(a int) document.Cell {
			cell := document.Number(100*s.Won[a][b], 0)
			if s.Better(a, b) {
				cell.Text += "*"
			}
			return cell
		}))
	}
	caption := fmt.Sprintf("On which share of the problems, in per cent, the method of the row has a lower mean than that of the column after %s; a tie counts half. A star: clearly better, by the signed-rank test of the differences, divided by the suboptimality of a random point, at %.2g for all pairs together (Holm); of problems with one source and one box, such as a function on its box and on a grid, the mean difference counts.",
		words.Count(s.Steps, "step"), judge.RankAlpha)
	return document.Tabulate(document.Sheet{ID: "pairs" + l.ID, Title: document.Plain(l.titled("Pairs")), Caption: document.Plain(caption)},
		s.Ranks.Order(), columns...)
}

// alwaysSheet has what holds under every oracle and after every number of steps.
func (f *Field) alwaysSheet() document.Sheet {
	if len(f.asked()) < 2 {
		return document.Sheet{}
	}
	rows := slices.DeleteFunc(f.rankedSomewhere(), func(m *Method) bool { return f.always(m.Label) == nil })
	return document.Tabulate(document.Sheet{ID: "always", Title: "What holds everywhere",
		Caption: document.Plain(fmt.Sprintf("Methods than which one is clearly better in all %d combinations of an oracle and a number of steps.", len(f.asked())))}, rows,
		nameColumn, document.Lines("Clearly better than", func(m *Method) string { return strings.Join(f.always(m.Label), ", ") }))
}

func (f *Field) tuningSheet() document.Sheet {
	caption := "What a method fits to the answers of the run. No method is told anything else about the function."
	if t := f.Tuning; t != nil {
		caption += fmt.Sprintf(" Tuning took, for each method, of its variants the one with %s: %s of %s on %s that are not in the field. The plan is the suite %s, SHA-256 %s.",
			t.Rule, words.Count(t.Repetitions, "run"), words.Count(t.Steps, "step"), words.Count(len(t.Problems), "problem"), t.Suite, t.Plan)
	}
	tuning := func(m *Method) *TunedMethod { return f.Tuning.Of(cmp.Or(m.Published, m.Label)) }
	ifTuned := func(title document.Text, cell func(t *TunedMethod) document.Cell) document.Column[*Method] {
		return document.Cells(title, func(m *Method) document.Cell {
			if t := tuning(m); t != nil {
				return cell(t)
			}
			return document.Words("")
		})
	}
	from := ifTuned("Variants are from", func(t *TunedMethod) document.Cell { return document.Words(t.Source) })
	from.Words, from.Wrap = true, true
	return document.Tabulate(document.Sheet{ID: "tuning", Title: "What each method was told and tuned to", Caption: document.Plain(caption)},
		f.shown(), nameColumn, document.Texts("Fits", (*Method).fits),
		ifTuned("Variants", func(t *TunedMethod) document.Cell { return document.Count(len(t.Variants)) }),
		ifTuned("Rank among them, as published", func(t *TunedMethod) document.Cell { return document.Number(t.Variants[0].Rank, 1) }),
		ifTuned("Tuned", func(t *TunedMethod) document.Cell { return document.Number(t.Variants[t.Chosen].Rank, 1) }),
		document.Lines("Tuned to", func(m *Method) string {
			switch {
			case m.Published != "":
				return Changes(f.method(m.Published).settings(), m.settings())
			case tuning(m) != nil:
				return "as published"
			}
			return ""
		}), from)
}

// inOrder are the method's groups in the order of the problems' names.
func (m *Method) inOrder() []*outcome.Group {
	return words.Each(slices.Sorted(maps.Keys(m.Groups)), func(name string) *outcome.Group { return m.Groups[name] })
}

func (m *Method) settings() json.RawMessage { return m.inOrder()[0].Algorithm.Settings }

// fits says which hyper-parameters change in a run.
func (m *Method) fits() string {
	for _, g := range m.inOrder() {
		a := &g.Algorithm
		if a.InForce == nil || !a.InForce.Refitted {
			continue
		}
		var s struct {
			Fit           any             `json:"fit"`
			VariancePrior json.RawMessage `json:"variance_prior"`
		}
		if json.Unmarshal(a.Settings, &s) == nil && (s.Fit == "map" || s.VariancePrior != nil) {
			return "lengthscales, variance"
		}
		return "lengthscales"
	}
	return ""
}

// sheet is a sheet of the profile, with its algorithms by rank.
func (r *Ranking) sheet(id string) document.Sheet {
	sheets := r.Profile.Document().Sheets
	k := slices.IndexFunc(sheets, func(s document.Sheet) bool { return s.ID == id })
	if k < 0 {
		return document.Sheet{}
	}
	s := sheets[k]
	s.ID, s.Title = id+"-"+r.ID, s.Title+": "+document.Plain(strings.ToLower(r.Title[:1])+r.Title[1:])
	rows := slices.Clone(s.Rows)
	for i, a := range r.Profile.Ranks.Order() {
		s.Rows[i] = rows[a]
	}
	return s
}

func (f *Field) outcomeSheet() document.Sheet {
	fair := f.only(func(g *outcome.Group) bool { return f.method(g.Algorithm.Label).Unranked == "" })
	stands := map[[2]string]outcome.Standing{} // by label and problem
	for _, row := range outcome.NewTable(fair).Rows {
		stands[[2]string{row.Algorithm.Label, row.Problem.Name}] = row.Standing
	}
	columns := []document.Column[*outcome.Group]{problemColumn}
	for _, m := range f.shown() {
		columns = append(columns, document.Cells(document.Plain(m.name()), func(p *outcome.Group) document.Cell {
			mean, _ := f.final(m.Groups[p.Problem.Name])
			cell := document.Number(mean, 2)
			switch at := stands[[2]string{m.Label, p.Problem.Name}]; {
			case at.Best == nil:
			case at.Lowest:
				cell.Mark = document.Best
			case at.Versus == outcome.Equal:
				cell.Mark = document.Level
			}
			return cell
		}))
	}
	return document.Tabulate(document.Sheet{ID: "outcome", Title: "Every problem", Caption: f.finalCaption()}, f.Problems, columns...)
}

var problemColumn = document.Names("Problem", func(p *outcome.Group) string { return p.Name() })

// relative reports whether the headline metric can be divided by the suboptimality of a random point.
func (f *Field) relative() bool {
	return f.Headline.Unit == outcome.Utility && f.Headline.AgainstOptimum()
}

func (f *Field) finalCaption() document.Text {
	caption := document.Plain(fmt.Sprintf("Mean %s over the runs after %s", f.Headline.Title, words.Count(f.Steps, "step")))
	if f.relative() {
		caption += ", each run divided by the suboptimality of a uniform random point on its function: 1 is no better than one random point"
		if f.Headline.Over == outcome.Sum {
			caption += " in every step"
		}
	}
	return caption + ". Marks are by the means before any division. Not clearly worse: on this problem alone, the 95\u00a0% interval of the difference from the best, " +
		"between runs of the same repetition, reaches zero; it is not corrected for the number of methods. Methods without a rank are not marked."
}

// final returns mean and standard deviation of the headline metric after the last step, in the unit of the table; NaN
// without runs.
func (f *Field) final(g *outcome.Group) (mean, std float64) {
	if g == nil {
		return math.NaN(), math.NaN()
	}
	values := make([]float64, len(g.Runs))
	for i, run := range g.Runs {
		values[i] = f.Headline.Final(run)
		if f.relative() {
			values[i] /= run.Unit()
			if f.Headline.Over == outcome.Sum {
				values[i] /= float64(f.Steps)
			}
		}
	}
	return stats.Mean(values), stats.Std(values)
}

// shown are the methods but for the published forms of tuned ones, which table.csv and the table of ranks have.
func (f *Field) shown() []*Method {
	return words.Only(f.Methods, func(m *Method) bool { return m.Unranked != published })
}

func (f *Field) costSheet() document.Sheet {
	return document.Tabulate(document.Sheet{ID: "cost", Title: "Cost",
		Caption: "Wall clock of a step: to propose, and to learn from the answer and recommend; the mean over problems, and the slowest of them. Other processes and runs at the same time make it longer. Work is the same on every machine: mean per step over all runs, of what the method counts itself."},
		f.shown(), nameColumn,
		f.stepColumn(),
		document.Cells("Slowest", func(m *Method) document.Cell { _, s := f.slowest(m); return document.Seconds(s) }),
		document.Texts("On", func(m *Method) string { title, _ := f.slowest(m); return title }),
		document.Lines("Work of a step", f.work))
}

// slowest is the problem on which a step of the method takes longest, and its seconds; "" and NaN if none was measured.
func (f *Field) slowest(m *Method) (title string, seconds float64) {
	measured, all := m.secondsOf(f.Problems)
	if all == nil {
		return "", math.NaN()
	}
	seconds = slices.Max(all)
	return measured[slices.Index(all, seconds)].Name(), seconds
}

// work lists the work counts of a method, per step.
func (f *Field) work(m *Method) string {
	var names []string
	sums, steps := map[string]float64{}, 0
	for _, p := range f.Problems {
		g := m.Groups[p.Problem.Name]
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
		problemColumn,
		document.Texts("Domain", func(p *outcome.Group) string {
			if arms := p.Problem.Arms; arms != nil {
				return fmt.Sprintf("%s, %d-D", words.Count(arms.Count, "arm"), len(p.Problem.Lo))
			}
			return fmt.Sprintf("box, %d-D", len(p.Problem.Lo))
		}),
		document.Texts("Scale", func(p *outcome.Group) string { return p.Problem.Scale }),
		document.Texts("Optimum", func(p *outcome.Group) string {
			if p.BestFound != nil {
				return p.BestFound.String()
			}
			return "known"
		}))
}

// objections are what an author could object to in the field's suite, and was left.
var objections = []string{
	"No method has another family of kernels than the squared exponential one, though some papers report theirs with a Matérn kernel.",
	"The norm bound of POP-BO and GINOP is not fitted; it is 6 or 3.",
	"Widths of confidence intervals have the constant factors of programs, not those of theory, but where tuning chose otherwise.",
	"MR-LPF and PF-TS are made for hundreds of duels. MR-LPF is told the number of steps.",
	"Where papers leave something open, \"as published\" is our default: DTS has the prior that counts each duel once, at a quarter of the cost, and the mirrored one is a variant.",
	"MaxMinLCB, MR-LPF and PF-TS have a ridge of weight 1, which is ours: their programs have others, 0.05 or 0.1 to 5. No variant has another.",
	"Tuning is by 40 steps and few runs: a variant that is better by little may not be chosen. Its problems are like those of the field.",
	"No method has initial duels of its own choice, and the first ten are random.",
	"Brochu's expected improvement is left out.",
}

const ownSuite = "field"

// objectionSheet lists the objections, if the results are of the field's suite.
func (f *Field) objectionSheet() document.Sheet {
	if f.Suite != ownSuite {
		return document.Sheet{}
	}
	return document.Tabulate(document.Sheet{ID: "objections", Title: "What an author could object to, and how to enter", Caption: "To enter a method of your own: bench field --tune FILE, with a suite that lists it and its variants, runs it as these were run, and ranks it among them."},
		objections, document.Lines("It was left that", func(text string) string { return text }))
}

// figures returns the figures of the sheets, by ID.
func (f *Field) figures() map[string][]*figure.Figure {
	all := map[string][]*figure.Figure{}
	styles := about.Styles(f.only(func(g *outcome.Group) bool { return f.method(g.Algorithm.Label).Unranked != published }))
	for i, l := range f.Levels {
		r, s := l.Rankings[0], l.last()
		all["ranks"] = append(all["ranks"], f.ranksFigure(l, "ranks", "your algorithm"))
		if len(l.Standing) > 1 {
			trend := &figure.Trend{Name: "horizons" + l.ID, Title: l.titled("Average rank"), What: "1 is the best", Axis: "steps",
				Ticks: words.Each(l.Standing, func(s *Standing) string { return strconv.Itoa(s.Steps) })}
			for _, m := range s.Ranks.Order() {
				trend.Add(s.Methods[m], styles[s.Methods[m]], func(k int) float64 { return l.Standing[k].Ranks.Ranks[m] })
			}
			all["horizons"] = append(all["horizons"], trend.Figure())
		}
		if i > 0 {
			continue // the rest of the figures would make the page twice as large
		}
		if panels := f.panels(l, styles); len(panels) > 1 {
			curves := figure.Overview("curves", panels)
			about := fmt.Sprintf("The %d best methods by average rank, and random duels", shownCurves)
			if l.Name != "" {
				about += ", with answers " + l.Name
			}
			curves.Caption = document.Plain(about+". ") + curves.Caption
			all["outcome"] = append(all["outcome"], curves)
		}
		for _, s := range r.Profile.Charts(r.Profile.Ranks.Order(), styles) {
			sheet := "runtime-" + r.ID
			if s.Name == profile.Performance {
				sheet = "performance-" + r.ID
			}
			s.Name += "-" + r.ID
			all[sheet] = append(all[sheet], s.Figure())
		}
	}
	if e := f.entrants; e != nil {
		for _, l := range e.Levels {
			all["programs"] = append(all["programs"], e.ranksFigure(l, "programs", "program of others"))
		}
	}
	return all
}

// shownCurves is how many methods the small figures of every problem show.
const shownCurves = 4

// panels are the charts of the headline on the problems of a level, with the best methods, random duels and the reader's
// methods: more lines would hide each other.
func (f *Field) panels(l *Level, styles map[string]int) []*figure.Chart {
	s := l.last()
	shown := map[string]bool{f.random(): true}
	for k, m := range s.Ranks.Order() {
		shown[s.Methods[m]] = shown[s.Methods[m]] || k < shownCurves || f.isMine(s.Methods[m])
	}
	some := f.only(func(g *outcome.Group) bool { return shown[g.Algorithm.Label] && l.Rankings[0].has(g.Problem.Name) })
	panels := report.OfMetric(report.Charts(outcome.NewTable(some), outcome.Curves(some)), f.Headline.Name)
	for _, c := range panels {
		c.NoBands = true
		for i := range c.Lines {
			c.Lines[i].Style = styles[c.Lines[i].Label]
		}
	}
	return panels
}

// Files are the page, its tables as text and Markdown, its numbers as CSV, and the figure of the ranks alone. Links lead
// elsewhere from the page.
func (f *Field) Files(links []document.Link) ([]report.File, error) {
	doc := f.Document()
	of := about.Page{Lead: "An experiment of this project, not of a paper", Uses: about.Uses(f.Results), Metrics: about.Metrics(f.Results),
		Description: fmt.Sprintf("Average ranks, profiles and cost of %s on equal terms: %s.", words.Count(len(f.Methods), "preferential optimiser"), f.Size())}
	page := &document.Page{Document: doc, About: of.About(), Figures: map[string][]document.Figure{}, FigureCSS: figure.InlineCSS}
	for id, figures := range f.figures() {
		page.Figures[id] = words.Each(figures, func(f *figure.Figure) document.Figure { return f.OnPage("figure-" + f.Name) })
	}
	var files report.Files
	files.Add("table.txt", func(w io.Writer) error { return document.WriteText(w, doc) })
	files.Add("table.md", func(w io.Writer) error { return document.WriteMarkdown(w, doc) })
	files.Add("table.csv", f.writeCSV)
	files.Add("ranks.csv", f.writeRanks)
	for _, l := range f.Levels {
		files.Add("profile-"+l.Rankings[0].ID+".csv", l.Rankings[0].Profile.WriteCSV)
		files.All = append(files.All, report.File{Path: "ranks" + l.ID + ".svg", Data: f.ranksFigure(l, "ranks", "your algorithm").SVG()})
	}
	page.Links = slices.Clone(links)
	for _, one := range files.All {
		page.Links = append(page.Links, document.Link{Text: one.Path, Href: one.Path})
	}
	files.Add("index.html", func(w io.Writer) error { return document.WriteHTML(w, page) })
	return files.All, files.Err
}

func (f *Field) writeCSV(w io.Writer) error {
	return document.WriteCSV(w, f.Groups,
		document.WordsAt("problem", func(g *outcome.Group) string { return g.Problem.Name }),
		document.WordsAt("method", func(g *outcome.Group) string { return g.Algorithm.Label }),
		document.WordsAt("ranked", func(g *outcome.Group) string { return strconv.FormatBool(f.method(g.Algorithm.Label).Unranked == "") }),
		document.CountAt("runs", func(g *outcome.Group) int { return len(g.Runs) }),
		document.WordsAt("metric", func(*outcome.Group) string { return string(f.Headline.Name) }),
		document.NumberAt("mean", func(g *outcome.Group) float64 { m, _ := f.final(g); return m }),
		document.NumberAt("std", func(g *outcome.Group) float64 { _, s := f.final(g); return s }),
		document.NumberAt("step_seconds", func(g *outcome.Group) float64 {
			_, s := f.method(g.Algorithm.Label).secondsOf([]*outcome.Group{g})
			return stats.Mean(s)
		}))
}

func (f *Field) writeRanks(w io.Writer) error {
	type rank struct {
		*Level
		*Standing
		method int
	}
	var rows []rank
	for _, l := range f.Levels {
		for _, s := range l.Standing {
			for _, m := range s.Ranks.Order() {
				rows = append(rows, rank{l, s, m})
			}
		}
	}
	return document.WriteCSV(w, rows,
		document.WordsAt("oracle", func(r rank) string { return strings.ReplaceAll(r.kind, "\u00a0", " ") }),
		document.CountAt("steps", func(r rank) int { return r.Steps }),
		document.CountAt("problems", func(r rank) int { return len(r.Rankings[0].Profile.Problems) }),
		document.WordsAt("method", func(r rank) string { return r.Methods[r.method] }),
		document.NumberAt("rank", func(r rank) float64 { return r.Ranks.Ranks[r.method] }),
		document.NumberAt("ci_lo", func(r rank) float64 { return r.Intervals[r.method].Lo }),
		document.NumberAt("ci_hi", func(r rank) float64 { return r.Intervals[r.method].Hi }),
		document.NumberAt("published_rank", func(r rank) float64 { return r.Published[r.method] }))
}

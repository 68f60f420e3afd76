package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"popbench/internal/outcome"
	"popbench/internal/page/document"
	"popbench/internal/paper"
	"popbench/internal/views/about"
	"popbench/internal/words"
	"popbench/record"
)

// Settings are the settings of an algorithm, over all problems of the results.
type Settings struct {
	Label, Name string
	Pilot       string          // comparisons before the first step, and whose
	Common      []document.Fact // the same on all problems
	Differ      *document.Sheet // all other settings, a row for each problem; nil without any
}

// settingsOfAll returns the settings of each algorithm, defaults included.
func settingsOfAll(r *outcome.Results) []Settings {
	groups := map[string][]*outcome.Group{} // by label
	for _, g := range r.Groups {
		groups[g.Algorithm.Label] = append(groups[g.Algorithm.Label], g)
	}
	return words.Each(slices.Sorted(maps.Keys(groups)), func(label string) Settings { return settingsOf(groups[label]) })
}

func settingsOf(groups []*outcome.Group) Settings {
	first := groups[0]
	s := Settings{Label: first.Algorithm.Label, Name: first.Algorithm.Name, Pilot: pilots(first)}
	if first.Algorithm.Program != nil {
		s.Name = "external program"
	}
	type row struct {
		*outcome.Group
		values map[string]string
	}
	var rows []row
	var keys []string
	for _, g := range groups {
		values := map[string]string{}
		for _, f := range flatten(g.Algorithm.Settings) {
			if g.Prior.Known && (f.Path == "norm_bound" || strings.HasPrefix(f.Path, "kernel.")) {
				continue // the sheet of the prior has those in force
			}
			keys = words.Include(keys, f.Path)
			values[f.Path] = f.Value
		}
		rows = append(rows, row{g, values})
	}
	columns := []document.Column[row]{document.Names("Problem", func(r row) string { return r.Name() })}
	for _, k := range keys {
		common := rows[0].values[k]
		if differ := slices.ContainsFunc(rows, func(r row) bool { v, ok := r.values[k]; return !ok || v != common }); differ {
			columns = append(columns, document.Column[row]{Title: document.Plain(k), Of: func(r row) document.Cell { return document.Words(r.values[k]) }})
		} else {
			s.Common = append(s.Common, document.Fact{Name: document.Plain(k), Value: document.Plain(common)})
		}
	}
	if len(columns) > 1 {
		sheet := document.Tabulate(document.Sheet{}, rows, columns...)
		s.Differ = &sheet
	}
	return s
}

// flatten lists settings in their order, nested names joined by dots; a list is one value.
func flatten(settings json.RawMessage) (all []record.Leaf) {
	for _, l := range record.Leaves(settings, false) {
		if l.Path == "" {
			continue // settings that are not an object have nothing to list
		}
		if u, err := strconv.Unquote(l.Value); err == nil {
			l.Value = u
		}
		l.Value = strings.ReplaceAll(l.Value, ",", ", ")
		all = append(all, l)
	}
	return all
}

// problems describes what was optimised, a row for each problem, and where each is from.
func problems(r *outcome.Results) (s document.Sheet, sources []document.Fact) {
	own := *r
	own.Groups = words.Only(r.Groups, func(g *outcome.Group) bool { return g.Imported == nil })
	rows := own.Problems()
	for _, g := range rows {
		if g.Problem.Source != "" {
			sources = append(sources, document.Fact{Name: document.Plain(g.Name()), Value: document.Plain(g.Problem.Source)})
		}
	}
	unknown := math.NaN()
	type groupColumn = document.Column[*outcome.Group]
	number := func(title document.Text, of func(*outcome.Group) float64) groupColumn {
		return groupColumn{Title: title, Of: func(g *outcome.Group) document.Cell {
			if g.Problem.Factor == 0 { // every run failed, some before they had an instance
				return document.Words("unknown")
			}
			return document.Significant(of(g), 6)
		}}
	}
	eachRun := func(c groupColumn) groupColumn {
		of := c.Of
		c.Of = func(g *outcome.Group) document.Cell {
			if g.Random() {
				return document.Words("one a run")
			}
			return of(g)
		}
		return c
	}
	var oracles []groupColumn
	if slices.ContainsFunc(rows, func(g *outcome.Group) bool { return g.Oracle != nil }) {
		oracles = []groupColumn{document.Texts("Oracle", oracle)}
	}
	return document.Tabulate(document.Sheet{ID: "problems", Title: "Problems",
		Caption: "Values are to be maximised, as scaled for the runs: scaled = (raw − shift) × factor."}, rows,
		append([]groupColumn{document.Names("Problem", (*outcome.Group).Name),
			{Title: "$d$", Of: func(g *outcome.Group) document.Cell {
				if g.Problem.Lo == nil {
					return document.Words("unknown")
				}
				return document.Count(len(g.Problem.Lo))
			}},
			{Title: "Box", Of: func(g *outcome.Group) document.Cell { return document.Words(domain(&g.Problem)) }},
			document.Texts("Scale", func(g *outcome.Group) string { return g.Problem.Scale }),
			number("Shift", func(g *outcome.Group) float64 { return g.Problem.Shift }),
			number("Factor", func(g *outcome.Group) float64 { return g.Problem.Factor }),
			eachRun(groupColumn{Title: "Optimum $f(x^*)$", Of: func(g *outcome.Group) document.Cell {
				switch {
				case g.BestFound != nil:
					return document.Prose(document.Textf("unknown; %s is %s", g.BestFound, document.Significant(g.BestFound.Value, 6)))
				case g.Problem.Optimum == nil || g.Problem.Factor == 0:
					return document.Words("unknown")
				}
				return document.Significant(*g.Problem.Optimum, 6)
			}}),
			eachRun(number("Grid's best", func(g *outcome.Group) float64 { return *cmp.Or(g.Problem.GridOptimum, &unknown) }))}, oracles...)...), sources
}

// oracle describes how the oracle of a group's runs answers. A computed scale is the first run's.
func oracle(g *outcome.Group) string {
	text := g.Oracle.Kind()
	if g.Oracle == nil || g.Oracle.Calibration == nil || g.Oracle.Scale == 0 {
		return text
	}
	c := g.Oracle.Calibration
	which := map[bool]string{true: "in the first run scale", false: "scale"}[g.Random()]
	from := fmt.Sprintf("%s of the best of %d points", words.Count(c.Pairs, "pair"), c.Points)
	if c.Exact {
		from = "all pairs of the best arms"
	}
	return fmt.Sprintf("%s: %s %s, from %s", text, which, strconv.FormatFloat(g.Oracle.Scale, 'g', 6, 64), from)
}

// domain describes the box, or the finite set in it.
func domain(p *record.Problem) string {
	text := box(p.Lo, p.Hi)
	if a := p.Arms; a != nil {
		text = words.Count(a.Count, "arm") + " in " + text
		if a.Data != nil {
			text += ", from " + a.Data.Path + ", SHA-256 " + a.Data.SHA256[:min(12, len(a.Data.SHA256))] + "…"
		}
	}
	return text
}

// box is "[-5, 10] × [0, 15]", or "[0, 1]⁶" when the sides are equal.
func box(lo, hi []float64) string {
	sides := make([]string, len(lo))
	equal := true
	for i := range lo {
		sides[i] = fmt.Sprintf("[%g, %g]", lo[i], hi[i])
		equal = equal && sides[i] == sides[0]
	}
	if equal && len(sides) > 1 {
		return sides[0] + superscript.Replace(strconv.Itoa(len(sides)))
	}
	return strings.Join(sides, " × ")
}

var superscript = strings.NewReplacer("0", "⁰", "1", "¹", "2", "²", "3", "³", "4", "⁴", "5", "⁵", "6", "⁶", "7", "⁷", "8", "⁸", "9", "⁹")

// setup is the sheet of what the paper states of the experiment, and of what was done here.
func (l *layout) setup() document.Sheet {
	e := l.Experiment
	type detail struct {
		name         document.Text
		theirs, here string
	}
	var rows []detail
	row := func(name document.Text, theirs, here string) {
		rows = append(rows, detail{name, cmp.Or(theirs, "not stated"), here})
	}
	positive := func(n int) string {
		if n == 0 {
			return ""
		}
		return strconv.Itoa(n)
	}
	steps := positive(e.Steps)
	if e.StepsFrom != "" {
		steps += " (from " + e.StepsFrom + ")"
	}
	row("Runs", positive(e.Runs), strings.TrimRight(l.OverRuns(), " runs"))
	row("Steps", steps, strconv.Itoa(l.Steps))
	row("Methods", strings.Join(e.Methods, "; "), strings.Join(l.algorithms, "; "))
	if e.Band > 0 {
		row("Bands of the figures", fmt.Sprintf("±%g standard deviations", e.Band),
			fmt.Sprintf("95\u00a0%% intervals of the mean, and ±%g in figures of their own", e.Band))
	}
	if e.StepSeconds > 0 {
		here := ""
		if own, ok := l.Labelled(paper.Own, e.Method); ok {
			if i := slices.IndexFunc(l.Rows, func(row *outcome.Row) bool { return row.Algorithm.Label == own && row.Times.Runs > 0 }); i >= 0 {
				t := l.Rows[i].Times.Step
				here = fmt.Sprintf("%s (%s), a factor of %s", document.Seconds(t), strings.Join(l.Rows[i].Machines, "; "), document.Short(e.StepSeconds/t))
			}
		}
		row("Mean step of "+paper.Own, fmt.Sprintf("%.1f\u00a0s (%s)", e.StepSeconds, e.Machine), here)
	}
	return document.Tabulate(document.Sheet{ID: "setup", Title: "The experiment, in the paper and here",
		Caption: document.Textf("%s: %s of the paper. What the paper does not state was chosen here.", e.Title, e.Section)}, rows,
		document.Column[detail]{Title: "Detail", Head: true, Of: func(d detail) document.Cell { return document.Prose(d.name) }},
		document.Texts("Paper", func(d detail) string { return d.theirs }),
		document.Texts("Here", func(d detail) string { return d.here }))
}

// repeats says which part of the paper it is.
func repeats(r *outcome.Results) string {
	text := r.Experiment.Section
	if names := about.Exhibits(r.Experiment); names != nil {
		text += ": " + strings.Join(names, ", ")
	}
	return text
}

// used is an external algorithm or problem.
type used struct {
	of      string // its label
	program *record.Program
}

// programsOf are the external programs of the results: algorithms, then problems, each once.
func programsOf(r *outcome.Results) (all []used) {
	add := func(of string, p *record.Program) {
		if p == nil {
			return
		}
		i := slices.IndexFunc(all, func(u used) bool { return u.of == of && slices.Equal(u.program.Command, p.Command) })
		switch {
		case i < 0:
			all = append(all, used{of, p})
		case all[i].program.Name == "": // its runs there failed before it said anything
			all[i].program = p
		}
	}
	for _, g := range r.Groups {
		add(g.Algorithm.Label, g.Algorithm.Program)
	}
	for _, g := range r.Groups {
		add(g.Name(), g.Problem.Program)
	}
	return all
}

// programs is the sheet of the external programs; it is empty if there are none.
func (l *layout) programs() document.Sheet {
	type detail struct{ of, name, value string }
	var rows []detail
	for _, u := range programsOf(l.Results) {
		p := u.program
		row := func(name, value string) {
			if value != "" {
				rows = append(rows, detail{u.of, name, words.Quote(value)})
			}
		}
		row("command", words.Command(p.Command))
		if p.Name == "" {
			row("reports", "not recorded: no run got that far")
		} else {
			row("reports", strings.TrimSpace(p.Name+" "+p.Version))
		}
		files := words.Each(p.Files, func(f record.ProgramFile) string { return fmt.Sprintf("%s (%.12s)", f.Path, f.SHA256) })
		row("files", strings.Join(files, ", "))
		row("threads", strconv.Itoa(p.Threads))
		provenance := words.Each(flatten(p.Provenance), func(l record.Leaf) string { return l.Path + " " + l.Value })
		row("provenance", words.Cut(strings.Join(provenance, ", "), words.MaxText))
		if p.Random {
			row("deterministic", "no: equal seeds may give other results")
		}
	}
	return document.Tabulate(document.Sheet{ID: "programs", Title: "External programs",
		Caption: "Programs of the suite's owner. Files have the beginning of their SHA-256; name, version and provenance are as the program reports them."},
		rows,
		document.Names("Program", func(d detail) string { return d.of }),
		document.Names("Detail", func(d detail) string { return d.name }),
		document.Lines("As recorded", func(d detail) string { return d.value }))
}

// prior is the sheet of the settings in force.
func (l *layout) prior() document.Sheet {
	words := func(title, about document.Text, of func(line) string) column {
		return column{Title: title, About: about, Of: func(v line) document.Cell { return document.Words(of(v)) }}
	}
	return l.sheet(document.Sheet{ID: "prior", Title: "Kernel and norm bound in force",
		Caption: "What the algorithms use at their first step, after disclosure and fitting; a range where the runs differ."},
		words("Disclosed", "", func(v line) string {
			if d := v.Algorithm.Disclosed; d != record.DisclosedNone {
				return string(d)
			}
			return ""
		}),
		words("Kernel", "", func(v line) string { return strings.Join(v.Prior.Families, "; ") }),
		words("Variance", "The variance of DTS is that of a duel: twice that of $f$, but for its prior preference.",
			func(v line) string { return v.Prior.Variance.String() }),
		words("Lengthscales", "Lengthscales are in units of $x$, one for each coordinate where these differ.",
			func(v line) string { return v.Prior.Lengthscales() }),
		words("Norm bound", "", func(v line) string { return v.Prior.Norm.String() }),
		words("Refitted", "Refitted: lengthscales and variance change during the run.",
			func(v line) string { return map[bool]string{true: "yes"}[v.Prior.Refitted] }))
}

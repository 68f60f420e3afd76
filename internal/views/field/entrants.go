package field

import (
	"fmt"
	"slices"
	"strings"

	"popbench/internal/page/document"
	"popbench/internal/page/figure"
	"popbench/internal/views/report"
	"popbench/internal/words"
)

// Enter adds submitted methods to the page: their comparison with the field's methods, from [Beside], and what is known of
// each label.
func (f *Field) Enter(others *Field, known map[string]Entrant) {
	f.entrants, others.known = others, known
}

// entered are the methods that stand beside the field.
func (f *Field) entered() []*Method {
	return words.Only(f.Methods, func(m *Method) bool { return f.isMine(m.Label) })
}

// program is the name and version that a method's program reported; "" if it reported none.
func (m *Method) program() string {
	for _, g := range m.Groups {
		if p := g.Algorithm.Program; p != nil {
			return strings.TrimSpace(p.Name + " " + p.Version)
		}
	}
	return ""
}

// runs counts the complete runs of a method, and the runs that are not.
func (m *Method) runs() (complete, failed int) {
	for _, g := range m.Groups {
		complete, failed = complete+len(g.Runs), failed+len(g.LeftOut)
	}
	return complete, failed
}

func (f *Field) entrantSheet() document.Sheet {
	e := f.entrants
	if e == nil {
		return document.Sheet{}
	}
	columns := []document.Column[*Method]{
		nameColumn,
		document.Texts("Program", (*Method).program),
		document.Texts("From", func(m *Method) string { return e.known[m.Label].From }),
		document.Texts("Checked", func(m *Method) string { return e.known[m.Label].Checked }),
	}
	for _, l := range e.Levels {
		s := l.last()
		columns = append(columns, l.rankColumn())
		if random := slices.Index(s.Methods, e.random()); random >= 0 {
			columns = append(columns, among(s.Methods, l.titled("Better than random, %"), func(m int) document.Cell {
				return document.Number(100*s.Won[m][random], 0)
			}))
		}
	}
	columns = append(columns,
		document.Cells("Runs", func(m *Method) document.Cell { n, _ := m.runs(); return document.Count(n) }),
		document.Cells("Failed runs", func(m *Method) document.Cell { _, n := m.runs(); return document.Count(n) }),
		document.Cells("Failed solves", func(m *Method) document.Cell {
			known, failures := false, 0
			for _, g := range m.Groups {
				known, failures = known || g.Health.Known, failures+g.Health.Failures
			}
			return document.Count(failures).If(known)
		}),
		e.stepColumn())
	return document.Tabulate(document.Sheet{ID: "programs", Title: "Programs of others", Caption: document.Plain(e.entrantCaption())}, e.entered(), columns...)
}

// entrantCaption says on what the entrants are ranked.
func (f *Field) entrantCaption() string {
	s := f.Levels[0].last()
	text := fmt.Sprintf("Rank among %s after %s over the runs that all have, %s on each problem. Better than random: the share of problems with a lower mean than that of random duels; a tie counts half. The rest of the page is without them. Failed solves: where a program counts them and went on.",
		words.Count(len(s.Methods), "method"), words.Count(s.Steps, "step"), f.eachRuns())
	for _, l := range f.Levels {
		absent := words.Only(l.Rankings[0].Absent, f.isMine)
		if len(absent) > 0 {
			text += fmt.Sprintf(" %s: without %s, because some of the problems have no complete run of it.", l.titled("Rank"), words.List(absent))
		}
	}
	return text
}

func (f *Field) eachRuns() string {
	n := 0
	for _, g := range f.Groups {
		n = max(n, len(g.Runs))
	}
	return words.Count(n, "run")
}

// Standings are the average ranks of the methods beside the field after the last step, by oracle, and among how many methods
// they are; "" if none has a rank.
func (f *Field) Standings() (among int, ranks string) {
	var parts []string
	for _, m := range f.entered() {
		var own []string
		ranked := false
		for _, l := range f.Levels {
			s := l.last()
			if a := slices.Index(s.Methods, m.Label); a >= 0 {
				own, ranked = append(own, fmt.Sprintf("%.1f", s.Ranks.Ranks[a])), true
			} else {
				own = append(own, "—")
			}
		}
		if ranked {
			parts = append(parts, m.Label+" "+strings.Join(own, ", "))
		}
	}
	return len(f.Levels[0].last().Methods), strings.Join(parts, "; ")
}

func (f *Field) entrantConclusion() string {
	e := f.entrants
	if e == nil {
		return ""
	}
	among, ranks := e.Standings()
	if ranks == "" {
		return ""
	}
	are, by := "Programs of others, each as published,", ""
	if slices.ContainsFunc(e.entered(), func(m *Method) bool { return strings.HasSuffix(m.Label, TunedSuffix) }) {
		are = "Programs of others"
	}
	if len(e.Levels) > 1 {
		by = ", by oracle"
	}
	return fmt.Sprintf("%s have these average ranks among %s, over %s of each problem%s: %s.", are,
		words.Count(among, "method"), e.eachRuns(), by, ranks)
}

// ranksFigure draws the ranks of a level with their intervals. Stands is what the marked methods are.
func (f *Field) ranksFigure(l *Level, name, stands string) *figure.Figure {
	r, s := l.Rankings[0], l.last()
	title := "Average rank: " + strings.ToLower(r.Title[:1]) + r.Title[1:]
	ranks := report.RanksChart(name+l.ID, title, s.Methods, &s.Ranks, f.isMine)
	for _, label := range ranks.Labels {
		ranks.Intervals = append(ranks.Intervals, s.Intervals[slices.Index(s.Methods, label)])
	}
	ranks.Stands = stands
	return ranks.Figure()
}

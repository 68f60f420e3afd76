// Package verify writes verdicts on claims as tables, pages and JSON, and plans of further runs as tables.
//
//	claims.Study: judge.Read → Evidence → Judge → Verdicts → Document, WriteJSON, Files
package verify

import (
	"fmt"
	"slices"
	"strings"

	"popbench/internal/claims"
	"popbench/internal/judge"
	"popbench/internal/math/stats"
	"popbench/internal/outcome"
	"popbench/internal/page/document"
	"popbench/internal/views/report"
	"popbench/internal/words"
)

// general is how verdicts come about.
func general(whose string, claims int) document.Text {
	return document.Textf("Ours: the statistic with its %.0f\u00a0%% bootstrap interval over runs, which are paired by instance. Claimed: where the %s says it lies. "+
		"A claim holds if the interval lies inside, in every part of the claim. It does not hold if in some part the interval, widened so that those of all parts are right together with %g\u00a0%%, lies outside. Otherwise these runs are too few to tell. "+
		"Nothing is corrected for the number of claims: one of %d verdicts may be wrong by chance. "+
		"What words mean as numbers was fixed before there were results.",
		100*judge.Level, whose, 100*judge.Level, claims)
}

const aboutOwn = "Claims marked ours are not the paper's: they are findings about its program, or what its comparisons suggest."

// ruleOf is how verdicts come about, by a plan too if there is one.
func ruleOf(v *judge.Verdicts) document.Text {
	s, whose, own := v.Study(), "paper", document.Text("")
	if s.HasOwn() {
		whose, own = "claim", aboutOwn
	}
	return sentences(general(whose, len(v.Outcomes)), s.Symbols, s.Words, own, byPlan(v))
}

// rules are how verdicts on several papers come about: what is the same for all, then what is not.
func rules(papers []placed) (all []document.Text) {
	if len(papers) == 1 {
		return []document.Text{ruleOf(papers[0].Verdicts)}
	}
	claims, own := 0, document.Text("")
	for _, p := range papers {
		claims += len(p.Outcomes)
		if p.Study().HasOwn() {
			own = aboutOwn
		}
	}
	all = []document.Text{sentences(general("claim", claims), own)}
	for _, p := range papers {
		s := p.Study()
		if text := sentences(s.Words, byPlan(p.Verdicts)); s.Symbols+text != "" {
			all = append(all, sentences(document.Plain(s.Name+":"), s.Symbols, text))
		}
	}
	return all
}

// byPlan is how a plan decides, "" without a plan.
func byPlan(v *judge.Verdicts) document.Text {
	p := v.Plan
	if p == nil {
		return ""
	}
	outside := document.Text("")
	if len(p.Outside) > 0 {
		outside = document.Textf(" It is not about %s, which are judged as above.",
			words.List(words.Each(p.Outside, func(c judge.OutsideClaim) string { return c.ID })))
	}
	return document.Textf("Claims that a plan decides: their runs are fresh ones, from repetition %d on, and were looked at after %s. "+
		"A part holds or does not hold by its repeated interval, which is wide enough to be looked at so often. It is at the border if that interval holds the border and lies within δ of it. "+
		"Numbers and intervals are corrected for stopping. The plan was written before the runs were made.%s", p.First, p.LooksText(), outside)
}

// sentences are texts with spaces between them; those that are empty are left out.
func sentences(texts ...document.Text) document.Text {
	return document.Join(words.Only(texts, func(text document.Text) bool { return text != "" }), " ")
}

// Title returns the title of the document.
func Title(v *judge.Verdicts) string {
	if !slices.ContainsFunc(v.Outcomes, func(o *judge.Outcome) bool { return !o.Claim.Ours }) {
		return "What we claim about the paper, and what came out"
	}
	return "What the paper claims, and what came out"
}

// Counts is the verdicts in a sentence: "Of 28 claims 9 hold, 7 do not hold, …".
func Counts(v *judge.Verdicts) string {
	whose := "the paper's "
	if v.Study().HasOwn() { // some, or all
		whose = ""
	}
	return fmt.Sprintf("Of %s%d claims %s.", whose, len(v.Outcomes), counts(v.Count, v.Plan == nil))
}

// counts is how many claims have each verdict. With short it says that undecided claims are short of runs: a plan has other
// reasons to stop.
func counts(count func(judge.Verdict) int, short bool) string {
	more := map[judge.Verdict]string{judge.AtBorder: " of what is claimed"}
	if short {
		more[judge.Undecided] = " at this sample size"
	}
	var parts []string
	for _, v := range judge.All() {
		if n := count(v); n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s%s", n, v.Said(n), more[v]))
		}
	}
	return words.List(parts)
}

// said is a verdict as texts and files have it, which say more of the undecided than a badge does.
func said(v judge.Verdict) string {
	if v == judge.Undecided {
		return "undecided at this sample size"
	}
	return v.String()
}

// Brief puts the verdicts into words: a row for each claim, and notes.
func Brief(v *judge.Verdicts) *document.Document {
	d := &document.Document{Title: document.Plain(Title(v)), Warnings: document.PlainAll(warnings(v)), Summary: []document.Text{document.Plain(Counts(v))}}
	addFacts(d, v)
	d.Add(claimSheet(v))
	return d
}

// Document is Brief with a row for each check, and with further sheets.
func Document(v *judge.Verdicts, further ...document.Sheet) *document.Document {
	d := Brief(v)
	checks := checkSheet(v.Outcomes)
	checks.Notes = groupNotes(v, claimNotes(v)) // those of claims are at the findings themselves
	d.Add(checks)
	d.Add(further...)
	return d
}

// also has the sheets that the study's page shows besides the claims, and their figures by the ID of a sheet.
func also(v *judge.Verdicts) ([]document.Sheet, map[string][]document.Figure) {
	for _, r := range v.Results() {
		if r.Suite == claims.FauvelSuite {
			return fauvelAlso(r)
		}
	}
	return nil, nil
}

// warnings has the warnings of the suites, and one for a mixture of programs.
func warnings(v *judge.Verdicts) (all []string) {
	var programs [][]string
	for _, r := range v.Results() {
		programs = append(programs, r.Identities)
		for _, text := range r.Warnings {
			all = append(all, r.Suite+": "+text)
		}
	}
	if text := report.Mixture(programs); text != "" {
		all = append(all, text)
	}
	return all
}

// addFacts adds what was run, and the plan if there is one.
func addFacts(d *document.Document, v *judge.Verdicts) {
	suites := words.Each(v.Results(), func(r *outcome.Results) string {
		return fmt.Sprintf("%s (%s of %s each)", r.Suite, words.Count(r.Planned, "run"), words.Count(r.Steps, "step"))
	})
	d.Facts = []document.Fact{{Name: "Paper", Value: v.Study().Paper}, {Name: "Suites", Value: document.Plain(strings.Join(suites, ", "))}}
	addProvenance(d, v)
	if p := v.Plan; p != nil {
		value := document.Textf("%s, SHA-256 %s", judge.PlanFile, p.Hash())
		if n := len(p.Replaces); n > 0 {
			value += document.Textf("; it replaces %s, the last with SHA-256 %s", words.Count(n, "earlier plan"), p.Replaces[n-1])
		}
		d.Facts = append(d.Facts, document.Fact{Name: "Plan", Value: value})
	}
}

// addProvenance adds the programs and the machines of all runs behind some verdicts.
func addProvenance(d *document.Document, all ...*judge.Verdicts) {
	var programs, machines []string
	for _, v := range all {
		for _, r := range v.Results() {
			programs, machines = append(programs, r.Programs...), append(machines, r.Machines()...)
		}
	}
	d.AddFact("Program", distinct(programs)...)
	d.AddFact("Machine", distinct(machines)...)
}

func distinct(s []string) []string {
	slices.Sort(s)
	return slices.Compact(s)
}

// claimSheet is the sheet of the verdicts. A claim of several parts is shown by the one that decides.
func claimSheet(v *judge.Verdicts) document.Sheet {
	type row struct {
		*judge.Outcome
		*judge.Finding // that decides
	}
	rows := words.Each(v.Outcomes, func(o *judge.Outcome) row { return row{o, deciding(o)} })
	caption := ruleOf(v) + " The row of a claim of several parts shows the one that decides."
	if v.Plan != nil {
		caption += " By earlier runs: the verdict of the first runs, by the rule for a fixed number. Fresh runs and time: of all runs that decided the claim, the time of their steps added up; a run counts for each claim that needs it."
	}
	columns := []document.Column[row]{
		{Title: "Claim", Head: true, Of: func(r row) document.Cell {
			c := r.Claim
			whose := ""
			if c.Ours {
				whose = "ours, not the paper's; "
			}
			notes := []document.Text{document.Textf("%s: %s%s. %s Checked as: %s", c.ID, whose, c.Where, c.Says, c.Read)}
			return document.Words(c.ID).With(append(notes, c.Known...)...)
		}},
		prose("In short", func(r row) document.Text {
			if r.Claim.Ours {
				return r.Claim.Short + " (ours)"
			}
			return r.Claim.Short
		}),
		{Title: "Verdict", Words: true, Of: func(r row) document.Cell {
			notes := remarks(r.Finding)
			for _, p := range r.Parts {
				notes = append(notes, conditional(p)...)
			}
			return document.Words(said(r.Outcome.Verdict)).With(notes...)
		}},
		document.Cells("Ours", func(r row) document.Cell { return ours(r.Finding) }),
		document.Cells("Claimed", func(r row) document.Cell { return regionCell(r.Region) }),
		document.Cells("Paper", func(r row) document.Cell { return document.Short(r.Printed) }),
		document.Cells("Parts that hold", func(r row) document.Cell {
			holding := stats.Count(r.Parts, func(f *judge.Finding) bool { return f.Verdict == judge.Holds })
			return document.Words(fmt.Sprintf("%d of %d", holding, len(r.Parts)))
		}),
		prose("Statistic", func(r row) document.Text { return statistic(r.Finding) }),
	}
	if v.Plan != nil {
		columns = append(columns,
			document.Texts("By earlier runs", func(r row) string { return said(r.Earlier) }),
			document.Cells("Fresh runs", func(r row) document.Cell { return document.Count(r.Cost.Runs).If(r.Earlier != "") }),
			document.Cells("Time", func(r row) document.Cell { return document.Seconds(r.Cost.Seconds).If(r.Earlier != "") }))
	}
	return document.Tabulate(document.Sheet{ID: "claims", Title: "Verdicts", Caption: caption}, rows, columns...)
}

// checkSheet is the sheet of all statistics of claims. The claim has a column if there are several.
func checkSheet(outcomes []*judge.Outcome) document.Sheet {
	type row struct {
		*judge.Finding
		claim  string
		beside bool // it decides nothing
	}
	var rows []row
	for _, o := range outcomes {
		for i, f := range slices.Concat(o.Parts, o.Beside) {
			rows = append(rows, row{f, o.Claim.ID, i >= len(o.Parts)})
		}
	}
	one := len(outcomes) == 1
	columns := []document.Column[row]{
		document.Names("Claim", func(r row) string { return r.claim }),
		prose("Statistic", func(r row) document.Text { return statistic(r.Finding) }),
	}
	if one {
		columns = columns[1:]
		columns[0].Head = true
	}
	return document.Tabulate(document.Sheet{ID: "checks", Title: "Every check",
		Caption: "All parts of the claims. Checks in parentheses decide nothing. Runs: of the smallest sample. Paper: the same statistic of the numbers that the paper prints, where it prints any, suboptimalities in our unit."},
		rows, append(columns,
			document.Texts("On", func(r row) string { return problemsOf(r.Finding) }),
			document.Cells("Runs", func(r row) document.Cell { return document.Count(r.Runs).If(r.Runs > 0) }),
			document.Cells("Ours", func(r row) document.Cell { return ours(r.Finding) }),
			document.Cells("Claimed", func(r row) document.Cell { return regionCell(r.Region) }),
			document.Cells("Paper", func(r row) document.Cell { return document.Short(r.Printed) }),
			document.Cells("Ours − paper", func(r row) document.Cell { return document.Signed(r.Value - r.Printed) }),
			document.Column[row]{Title: "Finding", Words: true, Of: func(r row) document.Cell {
				text := said(r.Verdict)
				if r.beside {
					text = "(" + text + ")"
				}
				return document.Words(text).With(remarks(r.Finding)...)
			}})...)
}

// groupNotes are the notes of all suites, each text once with the suites or groups that it is about. It leaves out notes
// that are said already.
func groupNotes(v *judge.Verdicts, said []document.Text) (notes []document.Text) {
	type place struct{ text, label string } // "" is the label of a suite's note
	var places []place
	suites := map[place][]string{}
	add := func(text, label, suite string) {
		p := place{text, label}
		places, suites[p] = words.Include(places, p), words.Include(suites[p], suite)
	}
	for _, r := range v.Results() {
		for _, text := range r.Notes {
			add(text, "", r.Suite)
		}
		for _, g := range r.Groups {
			for _, text := range g.Notes {
				if everywhere(r, g.Algorithm.Label, text) {
					add(text, g.Algorithm.Label, r.Suite)
				} else {
					add(text, g.Algorithm.Label, fmt.Sprintf("%s (%s)", r.Suite, g.Problem.Name))
				}
			}
		}
	}
	for _, text := range words.Once(words.Each(places, func(p place) string { return p.text })) {
		if slices.Contains(said, document.Plain(text)) {
			continue
		}
		var about []string
		for _, p := range places {
			if p.text == text {
				about = append(about, strings.TrimPrefix(p.label+" in ", " in ")+words.List(suites[p]))
			}
		}
		notes = append(notes, document.Textf("%s: %s", strings.Join(about, "; "), text))
	}
	return notes
}

func everywhere(r *outcome.Results, label, note string) bool {
	return !slices.ContainsFunc(r.Groups, func(g *outcome.Group) bool {
		return g.Algorithm.Label == label && !slices.Contains(g.Notes, note)
	})
}

// placed are the verdicts on a paper, with the place of its results.
type placed struct {
	*judge.Verdicts
	dir    string                 // of the results, from the page; "" for the page's own
	exists func(path string) bool // whether there is a file at a path from there
}

func prose[R any](title document.Text, of func(R) document.Text) document.Column[R] {
	return document.Column[R]{Title: title, Words: true, Of: func(r R) document.Cell { return document.Prose(of(r)) }}
}

// PlanDocument is the plan as a table: a row for each part.
func PlanDocument(p *judge.Plan) *document.Document {
	d := &document.Document{Title: "How the claims are decided", Summary: []document.Text{document.Textf(
		"Looks after %s fresh runs, from repetition %d on. Error probability of a verdict: %g. SHA-256 of the plan: %s.",
		p.LooksText(), p.First, p.Alpha, p.Hash())}}
	type row struct {
		judge.PlannedPart
		claim string
	}
	var rows []row
	for _, c := range p.Claims {
		for _, part := range c.Parts {
			rows = append(rows, row{part, c.ID})
		}
	}
	optional := func(title document.Text, of func(row) *float64) document.Column[row] {
		return document.Cells(title, func(r row) document.Cell {
			if v := of(r); v != nil {
				return document.Short(*v)
			}
			return document.Words("—")
		})
	}
	d.Add(document.Tabulate(document.Sheet{ID: "plan", Title: "Plan",
		Caption: "Spread: standard deviation of a run, from earlier runs. δ: a repeated interval that holds the border and lies within δ of it is at the border. Reachable: the δ that is reached with probability 0.8 by the largest look."},
		rows,
		document.Names("Claim", func(r row) string { return r.claim }),
		document.Texts("Statistic", func(r row) string { return r.Statistic }),
		document.Texts("As", func(r row) string { return r.Estimand }),
		document.Texts("Guarantee", func(r row) string { return r.Guarantee }),
		optional("Spread", func(r row) *float64 { return r.Spread }),
		optional("δ", func(r row) *float64 { return r.Margin }),
		optional("Reachable", func(r row) *float64 { return r.Reachable })))
	if len(p.Outside) > 0 {
		d.Add(document.Tabulate(document.Sheet{ID: "outside", Title: "Not decided by this plan"}, p.Outside,
			document.Names("Claim", func(c judge.OutsideClaim) string { return c.ID }),
			document.Texts("Because", func(c judge.OutsideClaim) string { return c.Reason })))
	}
	return d
}

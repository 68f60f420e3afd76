package verify

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"popbench/internal/analysis/document"
	"popbench/internal/analysis/outcome"
	"popbench/internal/analysis/paper"
	"popbench/internal/analysis/report"
)

const none = "—"

// rule is how verdicts come about.
var rule = fmt.Sprintf("Ours: the statistic with its %.0f\u00a0%% bootstrap interval over runs, which are paired by instance. Claimed: where the paper says it lies. "+
	"A claim holds if the interval lies wholly in there, in every part of the claim; it does not hold if in some part the interval, widened so that those of all parts are right together with %[1]g\u00a0%%, lies wholly outside; otherwise these runs are too few to tell. "+
	"Of a claim of several parts the row shows the one that decides. Between claims nothing is corrected: of 28 verdicts one may be wrong by chance. "+
	"R_t: cumulative regret after step t. S_t: suboptimality of the reported point. T: the last step. U: suboptimality of a uniform random point, the unit of suboptimalities. "+
	"What words mean as numbers was settled before there were results. Slight, comparable, competitive: up to %g U, which is what the paper calls so on Bukin (0.92 against 0.59, where U is 2.47). Fast, good, significant, and their contraries limited and drastic: more or less than half of the way from a random point to the optimum.",
	100*Level, Slight)

// Title of the document.
const Title = "What the paper claims, and what came out"

// Counts is the verdicts in a sentence: "Of 28 claims 9 hold, 7 do not hold, …".
func (v *Verdicts) Counts() string {
	var parts []string
	for _, c := range []struct {
		of            Verdict
		single, words string
	}{
		{Holds, "holds", "hold"},
		{Fails, "does not hold", "do not hold"},
		{Undecided, "is undecided at this sample size", "are undecided at this sample size"},
		{NotRun, "was not run", "were not run"},
	} {
		switch n := v.Count(c.of); n {
		case 0:
		case 1:
			parts = append(parts, "1 "+c.single)
		default:
			parts = append(parts, fmt.Sprintf("%d %s", n, c.words))
		}
	}
	return fmt.Sprintf("Of the paper's %d claims %s.", len(v.Outcomes), list(parts))
}

// Brief puts the verdicts into words: a row for each claim, and notes.
func (v *Verdicts) Brief() *document.Document {
	d := &document.Document{Title: Title, Warnings: v.warnings(), Summary: []string{v.Counts()}, Facts: v.facts()}
	d.Sheets = []document.Sheet{v.claims(d)}
	return d
}

// Document is the same with a row for each check.
func (v *Verdicts) Document() *document.Document {
	d := v.Brief()
	d.Sheets = append(d.Sheets, v.checks(d))
	return d
}

// warnings has the warnings of the suites, and one for a mixture of programs.
func (v *Verdicts) warnings() (all []string) {
	var programs [][]string
	for _, r := range v.results() {
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

func (v *Verdicts) facts() []document.Fact {
	var suites, programs, machines []string
	for _, r := range v.results() {
		suites = append(suites, fmt.Sprintf("%s (%d runs each, %d steps)", r.Suite, r.Planned, r.Steps))
		programs = append(programs, r.Programs...)
		for i := range r.Groups {
			machines = append(machines, r.Groups[i].Machines...)
		}
	}
	facts := []document.Fact{{Name: "Paper", Value: paper.Source}, {Name: "Suites", Value: strings.Join(suites, ", ")}, {Name: "Program", Value: strings.Join(distinct(programs), "; ")}}
	if machines = distinct(machines); machines != nil {
		facts = append(facts, document.Fact{Name: "Machine", Value: strings.Join(machines, "; ")})
	}
	return facts
}

func distinct(s []string) []string {
	slices.Sort(s)
	return slices.Compact(s)
}

// note adds a footnote, unless it is there, and returns its number.
func note(d *document.Document, text string) int {
	i := slices.Index(d.Notes, text)
	if i < 0 {
		i = len(d.Notes)
		d.Notes = append(d.Notes, text)
	}
	return i + 1
}

func notes(d *document.Document, texts []string) (refs []int) {
	for _, t := range texts {
		if n := note(d, t); !slices.Contains(refs, n) {
			refs = append(refs, n)
		}
	}
	slices.Sort(refs)
	return refs
}

// claims is the sheet of the verdicts. A claim of several parts is shown by the
// one that decides.
func (v *Verdicts) claims(d *document.Document) document.Sheet {
	s := document.Sheet{ID: "claims", Title: "Verdicts",
		Caption: rule,
		Columns: []document.Column{{Title: "Claim", Head: true}, {Title: "In short", Words: true}, {Title: "Verdict", Words: true}, {Title: "Ours"}, {Title: "Claimed"}, {Title: "Paper"}, {Title: "Parts that hold"}, {Title: "Statistic", Words: true}}}
	for i := range v.Outcomes {
		o := &v.Outcomes[i]
		f := o.deciding()
		c := o.Claim
		about := append([]string{fmt.Sprintf("%s: %s. %s Checked as: %s", c.ID, c.Where, c.Says, c.Read)}, c.Known...)
		verdict := document.Cell{Text: string(o.Verdict)}
		remarks := f.remarks()
		holding := 0
		for _, p := range o.Parts {
			if p.Verdict == Holds {
				holding++
			}
			remarks = append(remarks, p.conditional()...)
		}
		verdict.Notes = notes(d, remarks)
		s.Rows = append(s.Rows, []document.Cell{
			{Text: c.ID, Notes: notes(d, about)}, {Text: c.Short}, verdict,
			{Text: f.ours()}, {Text: f.Region.String()}, {Text: f.paper()}, {Text: fmt.Sprintf("%d of %d", holding, len(o.Parts))}, {Text: f.what()},
		})
	}
	return s
}

// remarks are what is to be said of the finding.
func (f *Finding) remarks() []string {
	if f.Missing != "" {
		return []string{f.Missing + "."}
	}
	return f.conditional()
}

// conditional says on what the intervals are conditional, if on anything.
func (f *Finding) conditional() []string {
	if f.SharedPilot == 0 {
		return nil
	}
	return []string{outcome.ConditionalNote(f.SharedPilot)}
}

// deciding is the part that shows best why the verdict is what it is: of those
// with the claim's verdict the one whose interval is nearest to a border.
func (o *Outcome) deciding() *Finding {
	var best *Finding
	for i := range o.Parts {
		if p := &o.Parts[i]; p.Verdict == o.Verdict && (best == nil || p.slack() < best.slack()) {
			best = p
		}
	}
	return best
}

// slack is how far the statistic is from the nearest border, in widths of its
// interval.
func (f *Finding) slack() float64 {
	d := min(math.Abs(f.Value-f.Region.Lo), math.Abs(f.Value-f.Region.Hi))
	if w := f.CI.Hi - f.CI.Lo; w > 0 {
		return d / w
	}
	return math.Inf(1)
}

// checks is the sheet of all statistics.
func (v *Verdicts) checks(d *document.Document) document.Sheet {
	s := document.Sheet{ID: "checks", Title: "Every check",
		Caption: "All parts of the claims; in parentheses what stands beside them and decides nothing. Runs: of the smallest sample. Paper: the same statistic of the numbers that the paper prints, where it prints any, suboptimalities in our unit.",
		Columns: []document.Column{{Title: "Claim", Head: true}, {Title: "Statistic", Words: true}, {Title: "On", Words: true}, {Title: "Runs"}, {Title: "Ours"}, {Title: "Claimed"}, {Title: "Paper"}, {Title: "Ours − paper"}, {Title: "Finding", Words: true}}}
	for _, r := range v.results() {
		for _, text := range r.Notes {
			s.Notes = append(s.Notes, note(d, r.Suite+": "+text))
		}
		for i := range r.Groups {
			g := &r.Groups[i]
			for _, text := range g.Notes {
				s.Notes = append(s.Notes, note(d, fmt.Sprintf("%s, %s on %s: %s", r.Suite, g.Algorithm.Label, g.Problem.Name, text)))
			}
		}
	}
	for i := range v.Outcomes {
		o := &v.Outcomes[i]
		add := func(f *Finding, finding string) {
			cell := document.Cell{Text: finding}
			cell.Notes = notes(d, f.remarks())
			runs, away := none, none
			if f.Runs > 0 {
				runs = strconv.Itoa(f.Runs)
			}
			if !math.IsNaN(f.Value) && !math.IsNaN(f.Printed) {
				away = fmt.Sprintf("%+.*f", decimals(f), f.Value-f.Printed)
			}
			s.Rows = append(s.Rows, []document.Cell{{Text: o.Claim.ID}, {Text: f.what()}, {Text: f.on()}, {Text: runs}, {Text: f.ours()}, {Text: f.Region.String()}, {Text: f.paper()}, {Text: away}, cell})
		}
		for k := range o.Parts {
			add(&o.Parts[k], string(o.Parts[k].Verdict))
		}
		for k := range o.Beside {
			add(&o.Beside[k], "("+string(o.Beside[k].Verdict)+")")
		}
	}
	return s
}

// what is the statistic, and in what it differs from the claim's own.
func (f *Finding) what() string {
	if f.Note == "" {
		return f.What
	}
	return f.What + "; " + f.Note
}

// on is the problems.
func (f *Finding) on() string {
	var problems []string
	for _, s := range f.samples {
		if !slices.Contains(problems, s.problem) {
			problems = append(problems, s.problem)
		}
	}
	if len(problems) > 2 {
		return fmt.Sprintf("%d problems", len(problems))
	}
	return list(problems)
}

// ours is "0.31 [0.25, 0.51]".
func (f *Finding) ours() string {
	if math.IsNaN(f.Value) {
		return none
	}
	d := decimals(f)
	text := strconv.FormatFloat(f.Value, 'f', d, 64)
	if math.IsNaN(f.CI.Lo) {
		return text
	}
	return fmt.Sprintf("%s [%.*f, %.*f]", text, d, f.CI.Lo, d, f.CI.Hi)
}

// paper is the printed number.
func (f *Finding) paper() string {
	if math.IsNaN(f.Printed) {
		return none
	}
	return strconv.FormatFloat(f.Printed, 'g', 3, 64)
}

// decimals show two digits of the interval's half width; 3 if there is none.
func decimals(f *Finding) int {
	size := (f.CI.Hi - f.CI.Lo) / 2
	if !(size > 0) {
		return 3
	}
	return min(6, max(0, 1-int(math.Floor(math.Log10(size)))))
}

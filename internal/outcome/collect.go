// Package outcome defines every number of a run and of a group of runs, once, for reports, figures, comparisons, profiles
// and verdicts on claims. It reads records and nothing else.
//
//	NewRun                     the numbers of a record: regret, suboptimality, work, certificates, seconds
//	Collect → Results, Group   the runs of a folder, and notes on what is missing
//	Curves                     after each step, over the runs of a group
//	NewTable → Row             after the last step: summaries, verdicts, standings, coverage, times
//
// Every interval comes from stats.Resampled. Fewer runs than stats.MinRuns have no interval, and nothing is said to differ.
package outcome

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"popbench/internal/math/stats"
	"popbench/internal/paper"
	"popbench/internal/words"
	"popbench/record"
)

// Collect groups the records and keeps the curves of each. What is wrong with some becomes warnings and notes; the error is
// for records without any usable run.
func Collect(in record.Source) (*Results, error) { return collectAll(in, false) }

// CollectSelected is Collect, but keeps one curve of a run: the suboptimality by the rule that its settings select.
func CollectSelected(in record.Source) (*Results, error) { return collectAll(in, true) }

func collectAll(in record.Source, selected bool) (*Results, error) {
	r, common, err := collect(in, 0, selected)
	if err == nil && common != r.Steps {
		r, _, err = collect(in, common, selected) // the first record differs from most
	}
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(r.Groups, func(g *Group) bool { return len(g.Runs) > 0 }) {
		return r, nil
	}
	return nil, &NoRunError{r.Suite, fmt.Sprintf("%s: none of %d runs can be reported; %s: %s",
		words.Quote(r.Dir), r.records, r.Groups[0].Name(), strings.TrimSuffix(r.Groups[0].Notes[0], "."))}
}

// collect keeps the curves of the runs with the given number of steps, or, if steps is 0, with the number that the first
// record plans. Common is the number that most records plan.
func collect(in record.Source, steps int, selected bool) (r *Results, common int, err error) {
	planned := map[int]int{}     // steps, and how many records plan them
	index := map[string]*Group{} // by key
	found, err := in.Each(func(rec *record.Record, timing *record.Timing) error {
		h := &rec.Header
		if r == nil {
			if steps == 0 {
				steps = h.Budget
			}
			r = &Results{
				Suite: h.Suite, Title: h.SuiteTitle, Paper: paper.Lookup(h.Paper), Steps: steps, FirstDuels: h.FirstDuels,
				Experiment: paper.LookupExperiment(h.Paper), PaperGrowth: paper.LookupGrowth(h.Paper),
				selected: selected, found: map[string]*BestFound{}, Headline: Find(Metric(cmp.Or(h.Headline, string(Suboptimality)))),
			}
			if r.Headline == nil {
				r.Headline = Find(Suboptimality)
				r.Notes = append(r.Notes, fmt.Sprintf("The suite names the metric %q for its headline, which is unknown; the suboptimality is in its place.",
					h.Headline))
			}
			if h.Paper != "" && r.Experiment == nil {
				r.Notes = append(r.Notes, fmt.Sprintf("The suite names the paper's experiment %q, which is unknown.", h.Paper))
			}
		}
		planned[h.Budget]++
		r.add(rec, timing, index)
		return nil
	})
	if err != nil {
		return nil, 0, err
	}
	if r == nil && len(found.Issues) > 0 {
		return nil, 0, fmt.Errorf("none of %d records can be used; the first: %w", len(found.Issues), &found.Issues[0])
	}
	if r == nil {
		return nil, 0, fmt.Errorf("%s has no records; make them with bench run SUITE.yaml", words.Quote(found.Dir))
	}
	for n, count := range planned {
		if count > planned[common] || count == planned[common] && n > common {
			common = n
		}
	}
	r.Dir, r.records = found.Dir, found.Records
	r.noteFindings(found)
	r.label(found)
	r.measure()
	r.sort()
	r.note(found)
	return r, common, nil
}

// noteFindings adds what is wrong with the folder as a whole.
func (r *Results) noteFindings(found *record.Contents) {
	damaged := words.Only(found.Issues, func(issue record.Issue) bool { return issue.Mixture == "" })
	notes := words.Each(damaged, func(issue record.Issue) string {
		issue.Path = issue.At(found.Dir)
		return issue.Error() + "."
	})
	if more := len(notes) - maxIssues; more > 0 {
		notes = append(notes[:maxIssues], fmt.Sprintf("And %d more files like these.", more))
	}
	r.Notes = slices.Concat(notes, r.Notes, found.Notes())
	r.Warnings, r.Mixtures = found.Warnings(), found.Mixtures()
	if r.Unlisted = found.List == nil; !r.Unlisted {
		r.absent, r.leftOut = record.Count(found.Missing()), record.Count(found.List.LeftOut)
	}
}

const maxIssues = 10

// importedMark ends the labels of imported runs.
const importedMark = " (imported)"

func (r *Results) add(rec *record.Record, timing *record.Timing, index map[string]*Group) {
	h := &rec.Header
	key := record.Group(h.Cell)
	g := index[key]
	if g == nil {
		g = &Group{Problem: h.Problem, Algorithm: h.Algorithm, Pilot: h.PilotComparisons, PilotPer: h.PilotPer, Oracle: h.Oracle, Imported: h.Imported,
			key: key}
		if g.Imported != nil { // no table, figure or headline can then show it without saying so
			g.Algorithm.Label += importedMark
		}
		r.Groups, index[key] = append(r.Groups, g), g
	}
	if h.Imported == nil {
		if !slices.Contains(r.Seeds, h.Seed) {
			r.Seeds = append(r.Seeds, h.Seed)
		}
		r.Programs = words.Include(r.Programs, h.Release())
		r.Identities = words.Include(r.Identities, h.Identity())
	}
	if rec.OK() && h.Problem.Optimum == nil {
		r.found[h.Problem.Name] = r.found[h.Problem.Name].Add(rec)
	}
	g.add(rec, timing, r.Steps, r.selected)
	r.Planned = max(r.Planned, h.Repetition+1)
}

func (r *Results) sort() {
	rank := func(string) int { return 0 }
	if r.Paper != nil {
		rank = r.Paper.Rank
	}
	slices.SortStableFunc(r.Groups, func(a, b *Group) int {
		return cmp.Or(
			cmp.Compare(rank(a.Problem.Name), rank(b.Problem.Name)),
			strings.Compare(strings.ToLower(a.Name()), strings.ToLower(b.Name())),
			strings.Compare(a.Problem.Name, b.Problem.Name),
			Natural(strings.ToLower(a.Algorithm.Label), strings.ToLower(b.Algorithm.Label)),
		)
	})
	for _, g := range r.Groups {
		slices.SortFunc(g.Runs, func(a, b *Run) int { return cmp.Compare(a.Repetition, b.Repetition) })
	}
}

var digits = regexp.MustCompile(`\d+(\.\d+)?|\D+`)

// Natural compares texts with the numbers in them as numbers, so that "B = 3" comes before "B = 10".
func Natural(a, b string) int {
	return cmp.Or(slices.CompareFunc(digits.FindAllString(a, -1), digits.FindAllString(b, -1), func(a, b string) int {
		x, errX := strconv.ParseFloat(a, 64)
		y, errY := strconv.ParseFloat(b, 64)
		if errX == nil && errY == nil {
			return cmp.Compare(x, y)
		}
		return strings.Compare(a, b)
	}), strings.Compare(a, b))
}

func (r *Results) note(found *record.Contents) {
	chosen := func(string) int { return r.Planned }
	if found.List != nil {
		chosen = found.List.Runs
		r.Planned = 0
		for _, p := range found.List.Chosen {
			r.Planned = max(r.Planned, p.Repetitions.Len())
		}
	}
	var problems, labels []string
	has := map[[2]string]bool{}
	for _, g := range r.Groups {
		has[[2]string{g.Name(), g.Algorithm.Label}] = true
		problems, labels = words.Include(problems, g.Name()), words.Include(labels, g.Algorithm.Label)
		say := func(holds bool, note string) {
			if holds {
				g.Notes = append(g.Notes, note)
			}
		}
		random := func(p *record.Program) bool { return p != nil && p.Random }
		say(g.Algorithm.Feedback == record.Values, ValuesNote)
		say(random(g.Algorithm.Program), RandomAlgorithmNote)
		say(random(g.Problem.Program), RandomObjectiveNote)
		if g.BestFound != nil {
			say(true, g.BestFound.Note())
		}
		say(g.Conditional(), ConditionalNote(g.Pilot))
		g.noteLeftOut()
		if found.Timed {
			g.noteTimes()
		}
		planned := chosen(g.key)
		missing := planned - len(g.Runs) - len(g.LeftOut)
		say(missing > 0, fmt.Sprintf("%s of %d %s no record.", words.Count(missing, "run"), planned, words.Choose(missing, "has", "have")))
		say(g.Health.Failures > 0, fmt.Sprintf("%s failed, after every other way was tried.", words.Count(g.Health.Failures, "solve")))
	}
	r.noteImported()
	r.noteFew()
	for _, p := range problems {
		for _, l := range labels {
			if !has[[2]string{p, l}] && found.List == nil {
				r.Notes = append(r.Notes, fmt.Sprintf("There is no record of %s on %s.", l, p))
			}
		}
	}
	r.noteGrowth()
	if t := r.Paper; t != nil && r.Steps != t.Steps {
		r.Notes = append(r.Notes, fmt.Sprintf("The paper reports after %d steps, these runs after %d.", t.Steps, r.Steps))
	}
}

func (r *Results) noteImported() {
	if imported := words.Only(r.Groups, func(g *Group) bool { return g.Imported != nil }); imported != nil {
		labels := words.Once(words.Each(imported, func(g *Group) string { return strings.TrimSuffix(g.Algorithm.Label, importedMark) }))
		files := words.Once(words.Each(imported, func(g *Group) string { return g.Imported.File }))
		r.Warnings = append(r.Warnings, fmt.Sprintf("Imported: the numbers of %s were read from %s. This harness neither made nor checked them: they may have other starts, noise and definitions, and are not ranked.",
			words.List(labels), words.List(files)))
	}
}

// noteFew says of which groups there are too few runs to say that anything differs.
func (r *Results) noteFew() {
	few := words.Only(r.Groups, func(g *Group) bool { return len(g.Runs) < stats.MinRuns })
	which := ""
	switch n := len(few); {
	case n == 0:
		return
	case n == len(r.Groups): // all
	case n == 1:
		which = fmt.Sprintf(" (%s on %s)", few[0].Algorithm.Label, few[0].Name())
	default:
		which = fmt.Sprintf(" (%s on %s and %d more)", few[0].Algorithm.Label, few[0].Name(), n-1)
	}
	r.Notes = append(r.Notes, fmt.Sprintf("Fewer than %d complete runs%s: too few for intervals, and to say that anything differs.", stats.MinRuns, which))
}

package outcome

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"

	"popbench/internal/words"
	"popbench/record"
)

// Group is the runs of one algorithm on one problem.
type Group struct {
	Problem   record.Problem // of its first run with an instance; a random problem has another optimum in every run
	Algorithm record.Algorithm
	Pilot     int              // comparisons of random points before the first step
	PilotPer  record.Per       // who shares them
	Oracle    *record.Oracle   // of its first run with an instance; nil if it is Bradley-Terry-Luce
	Imported  *record.Imported // of its first run; nil if the runs were made by this harness
	Rules     []string         // recommendation rules, first the one that the settings select
	Runs      []*Run           // complete ones, by repetition
	LeftOut   []LeftOut        // runs that stopped early or cannot be used
	Health    Health           // of the complete runs
	Machines  []string         // on which they were measured: processor, and runs at a time
	Hosts     []string         // their names
	TimeNote  string           // about measurements that are missing
	Notes     []string
	BestFound *BestFound // what its regret is measured against; nil if the optimum is known

	key   string // of its cells: problem/label
	Prior Prior
}

// LeftOut is a run that is not in the numbers, and why.
type LeftOut struct {
	Repetition int
	Reason     string
}

// Name is the problem's title, or its name if it has none.
func (g *Group) Name() string { return cmp.Or(g.Problem.Title, g.Problem.Name) }

// Ranked reports whether the algorithm takes part in rankings: it learned from comparisons, in this harness.
func (g *Group) Ranked() bool { return g.Algorithm.Feedback != record.Values && g.Imported == nil }

// Random reports whether every run has an instance of its own.
func (g *Group) Random() bool {
	return slices.ContainsFunc(g.Runs, func(run *Run) bool { return run.Optimum != g.Runs[0].Optimum })
}

// Run returns the run of a repetition; nil if it is not complete.
func (g *Group) Run(repetition int) *Run {
	k, ok := slices.BinarySearchFunc(g.Runs, repetition, func(run *Run, r int) int { return cmp.Compare(run.Repetition, r) })
	if !ok {
		return nil
	}
	return g.Runs[k]
}

// Pairs are the runs of the repetitions that two groups have in common, which share instance, starting points and noise of
// the oracle. The other group may be nil.
func (g *Group) Pairs(other *Group) iter.Seq2[*Run, *Run] {
	return func(yield func(run, its *Run) bool) {
		if other == nil {
			return
		}
		for _, run := range g.Runs {
			if its := other.Run(run.Repetition); its != nil && !yield(run, its) {
				return
			}
		}
	}
}

// add takes a record into the group. It keeps one curve of a run if only the selected rule's is wanted.
func (g *Group) add(rec *record.Record, timing *record.Timing, steps int, selected bool) {
	leave := func(format string, args ...any) {
		g.LeftOut = append(g.LeftOut, LeftOut{rec.Header.Repetition, fmt.Sprintf(format, args...)})
	}
	switch {
	case !rec.OK():
		after := fmt.Sprintf("after step %d: ", len(rec.Steps)) // which the note says anyway
		leave("%s after %d of %d steps (%s)", cmp.Or(outcomeWords[rec.Footer.Outcome], "failed"), len(rec.Steps), rec.Header.Budget,
			strings.TrimSuffix(strings.TrimPrefix(rec.Footer.Error, after), "."))
		return
	case len(rec.Steps) != steps:
		leave("%d steps where the others have %d", len(rec.Steps), steps)
		return
	}
	if len(g.Runs) == 0 { // an earlier run may have failed before it had an instance or an algorithm
		label := g.Algorithm.Label
		g.Problem, g.Algorithm, g.Oracle = rec.Header.Problem, rec.Header.Algorithm, rec.Header.Oracle
		g.Algorithm.Label = label
	}
	if g.Rules == nil {
		if g.Rules = Rules(rec); selected {
			g.Rules = g.Rules[:1]
		}
	}
	run := NewRun(rec, g.Rules)
	for t := range run.Steps() {
		for k, rule := range g.Rules {
			if math.IsNaN(run.Suboptimality[k][t]) {
				leave("no report by %s after step %d, as the first run has after its first", rule, rec.Steps[t].T)
				return
			}
		}
	}
	if rec.Header.Problem.Optimum != nil && run.excess > optimumSlack*(1+math.Abs(run.Optimum)) {
		g.Notes = append(g.Notes, fmt.Sprintf("Run %d found a value that exceeds the stated optimum %.10g by %.2g: that is not the optimum.",
			run.Repetition, run.Optimum, run.excess))
	}
	g.Health.add(run.Totals)
	if selected {
		run.Regret, run.Totals, run.asked, run.until, run.self = nil, nil, nil, nil, nil
	} else {
		run.Likely, run.InBall = inside(rec)
		run.Beliefs = beliefs(rec)
		run.Seconds = seconds(timing)
		if len(g.Runs) < MaxTraces {
			run.Trace = trace(rec)
		}
	}
	g.Runs = append(g.Runs, run)
	g.Prior.add(rec.Header.Algorithm.InForce)
	if timing != nil {
		g.Machines = words.Include(g.Machines, fmt.Sprintf("%s, %s at a time", timing.CPU, words.Count(timing.Workers, "run")))
		g.Hosts = words.Include(g.Hosts, timing.Host)
	}
}

// outcomeWords say what a program of the suite's owner did in a run that failed.
var outcomeWords = map[record.Outcome]string{
	record.ProgramError:   "the program reported an error",
	record.Crash:          "the program ended",
	record.TimedOut:       "the program did not answer in time",
	record.ProtocolBroken: "the program wrote something other than the answer",
	record.Invalid:        "the program gave an answer that cannot be used",
}

// optimumSlack allows for rounding in the value of the optimum.
const optimumSlack = 1e-9

// noteLeftOut makes one note of all runs that are left out for the same reason.
func (g *Group) noteLeftOut() {
	var reasons []string
	runs := map[string][]string{}
	for _, l := range g.LeftOut {
		reasons = words.Include(reasons, l.Reason)
		runs[l.Reason] = append(runs[l.Reason], strconv.Itoa(l.Repetition))
	}
	for _, reason := range reasons {
		n := runs[reason]
		g.Notes = append(g.Notes, fmt.Sprintf("%s left out (%s): %s.", words.Count(len(n), "run"), strings.Join(n, ", "), reason))
	}
}

// Conditional reports whether the runs share one draw of pilot comparisons on one function. How much another draw would
// change is then not in their intervals.
func (g *Group) Conditional() bool {
	return g.Imported == nil && g.Pilot > 0 && g.PilotPer == record.PerProblem && !g.Random()
}

// ConditionalNote says that the runs share one draw of so many pilot comparisons.
func ConditionalNote(comparisons int) string {
	return fmt.Sprintf("All runs share one draw of %d pilot comparisons. Numbers and intervals are conditional on it: they do not include how much another draw would change.",
		comparisons)
}

// measured are the seconds of the runs that have a measurement.
func (g *Group) measured() [][]float64 {
	all := words.Each(g.Runs, func(run *Run) []float64 { return run.Seconds })
	return words.Only(all, func(seconds []float64) bool { return seconds != nil })
}

func (g *Group) noteTimes() {
	if missing := len(g.Runs) - len(g.measured()); missing > 0 {
		g.TimeNote = fmt.Sprintf("%s of %d %s no timing file, and %s not in the times.",
			words.Count(missing, "run"), len(g.Runs), words.Choose(missing, "has", "have"), words.Choose(missing, "is", "are"))
	}
}

// ValuesNote is about an algorithm that learns from values, which is not ranked.
const ValuesNote = "It observes noisy values of the objective in place of comparisons, to show what preference feedback costs."

// Notes on a program that declares itself random. The records of such a suite cannot be made again byte for byte.
const (
	RandomAlgorithmNote = "Its program says that it is not deterministic: the same seed may give other results."
	RandomObjectiveNote = "The program that evaluates the problem says that it is not deterministic: the same point may have another value in another run."
)

// BestFound is the best value that the complete runs of a folder found on a problem, queried or recommended, by any
// algorithm and rule. It stands for the optimum where that is unknown. All runs on such a problem share one function.
type BestFound struct {
	Value float64
	Runs  int    // complete ones, of all algorithms
	where string // follows the number of runs, if they are not of one folder
}

// Health sums up the solver's metrics of a group's complete runs.
type Health struct {
	Known                     bool // false: the algorithm reports no such metrics
	Solves, Retries, Failures int
	MaxGap                    float64 // largest duality gap of an accepted solve
}

// add adds the metrics of a run. An algorithm with several solvers gives each a prefix, "mle_solves".
func (h *Health) add(totals []Total) {
	for _, m := range totals {
		is := func(name string) bool { return m.Name == name || strings.HasSuffix(m.Name, "_"+name) }
		switch {
		case is("solves"):
			h.Known = true
			h.Solves += int(m.Sum)
		case is("retries"):
			h.Retries += int(m.Sum)
		case is("failures"):
			h.Failures += int(m.Sum)
		case is("duality_gap"):
			h.MaxGap = max(h.MaxGap, m.Max)
		}
	}
}

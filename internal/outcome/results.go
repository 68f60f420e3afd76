package outcome

import (
	"fmt"
	"math"
	"path"
	"slices"

	"popbench/internal/paper"
	"popbench/internal/words"
	"popbench/record"
)

// Results is the runs of one suite, grouped by problem and algorithm.
type Results struct {
	Dir          string // the results folder
	Suite, Title string
	Experiment   *paper.Experiment // of the paper, which the suite repeats; nil if it repeats none
	Paper        *paper.Table      // the paper's numbers for this suite; nil if it prints none
	PaperGrowth  *paper.Growth     // the paper's curve of the cumulative regret; nil if it prints none
	Steps        int               // of every run
	FirstDuels   int               // of random points, the same for all algorithms, with which every run begins
	Headline     *Measure          // ranks the algorithms: the one that the suite names, or the suboptimality
	Planned      int               // runs of each group: the most that were chosen, or, if unknown, the most in the records
	Groups       []*Group          // by problem (in the paper's order, then by title), then by label
	Seeds        []uint64          // of the suite; several are a mixture, and noted
	Programs     []string          // release, commit, Go and platform; several are a mixture, and noted
	Identities   []string          // of the programs, by what decides their steps
	Warnings     []string          // shown before everything else: missing records, mixtures
	Mixtures     []string          // what the records are a mixture of, if they are one
	Unlisted     bool              // the expected cells are unknown
	Labels       []string          // of the algorithms, in the order of the suite, or, if that is unknown, of the records
	Notes        []string          // about the results folder as a whole

	records  int                   // readable ones
	absent   int                   // expected but missing
	leftOut  int                   // cells that are left out on purpose, and so not expected
	selected bool                  // only the curves of the selected rule are kept
	found    map[string]*BestFound // by problem, where the optimum is unknown
}

// NoRunError is the error of a suite without any complete record.
type NoRunError struct{ Suite, text string }

func (e *NoRunError) Error() string { return e.text }

// Group returns the runs of an algorithm on a problem; nil if there are none.
func (r *Results) Group(problem, label string) *Group {
	k := slices.IndexFunc(r.Groups, func(g *Group) bool { return g.Problem.Name == problem && g.Algorithm.Label == label })
	if k < 0 {
		return nil
	}
	return r.Groups[k]
}

// Measured reports whether some complete run has the metric.
func (r *Results) Measured(m *Measure) bool {
	return slices.ContainsFunc(r.Groups, func(g *Group) bool {
		return slices.ContainsFunc(g.Runs, func(run *Run) bool { return !math.IsNaN(m.Final(run)) })
	})
}

// First returns the label of the first algorithm that is ranked and has a complete run; "" without one.
func (r *Results) First() string {
	for _, label := range r.Labels {
		if slices.ContainsFunc(r.Groups, func(g *Group) bool { return g.Algorithm.Label == label && g.Ranked() && len(g.Runs) > 0 }) {
			return label
		}
	}
	return ""
}

// label lists the algorithms. The list of cells has the algorithms in the order of the suite; the records do not.
func (r *Results) label(found *record.Contents) {
	if found.List != nil {
		for _, label := range found.List.Labels {
			if k := slices.IndexFunc(r.Groups, func(g *Group) bool { return path.Base(g.key) == label }); k >= 0 {
				r.Labels = words.Include(r.Labels, r.Groups[k].Algorithm.Label)
			}
		}
	}
	for _, g := range r.Groups {
		r.Labels = words.Include(r.Labels, g.Algorithm.Label)
	}
}

// Labelled is the label of the runs of a method of the paper: its own name, or else that of its algorithm's first runs.
func (r *Results) Labelled(method string, name func(algorithm string) (string, bool)) (label string, ok bool) {
	for _, g := range r.Groups {
		m, is := name(g.Algorithm.Name)
		switch {
		case g.Imported != nil || !is || m != method:
		case g.Algorithm.Label == method:
			return method, true
		case !ok:
			label, ok = g.Algorithm.Label, true
		}
	}
	return label, ok
}

// Missing says how many runs have no complete record, and why; nil if all have one.
func (r *Results) Missing() (list []string) {
	if r.absent > 0 {
		list = append(list, fmt.Sprintf("%s %s no record", words.Count(r.absent, "run"), words.Choose(r.absent, "has", "have")))
	}
	left := 0
	for _, g := range r.Groups {
		left += len(g.LeftOut)
	}
	if left > 0 {
		list = append(list, fmt.Sprintf("%s failed or cannot be used", words.Count(left, "run")))
	}
	return list
}

// LeftOut says how many runs were left out on purpose; "" if none were. The notes have the reasons.
func (r *Results) LeftOut() string {
	if r.leftOut == 0 {
		return ""
	}
	return words.Count(r.leftOut, "run") + " (the notes say why)"
}

// Size is "7 problems × 6 algorithms × 30 runs of 30 steps".
func (r *Results) Size() string {
	problems := words.Once(words.Each(r.Groups, func(g *Group) string { return g.Problem.Name }))
	labels := words.Once(words.Each(r.Groups, func(g *Group) string { return g.Algorithm.Label }))
	least, most := r.complete()
	runs := words.Count(r.Planned, "run")
	switch {
	case least < most:
		runs = fmt.Sprintf("%d to %d of %s", least, most, runs)
	case most != r.Planned:
		runs = fmt.Sprintf("%d of %s", most, runs)
	}
	return fmt.Sprintf("%s × %s × %s of %s", words.Count(len(problems), "problem"), words.Count(len(labels), "algorithm"), runs, words.Count(r.Steps, "step"))
}

// complete returns the least and the greatest number of complete runs of a group.
func (r *Results) complete() (least, most int) {
	least = len(r.Groups[0].Runs)
	for _, g := range r.Groups {
		least, most = min(least, len(g.Runs)), max(most, len(g.Runs))
	}
	return least, most
}

// OverRuns describes the runs behind the means of a table: "30 runs".
func (r *Results) OverRuns() string {
	least, most := r.complete()
	for _, g := range r.Groups { // a group without runs has no mean
		if n := len(g.Runs); n > 0 && (least == 0 || n < least) {
			least = n
		}
	}
	if least < most {
		return fmt.Sprintf("%d to %s", least, words.Count(most, "run"))
	}
	return words.Count(most, "run")
}

// Machines returns the machines on which the runs of all groups ran.
func (r *Results) Machines() []string {
	all := words.Once(slices.Concat(words.Each(r.Groups, func(g *Group) []string { return g.Machines })...))
	slices.Sort(all)
	return all
}

// AboutCoverage reports whether the suite is about the confidence set, not about the optimum that is found.
func (r *Results) AboutCoverage() bool {
	return r.Experiment != nil && (r.Experiment.Name == "coverage" || r.Experiment.Name == "confidence-set")
}

package outcome

import (
	"fmt"
	"slices"

	"popbench/internal/words"
)

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
	var problems, labels []string
	for _, g := range r.Groups {
		problems, labels = words.Include(problems, g.Problem.Name), words.Include(labels, g.Algorithm.Label)
	}
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
func (r *Results) Machines() (all []string) {
	for _, g := range r.Groups {
		for _, m := range g.Machines {
			all = words.Include(all, m)
		}
	}
	slices.Sort(all)
	return all
}

// AboutCoverage reports whether the suite is about the confidence set, not about the optimum that is found.
func (r *Results) AboutCoverage() bool {
	return r.Experiment != nil && (r.Experiment.Name == "coverage" || r.Experiment.Name == "confidence-set")
}

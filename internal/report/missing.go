package report

import (
	"fmt"
)

// Missing says how many runs there is no complete record of, and why; nil if
// none.
func (r *Results) Missing() (list []string) {
	if r.absent > 0 {
		list = append(list, fmt.Sprintf("%s %s no record", count(r.absent, "run"), verb(r.absent, "has", "have")))
	}
	left := 0
	for i := range r.Groups {
		left += len(r.Groups[i].LeftOut)
	}
	if left > 0 {
		list = append(list, fmt.Sprintf("%s failed or cannot be used", count(left, "run")))
	}
	return list
}

// Size is "7 problems × 6 algorithms × 30 runs of 30 steps".
func (r *Results) Size() string {
	var problems, labels []string
	for i := range r.Groups {
		problems = include(problems, r.Groups[i].Problem.Name)
		labels = include(labels, r.Groups[i].Algorithm.Label)
	}
	return fmt.Sprintf("%s × %s × %s of %s", count(len(problems), "problem"), count(len(labels), "algorithm"), count(r.Planned, "run"), count(r.Steps, "step"))
}

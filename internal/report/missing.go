package report

import (
	"fmt"
	"slices"
	"strings"
)

// Plan is what a suite file asks for: each label on each problem, so many runs.
type Plan struct {
	Problems []string // names
	Labels   []string
	Runs     int
}

// Missing says what of the plan there is no complete run of; nil if nothing is
// missing. Without a plan it goes by the records: all labels that there are on
// all problems that there are, and the highest repetition.
func (r *Results) Missing(plan *Plan) (list []string) {
	p := Plan{Runs: r.Planned}
	for i := range r.Groups {
		p.Problems = include(p.Problems, r.Groups[i].Problem.Name)
		p.Labels = include(p.Labels, r.Groups[i].Algorithm.Label)
	}
	if plan != nil {
		p = *plan
	}
	absent := map[string][]string{} // by label, problems
	runs := 0
	for _, problem := range p.Problems {
		for _, label := range p.Labels {
			k := slices.IndexFunc(r.Groups, func(g Group) bool { return g.Problem.Name == problem && g.Algorithm.Label == label })
			if k < 0 {
				absent[label] = append(absent[label], problem)
				continue
			}
			runs += max(0, r.Planned-len(r.Groups[k].Runs))
		}
	}
	for _, label := range p.Labels {
		switch n := len(absent[label]); {
		case n == 0:
		case n == len(p.Problems):
			list = append(list, "no run of "+label)
		default:
			list = append(list, "no run of "+label+" on "+strings.Join(absent[label], ", "))
		}
	}
	if runs > 0 {
		list = append(list, fmt.Sprintf("%s failed or missing", count(runs, "run")))
	}
	if p.Runs > r.Planned {
		list = append(list, fmt.Sprintf("%s of each, of the %d that the suite asks for", count(r.Planned, "run"), p.Runs))
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

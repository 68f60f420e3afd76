package report

import (
	"fmt"
	"slices"
	"strings"

	"popbench/internal/outcome"
	"popbench/internal/paper"
)

// BesideFigures says what the paper shows where the report has its figures of the problems: which figures and tables, and
// what they show. It is empty if the suite repeats no experiment of the paper.
func BesideFigures(r *outcome.Results) string {
	return beside(r, func(e *paper.Exhibit) bool {
		return slices.ContainsFunc(r.Groups, func(g outcome.Group) bool {
			return e.Has(string(outcome.CumulativeRegret), g.Problem.Name) || e.Has(string(outcome.Suboptimality), g.Problem.Name)
		})
	})
}

// BesideThing is BesideFigures for a thing that is not a chart: "time" or "confidence-set".
func BesideThing(r *outcome.Results, thing string) string {
	return beside(r, func(e *paper.Exhibit) bool { return slices.Contains(e.Shows, thing) })
}

func beside(r *outcome.Results, is func(*paper.Exhibit) bool) string {
	if r.Experiment == nil {
		return ""
	}
	var b strings.Builder
	section := ""
	for i := range r.Experiment.Exhibits {
		e := &r.Experiment.Exhibits[i]
		switch {
		case !is(e):
			continue
		case section == e.Section:
			b.WriteString("; ")
		case section != "":
			b.WriteString(". " + e.Section + ": ")
		default:
			b.WriteString(e.Section + ": ")
		}
		section = e.Section
		fmt.Fprintf(&b, "%s, %s", e.Name, e.About)
	}
	if section == "" {
		return ""
	}
	return b.String() + "."
}

package report

import (
	"fmt"
	"slices"
	"strings"

	"popbench/internal/analysis/chart"
	"popbench/internal/analysis/document"
	"popbench/internal/analysis/outcome"
	"popbench/internal/analysis/paper"
	"popbench/internal/words"
)

// Beside says what the paper shows where the report has a figure of the charts: which
// figures and tables, what they show, and the numbers that are printed. It is
// empty if the suite repeats no experiment of the paper.
func Beside(r *outcome.Results, charts ...*chart.Chart) string {
	text := beside(r, func(e *paper.Exhibit) bool {
		return slices.ContainsFunc(charts, func(c *chart.Chart) bool { return e.Has(string(c.Metric), c.Problem) })
	})
	if c := charts[0]; len(charts) == 1 && c.Metric == outcome.Suboptimality && r.Paper != nil && c.BestFound == nil {
		var numbers []string
		for _, m := range r.Paper.Methods {
			if v, ok := r.Paper.Value(c.Problem, m); ok {
				numbers = append(numbers, m+" "+document.Printed(v.Mean, v.Std).String())
			}
		}
		if numbers != nil {
			text += fmt.Sprintf(" It prints, after %s: %s.", words.Count(r.Paper.Steps, "step"), strings.Join(numbers, ", "))
		}
	}
	return text
}

// BesideThing is the same of a thing that is not a chart: "time" or "confidence-set".
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
		return "no such figure."
	}
	return b.String() + "."
}

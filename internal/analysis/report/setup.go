package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"popbench/internal/analysis/document"
	"popbench/internal/analysis/outcome"
	"popbench/internal/analysis/paper"
)

// setup is the sheet of what the paper states of the experiment, beside what was
// done here.
func (l *layout) setup() document.Sheet {
	e := l.Experiment
	s := document.Sheet{ID: "setup", Title: "The experiment, in the paper and here",
		Caption: e.Title + ": " + e.Section + " of the paper. What it does not state is open to whoever repeats it.",
		Columns: []document.Column{{Title: "Detail", Head: true}, {Title: "Paper", Words: true}, {Title: "Here", Words: true}}}
	row := func(head, theirs, here string) {
		if theirs == "" {
			theirs = "not stated"
		}
		s.Rows = append(s.Rows, []document.Cell{{Text: head}, {Text: theirs}, {Text: here}})
	}
	positive := func(n int) string {
		if n == 0 {
			return ""
		}
		return strconv.Itoa(n)
	}
	steps := positive(e.Steps)
	if e.StepsFrom != "" {
		steps += " (from " + e.StepsFrom + ")"
	}
	row("Runs", positive(e.Runs), strings.TrimRight(l.OverRuns(), " runs"))
	row("Steps", steps, strconv.Itoa(l.Steps))
	row("Methods", strings.Join(e.Methods, "; "), strings.Join(l.algorithms, "; "))
	if e.Band > 0 {
		row("Bands of the figures", fmt.Sprintf("±%g standard deviations", e.Band), fmt.Sprintf("95\u00a0%% intervals of the mean, and ±%g in figures of their own", e.Band))
	}
	if e.StepSeconds > 0 {
		here := document.None
		if own, ok := l.Labelled(paper.Own, e.Method); ok {
			if i := slices.IndexFunc(l.Rows, func(row outcome.Row) bool { return row.Algorithm.Label == own && row.Times.Runs > 0 }); i >= 0 {
				t := l.Rows[i].Times.Step
				here = fmt.Sprintf("%s (%s), a factor of %.3g", document.Duration(t), strings.Join(l.Rows[i].Machines, "; "), e.StepSeconds/t)
			}
		}
		row("A step of "+paper.Own+", mean", fmt.Sprintf("%.1f\u00a0s (%s)", e.StepSeconds, e.Machine), here)
	}
	return s
}

// repeats says which part of the paper it is.
func repeats(r *outcome.Results) string {
	text := paper.Source + ", " + r.Experiment.Section
	var names []string
	for i := range r.Experiment.Exhibits {
		names = append(names, r.Experiment.Exhibits[i].Name)
	}
	if names != nil {
		text += ": " + strings.Join(names, ", ")
	}
	return text
}

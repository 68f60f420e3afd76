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

// setup is the sheet of what the paper states of the experiment, and of what was done here.
func (l *layout) setup() document.Sheet {
	e := l.Experiment
	type detail struct {
		name         document.Text
		theirs, here string
	}
	var rows []detail
	row := func(name document.Text, theirs, here string) {
		if theirs == "" {
			theirs = "not stated"
		}
		rows = append(rows, detail{name, theirs, here})
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
		here := ""
		if own, ok := l.Labelled(paper.Own, e.Method); ok {
			if i := slices.IndexFunc(l.Rows, func(row outcome.Row) bool { return row.Algorithm.Label == own && row.Times.Runs > 0 }); i >= 0 {
				t := l.Rows[i].Times.Step
				here = fmt.Sprintf("%s (%s), a factor of %s", document.Seconds(t), strings.Join(l.Rows[i].Machines, "; "), document.Short(e.StepSeconds/t))
			}
		}
		row("Mean step of "+paper.Own, fmt.Sprintf("%.1f\u00a0s (%s)", e.StepSeconds, e.Machine), here)
	}
	return document.Tabulate(document.Sheet{ID: "setup", Title: "The experiment, in the paper and here",
		Caption: document.Textf("%s: %s of the paper. What the paper does not state was chosen here.", e.Title, e.Section)}, rows,
		document.Column[detail]{Title: "Detail", Head: true, Of: func(d detail) document.Cell { return document.Prose(d.name) }},
		document.Column[detail]{Title: "Paper", Words: true, Of: func(d detail) document.Cell { return document.Words(d.theirs) }},
		document.Column[detail]{Title: "Here", Words: true, Of: func(d detail) document.Cell { return document.Words(d.here) }})
}

// repeats says which part of the paper it is.
func repeats(r *outcome.Results) string {
	text := r.Experiment.Section
	var names []string
	for i := range r.Experiment.Exhibits {
		names = append(names, r.Experiment.Exhibits[i].Name)
	}
	if names != nil {
		text += ": " + strings.Join(names, ", ")
	}
	return text
}

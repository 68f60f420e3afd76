package report

import (
	"fmt"
	"slices"
	"strings"

	"popbench/internal/analysis/document"
	"popbench/internal/analysis/outcome"
	"popbench/internal/analysis/paper"
	"popbench/internal/words"
)

// coverage is the sheet of the coverage.
func (l *layout) coverage() document.Sheet {
	const unknown = "The RKHS norm of the objective is not known, so only the likelihood part of the confidence set can be checked."
	some := slices.ContainsFunc(l.Rows, func(row outcome.Row) bool { return row.Coverage.NormKnown })
	steps := likelySteps
	steps.Of = func(v line) document.Cell {
		c := likelySteps.Of(v)
		if some && v.Coverage.Known && !v.Coverage.NormKnown {
			c.Notes = []document.Text{unknown}
		}
		return c
	}
	s := document.Sheet{ID: "coverage", Title: "Truth inside the confidence set",
		Caption: "The confidence set after step $t$ is " + document.ConfidenceSet + ". Likely: the truth meets the second condition, as a share of the steps, and of the runs in which it does after every step, with the 95\u00a0% Wilson interval."}
	if !some {
		s.Notes = []document.Text{unknown}
	}
	s.Notes = append(s.Notes, l.authorsNorms()...)
	return l.sheet(s, steps, likelyRuns, normRuns, insideSteps, insideRuns)
}

// authorsNorms is what is known of the norms of the test functions in the set-up of the authors' program, in one sentence.
func (l *layout) authorsNorms() []document.Text {
	var list []string
	for i := range l.Rows {
		row := &l.Rows[i]
		if n, ok := paper.NormOf(row.Problem.Name); ok && row.Coverage.Known {
			list = words.Include(list, fmt.Sprintf("%g (%s, B\u00a0=\u00a0%g)", n.AtLeast, row.Name(), n.Bound))
		}
	}
	if list == nil {
		return nil
	}
	return []document.Text{document.Textf("With the kernel, lengthscales and $B$ of the authors' program these functions have an RKHS norm of at least %s, "+
		`whatever constant is added to them: there the truth is outside the confidence set for every $\beta$.`, strings.Join(list, ", "))}
}

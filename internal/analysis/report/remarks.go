package report

import (
	"popbench/internal/analysis/document"
	"popbench/internal/analysis/outcome"
	"popbench/internal/analysis/paper"
)

// remarks are footnotes on the paper's number for a method on a problem: what it is known to have wrong, and how it compares
// with random points.
func remarks(r *outcome.Results, g *outcome.Group, method string) []document.Text {
	v, ok := r.Paper.Value(g.Problem.Name, method)
	if !ok {
		return nil
	}
	notes := document.PlainAll(r.Paper.About(g.Problem.Name, method))
	if u := g.Uniform(); u != nil {
		// The printed numbers are against the grid; a random point's are then, too.
		shift := g.MeanShift()
		switch {
		case v.Mean >= u.Mean+shift:
			notes = append(notes, "The paper's mean is not below that of one uniform random point.")
		case method == paper.Own && v.Mean > u.BestMean+shift:
			notes = append(notes, document.Textf("The paper's mean is above that of the best of %d uniform random points, if the best could be told.", u.K))
		}
	}
	return notes
}

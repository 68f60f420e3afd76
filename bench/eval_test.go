package bench

import (
	"testing"

	"popbench/internal/check"
	"popbench/internal/harness/inspect"
	"popbench/suite"
)

// A drawn function is the one that the cell of a suite has.
func TestEvalDrawn(t *testing.T) {
	const suiteText = "name: s\nseed: 5\nsteps: 2\nrepetitions: 3\nproblems: [{name: gp2, scale: raw}]\nalgorithms: [{name: random}]\n"
	s := check.Must(suite.Parse("s.yaml", []byte(suiteText), suite.Catalogue{}))(t)
	cells := check.Must(s.Expand(nil, nil))(t)
	trial := check.Must(cells[2].Start(t.Context()))(t)
	gp2 := check.Must(inspect.Lookup(suite.Catalogue{}, "gp2"))(t)
	e := check.Must(inspect.Evaluate(t.Context(), gp2, []float64{1, 2}, inspect.Instance{Seed: 5, Repetition: 2}))(t)
	p := trial.Problem
	check.Equal(t, "raw", e.Raw, p.Value([]float64{1, 2}))
	check.Equal(t, "scaled", e.Scaled, e.Raw)
	check.Equal(t, "raw optimum", *e.RawOptimum, p.Optimum.Value)
	check.Equal(t, "norm", e.Drawn.Norm, p.RKHS.Norm)
	other, err := inspect.Evaluate(t.Context(), gp2, []float64{1, 2}, inspect.Instance{Seed: 5, Repetition: 1})
	if err != nil || other.Raw == e.Raw {
		t.Errorf("another repetition has the value %g as well (%v)", e.Raw, err)
	}
}

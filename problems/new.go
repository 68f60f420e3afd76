package problems

import (
	"errors"
	"fmt"
	"math"
)

// New returns a catalogue entry whose instances all have the function f. Name, Title, Summary and
// Source come from s; an empty title becomes the name. Box and Optimum come from f, and the rest of
// s is ignored. New returns an error if f is incomplete or contradicts its optimum, which must be known
// because suboptimality is measured from it.
func New(s Spec, f Function) (*Spec, error) {
	if err := f.check(); err != nil {
		return nil, fmt.Errorf("problem %s: %w", s.Name, err)
	}
	f.RKHS, f.gridSide = nil, 0
	if s.Title == "" {
		s.Title = s.Name
	}
	return deterministic(Spec{Name: s.Name, Title: s.Title, Summary: s.Summary, Source: s.Source}, f), nil
}

// check compares a function with its stated optimum at the centre of the box and at the stated
// points.
func (f Function) check() error {
	if err := f.Box.Validate(); err != nil {
		return err
	}
	if f.Eval == nil {
		return errors.New("eval is nil")
	}
	best := f.Optimum.Value
	if math.IsNaN(best) || math.IsInf(best, 0) {
		return fmt.Errorf("optimum.value = %g is not finite", best)
	}
	slack := float64(1e-9 * math.Max(1, math.Abs(best)))
	centre := make([]float64, f.Box.Dim())
	for i := range centre {
		centre[i] = (f.Box.Lo[i] + f.Box.Hi[i]) / 2
	}
	switch v := f.Eval(centre); {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return fmt.Errorf("its value at %v, the centre of the box, is %g, which is not finite", centre, v)
	case f.Minimise && v < best-slack, !f.Minimise && v > best+slack:
		return fmt.Errorf("optimum.value = %g, but its value at %v is %g, which is better", best, centre, v)
	}
	for i, x := range f.Optimum.X {
		if err := f.Box.Check(fmt.Sprintf("optimum.x[%d]", i), x); err != nil {
			return err
		}
		if v := f.Eval(x); !(math.Abs(v-best) <= slack) {
			return fmt.Errorf("optimum.value = %g, but its value at optimum.x[%d] = %v is %g", best, i, x, v)
		}
	}
	return nil
}

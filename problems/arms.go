package problems

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"popbench/space"
)

// On returns the problem on a finite set of arms, points of the box of s: the same function, and nothing
// between the arms. The optimum is the best of all arms, which are evaluated. For a function with Measure the
// optimum becomes unknown, since the arms may not attain the one that it states. The result has the given name
// and title.
func (s *Spec) On(arms *space.Arms, name, title string) (*Spec, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	if err := arms.Validate(); err != nil {
		return nil, fmt.Errorf("problem %s: %w", name, err)
	}
	for i := range arms.Len() {
		if err := s.Box.Check(fmt.Sprintf("arms[%d]", i), arms.At(i)); err != nil {
			return nil, fmt.Errorf("problem %s: %w", name, err)
		}
	}
	on := &Spec{Name: name, Title: title, Summary: s.Summary, Source: s.Source, Box: arms.Bounds(), Arms: arms, Kernel: s.Kernel}
	if s.function != nil {
		f, err := s.function.on(arms)
		if err != nil {
			return nil, fmt.Errorf("problem %s: %w", name, err)
		}
		on.function, on.Optimum = f, &f.Optimum
		return on, nil
	}
	on.draw = func(r *rand.Rand) (*Function, error) {
		f, err := s.draw(r)
		if err != nil {
			return nil, err
		}
		return f.on(arms)
	}
	return on, nil
}

// on returns the function on arms of its domain.
func (f *Function) on(arms *space.Arms) (*Function, error) {
	g := *f
	g.Arms, g.Optimum, g.gridSide = arms, Optimum{Unknown: f.Measure != nil}, 0
	if err := g.enumerate(); err != nil {
		return nil, err
	}
	g.tables = newTables(g)
	return &g, nil
}

// enumerate sets the box to the bounds of the arms and the optimum to the best of all arms, if there is Eval.
func (f *Function) enumerate() error {
	f.Box = f.Arms.Bounds()
	if f.Eval == nil {
		return nil
	}
	sign := 1.0
	if f.Minimise {
		sign = -1
	}
	values := make([]float64, f.Arms.Len())
	best := math.Inf(-1)
	for i := range values {
		v := f.Eval(f.Arms.At(i))
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("its value at arm %d, %v, is %g, which is not finite", i, f.Arms.At(i), v)
		}
		values[i] = sign * v
		best = max(best, values[i])
	}
	f.Optimum = Optimum{Value: float64(sign * best), How: fmt.Sprintf("the best of all %d arms", len(values))}
	slack := float64(1e-12 * max(1, math.Abs(best))) // arms that are best but for rounding
	for i, v := range values {
		if v >= best-slack {
			f.Optimum.X = append(f.Optimum.X, f.Arms.At(i))
		}
	}
	return nil
}

// Table returns a function with the given values at the arms, one each.
func Table(arms *space.Arms, values []float64) (Function, error) {
	if err := arms.Validate(); err != nil {
		return Function{}, err
	}
	if len(values) != arms.Len() {
		return Function{}, fmt.Errorf("%d values for %d arms; give one for each", len(values), arms.Len())
	}
	values = slices.Clone(values)
	return Function{Arms: arms, Eval: func(x []float64) float64 { return values[arms.Index(x)] }}, nil
}

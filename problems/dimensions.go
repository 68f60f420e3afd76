package problems

import (
	"fmt"

	"popbench/space"
)

// dimensions has four functions in 6 to 32 dimensions, which show how an algorithm copes with many of them. Ackley has the
// box of ackley6: in many dimensions, nearly all values on the usual box are nearly the same. ackley6 itself is in radial.
var dimensions = inDimensions(6, 8, 12, 16, 32)

func inDimensions(ds ...int) []*Spec {
	var specs []*Spec
	add := func(s Spec, d int, f Function, half, at float64) {
		name, title := s.Name, s.Title
		s.Name, s.Title = fmt.Sprint(name, d), fmt.Sprintf("%s (%d-D)", title, d)
		f.Minimise, f.Box = true, space.Cube(d, -half, half)
		x := make([]float64, d)
		for i := range x {
			x[i] = at
		}
		f.Optimum.X = [][]float64{x}
		specs = append(specs, deterministic(s, f))
	}
	for _, d := range ds {
		if d != 6 {
			add(Spec{
				Name:    "ackley",
				Title:   "Ackley",
				Summary: "the rippled funnel of Ackley's function without its plain",
				Source:  ackleySource + "; box of the code of Astudillo et al. (2023), qEUBO, in six dimensions",
			}, d, Function{Eval: ackley, Optimum: Optimum{Value: 0, How: ackleyHow}}, 2, 0)
		}
		add(Spec{
			Name:    "levy",
			Title:   "Levy",
			Summary: "a bowl with ripples",
			Source:  levySource,
		}, d, Function{Eval: levy, Optimum: Optimum{Value: 0, How: levyHow}}, 10, 1)
		add(Spec{
			Name:    "rosenbrock",
			Title:   "Rosenbrock",
			Summary: "a long, curved, nearly level valley",
			Source:  rosenbrockSource + "; box of De Jong (1975), in two dimensions",
		}, d, Function{Eval: rosenbrock, Optimum: Optimum{Value: 0, How: rosenbrockHow}}, 2.048, 1)
		add(Spec{
			Name:    "styblinski_tang",
			Title:   "Styblinski-Tang",
			Summary: fmt.Sprintf("2^%d wells, one of them the deepest", d),
			Source:  styblinskiSource,
		}, d, Function{Eval: styblinskiTang, Optimum: Optimum{
			Value: float64(d) * styblinskiMin,
			How:   "a sum of one term a coordinate, all least at the same place, which is " + byIntervals,
		}}, 5, styblinskiAt)
	}
	return specs
}

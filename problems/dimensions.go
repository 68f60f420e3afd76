package problems

import (
	"fmt"
	"slices"

	"popbench/space"
)

// dimensions has four functions in 6 to 32 dimensions, which show how an algorithm copes with many of them. Ackley has the
// box of ackley6: in many dimensions, nearly all values on the usual box are nearly the same. ackley6 itself is in radial.
var dimensions = inDimensions(6, 8, 12, 16, 32)

func inDimensions(ds ...int) []*Spec {
	var specs []*Spec
	for _, d := range ds {
		add := func(name, title, summary, source string, half float64, eval func(x []float64) float64, value, at float64, how string) {
			optimum := Optimum{Value: value, X: [][]float64{slices.Repeat([]float64{at}, d)}, How: how}
			name, title = fmt.Sprint(name, d), fmt.Sprintf("%s (%d-D)", title, d)
			specs = append(specs, least(name, title, summary, source, space.Cube(d, -half, half), eval, optimum))
		}
		if d != 6 {
			specs = append(specs, ackleyOn(d, 2, fmt.Sprint("ackley", d), fmt.Sprintf("Ackley (%d-D)", d), ackleyFunnel,
				"; box of the code of Astudillo et al. (2023), qEUBO, in six dimensions"))
		}
		add("levy", "Levy", "a bowl with ripples", levySource, 10, levy, 0, 1, levyHow)
		add("rosenbrock", "Rosenbrock",
			"a long, curved, nearly level valley",
			rosenbrockSource+"; box of De Jong (1975), in two dimensions",
			2.048, rosenbrock, 0, 1, rosenbrockHow)
		add("styblinski_tang", "Styblinski-Tang",
			fmt.Sprintf("2^%d wells, one of them the deepest", d),
			styblinskiSource,
			5, styblinskiTang, float64(d)*styblinskiMin, styblinskiAt,
			"a sum of one term a coordinate, all least at the same place, which is "+byIntervals)
	}
	return specs
}

package problems

import (
	"slices"

	"popbench/internal/math/fmath"
)

// Logarithms of functions whose values span many orders of magnitude. Fauvel & Chalk's experiments maximise minus the
// logarithm of these functions and minus the other functions, standardised over the box (scale standardise-uniform). Their
// paper does not mention the logarithm; their program and its records have it.
//
// A function whose minimum is 0 has no logarithm there. logFloor replaces smaller values; in their records no value is
// below 1e-4.
var logarithms = logarithmsOf(slices.Concat(valleys, waves, radial),
	"bohachevsky1", "colville", "dixon_price2_5", "goldstein_price", "griewank2", "levy2",
	"perm0db2", "permdb2", "powell4", "rotated_ellipsoid2", "three_hump_camel")

const logFloor = 1e-12

func logarithmsOf(all []*Spec, names ...string) []*Spec {
	var specs []*Spec
	for _, s := range all {
		if !slices.Contains(names, s.Name) {
			continue
		}
		eval := s.function.Eval
		log := func(x []float64) float64 { return fmath.Log(max(eval(x), logFloor)) }
		best := *s.Optimum
		how := "the logarithm of the minimum of " + s.Name + ", which is " + best.How
		if best.Value < logFloor {
			how = "1e-12 stands for smaller values, so that there is a least one; attained next to the minimum of " + s.Name + ", which is " + best.How
		}
		specs = append(specs, least(s.Name+"_log", "log "+s.Title,
			s.Summary+"; its logarithm, which is steepest at the optimum",
			s.Source+"; the logarithm as in Fauvel's program (Fauvel & Chalk 2021)",
			s.Box, log, Optimum{Value: fmath.Log(max(best.Value, logFloor)), X: best.X, How: how}))
	}
	return specs
}

package problems

import (
	"math"

	"popbench/internal/math/fmath"
	"popbench/space"
)

// Formulas that replace computer models and experiments.
var models = []*Spec{
	least("borehole", "Borehole (8-D)",
		"monotone in every coordinate, each with its own unit: the optimum is a corner",
		"Harper & Gupta (1983), Sensitivity/uncertainty analysis of a borehole scenario, ONWI-516; form of Morris, Mitchell & Ylvisaker (1993)",
		space.Box{
			Lo: []float64{0.05, 100, 63070, 990, 63.1, 700, 1120, 9855},
			Hi: []float64{0.15, 50000, 115600, 1110, 116, 820, 1680, 12045},
		}, borehole,
		Optimum{Value: 7.819676328755231, X: [][]float64{{0.05, 50000, 63070, 990, 63.1, 820, 1680, 9855}},
			How: "monotone: the flow falls with r, Hl and L and rises with rw, Tu, Hu, Tl and Kw"}),
	greatest("currin_exp", "Currin exponential",
		"highest where the second coordinate vanishes, level near that edge",
		"Currin, Mitchell, Morris & Ylvisaker (1991), Bayesian prediction of deterministic functions, J. Am. Stat. Assoc. 86",
		space.Cube(2, 0, 1), currin,
		Optimum{Value: 13.798722044728434, X: [][]float64{{13.0 / 60, 0}},
			How: "the first factor rises to its limit 1 as x2 falls to 0, and is 1 in double precision below x2 = 0.013; the second, in x1, " + byIntervals}),
	least("park1", "Park N. 1 (4-D)",
		"rises from the edge x1 = x4 = 0, where its slope is infinite",
		"Park (1991), Tuning complex computer codes to data and optimal designs, Univ. of Illinois; form of Xiong, Qian & Wu (2013), Technometrics 55",
		space.Cube(4, 0, 1), park1,
		Optimum{Value: 0, X: [][]float64{{0, 0, 0, 0}, {0, 1, 1, 0}},
			How: "exact: an infimum of the printed form, which is 0/0 at x1 = 0; attained by its continuous extension, used here, where x1 = x4 = 0, for any x2 and x3"}),
	least("park2", "Park N. 2 (4-D)",
		"smooth and nearly monotone: an easy problem",
		"Park (1991), Tuning complex computer codes to data and optimal designs, Univ. of Illinois; form of Xiong, Qian & Wu (2013), Technometrics 55",
		space.Cube(4, 0, 1), park2,
		Optimum{Value: 2.0 / 3, X: [][]float64{{0, 0, 0, 0.5}},
			How: "exact: exp is at least 1 and x3 - x4 sin x3 at least 0; attained where x1 = x2 = x3 = 0, for any x4"}),
}

// borehole is the flow of water in m³ per year, for x = rw, r, Tu, Hu, Tl, Hl, L, Kw.
func borehole(x []float64) float64 {
	rw, r, tu, hu, tl, hl, l, kw := x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7]
	log := fmath.Log(r / rw)
	return 2 * math.Pi * tu * (hu - hl) / (log * (1 + 2*l*tu/(log*rw*rw*kw) + tu/tl))
}

// currin takes its limit at x2 = 0, because exp(-1/0) = exp(-Inf) = 0.
func currin(x []float64) float64 {
	return (1 - fmath.Exp(-1/(2*x[1]))) * currinRatio(x[0])
}

func currinRatio(v float64) float64 {
	poly := func(a, b, c, d float64) float64 {
		return float64((float64((float64(a*v)+b)*v)+c)*v) + d
	}
	return poly(2300, 1900, 2092, 60) / poly(100, 500, 4, 20)
}

// park1 is x1/2 (√(1 + (x2 + x3²) x4/x1²) - 1) + (x1 + 3 x4) exp(1 + sin x3). The first term is
// multiplied out, which extends it to x1 = 0, and rewritten so that it does not subtract nearly
// equal numbers.
func park1(x []float64) float64 {
	var first float64
	if c := float64((x[1] + sq(x[2])) * x[3]); c > 0 {
		first = c / (math.Sqrt(sq(x[0])+c) + x[0]) / 2
	}
	return first + float64((x[0]+float64(3*x[3]))*fmath.Exp(1+fmath.Sin(x[2])))
}

func park2(x []float64) float64 {
	return float64(2.0/3*fmath.Exp(x[0]+x[1])) - float64(x[3]*fmath.Sin(x[2])) + x[2]
}

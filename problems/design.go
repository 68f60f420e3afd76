package problems

import "popbench/space"

const designSource = "as a utility of its outputs: Lin et al. (2022), Preference exploration for efficient Bayesian optimization with multiple outcomes, AISTATS; Astudillo et al. (2023), qEUBO"

// Engineering designs: response surfaces of a simulation, and what a decision maker makes of them.
var design = []*Spec{
	greatest("car_cab", "Car cab (7-D)",
		"nine outputs under a concave utility with kinks; two kinks meet in the optimum",
		"Deb & Jain (2014), An evolutionary many-objective optimization algorithm, part I, IEEE Trans. Evol. Comput. 18; RE9-7-1 of Tanabe & Ishibuchi (2020) with its four random inputs set to 0; "+
			designSource,
		space.Box{
			Lo: []float64{0.5, 0.45, 0.5, 0.5, 0.875, 0.4, 0.4},
			Hi: []float64{1.5, 1.35, 1.5, 1.5, 2.625, 1.2, 1.2},
		}, func(x []float64) float64 { return utility(carCab, x) },
		Optimum{Value: -1.8100858543068319, X: [][]float64{{0.7751971481041374, 1.35, 0.5, 1.15275, 2.625, 1.2, 0.4}}, How: byIntervals}),
	greatest("vehicle_safety", "Vehicle safety (5-D)",
		"mass, acceleration and intrusion under a concave utility with kinks; the optimum is on one, in a corner otherwise",
		"Liao et al. (2008), Multiobjective optimization for crash safety design of vehicles using stepwise regression model, Struct. Multidiscip. Optim. 35; "+
			designSource,
		space.Cube(5, 1, 3), func(x []float64) float64 { return utility(vehicleSafety, x) },
		Optimum{Value: 4.126701925831058, X: [][]float64{{1, 3, 1, 1, 1.7391}}, How: byIntervals}),
}

// output is a quadratic output q of a simulation, with its utility: less is better. The utility is flat·y at or above the
// threshold of y = (worst - q)/(worst - best). Below the threshold it is linear with slope steep > flat.
type output struct {
	constant    float64
	linear      []float64 // coefficients of the first coordinates
	products    []product
	worst, best float64
	steep, flat float64
	threshold   float64
}

type product struct {
	i, j        int // coordinates, from 1
	coefficient float64
}

func utility(outputs []output, x []float64) float64 {
	var s float64
	for _, o := range outputs {
		q := o.constant
		for i, c := range o.linear {
			q += float64(c * x[i])
		}
		for _, p := range o.products {
			q += float64(p.coefficient * x[p.i-1] * x[p.j-1])
		}
		s += o.utility((o.worst - q) / (o.worst - o.best))
	}
	return s
}

func (o output) utility(y float64) float64 {
	return min(float64(o.steep*(y-o.threshold))+float64(o.flat*o.threshold), float64(o.flat*y))
}

// carCab has the mass and the eight constrained quantities. The authors of the utility found worst and best in the box, or
// chose them.
var carCab = []output{
	{
		constant: 1.98, linear: []float64{4.9, 6.67, 6.98, 4.01, 1.75, 0.00001, 2.73},
		worst: 42.15, best: 16.0992, steep: 7, flat: 0.5, threshold: 0.55,
	},
	{
		constant: 1.16, products: []product{{2, 4, -0.3717}},
		worst: 1.47829, best: 0.0489, steep: 6.75, flat: 0.4, threshold: 0.54,
	},
	{
		constant: 0.261, products: []product{{1, 2, -0.0159}, {2, 7, -0.019}, {3, 5, 0.0144}},
		worst: 115.95, best: -112.3938, steep: 6.5, flat: 0.375, threshold: 0.53,
	},
	{
		constant: 0.214, linear: []float64{0, 0, 0, 0, 0.00817},
		products: []product{{2, 6, 0.03099}, {2, 7, -0.018}, {5, 6, -0.00364}, {2, 2, -0.018}},
		worst:    0.327204, best: 0.045, steep: 6.25, flat: 0.35, threshold: 0.52,
	},
	{
		constant: 0.74, linear: []float64{0, -0.61}, products: []product{{2, 2, 0.227}},
		worst: 0.50255, best: 0.1291, steep: 6, flat: 0.325, threshold: 0.51,
	},
	{
		constant: (28.98 + 33.86 + 46.36) / 3, linear: []float64{0, -9.9 / 3, (3.818 + 2.95) / 3},
		products: []product{{1, 2, -(4.2 + 5.057) / 3}},
		worst:    42.168, best: 17.5196, steep: 5.75, flat: 0.3, threshold: 0.5,
	},
	{
		constant: 4.72, linear: []float64{0, 0, 0, -0.5}, products: []product{{2, 3, -0.19}},
		worst: 4.977, best: 3.0145, steep: 5.5, flat: 0.275, threshold: 0.49,
	},
	{
		constant: 10.58, products: []product{{1, 2, -0.674}},
		worst: 12.0731, best: 3.5, steep: 5.25, flat: 0.25, threshold: 0.48,
	},
	{
		constant: 16.45, products: []product{{3, 7, -0.489}, {5, 6, -0.843}},
		worst: 16.3556, best: 9.4, steep: 5, flat: 0.225, threshold: 0.47,
	},
}

// vehicleSafety has the mass, the acceleration of the occupants and the intrusion of the toe board.
var vehicleSafety = []output{
	{
		constant: 1640.2823, linear: []float64{2.3573285, 2.3220035, 4.5688768, 7.7213633, 4.4559504},
		worst: 1704, best: 1661.9, steep: 2, flat: 1, threshold: 0.5,
	},
	{
		constant: 6.5856, linear: []float64{1.15, -1.0427, 0.9738, 0.8364},
		products: []product{{1, 4, -0.3695}, {1, 5, 0.0861}, {2, 4, 0.3628}, {1, 1, -0.1106}, {3, 3, -0.3437}, {4, 4, 0.1764}},
		worst:    11.708, best: 6.2136, steep: 6, flat: 2, threshold: 0.8,
	},
	{
		constant: -0.0551, linear: []float64{0.0181, 0.1024, 0.0421},
		products: []product{
			{1, 2, -0.0073}, {2, 3, 0.024}, {2, 4, -0.0118}, {3, 4, -0.0204}, {3, 5, -0.008}, {2, 2, -0.0241}, {4, 4, 0.0109},
		},
		worst: 0.26192, best: 0.042879, steep: 8, flat: 2, threshold: 0.8,
	},
}

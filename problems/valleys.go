package problems

import (
	"math"

	"popbench/space"
)

// Polynomials and similar functions: flat floors, valleys, few minima.
var valleys = []*Spec{
	deterministic(Spec{
		Name:    "beale",
		Title:   "Beale",
		Summary: "a flat cross-shaped valley between walls 180,000 high; almost all its variance is in the corners",
		Source:  "Beale (1958), On an iterative method for finding a local minimum of a function of more than one variable, Princeton",
	}, Function{
		Minimise: true,
		Box:      space.Cube(2, -4.5, 4.5),
		Eval:     beale,
		Optimum:  Optimum{Value: 0, X: [][]float64{{3, 0.5}}, How: "exact: a sum of squares, all zero there only"},
	}),
	deterministic(Spec{
		Name:    "bukin6",
		Title:   "Bukin N. 6",
		Summary: "a curved ridge, not differentiable along it, almost level at its bottom",
		Source:  "Bukin (1997), New minimization strategy for non-smooth functions, Budker INP 97-79",
	}, Function{
		Minimise: true,
		Box:      space.Box{Lo: []float64{-15, -3}, Hi: []float64{-5, 3}},
		Eval:     bukin6,
		Optimum:  Optimum{Value: 0, X: [][]float64{{-10, 1}}, How: "exact: a sum of two terms >= 0, both zero there only"},
	}),
	deterministic(Spec{
		Name:    "colville",
		Title:   "Colville (4-D)",
		Summary: "two coupled Rosenbrock valleys",
		Source:  "Colville (1968), A comparative study of nonlinear programming codes, IBM 320-2949",
	}, Function{
		Minimise: true,
		Box:      space.Cube(4, -10, 10),
		Eval:     colville,
		Optimum: Optimum{Value: 0, X: [][]float64{{1, 1, 1, 1}},
			How: "exact: squares, and a quadratic form in (x2-1, x4-1) that is positive definite since 19.8 < 2·10.1"},
	}),
	deterministic(Spec{
		Name:    "powell4",
		Title:   "Powell (4-D)",
		Summary: "the Hessian is singular at the minimum",
		Source:  "Powell (1962), An iterative method for finding stationary values of a function of several variables, Comput. J. 5",
	}, Function{
		Minimise: true,
		Box:      space.Cube(4, -4, 5),
		Eval:     powell4,
		Optimum:  Optimum{Value: 0, X: [][]float64{{0, 0, 0, 0}}, How: "exact: a sum of even powers, all zero there only"},
	}),
	deterministic(Spec{
		Name:    "qei_fail2",
		Title:   "qEI counter-example (2-D)",
		Summary: "four wells of nearly the same depth, made as a counter-example to expected improvement from preferences (qEI)",
		Source:  "Astudillo et al. (2023), qEUBO: a decision-theoretic acquisition function for preferential Bayesian optimization, AISTATS",
	}, Function{
		Minimise: true,
		Box:      space.Cube(2, 0, 1),
		Eval:     qeiFail,
		Optimum:  Optimum{Value: 0, X: [][]float64{{0.25, 0.25}}, How: "exact: a sum of terms >= 0, all zero there only"},
	}),
	deterministic(Spec{
		Name:    "rosenbrock3",
		Title:   "Rosenbrock (3-D)",
		Summary: "a long, curved, nearly level valley",
		Source:  "Rosenbrock (1960), An automatic method for finding the greatest or least value of a function, Comput. J. 3; box of Astudillo's qEUBO code",
	}, Function{
		Minimise: true,
		Box:      space.Cube(3, -2, 2),
		Eval:     rosenbrock,
		Optimum:  Optimum{Value: 0, X: [][]float64{{1, 1, 1}}, How: "exact: a sum of squares, all zero there only"},
	}),
	deterministic(Spec{
		Name:    "six_hump_camel",
		Title:   "Six-Hump Camel",
		Summary: "six minima, two of them global, and steep walls",
		Source:  "Dixon & Szegö (1978), The global optimization problem: an introduction, in Towards Global Optimisation 2",
	}, Function{
		Minimise: true,
		Box:      space.Box{Lo: []float64{-3, -2}, Hi: []float64{3, 2}},
		Eval:     sixHumpCamel,
		Optimum: Optimum{Value: -1.0316284534898774,
			X:   [][]float64{{-0.08984201310031806, 0.7126564030207396}, {0.08984201310031806, -0.7126564030207396}},
			How: byIntervals},
	}),
	deterministic(Spec{
		Name:    "styblinski_tang2",
		Title:   "Styblinski-Tang (2-D)",
		Summary: "four wells, one of them the deepest",
		Source:  "Styblinski & Tang (1990), Experiments in nonconvex optimization, Neural Networks 3",
	}, Function{
		Minimise: true,
		Box:      space.Cube(2, -5, 5),
		Eval:     styblinskiTang,
		Optimum: Optimum{Value: -78.33233140754282, X: [][]float64{{-2.903534027771177, -2.903534027771177}},
			How: byIntervals},
	}),
}

// beale: x = (x1, x2).
func beale(x []float64) float64 {
	a := 1.5 - x[0] + float64(x[0]*x[1])
	b := 2.25 - x[0] + float64(x[0]*x[1]*x[1])
	c := 2.625 - x[0] + float64(x[0]*x[1]*x[1]*x[1])
	return sq(a) + sq(b) + sq(c)
}

// bukin6 divides by 100 instead of multiplying by 0.01, because on the ridge the root would turn a
// rounding error of 1e-18 into a value of 1e-7.
func bukin6(x []float64) float64 {
	return float64(100*math.Sqrt(math.Abs(x[1]-x[0]*x[0]/100))) + float64(0.01*math.Abs(x[0]+10))
}

func colville(x []float64) float64 {
	a, b := sq(x[0])-x[1], sq(x[2])-x[3]
	p, q, r, s := x[0]-1, x[1]-1, x[2]-1, x[3]-1
	return float64(100*a*a) + sq(p) + sq(r) + float64(90*b*b) + float64(10.1*(sq(q)+sq(s))) + float64(19.8*q*s)
}

func powell4(x []float64) float64 {
	a, b := x[0]+float64(10*x[1]), x[2]-x[3]
	c, d := x[1]-2*x[2], x[0]-x[3] // doubling is exact
	return sq(a) + float64(5*b*b) + float64(c*c*c*c) + float64(10*d*d*d*d)
}

func qeiFail(x []float64) float64 {
	var s float64
	for _, v := range x {
		a, b := v-0.25, v-0.75
		s += float64(100*a*a*b*b) + float64(0.01*math.Abs(a))
	}
	return s
}

func rosenbrock(x []float64) float64 {
	var s float64
	for i := range len(x) - 1 {
		a, b := x[i+1]-sq(x[i]), x[i]-1
		s += float64(100*a*a) + sq(b)
	}
	return s
}

func sixHumpCamel(x []float64) float64 {
	a, b := sq(x[0]), sq(x[1])
	return float64((4-float64(2.1*a)+a*a/3)*a) + float64(x[0]*x[1]) + float64((-4+float64(4*b))*b)
}

func styblinskiTang(x []float64) float64 {
	var s float64
	for _, v := range x {
		s += float64(v*v*v*v) - float64(16*v*v) + float64(5*v)
	}
	return s / 2
}

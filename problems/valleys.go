package problems

import (
	"math"

	"popbench/space"
)

// Polynomials and similar functions: flat floors, valleys, few minima.
var valleys = []*Spec{
	least("beale", "Beale",
		"a flat cross-shaped valley between walls 180,000 high; almost all its variance is in the corners",
		"Beale (1958), On an iterative method for finding a local minimum of a function of more than one variable, Princeton",
		space.Cube(2, -4.5, 4.5), beale, Optimum{Value: 0, X: [][]float64{{3, 0.5}}, How: "exact: a sum of squares, all zero there only"}),
	least("bukin6", "Bukin N. 6",
		"a curved ridge, not differentiable along it, almost level at its bottom",
		"Bukin (1997), New minimization strategy for non-smooth functions, Budker INP 97-79",
		space.Box{Lo: []float64{-15, -3}, Hi: []float64{-5, 3}}, bukin6,
		Optimum{Value: 0, X: [][]float64{{-10, 1}}, How: "exact: a sum of two terms >= 0, both zero there only"}),
	least("colville", "Colville (4-D)",
		"two coupled Rosenbrock valleys",
		"Colville (1968), A comparative study of nonlinear programming codes, IBM 320-2949",
		space.Cube(4, -10, 10), colville,
		Optimum{Value: 0, X: [][]float64{{1, 1, 1, 1}},
			How: "exact: squares, and a quadratic form in (x2-1, x4-1) that is positive definite since 19.8 < 2·10.1"}),
	least("dixon_price2", "Dixon-Price (2-D)",
		"a curved valley with two minima",
		dixonSource,
		space.Cube(2, -10, 10), dixonPrice, dixonOptimum),
	least("dixon_price2_5", "Dixon-Price (2-D), small box",
		"a curved valley with two minima",
		dixonSource+"; box of Fauvel's program (Fauvel & Chalk 2021)",
		space.Cube(2, -5, 5), dixonPrice, dixonOptimum),
	least("goldstein_price", "Goldstein-Price",
		"values from 3 to a million, and three local minima: almost all its variance is in the corners",
		"Goldstein & Price (1971), On descent from local minima, Math. Comput. 25",
		space.Cube(2, -2, 2), goldsteinPrice, Optimum{Value: 3, X: [][]float64{{0, -1}}, How: byIntervals}),
	least("matyas", "Matyas",
		"a narrow valley along the diagonal, quadratic",
		"Jamil & Yang (2013), A literature survey of benchmark functions for global optimization problems, Int. J. Math. Model. Numer. Optim. 4",
		space.Cube(2, -10, 10), matyas, Optimum{Value: 0, X: [][]float64{{0, 0}}, How: "exact: it is 0.24 (x1 - x2)² + 0.02 (x1² + x2²)"}),
	least("perm0db2", "Perm 0, d, β (2-D, β = 10)",
		"two minima in a flat valley",
		permSource+"; collections list only the first of the two minima",
		space.Cube(2, -2, 2), perm0,
		Optimum{Value: 0, X: [][]float64{{1, 0.5}, {11.0 / 23, 45.0 / 46}},
			How: "exact: a sum of two squares, both zero where a line meets an ellipse, which are these points only"}),
	least("permdb2", "Perm d, β (2-D, β = 1/2)",
		"two minima in a flat valley",
		permSource+"; collections list only the first of the two minima",
		space.Cube(2, -2, 2), perm,
		Optimum{Value: 0, X: [][]float64{{1, 2}, {23.0 / 13, 14.0 / 13}},
			How: "exact: a sum of two squares, both zero where a line meets an ellipse, which are these points only"}),
	least("powell4", "Powell (4-D)",
		"the Hessian is singular at the minimum",
		"Powell (1962), An iterative method for finding stationary values of a function of several variables, Comput. J. 5",
		space.Cube(4, -4, 5), powell4, Optimum{Value: 0, X: [][]float64{{0, 0, 0, 0}}, How: "exact: a sum of even powers, all zero there only"}),
	least("qei_fail2", "qEI counter-example (2-D)",
		"four wells of nearly the same depth, made as a counter-example to expected improvement from preferences (qEI)",
		"Astudillo et al. (2023), qEUBO: a decision-theoretic acquisition function for preferential Bayesian optimization, AISTATS",
		space.Cube(2, 0, 1), qeiFail, Optimum{Value: 0, X: [][]float64{{0.25, 0.25}}, How: "exact: a sum of terms >= 0, all zero there only"}),
	least("rosenbrock2", "Rosenbrock (2-D)",
		"a curved, nearly level valley between walls a million high",
		rosenbrockSource,
		space.Cube(2, -5, 10), rosenbrock, Optimum{Value: 0, X: [][]float64{{1, 1}}, How: rosenbrockHow}),
	least("rosenbrock2_2.048", "Rosenbrock (2-D), small box",
		"a curved, nearly level valley",
		rosenbrockSource+"; box of De Jong (1975)",
		space.Cube(2, -2.048, 2.048), rosenbrock, Optimum{Value: 0, X: [][]float64{{1, 1}}, How: rosenbrockHow}),
	least("rosenbrock3", "Rosenbrock (3-D)",
		"a long, curved, nearly level valley",
		rosenbrockSource+"; box of Astudillo's qEUBO code",
		space.Cube(3, -2, 2), rosenbrock, Optimum{Value: 0, X: [][]float64{{1, 1, 1}}, How: rosenbrockHow}),
	least("rotated_ellipsoid2", "Rotated hyper-ellipsoid (2-D)",
		"quadratic: an easy problem",
		"Molga & Smutnicki (2005), Test functions for optimization needs",
		space.Cube(2, -65.536, 65.536), rotatedEllipsoid,
		Optimum{Value: 0, X: [][]float64{{0, 0}}, How: "exact: a sum of squares, all zero there only"}),
	least("six_hump_camel", "Six-Hump Camel",
		"six minima, two of them global, and steep walls",
		camelSource,
		space.Box{Lo: []float64{-3, -2}, Hi: []float64{3, 2}}, sixHumpCamel,
		Optimum{Value: -1.0316284534898774, X: [][]float64{{-0.08984201310031806, 0.7126564030207396}, {0.08984201310031806, -0.7126564030207396}},
			How: byIntervals}),
	least("six_hump_camel_qeubo", "Six-Hump Camel, qEUBO's box",
		"three of the six minima in a strip whose values reach two million",
		camelSource+"; box of the code of Astudillo et al. (2023), qEUBO, which rescales the first coordinate twice and the second not",
		space.Box{Lo: []float64{-14, 0}, Hi: []float64{10, 1}}, sixHumpCamel,
		Optimum{Value: -1.0316284534898774, X: [][]float64{{-0.08984201310031806, 0.7126564030207396}}, How: byIntervals}),
	least("styblinski_tang2", "Styblinski-Tang (2-D)",
		"four wells, one of them the deepest",
		styblinskiSource,
		space.Cube(2, -5, 5), styblinskiTang, Optimum{Value: 2 * styblinskiMin, X: [][]float64{{styblinskiAt, styblinskiAt}}, How: byIntervals}),
	least("three_hump_camel", "Three-Hump Camel",
		"three minima in a valley, and steep walls",
		"Branin & Hoo (1972), A method for finding multiple extrema of a function of n variables, in Numerical Methods for Non-linear Optimization",
		space.Cube(2, -5, 5), threeHumpCamel,
		Optimum{Value: 0, X: [][]float64{{0, 0}}, How: "exact: it is (x2 + x1/2)² + x1² p(x1²), where p(t) = 7/4 - 1.05 t + t²/6 > 0 since 1.05² < 4·7/24"}),
}

const (
	camelSource      = "Dixon & Szegö (1978), The global optimization problem: an introduction, in Towards Global Optimisation 2"
	dixonSource      = "Dixon & Price (1989), The truncated Newton method for sparse unconstrained optimisation using automatic differentiation, J. Optim. Theory Appl. 60"
	permSource       = "Neumaier (2003), Global optimization test problems, Univ. Wien"
	rosenbrockSource = "Rosenbrock (1960), An automatic method for finding the greatest or least value of a function, Comput. J. 3"
	rosenbrockHow    = "exact: a sum of squares, all zero there only"
	styblinskiSource = "Styblinski & Tang (1990), Experiments in nonconvex optimization, Neural Networks 3"

	styblinskiMin = -39.16616570377141 // of one term
	styblinskiAt  = -2.903534027771177
)

var dixonOptimum = Optimum{Value: 0, X: [][]float64{{1, math.Sqrt2 / 2}, {1, -math.Sqrt2 / 2}},
	How: "exact: a sum of two squares, both zero there only"}

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

func dixonPrice(x []float64) float64 {
	s := sq(x[0] - 1)
	for i := 1; i < len(x); i++ {
		s += float64(float64(i+1) * sq(2*sq(x[i])-x[i-1])) // doubling is exact
	}
	return s
}

func goldsteinPrice(x []float64) float64 {
	a, b := x[0], x[1]
	aa, ab, bb := float64(a*a), float64(a*b), float64(b*b)
	p := 19 - float64(14*a) + float64(3*aa) - float64(14*b) + float64(6*ab) + float64(3*bb)
	q := 18 - float64(32*a) + float64(12*aa) + float64(48*b) - float64(36*ab) + float64(27*bb)
	return (1 + float64(sq(a+b+1)*p)) * (30 + float64(sq(2*a-float64(3*b))*q))
}

func matyas(x []float64) float64 {
	return float64(0.24*sq(x[0]-x[1])) + float64(0.02*(sq(x[0])+sq(x[1])))
}

// perm0 is Σ_i (Σ_j (j + 10) (x_j^i - j^-i))² in two dimensions.
func perm0(x []float64) float64 {
	a, b := x[0]-1, x[1]-0.5
	return sq(float64(11*a)+float64(12*b)) + sq(float64(11*a*(x[0]+1))+float64(12*b*(x[1]+0.5)))
}

// perm is Σ_i (Σ_j (j^i + 1/2) ((x_j/j)^i - 1))² in two dimensions.
func perm(x []float64) float64 {
	a, b := x[0]-1, float64(x[1]/2)-1
	return sq(float64(1.5*a)+float64(2.5*b)) + sq(float64(1.5*a*(x[0]+1))+float64(4.5*b*(float64(x[1]/2)+1)))
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

// rotatedEllipsoid is the sum over i of the first i squares.
func rotatedEllipsoid(x []float64) float64 {
	var s float64
	for i, v := range x {
		s += float64(float64(len(x)-i) * sq(v))
	}
	return s
}

func sixHumpCamel(x []float64) float64 {
	a, b := sq(x[0]), sq(x[1])
	return float64((4-float64(2.1*a)+a*a/3)*a) + float64(x[0]*x[1]) + float64((-4+float64(4*b))*b)
}

func threeHumpCamel(x []float64) float64 {
	a := sq(x[0])
	return sq(x[1]+float64(x[0]/2)) + float64(a*(1.75-float64(1.05*a)+a*a/6))
}

func styblinskiTang(x []float64) float64 {
	var s float64
	for _, v := range x {
		s += float64(v*v*v*v) - float64(16*v*v) + float64(5*v)
	}
	return s / 2
}

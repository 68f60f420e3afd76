package problems

import (
	"math"

	"popbench/internal/math/fmath"
	"popbench/space"
)

// Functions that oscillate along the coordinates: many local minima.
var waves = []*Spec{
	least("alpine1_7", "Alpine N. 1 (7-D)",
		"kinked waves with two million global minima",
		"Rahnamayan, Tizhoosh & Salama (2007), A novel population initialization method for accelerating evolutionary algorithms, Comput. Math. Appl. 53; box of Astudillo et al. (2023), qEUBO",
		space.Cube(7, -10, 10), alpine1,
		Optimum{Value: 0, X: [][]float64{{0, 0, 0, 0, 0, 0, 0}},
			How: "exact: a sum of absolute values; zero at 8^7 points, where each x_i is 0 or sin x_i = -0.1, of which one is listed"}),
	least("bohachevsky1", "Bohachevsky N. 1",
		"quadratic, with ripples that matter only within 1 of the optimum, a ten-thousandth of the box",
		"Bohachevsky, Johnson & Stein (1986), Generalized simulated annealing for function optimization, Technometrics 28",
		space.Cube(2, -100, 100), bohachevsky1, Optimum{Value: 0, X: [][]float64{{0, 0}}, How: "exact: a sum of terms >= 0, all zero there only"}),
	least("branin", "Branin",
		"three global minima in smooth valleys",
		"Branin (1972), Widely convergent method for finding multiple solutions of simultaneous nonlinear equations, IBM J. Res. Dev. 16; constants of Dixon & Szegö (1978)",
		space.Box{Lo: []float64{-5, 0}, Hi: []float64{10, 15}}, branin,
		Optimum{Value: 5 / (4 * math.Pi), X: [][]float64{{-math.Pi, 12.275}, {math.Pi, 2.275}, {3 * math.Pi, 2.475}},
			How: "exact: the square is zero and the cosine -1 at these points only, which gives 10/(8π)"}),
	least("eggholder", "Eggholder",
		"many deep wells of different depth; the deepest on the edge of the box",
		"Whitley et al. (1996), Evaluating evolutionary algorithms, Artif. Intell. 85",
		space.Cube(2, -512, 512), eggholder, Optimum{Value: -959.6406627208509, X: [][]float64{{512, 404.2318051137578}}, How: byIntervals}),
	least("eggholder_100", "Eggholder, small box",
		"the middle of Eggholder's box: shallow wells, and the deepest on the edge",
		"Whitley et al. (1996), Evaluating evolutionary algorithms, Artif. Intell. 85; box of the program of Pásztor et al. (2024), MaxMinLCB",
		space.Cube(2, -100, 100), eggholder, Optimum{Value: -227.12310592055007, X: [][]float64{{89.79881531051854, 100}}, How: byIntervals}),
	least("forrester", "Forrester (1-D)",
		"one local and one global minimum on a line",
		"Forrester, Sóbester & Keane (2008), Engineering Design via Surrogate Modelling, Wiley",
		space.Cube(1, 0, 1), forrester, Optimum{Value: -6.0207400557670825, X: [][]float64{{0.7572487578418559}}, How: byIntervals}),
	least("gramacy_lee", "Gramacy & Lee (1-D)",
		"ten ripples on a line, the deepest next to the edge",
		"Gramacy & Lee (2012), Cases for the nugget in modeling computer experiments, Stat. Comput. 22",
		space.Cube(1, 0.5, 2.5), gramacyLee, Optimum{Value: -0.8690111349894998, X: [][]float64{{0.5485634445276052}}, How: byIntervals}),
	least("griewank2", "Griewank (2-D)",
		"a wide bowl under thousands of ripples of height 2, which decide only near its bottom",
		"Griewank (1981), Generalized descent for global optimization, J. Optim. Theory Appl. 34",
		space.Cube(2, -600, 600), griewank,
		Optimum{Value: 0, X: [][]float64{{0, 0}}, How: "exact: a sum of squares, zero there only, and 1 minus a product of cosines, which is at least 0"}),
	least("levy2", "Levy (2-D)",
		"a bowl with ripples",
		levySource,
		space.Cube(2, -10, 10), levy, Optimum{Value: 0, X: [][]float64{{1, 1}}, How: levyHow}),
	least("levy4", "Levy (4-D)",
		"a bowl with ripples",
		levySource,
		space.Cube(4, -10, 10), levy, Optimum{Value: 0, X: [][]float64{{1, 1, 1, 1}}, How: levyHow}),
	least("levy13", "Levy N. 13",
		"a bowl with fast ripples in both coordinates",
		"Levy & Montalvo (1985), The tunneling algorithm for the global minimization of functions, SIAM J. Sci. Stat. Comput. 6",
		space.Cube(2, -10, 10), levy13, Optimum{Value: 0, X: [][]float64{{1, 1}}, How: "exact: a sum of terms >= 0, all zero there only"}),
	least("michalewicz2", "Michalewicz (2-D)",
		"two narrow troughs that cross, flat elsewhere",
		michalewiczSource,
		space.Cube(2, 0, math.Pi), michalewicz,
		Optimum{Value: -1.8013034100985525, X: [][]float64{{2.2029055201726093, math.Pi / 2}}, How: byIntervals}),
	least("michalewicz2_m5", "Michalewicz (2-D, m = 5)",
		"two troughs that cross, flat elsewhere, wider than usual",
		michalewiczSource+"; steepness and box of the program of Pásztor et al. (2024), MaxMinLCB",
		space.Cube(2, 0, 3.14), michalewiczWide,
		Optimum{Value: -1.8066228853471955, X: [][]float64{{2.185311961840168, math.Pi / 2}}, How: byIntervals}),
	least("michalewicz5", "Michalewicz (5-D)",
		"narrow troughs in a flat landscape",
		michalewiczSource,
		space.Cube(5, 0, math.Pi), michalewicz,
		Optimum{Value: -4.687658179088146, X: [][]float64{{2.2029055201726093, math.Pi / 2, 1.2849915705529245, 1.9230584698663629, 1.7204697725658413}},
			How: byIntervals}),
	least("rastrigin3", "Rastrigin (3-D)",
		"a bowl under a lattice of 11³ minima",
		"Rastrigin (1974), Extremal Control Systems, Nauka; form of Mühlenbein, Schomisch & Born (1991)",
		space.Cube(3, -5.12, 5.12), rastrigin, Optimum{Value: 0, X: [][]float64{{0, 0, 0}}, How: "exact: a sum of terms >= 0, all zero there only"}),
	least("schwefel3", "Schwefel (3-D)",
		"deep wells near the corners, far from the next best ones",
		"Schwefel (1981), Numerical Optimization of Computer Models, Wiley; with its constant rounded to 418.9829, so that the minimum is 3.8e-5",
		space.Cube(3, -500, 500), schwefel,
		Optimum{Value: 3.818269888117564e-05, X: [][]float64{{420.96874635998205, 420.96874635998205, 420.96874635998205}}, How: byIntervals}),
	least("shubert", "Shubert",
		"760 local minima, 18 of them global",
		"Shubert (1972), A sequential method seeking the global maximum of a function, SIAM J. Numer. Anal. 9; 2-D form of Levy & Montalvo (1985)",
		space.Cube(2, -10, 10), shubert, Optimum{Value: shubertMin, X: shubertMinima(-10, 10), How: byIntervals}),
	least("shubert_5.12", "Shubert, small box",
		"four of Shubert's global minima, and ripples coarser than a 20-point grid can show",
		"Shubert (1972), A sequential method seeking the global maximum of a function, SIAM J. Numer. Anal. 9; box of the POP-BO authors' code",
		space.Cube(2, -5.12, 5.12), shubert, Optimum{Value: shubertMin, X: shubertMinima(-5.12, 5.12), How: byIntervals}),
}

const (
	levySource        = "Levy & Montalvo (1985), The tunneling algorithm for the global minimization of functions, SIAM J. Sci. Stat. Comput. 6; form of Laguna & Martí (2005)"
	levyHow           = "exact: a sum of terms >= 0, all zero there only"
	michalewiczSource = "Michalewicz (1992), Genetic Algorithms + Data Structures = Evolution Programs, Springer"
)

func alpine1(x []float64) float64 {
	var s float64
	for _, v := range x {
		s += math.Abs(float64(v*fmath.Sin(v)) + float64(0.1*v))
	}
	return s
}

func bohachevsky1(x []float64) float64 {
	return sq(x[0]) + float64(2*sq(x[1])) + float64(0.3*(1-fmath.Cos(3*math.Pi*x[0]))) + float64(0.4*(1-fmath.Cos(4*math.Pi*x[1])))
}

func branin(x []float64) float64 {
	const b, c, t = 5.1 / (4 * math.Pi * math.Pi), 5 / math.Pi, 1 / (8 * math.Pi)
	q := x[1] - float64(b*x[0]*x[0]) + float64(c*x[0]) - 6
	return sq(q) + float64(10*(1-t)*fmath.Cos(x[0])) + 10
}

func eggholder(x []float64) float64 {
	y := x[1] + 47
	return float64(-y*fmath.Sin(math.Sqrt(math.Abs(y+float64(x[0]/2))))) - float64(x[0]*fmath.Sin(math.Sqrt(math.Abs(x[0]-y))))
}

func forrester(x []float64) float64 {
	a := float64(6*x[0]) - 2
	return a * a * fmath.Sin(float64(12*x[0])-4)
}

func gramacyLee(x []float64) float64 {
	return fmath.Sin(10*math.Pi*x[0])/(2*x[0]) + sq(sq(x[0]-1))
}

func griewank(x []float64) float64 {
	squares, cosines := 0.0, 1.0
	for i, v := range x {
		squares += sq(v)
		cosines *= fmath.Cos(v / math.Sqrt(float64(i+1)))
	}
	return squares/4000 + (1 - cosines)
}

func levy(x []float64) float64 {
	w := func(i int) float64 { return 1 + float64((x[i]-1)/4) }
	last := len(x) - 1
	s := sq(fmath.Sin(math.Pi * w(0)))
	for i := range last {
		s += float64(sq(w(i)-1) * (1 + float64(10*sq(fmath.Sin(float64(math.Pi*w(i))+1)))))
	}
	return s + float64(sq(w(last)-1)*(1+sq(fmath.Sin(2*math.Pi*w(last)))))
}

func levy13(x []float64) float64 {
	return sq(fmath.Sin(3*math.Pi*x[0])) +
		float64(sq(x[0]-1)*(1+sq(fmath.Sin(3*math.Pi*x[1])))) +
		float64(sq(x[1]-1)*(1+sq(fmath.Sin(2*math.Pi*x[1]))))
}

func michalewicz(x []float64) float64 {
	var s float64
	for i, v := range x {
		p2 := sq(fmath.Sin(float64(i+1) * v * v / math.Pi))
		p4 := p2 * p2
		p16 := sq(p4 * p4)
		s -= float64(fmath.Sin(v) * p16 * p4) // the steepness m is 10
	}
	return s
}

// michalewiczWide has the steepness m = 5.
func michalewiczWide(x []float64) float64 {
	var s float64
	for i, v := range x {
		p2 := sq(fmath.Sin(float64(i+1) * v * v / math.Pi))
		s -= float64(fmath.Sin(v) * sq(sq(p2)) * p2)
	}
	return s
}

func rastrigin(x []float64) float64 {
	var s float64
	for _, v := range x {
		s += sq(v) + float64(10*(1-fmath.Cos(2*math.Pi*v)))
	}
	return s
}

func schwefel(x []float64) float64 {
	var s float64
	for _, v := range x {
		s += 418.9829 - float64(v*fmath.Sin(math.Sqrt(math.Abs(v))))
	}
	return s
}

func shubert(x []float64) float64 {
	p := 1.0
	for _, v := range x {
		var s float64
		for i := 1.0; i <= 5; i++ {
			s += float64(i * fmath.Cos(float64((i+1)*v)+i))
		}
		p *= s
	}
	return p
}

const shubertMin = -186.73090883102384

// shubertMinima returns the global minima with both coordinates in [lo, hi]. At each, one
// coordinate minimises its factor and the other maximises its own.
func shubertMinima(lo, hi float64) [][]float64 {
	least := []float64{-7.708313735499347, -1.425128428319761, 4.858056878859825}
	greatest := []float64{-7.0835064076515595, -0.8003211004719731, 5.482864206707613}
	var minima [][]float64
	for _, a := range least {
		for _, b := range greatest {
			if lo <= min(a, b) && max(a, b) <= hi {
				minima = append(minima, []float64{a, b}, []float64{b, a})
			}
		}
	}
	return minima
}

func sq(v float64) float64 { return float64(v * v) }

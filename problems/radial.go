package problems

import (
	"math"

	"popbench/internal/math/fmath"
	"popbench/space"
)

const (
	ackleySource = "Ackley (1987), A Connectionist Machine for Genetic Hillclimbing, Kluwer"
	ackleyHow    = "exact: both terms are >= 0, and zero there only"
	ackleyPlain  = "a nearly flat, rippled plain around one funnel"
	ackleyFunnel = "the rippled funnel of Ackley's function without its plain"
	ackleyHalf   = 32.768 // half the width of its usual box
	mishraSource = "Mishra (2006), Some new test functions for global optimization and performance of repulsive particle swarm method, MPRA 2718"
)

// Functions of the distance from a centre, most of them multiplied by waves.
var radial = []*Spec{
	ackleyOn(1, 5, "ackley1", "Ackley (1-D)",
		"ripples that rise to one spike in the middle; a grid of few points misses it",
		"; box of the programs of Pásztor et al. (2024), MaxMinLCB, and Lazzaro et al. (2026), PF-TS"),
	greatest("ackley1_max", "Ackley (1-D, maximised)",
		"Ackley's function as a reward, which its source minimises: ripples that rise slowly to both sides",
		ackleySource+"; as the program of Kayal et al. (2025), Bayesian optimization from human feedback, has it",
		space.Cube(1, -5, 5), ackley, Optimum{Value: 14.302667500265276, X: [][]float64{{-4.597534750355417}, {4.597534750355417}}, How: byIntervals}),
	ackleyOn(2, ackleyHalf, "ackley2", "Ackley (2-D)", ackleyPlain, ""),
	ackleyOn(2, 5, "ackley2_5", "Ackley (2-D), small box", ackleyFunnel,
		"; box of Pásztor et al. (2024), Bandits with preference feedback: a Stackelberg game perspective, NeurIPS"),
	ackleyOn(4, ackleyHalf, "ackley4", "Ackley (4-D)", ackleyPlain, ""),
	ackleyOn(6, 2, "ackley6", "Ackley (6-D)", ackleyFunnel, "; box of the code of Astudillo et al. (2023), qEUBO: x = 4u - 2 for u in [0, 1]^6"),
	ackleyOn(6, ackleyHalf, "ackley6_32.768", "Ackley (6-D), usual box", ackleyPlain, "; with its usual box, as Zhang et al. (2025), PABBO, have it"),
	least("cross_in_tray", "Cross-in-Tray",
		"a tray of dimples cut by a cross; four global minima",
		mishraSource,
		space.Cube(2, -10, 10), crossInTray,
		Optimum{Value: -2.062611870822737, X: quadrants(1.3494066171539107, 1.3494066171539107), How: byIntervals}),
	least("dropwave", "Drop-Wave",
		"rings of equal-looking waves around one narrow minimum",
		"Molga & Smutnicki (2005), Test functions for optimization needs",
		space.Cube(2, -5.12, 5.12), dropwave,
		Optimum{Value: -1, X: [][]float64{{0, 0}}, How: "exact: the numerator is at most 2, the denominator at least 2, with equality in both there only"}),
	least("holder_table", "Holder Table",
		"four narrow global minima near the corners, many local ones between",
		mishraSource,
		space.Cube(2, -10, 10), holderTable,
		Optimum{Value: -19.208502567886732, X: quadrants(8.055023475736563, 9.664590019241272), How: byIntervals}),
	least("langermann", "Langermann",
		"five decaying ring waves that interfere",
		"Molga & Smutnicki (2005), Test functions for optimization needs; the often quoted -5.1621 is minus this form's maximum",
		space.Cube(2, 0, 10), langermann,
		Optimum{Value: -4.155809291847785, X: [][]float64{{2.7934022086450367, 1.5972325013283601}}, How: byIntervals}),
	least("schaffer4", "Schaffer N. 4",
		"ripples too fine for a model of the whole box, and large near its middle only",
		mishraSource+"; with the square of the cosine, which some collections omit, as the quoted minimum 0.292579 has it",
		space.Cube(2, -100, 100), schaffer4,
		Optimum{Value: 0.29257863203598054,
			How: byIntervals, X: [][]float64{{0, 1.2531318314637332}, {0, -1.2531318314637332}, {1.2531318314637332, 0}, {-1.2531318314637332, 0}}}),
}

// ackleyOn is Ackley's function, to be minimised, in d dimensions on a box around 0; of is more about its source.
func ackleyOn(d int, half float64, name, title, summary, of string) *Spec {
	optimum := Optimum{Value: 0, X: [][]float64{make([]float64, d)}, How: ackleyHow}
	return least(name, title, summary, ackleySource+of, space.Cube(d, -half, half), ackley, optimum)
}

// ackley is 20 - 20 exp(-0.2 rms) + e - exp(mean cos). It combines each pair of terms, so that the
// value at 0 is 0 without rounding error.
func ackley(x []float64) float64 {
	var squares, cosines float64
	for _, v := range x {
		squares += sq(v)
		cosines += fmath.Cos(2 * math.Pi * v)
	}
	d := float64(len(x))
	return float64(-20*fmath.Expm1(-0.2*math.Sqrt(squares/d))) - float64(math.E*fmath.Expm1(cosines/d-1))
}

func crossInTray(x []float64) float64 {
	r := fmath.Hypot(x[0], x[1])
	e := fmath.Exp(math.Abs(100 - r/math.Pi))
	return -0.0001 * fmath.Pow(math.Abs(float64(fmath.Sin(x[0])*fmath.Sin(x[1])*e))+1, 0.1)
}

func dropwave(x []float64) float64 {
	r := fmath.Hypot(x[0], x[1])
	return -(1 + fmath.Cos(12*r)) / (float64(0.5*r*r) + 2)
}

func holderTable(x []float64) float64 {
	r := fmath.Hypot(x[0], x[1])
	return -math.Abs(fmath.Sin(x[0]) * fmath.Cos(x[1]) * fmath.Exp(math.Abs(1-r/math.Pi)))
}

func langermann(x []float64) float64 {
	c := [5]float64{1, 2, 5, 2, 3}
	a := [5][2]float64{{3, 5}, {5, 2}, {2, 1}, {1, 4}, {7, 9}}
	var s float64
	for i := range c {
		r2 := sq(x[0]-a[i][0]) + sq(x[1]-a[i][1])
		s += float64(c[i] * fmath.Exp(-r2/math.Pi) * fmath.Cos(math.Pi*r2))
	}
	return s
}

func schaffer4(x []float64) float64 {
	a, b := sq(x[0]), sq(x[1])
	return 0.5 + (sq(fmath.Cos(fmath.Sin(a-b)))-0.5)/sq(1+float64(0.001*(a+b)))
}

// quadrants returns (±a, ±b).
func quadrants(a, b float64) [][]float64 {
	return [][]float64{{a, b}, {-a, b}, {a, -b}, {-a, -b}}
}

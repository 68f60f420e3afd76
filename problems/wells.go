package problems

import (
	"popbench/internal/math/fmath"
	"popbench/space"
)

const (
	hartmannSource = "Hartman (1973), Some experiments in global optimization, Nav. Res. Logist. Q. 20; constants of Dixon & Szegö (1978)"
	shekelSource   = "Shekel (1971), Test functions for multimodal search techniques, 5th Princeton Conf. on Information Science and Systems; constants of Dixon & Szegö (1978)"
)

// Sums of a few wells.
var wells = []*Spec{
	least("hartmann3", "Hartmann (3-D)",
		"four narrow wells, elongated in the first coordinate",
		hartmannSource,
		space.Cube(3, 0, 1), func(x []float64) float64 { return -hartmann(x, hartmann3A[:], hartmann3P[:]) },
		Optimum{Value: -3.8627797873326624, X: [][]float64{{0.11458887665506896, 0.55564889461693, 0.8525469846866774}}, How: byIntervals}),
	least("hartmann4_rescaled", "Hartmann (4-D, rescaled)",
		"the first four coordinates of the 6-D function, to mean 0 and variance 1",
		"Picheny, Wagner & Ginsbourger (2013), A benchmark of kriging-based infill criteria for noisy optimization, Struct. Multidiscip. Optim. 48; the minimum usually quoted, -3.1355, is 1e-3 below the formula's",
		space.Cube(4, 0, 1), func(x []float64) float64 { return (1.1 - hartmann(x, hartmann6A[:], hartmann6P[:])) / 0.839 },
		Optimum{Value: -3.134494141222399, X: [][]float64{{0.1873952729734667, 0.19415152930244073, 0.557917780062569, 0.26477962417039713}},
			How: byIntervals}),
	least("hartmann6", "Hartmann (6-D)",
		"four wells, the two best of nearly the same depth",
		hartmannSource,
		space.Cube(6, 0, 1), func(x []float64) float64 { return -hartmann(x, hartmann6A[:], hartmann6P[:]) },
		Optimum{Value: -3.3223680114155147, How: byIntervals, X: [][]float64{
			{0.20168951100670543, 0.15001069182345797, 0.476873974221897, 0.2753324304940561, 0.31165161660011326, 0.6573005340656203},
		}}),
	least("shekel5", "Shekel (m = 5)",
		"five narrow wells in a flat 4-D box",
		shekelSource,
		space.Cube(4, 0, 10), func(x []float64) float64 { return shekel(x, 5) },
		Optimum{Value: -10.153199679058227, X: [][]float64{{4.000037152819676, 4.00013327659156, 4.000037152819676, 4.00013327659156}}, How: byIntervals}),
	least("shekel10", "Shekel (m = 10)",
		"ten narrow wells in a flat 4-D box",
		shekelSource+", but the 7th centre of Surjanovic & Bingham, Virtual Library of Simulation Experiments: (5, 3, 5, 3), not (5, 5, 3, 3)",
		space.Cube(4, 0, 10), func(x []float64) float64 { return shekel(x, 10) },
		Optimum{Value: -10.536443153483528, X: [][]float64{{4.000746868270634, 3.9995094800857736, 4.000746868270634, 3.9995094800857736}}, How: byIntervals}),
}

var (
	hartmannAlpha = [4]float64{1, 1.2, 3, 3.2}

	hartmann3A = [4][]float64{{3, 10, 30}, {0.1, 10, 35}, {3, 10, 30}, {0.1, 10, 35}}
	hartmann3P = [4][]float64{ // in units of 1e-4
		{3689, 1170, 2673}, {4699, 4387, 7470}, {1091, 8732, 5547}, {381, 5743, 8828},
	}

	hartmann6A = [4][]float64{
		{10, 3, 17, 3.5, 1.7, 8},
		{0.05, 10, 17, 0.1, 8, 14},
		{3, 3.5, 1.7, 10, 17, 8},
		{17, 8, 0.05, 10, 0.1, 14},
	}
	hartmann6P = [4][]float64{ // in units of 1e-4
		{1312, 1696, 5569, 124, 8283, 5886},
		{2329, 4135, 8307, 3736, 1004, 9991},
		{2348, 1451, 3522, 2883, 3047, 6650},
		{4047, 8828, 8732, 5743, 1091, 381},
	}
)

// hartmann returns Σ_i α_i exp(-Σ_j A_ij (x_j - P_ij)²) over the first len(x) columns of A and P.
func hartmann(x []float64, A, P [][]float64) float64 {
	var s float64
	for i, alpha := range hartmannAlpha {
		var q float64
		for j, v := range x {
			q += float64(A[i][j] * sq(v-P[i][j]/1e4))
		}
		s += float64(alpha * fmath.Exp(-q))
	}
	return s
}

var (
	shekelWidth  = [10]float64{0.1, 0.2, 0.2, 0.4, 0.4, 0.6, 0.3, 0.7, 0.5, 0.5}
	shekelCentre = [10][4]float64{
		{4, 4, 4, 4}, {1, 1, 1, 1}, {8, 8, 8, 8}, {6, 6, 6, 6}, {3, 7, 3, 7},
		{2, 9, 2, 9}, {5, 3, 5, 3}, {8, 1, 8, 1}, {6, 2, 6, 2}, {7, 3.6, 7, 3.6},
	}
)

// shekel returns the sum of the first m wells.
func shekel(x []float64, m int) float64 {
	var s float64
	for i := range m {
		q := shekelWidth[i]
		for j, v := range x {
			q += sq(v - shekelCentre[i][j])
		}
		s -= 1 / q
	}
	return s
}

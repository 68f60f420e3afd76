package search

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"popbench/internal/check"
	"popbench/space"
)

// discrepancy is the centred L2 discrepancy of points in [0,1]^d (Hickernell, "A generalized discrepancy and
// quadrature error bound", Math. Comp. 67, 1998, Eq. 5.3).
func discrepancy(points []float64, d int) float64 {
	n := float64(len(points) / d)
	sum := math.Pow(13./12, float64(d))
	for i := 0; i < len(points); i += d {
		single := 1.0
		for j := range d {
			a := math.Abs(points[i+j] - 0.5)
			single *= 1 + a/2 - a*a/2
		}
		sum -= 2 / n * single
		for k := 0; k < len(points); k += d {
			pair := 1.0
			for j := range d {
				a, b := points[i+j], points[k+j]
				pair *= 1 + math.Abs(a-0.5)/2 + math.Abs(b-0.5)/2 - math.Abs(a-b)/2
			}
			sum += pair / (n * n)
		}
	}
	return math.Sqrt(sum)
}

// project returns coordinates i and j of the points.
func project(points []float64, d, i, j int) []float64 {
	var p []float64
	for k := 0; k < len(points); k += d {
		p = append(p, points[k+i], points[k+j])
	}
	return p
}

// Better than random points by the margins of the doc comment, in all dimensions together and in the worst pair
// of them.
func TestQuasiRandomIsLowDiscrepancy(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, d := range []int{1, 2, 3, 7, 12} {
		for _, n := range []int{16, 64, 256} {
			box := space.Cube(d, 0, 1)
			quasi, random := make([]float64, n*d), make([]float64, n*d)
			QuasiRandom(quasi, box, nil)
			var typical, typicalPair float64 // means over random sets
			for range 10 {
				for i := range random {
					random[i] = r.Float64()
				}
				typical += discrepancy(random, d) / 10
				typicalPair += discrepancy(project(random, d, 0, d-1), 2) / 10
			}
			got := discrepancy(quasi, d)
			t.Logf("d = %d, n = %d: %.3f, random %.3f", d, n, got, typical)
			limit := 0.6
			if d >= 7 {
				limit = 0.75
			}
			if got > limit*typical {
				t.Errorf("d = %d, n = %d: discrepancy %.3g, random points have %.3g", d, n, got, typical)
			}
			for i := range d {
				for j := range i {
					if pair := discrepancy(project(quasi, d, i, j), 2); pair > 0.85*typicalPair {
						t.Errorf("d = %d, n = %d, coordinates %d and %d: discrepancy %.3g, random points have %.3g", d, n, j, i, pair, typicalPair)
					}
				}
			}
		}
	}
}

// In base b, every b consecutive points have one in each b-th part of the axis.
func TestQuasiRandomStratifies(t *testing.T) {
	const d, n = 12, 37 * 6
	points := make([]float64, n*d)
	QuasiRandom(points, space.Cube(d, 0, 1), nil)
	for j, base := range []int{2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37} {
		for first := 0; first+base <= n; first += base {
			seen := make([]bool, base)
			for i := first; i < first+base; i++ {
				seen[int(points[i*d+j]*float64(base)+1e-9)] = true
			}
			if slices.Contains(seen, false) {
				t.Fatalf("coordinate %d: points %d to %d miss a %d-th of the axis", j, first, first+base, base)
			}
		}
	}
}

func TestFaure(t *testing.T) {
	// As printed in Faure (1992).
	for base, want := range map[int][]int{
		2: {0, 1},
		3: {0, 1, 2},
		5: {0, 3, 2, 1, 4},
		7: {0, 2, 5, 3, 1, 4, 6},
		8: {0, 4, 2, 6, 1, 5, 3, 7},
	} {
		if got := faure(base); !slices.Equal(got, want) {
			t.Errorf("base %d: %v, want %v", base, got, want)
		}
	}
	for base := 1; base < 100; base++ {
		p := faure(base)
		check.That(t, p[0] == 0, "base %d: 0 goes to %d", base, p[0])
		slices.Sort(p)
		for i, v := range p {
			if i != v {
				t.Fatalf("base %d is not a permutation", base)
			}
		}
	}
}

func TestQuasiRandomInTheBoxAndShifted(t *testing.T) {
	box, _ := space.New([]float64{-5, 3}, []float64{10, 3.01})
	a, b := make([]float64, 200), make([]float64, 100)
	QuasiRandom(a, box, nil)
	QuasiRandom(b, box, nil)
	check.That(t, slices.Equal(a[:100], b), "fewer points are not the first of more")
	r, plain := rand.New(rand.NewPCG(2, 1)), rand.New(rand.NewPCG(2, 1))
	shifted := make([]float64, 200)
	QuasiRandom(shifted, box, r)
	shift := []float64{plain.Float64(), plain.Float64()}
	check.That(t, r.Uint64() == plain.Uint64(), "the shift does not draw exactly d numbers")
	for i := range shifted {
		p := []float64{a[i&^1], a[i|1]}
		if !box.Contains(p) || !box.Contains(shifted[i&^1:i|1+1]) {
			t.Fatalf("point %d is outside the box", i/2)
		}
		width := box.Hi[i&1] - box.Lo[i&1]
		turns := (shifted[i]-a[i])/width - shift[i&1]
		if math.Abs(turns-math.Round(turns)) > 1e-9 {
			t.Fatalf("point %d is not shifted by %g modulo the box", i/2, shift)
		}
	}
}

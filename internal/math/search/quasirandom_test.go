package search

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"popbench/internal/check"
	"popbench/space"
)

// Each coordinate has a prime base of its own.
func TestQuasiRandomBases(t *testing.T) {
	points := make([]float64, 12)
	QuasiRandom(points, space.Cube(12, 0, 1), nil)
	for j, base := range []int{2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37} {
		check.Equal(t, "the first point", points[j], float64(faure(base)[1])/float64(base))
	}
}

func TestFaure(t *testing.T) {
	// As printed in Faure (1992), and by another program from the rule there.
	for base, want := range map[int][]int{
		2:  {0, 1},
		3:  {0, 1, 2},
		5:  {0, 3, 2, 1, 4},
		7:  {0, 2, 5, 3, 1, 4, 6},
		8:  {0, 4, 2, 6, 1, 5, 3, 7},
		37: {0, 21, 8, 29, 16, 4, 25, 12, 33, 2, 23, 10, 31, 19, 6, 27, 14, 35, 18, 1, 22, 9, 30, 17, 5, 26, 13, 34, 3, 24, 11, 32, 20, 7, 28, 15, 36},
	} {
		check.Same(t, fmt.Sprintf("the permutation for base %d", base), faure(base), want)
	}
	check.Equal(t, "7, that is 12 in base 5, mirrored and permuted", radicalInverse(7, faure(5)), 13./25)
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
		check.That(t, box.Contains(p) && box.Contains(shifted[i&^1:i|1+1]), "point %d is outside the box", i/2)
		width := box.Hi[i&1] - box.Lo[i&1]
		turns := (shifted[i]-a[i])/width - shift[i&1]
		check.That(t, math.Abs(turns-math.Round(turns)) <= 1e-9, "point %d is not shifted by %g modulo the box", i/2, shift)
	}
}

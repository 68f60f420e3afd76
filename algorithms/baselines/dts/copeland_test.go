package dts

import (
	"math"
	"testing"

	"popbench/internal/check"
	"popbench/internal/math/linalg"
	"popbench/space"
)

// The scores of known functions, f([x; x']) = g(x') - g(x), where g is to be minimised.
func TestSoftCopelandReferences(t *testing.T) {
	var cases []struct {
		F      [][]float64
		C      []float64
		Argmax int
	}
	check.Read(t, "testdata/soft_copeland.json", &cases)
	forrester := func(x []float64) float64 {
		return (6*x[0] - 2) * (6*x[0] - 2) * math.Sin(12*x[0]-4)
	}
	camel := func(u []float64) float64 {
		x, y := 4*u[0]-2, 2*u[1]-1
		return (4-2.1*x*x+x*x*x*x/3)*x*x + x*y + (4*y*y-4)*y*y
	}
	latents := [][]float64{utilities(forrester, 1, 33), nil, utilities(camel, 2, 20)}
	for _, row := range cases[1].F {
		latents[1] = append(latents[1], row...)
	}
	for i, c := range cases {
		got := make([]float64, len(c.C))
		softCopeland(got, latents[i], logit{})
		near(t, reference{ID: i}, "C", got, c.C, 1e-11)
		if linalg.ArgMax(got) != c.Argmax {
			t.Errorf("case %d: the winner is %d, want %d", i, linalg.ArgMax(got), c.Argmax)
		}
	}
}

// utilities returns g(x') - g(x) for all pairs of a grid.
func utilities(g func([]float64) float64, d, side int) []float64 {
	grid := space.Cube(d, 0, 1).Grid(side)
	var latent []float64
	for i := 0; i < len(grid); i += d {
		for j := 0; j < len(grid); j += d {
			latent = append(latent, g(grid[j:j+d])-g(grid[i:i+d]))
		}
	}
	return latent
}

// The landmarks represent the whole grid: compared with averages over all 33×33 points, the recommendation
// loses a score of at most 0.005.
func TestLandmarksStandForTheBox(t *testing.T) {
	a := learnt(t, Default(), 20)
	scores := make([]float64, len(a.m.choices.candidates)/2)
	a.m.model.ExpectedCopeland(scores, a.m.choices.candidates, a.m.choices.candidates)
	got, best := a.m.model.condorcet(a.m.choices), linalg.ArgMax(scores)
	check.That(t, scores[best]-scores[got] <= 0.005,
		"candidate %d with %.4f is reported, the best is %d with %.4f", got, scores[got], best, scores[best])
}

// Scores do not allocate for each pair of points: with ten times the candidates the model does not allocate
// more often.
func TestScoresDoNotAllocate(t *testing.T) {
	a := learnt(t, Default(), 20)
	m, points, landmarks := a.m.model, a.m.choices.candidates, a.m.choices.landmarks
	scores := make([]float64, 1000)
	allocations := func(f func(dst, points, landmarks []float64), n int) float64 {
		return testing.AllocsPerRun(3, func() { f(scores[:n], points[:2*n], landmarks[:2*20]) })
	}
	for name, f := range map[string]func(dst, points, landmarks []float64){"rough": m.roughCopeland, "exact": m.ExpectedCopeland} {
		few, many := allocations(f, 100), allocations(f, 1000)
		check.That(t, many <= few, "%s: %v allocations with 100 candidates, %v with 1,000", name, few, many)
	}
}

package qeubo

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"popbench/algorithms"
	"popbench/algorithms/algotest"
	"popbench/algorithms/baselines/settings"
	"popbench/algorithms/internal/utility"
	"popbench/internal/check"
	"popbench/internal/math/search"
	"popbench/kernel"
	"popbench/space"
)

// conditioned returns the posterior of n duels of random points, with the given kernel or, if it is nil, a
// fitted one.
func conditioned(t *testing.T, d, n int, c *kernel.Config, r *rand.Rand) *utility.Model {
	t.Helper()
	unit := space.Cube(d, 0, 1)
	m := utility.NewModel(d, settings.DefaultUtility())
	for range n {
		x, y := unit.Sample(make([]float64, d), r), unit.Sample(make([]float64, d), r)
		if algotest.Hill(y)/4+r.NormFloat64() > algotest.Hill(x)/4+r.NormFloat64() {
			x, y = y, x
		}
		m.Add(x, y)
	}
	if c == nil {
		_, _, err := fitKernel(m)
		check.OK(t, err)
		return m
	}
	know(t, m, *c)
	return m
}

// know computes the posterior of a model with a known kernel.
func know(t *testing.T, m *utility.Model, c kernel.Config) {
	t.Helper()
	check.OK(t, m.Know(c, slices.Repeat([]float64{1}, m.Dim)))
	check.OK(t, m.Condition(m.Kernel))
}

// With fitted hyper-parameters every maximum is proved.
func TestProofsOfFits(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 1))
	for d := 1; d <= 2; d++ {
		for _, n := range []int{2, 10, 30, 80} {
			for range check.Few(1, 5) {
				s := utility.NewSearcher(conditioned(t, d, n, nil, r), nil)
				s.Update()
				found := s.MaxEUBO()
				_, _, proof := prove(s, found.X, found.Value, proofPairs)
				check.That(t, proof.Proved, "%d-D, %d duels: %+v", d, n, proof)
			}
		}
	}
}

// No pair of points has a larger EUBO than the proof allows: none of a dense grid, and none of the points of
// the duels. The proof starts from a poor pair, so its bounds have to lead to the maximum; bounds that are too
// small would end it earlier.
func TestProofHolds(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 1))
	for trial := check.Few(3, 0); trial < 24; trial += check.Few(5, 1) {
		d := 1 + trial%2
		c := kernel.Config{Family: []string{"se-half", "matern52", "se-paper", "matern32"}[trial/2%4], Variance: []float64{1, 30}[trial/8%2], Lengthscale: []float64{0.3, 0.5}[:d]}
		m := conditioned(t, d, []int{2, 8, 40}[trial/8], &c, r)
		name := fmt.Sprintf("%d: %s in %d-D, %d duels", trial, c.Family, d, m.Len())
		s := utility.NewSearcher(m, nil)
		from := space.Cube(2*d, 0, 1).Sample(make([]float64, 2*d), r)
		pairs, provable := 5_000_000, true
		if _, m4 := c.Moments(); d == 2 && math.IsInf(m4, 1) {
			pairs, provable = 500_000, false
		}
		z, value, proof := prove(s, from, m.EUBO(from[:d], from[d:], nil, nil), pairs)
		check.Equal(t, name+": EUBO at the pair", value, m.EUBO(z[:d], z[d:], nil, nil))
		check.That(t, proof.Upper-value == proof.Gap, "%s: upper bound less %g is not the gap: %+v", name, value, proof)
		check.That(t, proof.Proved == (proof.Gap <= proof.Aim) && proof.Proved == (proof.Why == ""), "%s: %+v", name, proof)
		check.That(t, proof.Proved == provable, "%s: %+v", name, proof)
		grid := search.Candidates{Dim: d, X: space.Cube(d, 0, 1).Grid([]int{101, 13}[d-1])}
		for i := range m.Len() {
			grid.X = append(append(grid.X, m.Winner(i)...), m.Loser(i)...)
		}
		for i := range grid.Len() {
			for j := range grid.Len() {
				if v := m.EUBO(grid.At(i), grid.At(j), nil, nil); v > proof.Upper {
					t.Fatalf("%s: EUBO is %g at %g and %g, above the bound, %g", name, v, grid.At(i), grid.At(j), proof.Upper)
				}
			}
		}
	}
}

// repeated returns the posterior of two duels in 1-D, each repeated many times.
func repeated(t *testing.T, c kernel.Config, duels ...[2]float64) *utility.Model {
	t.Helper()
	m := utility.NewModel(1, settings.DefaultUtility())
	for range 60 {
		for _, d := range duels {
			m.Add(d[:1], d[1:])
		}
	}
	know(t, m, c)
	return m
}

// The bound of a cell is above EUBO in it, also where the mean bends nearly as much as its norm allows, and
// where the mean is zero and the standard deviation bends.
func TestProofBoundsCells(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 1))
	for trial := range 8 {
		d := 1 + trial%2
		c := kernel.Config{Family: []string{"se-half", "matern52"}[trial/2%2], Variance: 20, Lengthscale: []float64{0.3}}
		m := conditioned(t, d, 12, &c, r)
		switch trial {
		case 4, 6:
			m = repeated(t, c, [2]float64{0.375, 0.275}, [2]float64{0.375, 0.475})
		case 0, 2:
			m = repeated(t, c, [2]float64{0.125, 0.625}, [2]float64{0.625, 0.125})
		}
		from := make([]float64, 2*d)
		p := newProof(utility.NewSearcher(m, nil), from, m.EUBO(from[:d], from[d:], nil, nil))
		sub := search.Subdivision{Scale: slices.Repeat([]float64{1}, 2*d), Goal: func() float64 { return math.Inf(-1) }}
		sub.Spent = func() bool { return sub.Cells > 2000 }
		sub.Bound = func(cell *search.Cell, again bool) float64 {
			bound := p.bound(cell, again)
			part := space.Box{Lo: cell.Lo(), Hi: cell.Hi()}
			if again || math.IsInf(bound, -1) {
				return bound
			}
			z := part.FromUnit(make([]float64, 2*d), slices.Repeat([]float64{0.5}, 2*d))
			for range 6 {
				v := m.EUBO(z[:d], z[d:], nil, nil)
				if v > bound {
					t.Fatalf("%d: %s: EUBO is %g at %g, the bound of the cell %g to %g is %g", trial, c.Family, v, z, part.Lo, part.Hi, bound)
				}
				part.Sample(z, r)
			}
			return bound
		}
		sub.Run(space.Cube(2*d, 0, 1))
	}
}

// What Solve proves, and what it says if there is no proof.
func TestSolveProof(t *testing.T) {
	solve := func(d, pairs int, family string) (Proof, error) {
		box := space.Cube(d, 0, 2)
		x := func(v float64) []float64 { return slices.Repeat([]float64{v}, d) }
		in := algorithms.SolveInput{Box: &box, Points: [][]float64{x(0.2), x(1), x(1.8)}, Comparisons: [][]int{{1, 0}, {1, 2}}, MaxPairs: pairs}
		in.Known = knownKernel(2, 0.8)
		in.Known.Kernel.Family = family
		s, err := Solve(in, Default())
		return s.Maximum.Proof, err
	}
	for d := 1; d <= 3; d++ {
		p, err := solve(d, 0, "se-half")
		check.That(t, err == nil && p.Proved == (d <= 2) && p.Proved == (p.Enclosure != nil), "%d-D: %v, %+v", d, err, p)
	}
	p, err := solve(2, 1000, "matern12")
	check.That(t, errors.Is(err, algorithms.ErrUnproved) && !p.Proved && p.Gap > p.Aim && p.Why != "" && p.Pairs < 2000, "a proof that fails: %v, %+v", err, p)
	p, err = solve(2, -1, "matern12")
	check.That(t, err == nil && !p.Proved && p.Enclosure == nil && p.Why != "", "no proof wanted: %v, %+v", err, p)
}

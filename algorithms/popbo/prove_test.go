package popbo

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"popbench/algorithms"
	"popbench/internal/check"
	"popbench/internal/math/search"
	"popbench/kernel"
	"popbench/space"
)

// duels returns a model of n duels, each between a random point and the one before it.
func duels(t testing.TB, box space.Box, c kernel.Config, epsilon, beta float64, n int, r *rand.Rand) *Model {
	t.Helper()
	m := NewModel(mustKernel(t, c, box.Dim()), epsilon)
	for _, duel := range pilotOf(bump(box), box, n, r) {
		m.learn(duel)
	}
	if s := m.SolveMLE(6); !s.Status.OK() {
		t.Fatal(s)
	}
	m.SetBeta(beta)
	return m
}

// No point of the box has a larger advantage than the proof allows: no point of a dense grid, of
// the model, or next to one of the model. The proof starts at a poor point, so it has to find the
// maximum with its bounds; bounds that are too small would end it earlier.
func TestProofHolds(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 1))
	proved, trials := 0, 0
	for trial := 0; trial < 48; trial += check.Few(5, 1) {
		trials++
		d := 1 + trial%2
		c := kernel.Config{Family: []string{"se-half", "matern52", "se-paper", "matern32"}[trial/2%4], Variance: 2, Lengthscale: []float64{0.15, 0.4}[:d]}
		epsilon := []float64{0, 1e-6, 1e-2}[trial%3]
		beta := []float64{0.3, 3}[trial/8%2]
		n := []int{2, 12, 40}[trial/16]
		box := space.Cube(d, -1, 0)
		name := fmt.Sprintf("%d: %s in %d-D, %d duels, β = %g, ε_K = %g", trial, c.Family, d, n, beta, epsilon)
		m := duels(t, box, c, epsilon, beta, n, r)
		ref := r.IntN(m.Len())
		o := newOptimizer(m, box, 16, nil)
		from := o.certify(sample(box, r), ref, nil)
		if !from.adv.Status.OK() {
			t.Fatalf("%s: %v", name, from.adv.Status)
		}
		found, proof := o.prove(from, ref, 300, c)
		check.Near(t, proof.Gap, proof.Upper-found.adv.Value, 1e-12, "%s: gap", name)
		check.That(t, proof.Proved == (proof.Gap <= proof.Aim) && proof.Proved == (proof.Why == ""), "%s: %+v", name, proof)
		if proof.Proved {
			proved++
		}
		below := func(x []float64) {
			if box.Clip(x, x); m.Advantage(x, ref).Value > proof.Upper+1e-9 {
				t.Fatalf("%s: the advantage is %g at %g, above the bound, %g", name, m.Advantage(x, ref).Value, x, proof.Upper)
			}
		}
		grid := search.Candidates{Dim: d, X: box.Grid([]int{301, 29}[d-1])}
		for i := range grid.Len() {
			below(grid.At(i))
		}
		for i := range m.Len() {
			for _, step := range []float64{0, -1e-8, 1e-8} {
				x := slices.Clone(m.Point(i))
				x[0] += step
				below(x)
			}
		}
	}
	check.That(t, 6*proved >= 5*trials, "%d of %d were proved", proved, trials)
}

// peaked returns a model that knows f well, and in which f bends at 0.375 in every coordinate
// nearly as much as any function of the ball: that point has won against its neighbours.
func peaked(t testing.TB, c kernel.Config, d int) *Model {
	t.Helper()
	m := NewModel(mustKernel(t, c, d), 1e-6)
	x := slices.Repeat([]float64{0.375}, d)
	top := m.AddPoint(x)
	for j := range d {
		for _, step := range []float64{-0.1, 0.1} {
			y := slices.Clone(x)
			y[j] += step
			for i := m.AddPoint(y); len(m.win) < 50*i; {
				m.AddComparison(top, i)
			}
		}
	}
	if s := m.SolveMLE(6); !s.Status.OK() {
		t.Fatal(s)
	}
	m.SetBeta(1e-3)
	return m
}

// The bound of a cell is above the advantage in it, whatever the cuts, and close to it if the cell
// is small.
func TestProofBoundsCells(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 1))
	for trial := 0; trial < 12; trial += check.Few(3, 1) {
		d := 1 + trial%2
		box := space.Cube(d, 0, 1)
		c := kernel.Config{Family: []string{"se-half", "matern52", "matern12"}[trial/4], Variance: 1, Lengthscale: []float64{0.3}}
		m := duels(t, box, c, 1e-6, 1, 10, r)
		if trial/2%2 == 1 {
			m = peaked(t, c, d)
		}
		o := newOptimizer(m, box, 16, nil)
		p := newProof(o, optimum{x: m.Point(1), adv: m.Advantage(m.Point(1), 2)}, 2, c)
		closest := math.Inf(1)
		sub := search.Subdivision{Scale: box.Widths(), Goal: func() float64 { return math.Inf(-1) }}
		sub.Spent = func() bool { return sub.Cells > check.Few(100, 150) }
		sub.Bound = func(cell *search.Cell, again bool) float64 {
			bound := p.bound(cell, again)
			part := space.Box{Lo: cell.Lo(), Hi: cell.Hi()}
			x := part.FromUnit(make([]float64, d), slices.Repeat([]float64{0.5}, d))
			for range 6 {
				v := m.Advantage(x, 2).Value
				closest = min(closest, bound-v)
				if v > bound+1e-9 {
					t.Fatalf("%d: %s: the advantage is %g at %g, the bound of the cell %g to %g is %g", trial, c.Family, v, x, part.Lo, part.Hi, bound)
				}
				part.Sample(x, r)
			}
			return bound
		}
		sub.Run(box)
		check.That(t, c.Family == "matern12" || closest <= 1,
			"%d: %s in %d-D: the bound is nowhere nearer than %g", trial, c.Family, d, closest)
	}
}

// No function of the ball has a larger difference than a proof allows where nothing is known, also where the kernel is
// negative.
func TestProofBoundsTheBall(t *testing.T) {
	box := space.Cube(1, -1, 1)
	for family, k := range map[string]kernel.Config{
		"linear": {Family: "linear", Variance: 2}, "se-half": {Family: "se-half", Variance: 2, Lengthscale: []float64{0.1}},
	} {
		m := NewModel(mustKernel(t, k, 1), 1e-6)
		ref := m.AddPoint([]float64{1})
		m.AddComparison(ref, m.AddPoint([]float64{0.99}))
		check.That(t, m.SolveMLE(6).Status.OK(), "%s: no MLE", family)
		m.SetBeta(100)
		p := newProof(newOptimizer(m, box, 16, nil), optimum{x: []float64{0}, adv: m.Advantage([]float64{0}, ref)}, ref, k)
		least := m.Advantage([]float64{-1}, ref).Value
		check.That(t, p.ballBound >= least-1e-9, "%s: the bound is %g, the advantage of -1 over 1 is %g", family, p.ballBound, least)
	}
}

// Solve proves the maximum in one and two dimensions, and otherwise says why not.
func TestSolveProof(t *testing.T) {
	in := func(d int) algorithms.SolveInput {
		box := space.Cube(d, 0, 1)
		x := func(v float64) []float64 { return slices.Repeat([]float64{v}, d) }
		return algorithms.SolveInput{Box: &box, Points: [][]float64{x(0.1), x(0.5), x(0.9)}, Comparisons: [][]int{{1, 0}, {1, 2}}}
	}
	solve := func(in algorithms.SolveInput, family string) (Proof, error) {
		cfg := Default()
		cfg.Kernel = kernel.Config{Family: family, Variance: 1}
		if family != "linear" {
			cfg.Kernel.Lengthscale = []float64{0.3}
		}
		s, err := Solve(in, cfg)
		return s.Maximum.Proof, err
	}
	for d := 1; d <= 3; d++ {
		for _, family := range []string{"se-half", "matern52", "linear"} {
			p, err := solve(in(d), family)
			check.That(t, err == nil && p.Proved == (d <= 2) && p.Proved == (p.Enclosure != nil), "%s in %d-D: %v, %+v", family, d, err, p)
		}
	}
	few, tiny, beta := in(2), in(1), minProvedBeta/2
	few.MaxSolves, tiny.Beta = 1, &beta
	for family, in := range map[string]algorithms.SolveInput{"matern12": few, "matern52": tiny} {
		p, err := solve(in, family)
		check.That(t, errors.Is(err, algorithms.ErrUnproved) && !p.Proved && p.Gap > p.Aim && p.Why != "", "%s: %v, %+v", family, err, p)
	}
	few.MaxSolves = -1
	p, err := solve(few, "matern12")
	check.That(t, err == nil && !p.Proved && p.Enclosure == nil && p.Why != "", "without a proof: %v, %+v", err, p)
}

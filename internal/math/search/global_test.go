package search

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"popbench/internal/check"
	"popbench/space"
)

// hills has a maximum near each corner of [0,1]^3, of height 1 + its number.
func hills(x, grad []float64) float64 {
	var height, drop float64
	for j, v := range x {
		top := 0.1
		if v > 0.5 {
			top, height = 0.9, height+float64(int(1)<<j)
		}
		drop += (v - top) * (v - top)
		if grad != nil {
			grad[j] = -20 * (v - top)
		}
	}
	return 1 + height - 10*drop
}

func TestGlobalFindsTheGreatestMaximum(t *testing.T) {
	box := space.Cube(3, 0, 1)
	for name, starts := range map[string][][]float64{
		"at the best":  {{0.8, 0.8, 0.8}},
		"at several":   {{0.2, 0.2, 0.2}, {0.8, 0.8, 0.8}, {0.2, 0.8, 0.2}},
		"at the worst": {{0.2, 0.2, 0.2}}, // each move to a bound leads to a higher hill
	} {
		for _, giveUp := range []bool{false, true} {
			evaluations := 0
			g := NewGlobal(box, Settings{Step: 0.1})
			g.GiveUp = giveUp
			r := g.Maximize(func(x, grad []float64) float64 {
				evaluations++
				return hills(x, grad)
			}, starts)
			check.Near(t, r.Value, 8, 1e-9, "%s: value", name)
			check.That(t, maxDifference(r.X, []float64{0.9, 0.9, 0.9}) <= 1e-6 && r.Status == Converged && r.Unfinished == 0 && r.Evaluations == evaluations,
				"%s: %+v after %d evaluations", name, r, evaluations)
		}
	}
}

// With GiveUp a second start on a hill costs a few evaluations.
func TestGlobalClimbsAHillOnce(t *testing.T) {
	g := NewGlobal(space.Cube(3, 0, 1), Settings{Step: 0.1})
	g.GiveUp = true
	one := g.Maximize(hills, [][]float64{{0.8, 0.75, 0.85}})
	two := g.Maximize(hills, [][]float64{{0.8, 0.75, 0.85}, {0.7, 0.8, 0.8}})
	check.That(t, two.Evaluations <= one.Evaluations+3 && two.Value == one.Value,
		"from two starts %g after %d evaluations, from one %g after %d", two.Value, two.Evaluations, one.Value, one.Evaluations)
}

func TestGlobalWithoutValues(t *testing.T) {
	box := space.Cube(2, 0, 1)
	nowhere := func(x, grad []float64) float64 { return math.NaN() }
	r := NewGlobal(box, Settings{}).Maximize(nowhere, [][]float64{{0.5, 0.5}, {0, 1}})
	check.That(t, r.Status == Undefined && r.Unfinished == 0 && r.Evaluations == 2,
		"%v, %d unfinished, %d evaluations; want 2", r.Status, r.Unfinished, r.Evaluations)
	// A start at which the objective is undefined is ignored.
	half := func(x, grad []float64) float64 {
		if x[0] > 0.5 {
			return math.NaN()
		}
		return hills(x, grad)
	}
	r = NewGlobal(space.Cube(3, 0, 1), Settings{Step: 0.1}).Maximize(half, [][]float64{{0.9, 0.5, 0.5}, {0.2, 0.2, 0.2}})
	check.That(t, r.Status == Converged && math.Abs(r.Value-7) <= 1e-9, "%v, %g at %g", r.Status, r.Value, r.X)
}

// Of equal maxima the one of the first start counts.
func TestGlobalTies(t *testing.T) {
	box := space.Cube(1, 0, 1)
	for _, c := range []struct{ tie, want float64 }{{0, 0.75}, {1e-8, 0.25}} {
		r := NewGlobal(box, Settings{Step: 0.05, Tie: c.tie}).Maximize(two(1, 1+1e-9), [][]float64{{0.3}, {0.7}})
		check.Near(t, r.X[0], c.want, 1e-4, "tie %g: the maximum is at", c.tie)
	}
}

// Peaks that are mirror images count as one: a symmetric objective takes fewer precise searches, and finds the same.
func TestGlobalMirror(t *testing.T) {
	symmetric := func(z, grad []float64) float64 { // maxima at (0.2, 0.7) and (0.7, 0.2)
		x, y := z[0], z[1]
		at, other := 0.2, 0.7
		if x > y {
			at, other = other, at
		}
		u, v := x-at, y-other
		if grad != nil {
			grad[0], grad[1] = -2*u-u*u*u, -2*v-v*v*v
		}
		return -u*u - u*u*u*u/4 - v*v - v*v*v*v/4
	}
	starts := [][]float64{{0.4, 0.5}, {1, 0.6}}
	for _, giveUp := range []bool{false, true} {
		g := NewGlobal(space.Cube(2, 0, 1), Settings{Step: 0.1})
		g.GiveUp = giveUp
		plain := g.Maximize(symmetric, starts)
		g.Mirror = func(z []float64) []float64 { return []float64{z[1], z[0]} }
		r := g.Maximize(symmetric, starts)
		check.Near(t, r.Value, 0, 1e-12, "the maximum")
		check.That(t, r.Evaluations < plain.Evaluations, "GiveUp %v: %d evaluations with the symmetry, %d without", giveUp, r.Evaluations, plain.Evaluations)
	}
}

func TestCorners(t *testing.T) {
	box := space.Box{Lo: []float64{0, -1, 2}, Hi: []float64{1, 5, 3}}
	check.Same(t, "the corners", Corners(box, 8), box.Grid(2))
	const d, count = 40, 64
	some := Candidates{Dim: d, X: Corners(space.Cube(d, -3, 7), count)}
	different := map[string]bool{}
	high := make([]int, d)
	for i := range count {
		different[fmt.Sprint(some.At(i))] = true
		for j, v := range some.At(i) {
			check.That(t, v == 7 || v == -3, "coordinate %d of a corner is %g", j, v)
			if v == 7 {
				high[j]++
			}
		}
	}
	check.Equal(t, "different corners", len(different), count)
	check.That(t, slices.Min(high) >= count/4 && slices.Max(high) <= 3*count/4, "coordinates are high in %d of %d corners", high, count)
}

// Every precise search that reaches its limit counts: from both maxima, and from the best points at both bounds.
func TestGlobalCountsUnfinished(t *testing.T) {
	quartic := func(x, grad []float64) float64 { // maxima at 0.25 and 0.75, without curvature
		d := x[0] - 0.25
		if x[0] > 0.5 {
			d = x[0] - 0.75
		}
		if grad != nil {
			grad[0] = -4 * d * d * d
		}
		return -d * d * d * d
	}
	r := NewGlobal(space.Cube(1, 0, 1), Settings{Step: 0.1, MaxIter: 1}).Maximize(quartic, [][]float64{{0.4}, {0.6}})
	check.That(t, r.Status == MaxIterations && r.Unfinished == 4, "%v, %d unfinished, want %v and 4", r.Status, r.Unfinished, MaxIterations)
}

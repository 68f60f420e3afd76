package maxminlcb

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"popbench/algorithms/internal/duelling/duellingtest"
	"popbench/internal/check"
	"popbench/internal/math/arms"
	"popbench/internal/math/arms/armstest"
)

// checkGame plays a game and compares.
func checkGame(t *testing.T, what string, g *armstest.Game, f []float64, s arms.Spread) {
	t.Helper()
	ties := 1e-4
	if g.Preset == "pfts" {
		ties = 1e-9
	}
	rule := &game{beta: g.Beta, variance: g.Width == "variance", prune: g.Candidates == "plausible", distinct: g.Follower == "not the leader", ties: ties}
	m, leaders, value := rule.play(f, s)
	check.Near(t, value, g.Value, 1e-8, "%s: value", what)
	want := g.Among(len(f))
	check.That(t, slices.Equal(m, want) && slices.Equal(leaders, g.Leaders), "%s: candidates %v, leaders %v; want %v, %v", what, m, leaders, want, g.Leaders)
	for i, a := range g.Leaders {
		check.Same(t, fmt.Sprint(what, ": followers of ", a), rule.followersOf(a), g.Followers[i])
	}
}

func TestGameReference(t *testing.T) {
	file, sets := armstest.Selections(t), armstest.References(t)
	for _, state := range file.States {
		s := sets[state.Set]
		d := duellingtest.Duels(t, s.Dataset)
		p := duellingtest.Posterior(d, s.Rho2)
		for _, g := range state.MaxMinLCB {
			checkGame(t, fmt.Sprintf("set %d, %s", s.ID, g.Preset), &g, duellingtest.Estimate(t, g.Estimator, d, s.Lambda).F, p)
		}
	}
	for _, g := range file.HandMade {
		checkGame(t, g.Name, &g, g.F, g.Sigma)
	}
}

// Utilities that differ by rounding decide nothing.
func TestGameAndRounding(t *testing.T) {
	f := []float64{1, math.Nextafter(1, 0), -9}
	s := armstest.Matrix{{1, 1, 0.99995}, {1, 1, 0.99995}, {0.99995, 0.99995, 1}}
	m, _, _ := (&game{beta: 1, prune: true, ties: 1e-4}).play(f, s)
	check.Same(t, "both twins are candidates", m, []int{0, 1})
}

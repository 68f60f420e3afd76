package maxminlcb

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"popbench/algorithms/internal/arms/armstest"
	"popbench/algorithms/internal/duelling"
	"popbench/algorithms/internal/duelling/duellingtest"
	"popbench/internal/check"
)

// state is a state of the game. M is a list of arms, or "all".
type state struct {
	Name, Preset, Estimator, Width, Candidates, Follower string
	Beta, Value                                          float64
	M                                                    any
	Leaders                                              []int
	Followers                                            [][]int
	F                                                    []float64
	Sigma                                                armstest.Matrix
}

// among returns M, of n arms.
func (g state) among(n int) (m []int) {
	if g.M == "all" {
		for a := range n {
			m = append(m, a)
		}
		return m
	}
	for _, a := range g.M.([]any) {
		m = append(m, int(a.(float64)))
	}
	return m
}

// checkGame plays a game and compares.
func checkGame(t *testing.T, what string, g state, f []float64, s duelling.Spread) {
	t.Helper()
	ties := 1e-4
	if g.Preset == "pfts" {
		ties = 1e-9
	}
	rule := &game{f: f, spread: s, beta: g.Beta, variance: g.Width == "variance", prune: g.Candidates == "plausible", distinct: g.Follower == "not the leader", ties: ties}
	leaders, value := rule.play()
	m := rule.candidates
	check.Near(t, value, g.Value, 1e-8, "%s: value", what)
	want := g.among(len(f))
	check.That(t, slices.Equal(m, want) && slices.Equal(leaders, g.Leaders), "%s: candidates %v, leaders %v; want %v, %v", what, m, leaders, want, g.Leaders)
	for i, a := range g.Leaders {
		check.Same(t, fmt.Sprint(what, ": followers of ", a), rule.followersOf(a), g.Followers[i])
	}
}

func TestGameReference(t *testing.T) {
	var file struct {
		States []struct {
			Set       int
			MaxMinLCB []state
		}
		HandMade []state `json:"hand_made"`
	}
	armstest.Read(t, "selection.json", &file)
	check.That(t, len(file.States) == 17 && len(file.HandMade) == 9, "%d states and %d made by hand, want 17 and 9", len(file.States), len(file.HandMade))
	sets := armstest.References(t)
	for _, at := range file.States {
		s := sets[at.Set]
		d := duellingtest.Duels(t, s.Dataset)
		p := duellingtest.Posterior(d, s.Rho2)
		for _, g := range at.MaxMinLCB {
			checkGame(t, fmt.Sprintf("set %d, %s", s.ID, g.Preset), g, duellingtest.Estimate(t, g.Estimator, d, s.Lambda).F, p.Variance)
		}
	}
	for _, g := range file.HandMade {
		checkGame(t, g.Name, g, g.F, g.Sigma.Variance)
	}
}

// Utilities that differ by rounding decide nothing.
func TestGameAndRounding(t *testing.T) {
	f := []float64{1, math.Nextafter(1, 0), -9}
	s := armstest.Matrix{{1, 1, 0.99995}, {1, 1, 0.99995}, {0.99995, 0.99995, 1}}
	g := &game{f: f, spread: s.Variance, beta: 1, prune: true, ties: 1e-4}
	g.play()
	check.Same(t, "both twins are candidates", g.candidates, []int{0, 1})
}

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
	"popbench/internal/math/rng"
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
	if !slices.Equal(m, want) || !slices.Equal(leaders, g.Leaders) {
		t.Errorf("%s: candidates %v, leaders %v; want %v, %v", what, m, leaders, want, g.Leaders)
		return
	}
	for i, a := range leaders {
		if followers := rule.followersOf(a); !slices.Equal(followers, g.Followers[i]) {
			t.Errorf("%s: followers of %d are %v, want %v", what, a, followers, g.Followers[i])
		}
	}
}

func TestGameReference(t *testing.T) {
	file, sets := armstest.Selections(t), armstest.References(t)
	for _, state := range file.States {
		s := sets[state.Set]
		d := duellingtest.Duels(t, s.Dataset)
		p := arms.NewPosterior(d, s.Rho2)
		p.Update()
		for _, g := range state.MaxMinLCB {
			checkGame(t, fmt.Sprintf("set %d, %s", s.ID, g.Preset), &g, duellingtest.Estimate(t, g.Estimator, d, s.Lambda).F, p)
		}
	}
	for _, g := range file.HandMade {
		checkGame(t, g.Name, &g, g.F, g.Sigma)
	}
}

// Renamed arms have the same choices: no tie is decided by an index.
func TestGameOfRenamedArms(t *testing.T) {
	r := rng.Stream(9, "arms", "selection permutation")
	for i := range 200 {
		s := armstest.Random(r, 9, 30)
		order := r.Perm(s.K)
		d, dq := duellingtest.Duels(t, *s), duellingtest.Duels(t, s.Renamed(order))
		p, pq := arms.NewPosterior(d, 0.05), arms.NewPosterior(dq, 0.05)
		p.Update()
		pq.Update()
		f, fq := arms.NewRidge(d, 0.05).Fit().F, arms.NewRidge(dq, 0.05).Fit().F
		for _, rule := range []game{{beta: 1, ties: 1e-4}, {beta: 0.3, ties: 1e-4, prune: true}, {beta: 1, ties: 1e-4, prune: true, distinct: true, variance: true}} {
			other := rule
			m, leaders, _ := rule.play(f, p)
			mq, leadersQ, _ := other.play(fq, pq)
			if !slices.Equal(armstest.Names(order, m), mq) || !slices.Equal(armstest.Names(order, leaders), leadersQ) {
				t.Fatalf("set %d: candidates %v, leaders %v; renamed by %v: %v, %v", i, m, leaders, order, mq, leadersQ)
			}
			for _, a := range leaders {
				if x, y := armstest.Names(order, rule.followersOf(a)), other.followersOf(order[a]); !slices.Equal(x, y) {
					t.Fatalf("set %d: followers %v, renamed %v", i, x, y)
				}
			}
		}
	}
}

// Utilities that differ by rounding decide nothing.
func TestGameAndRounding(t *testing.T) {
	f := []float64{1, math.Nextafter(1, 0), -9}
	s := armstest.Matrix{{1, 1, 0.99995}, {1, 1, 0.99995}, {0.99995, 0.99995, 1}}
	rule := &game{beta: 1, prune: true, ties: 1e-4}
	if m, _, _ := rule.play(f, s); !slices.Equal(m, []int{0, 1}) {
		t.Errorf("candidates %v, want both twins", m)
	}
}

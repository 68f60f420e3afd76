package mrlpf

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"popbench/algorithms"
	"popbench/algorithms/internal/arms"
	"popbench/algorithms/internal/arms/armstest"
	"popbench/algorithms/internal/duelling/duellingtest"
	"popbench/internal/check"
	"popbench/internal/contract"
)

// everyone returns all arms.
func everyone(k int) (m []int) {
	for a := range k {
		m = append(m, a)
	}
	return m
}

func TestRulesReference(t *testing.T) {
	var file struct {
		Schedules []struct {
			T      int
			Rounds []int
		}
		States []struct {
			Set  int
			Keep []struct {
				Estimator string
				Beta      float64
				Keep      []int
			} `json:"mrlpf_keep"`
			Largest struct{ Pairs [][2]int } `json:"largest_spread"`
		}
	}
	armstest.Read(t, "selection.json", &file)
	check.That(t, len(file.Schedules) == 17 && len(file.States) == 17, "%d schedules and %d states, want 17 of each", len(file.Schedules), len(file.States))
	sets := armstest.References(t)
	for _, c := range file.Schedules {
		got, cut := roundsOf(c.T)
		check.That(t, slices.Equal(got, c.Rounds) && cut == (c.T > 2), "T = %d: rounds %v, the last one cut: %t; want %v", c.T, got, cut, c.Rounds)
	}
	for _, state := range file.States {
		s := sets[state.Set]
		d := duellingtest.Duels(t, s.Dataset)
		p, all := duellingtest.Posterior(d, s.Rho2), everyone(s.K)
		for _, c := range state.Keep {
			got := keep(all, duellingtest.Estimate(t, c.Estimator, d, s.Lambda).F, p.Variance, c.Beta)
			check.Same(t, fmt.Sprintf("set %d, %s, β = %g: kept", s.ID, c.Estimator, c.Beta), got, c.Keep)
		}
		want := state.Largest.Pairs
		if s.K == 1 {
			want = [][2]int{{0, 0}} // the reference leaves out that a single arm duels itself
		}
		check.Same(t, fmt.Sprintf("set %d: widest pairs", s.ID), widest(all, p.Variance), want)
	}
}

// The theory's β of a round has κ of the norm bound in the first round, and 6 later.
func TestRoundBeta(t *testing.T) {
	var file struct {
		Beta []struct {
			B, Lambda, Delta float64
			R, Arms          int
			First            float64 `json:"mrlpf_beta_first"`
			Later            float64 `json:"mrlpf_beta_later"`
		} `json:"theory_beta"`
	}
	armstest.Read(t, "selection.json", &file)
	check.Equal(t, "references", len(file.Beta), 6)
	for i, c := range file.Beta {
		check.Near(t, roundBeta(c.B, arms.Kappa(c.B), c.Lambda, c.R, c.Arms, c.Delta), c.First, 1e-10, "%d: first β", i)
		check.Near(t, roundBeta(c.B, 6, c.Lambda, c.R, c.Arms, c.Delta), c.Later, 1e-10, "%d: later β", i)
	}
	cfg := Default()
	cfg.Beta.Schedule, cfg.NormBound = "theory", 2
	setup := contract.Scenarios[4].Setup()
	m := check.Must(begin(setup, algorithms.NewStreams(1), cfg))(t)
	rounds, _ := roundsOf(setup.Steps)
	for round, kappa := range []float64{arms.Kappa(2), laterKappa} {
		m.round = round
		check.Equal(t, "β of the method", m.beta(), roundBeta(2, kappa, cfg.Lambda, len(rounds), 12, delta))
	}
}

// Utilities and variances that differ by rounding decide nothing.
func TestRulesAndRounding(t *testing.T) {
	f := []float64{1, math.Nextafter(1, 0), -9}
	s := armstest.Matrix{{1, 1, 0.99995}, {1, 1, 0.99995}, {0.99995, 0.99995, 1}}
	check.Same(t, "both twins are kept", keep([]int{0, 1, 2}, f, s.Variance, 1), []int{0, 1})
	s = armstest.Matrix{{1, 0, 0}, {0, 1 + 1e-12, 0}, {0, 0, 0.5}}
	check.Same(t, "the widest pair", widest([]int{2, 1, 0}, s.Variance), [][2]int{{1, 0}})
	s[2][2] = 1
	check.Equal(t, "pairs of equal width", len(widest([]int{0, 1, 2}, s.Variance)), 3)
}

package mrlpf

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

// everyone returns all arms.
func everyone(k int) (m []int) {
	for a := range k {
		m = append(m, a)
	}
	return m
}

func TestRulesReference(t *testing.T) {
	file, sets := armstest.Selections(t), armstest.References(t)
	for _, c := range file.Schedules {
		got, cut := roundsOf(c.T)
		check.That(t, slices.Equal(got, c.Rounds), "T = %d: rounds %v, want %v", c.T, got, c.Rounds)
		if whole := c.T <= 2; cut == whole {
			t.Errorf("T = %d: the last round of %v is cut: %t", c.T, got, cut)
		}
	}
	for _, state := range file.States {
		s := sets[state.Set]
		d := duellingtest.Duels(t, s.Dataset)
		p := arms.NewPosterior(d, s.Rho2)
		p.Update()
		all := everyone(s.K)
		for _, c := range state.Keep {
			if got := keep(nil, all, duellingtest.Estimate(t, c.Estimator, d, s.Lambda).F, p, c.Beta); !slices.Equal(got, c.Keep) {
				t.Errorf("set %d, %s, β = %g: keeps %v, want %v", s.ID, c.Estimator, c.Beta, got, c.Keep)
			}
		}
		want := state.Largest.Pairs
		if s.K == 1 {
			want = [][2]int{{0, 0}} // the reference leaves out that a single arm duels itself
		}
		if got := widest(nil, all, p); !slices.Equal(got, want) {
			t.Errorf("set %d: widest pairs %v, want %v", s.ID, got, want)
		}
	}
}

func TestTranscripts(t *testing.T) {
	for i, c := range armstest.Selections(t).Transcripts {
		a := check.Must(arms.New(c.NewKernel(t), c.Features()))(t)
		m := everyone(c.K)
		schedule, cut := roundsOf(c.T)
		var e arms.Estimate // of the last complete round
		for r, round := range c.Rounds {
			what := fmt.Sprintf("transcript %d, round %d", i, r)
			if !slices.Equal(m, round.M) || round.N != schedule[r] {
				t.Fatalf("%s: %d queries of %v, want %d of %v", what, schedule[r], m, round.N, round.M)
			}
			d := arms.NewDuels(a)
			p := arms.NewPosterior(d, c.Rho2)
			for q := range round.N {
				pairs := widest(nil, m, p)
				if c.Mode == "published" && q == 0 {
					pairs = [][2]int{{m[0], m[0]}}
				}
				if len(pairs) != 1 || pairs[0] != [2]int{round.First[q], round.Second[q]} {
					t.Fatalf("%s, query %d: %v, want %d and %d", what, q, pairs, round.First[q], round.Second[q])
				}
				d.Add(round.First[q], round.Second[q], round.FirstWon[q] == 1)
				p.Update()
			}
			if cut && r == len(schedule)-1 {
				break // its answers change neither the candidates nor the recommendation
			}
			e = duellingtest.Estimate(t, c.Estimator, d, c.Lambda)
			for j, v := range e.F {
				check.Near(t, v, round.F[j], 1e-8, "%s: f[%d]", what, j)
			}
			m = keep(nil, m, e.F, p, c.Beta)
		}
		recommended := m[0]
		for _, b := range m {
			if e.F[b] > e.F[recommended] {
				recommended = b
			}
		}
		check.That(t, recommended == c.Recommend, "transcript %d: recommends %d, want %d", i, recommended, c.Recommend)
	}
}

func TestRoundBeta(t *testing.T) {
	for i, c := range armstest.Selections(t).Beta {
		check.Near(t, roundBeta(c.B, arms.Kappa(c.B), c.Lambda, c.R, c.Arms, c.Delta), c.First, 1e-10, "%d: first β", i)
		check.Near(t, roundBeta(c.B, 6, c.Lambda, c.R, c.Arms, c.Delta), c.Later, 1e-10, "%d: later β", i)
	}
}

// Renamed arms have the same choices: no tie is decided by an index.
func TestRulesOfRenamedArms(t *testing.T) {
	r := rng.Stream(9, "arms", "selection permutation")
	for i := range 200 {
		s := armstest.Random(r, 9, 30)
		order := r.Perm(s.K)
		d, dq := duellingtest.Duels(t, *s), duellingtest.Duels(t, s.Renamed(order))
		p, pq := arms.NewPosterior(d, 0.05), arms.NewPosterior(dq, 0.05)
		p.Update()
		pq.Update()
		f, fq := arms.NewRidge(d, 0.05).Fit().F, arms.NewRidge(dq, 0.05).Fit().F
		all := everyone(s.K)
		if x, y := armstest.Names(order, keep(nil, all, f, p, 0.5)), keep(nil, all, fq, pq, 0.5); !slices.Equal(x, y) {
			t.Fatalf("set %d: keeps %v, renamed %v", i, x, y)
		}
		var pairs [][2]int
		for _, x := range widest(nil, all, p) {
			a, b := order[x[0]], order[x[1]]
			pairs = append(pairs, [2]int{min(a, b), max(a, b)})
		}
		slices.SortFunc(pairs, func(x, y [2]int) int { return slices.Compare(x[:], y[:]) })
		if renamed := widest(nil, all, pq); !slices.Equal(pairs, renamed) {
			t.Fatalf("set %d: widest %v, renamed %v", i, pairs, renamed)
		}
	}
}

// Utilities and variances that differ by rounding decide nothing.
func TestRulesAndRounding(t *testing.T) {
	f := []float64{1, math.Nextafter(1, 0), -9}
	s := armstest.Matrix{{1, 1, 0.99995}, {1, 1, 0.99995}, {0.99995, 0.99995, 1}}
	if m := keep(nil, []int{0, 1, 2}, f, s, 1); !slices.Equal(m, []int{0, 1}) {
		t.Errorf("keeps %v, want both twins", m)
	}
	s = armstest.Matrix{{1, 0, 0}, {0, 1 + 1e-12, 0}, {0, 0, 0.5}}
	if pairs := widest(nil, []int{2, 1, 0}, s); !slices.Equal(pairs, [][2]int{{1, 0}}) {
		t.Errorf("widest %v", pairs)
	}
	s[2][2] = 1
	if pairs := widest(nil, []int{0, 1, 2}, s); len(pairs) != 3 {
		t.Errorf("widest %v, want all three pairs", pairs)
	}
}

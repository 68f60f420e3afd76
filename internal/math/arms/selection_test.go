package arms

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"popbench/internal/check"
	"popbench/internal/math/linalg"
	"popbench/internal/math/rng"
)

// game is a state of MaxMinLCB in testdata/selection.json. M is a list of arms, or "all".
type game struct {
	Name, Preset, Estimator, Width, Candidates, Follower string
	Beta, Value                                          float64
	M                                                    any
	Leaders                                              []int
	Followers                                            [][]int
	F                                                    []float64
	Sigma                                                matrix
}

type selection struct {
	States []struct {
		Set       int
		MaxMinLCB []game
		Keep      []struct {
			Estimator string
			Beta      float64
			Keep      []int
		} `json:"mrlpf_keep"`
		Largest struct {
			Sigma2 float64
			Pairs  [][2]int
		} `json:"largest_spread"`
		POPBO [][3]float64 `json:"pfts_popbo"`
	}
	HandMade  []game `json:"hand_made"`
	Schedules []struct {
		T      int
		Rounds []int
	}
	Transcripts []transcript
	PFTS        []struct {
		Set       int
		Estimator string
		Scale     string
		Factor    float64 `json:"covariance_factor"`
		Draws     []struct {
			Z1, Z2 []float64
			Pair   [2]int
			Max    [2]float64
		}
		ArgMax []float64 `json:"p_argmax"`
		Se     []float64
	}
	Beta []struct {
		B, Lambda, Kappa, Gamma, Delta float64
		MaxMin                         float64 `json:"maxminlcb_beta"`
		R, Arms                        int
		First                          float64 `json:"mrlpf_beta_first"`
		Later                          float64 `json:"mrlpf_beta_later"`
	} `json:"theory_beta"`
}

type transcript struct {
	dataset
	Beta, Rho2, Lambda float64
	Estimator, Mode    string
	Rounds             []struct {
		N             int
		M             []int
		First, Second []int
		FirstWon      []int `json:"first_won"`
		F             []float64
	}
	Recommend int
}

func selections(t testing.TB) (s selection) {
	t.Helper()
	check.Read(t, "testdata/selection.json", &s)
	if len(s.States) != 17 || len(s.HandMade) != 9 || len(s.Schedules) != 17 || len(s.Transcripts) != 4 || len(s.PFTS) != 22 || len(s.Beta) != 6 {
		t.Fatal("testdata/selection.json is not complete")
	}
	return s
}

// estimate fits the estimator of a name in testdata.
func estimate(t testing.TB, name string, d *Duels, lambda float64) Estimate {
	t.Helper()
	switch name {
	case "ridge":
		return NewRidge(d, lambda).Fit()
	case "published_mean":
		return NewPublished(d, lambda, Mean).Fit()
	case "published_sum":
		return NewPublished(d, lambda, Sum).Fit()
	}
	t.Fatalf("unknown estimator %q", name)
	return Estimate{}
}

func (m matrix) Variance(i, j int) float64 { return m[i][i] + m[j][j] - 2*m[i][j] }

// check plays a game and compares.
func (g *game) check(t *testing.T, what string, f []float64, s Spread) {
	t.Helper()
	ties := 1e-4
	if g.Preset == "pfts" {
		ties = 1e-9
	}
	rule := &MaxMinLCB{Beta: g.Beta, Variance: g.Width == "variance", Plausible: g.Candidates == "plausible", Distinct: g.Follower == "not the leader", Ties: ties}
	m, leaders, value := rule.Play(f, s)
	check.Near(t, value, g.Value, 1e-8, "%s: value", what)
	want := g.arms(len(f))
	if !slices.Equal(m, want) || !slices.Equal(leaders, g.Leaders) {
		t.Errorf("%s: candidates %v, leaders %v; want %v, %v", what, m, leaders, want, g.Leaders)
		return
	}
	for i, a := range leaders {
		if followers := rule.Followers(a); !slices.Equal(followers, g.Followers[i]) {
			t.Errorf("%s: followers of %d are %v, want %v", what, a, followers, g.Followers[i])
		}
	}
}

// arms returns M.
func (g *game) arms(n int) (m []int) {
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

func TestMaxMinLCBReference(t *testing.T) {
	file, sets := selections(t), references(t)
	for _, state := range file.States {
		s := sets[state.Set]
		d := s.duels(t)
		p := NewPosterior(d, s.Rho2)
		p.Update()
		for _, g := range state.MaxMinLCB {
			g.check(t, fmt.Sprintf("set %d, %s", s.ID, g.Preset), estimate(t, g.Estimator, d, s.Lambda).F, p)
		}
	}
	for _, g := range file.HandMade {
		g.check(t, g.Name, g.F, g.Sigma)
	}
}

func TestMRLPFReference(t *testing.T) {
	file, sets := selections(t), references(t)
	for _, c := range file.Schedules {
		got, cut := Rounds(c.T)
		check.That(t, slices.Equal(got, c.Rounds), "T = %d: rounds %v, want %v", c.T, got, c.Rounds)
		if whole := c.T <= 2; cut == whole {
			t.Errorf("T = %d: the last round of %v is cut: %t", c.T, got, cut)
		}
	}
	for _, state := range file.States {
		s := sets[state.Set]
		d := s.duels(t)
		p := NewPosterior(d, s.Rho2)
		p.Update()
		all := (&game{M: "all"}).arms(s.K)
		for _, c := range state.Keep {
			if got := Keep(nil, all, estimate(t, c.Estimator, d, s.Lambda).F, p, c.Beta); !slices.Equal(got, c.Keep) {
				t.Errorf("set %d, %s, β = %g: keeps %v, want %v", s.ID, c.Estimator, c.Beta, got, c.Keep)
			}
		}
		want := state.Largest.Pairs
		if s.K == 1 {
			want = [][2]int{{0, 0}} // the reference leaves out that a single arm duels itself
		}
		if got := Widest(nil, all, p); !slices.Equal(got, want) {
			t.Errorf("set %d: widest pairs %v, want %v", s.ID, got, want)
		}
		for _, v := range state.POPBO {
			// PF-TS's "POP-BO": the arm with the largest upper bound of its advantage over a fixed one
			f, best, fixed := estimate(t, "published_mean", d, s.Lambda).F, math.Inf(-1), int(v[0])
			at := -1
			for a := range f {
				if u := f[a] - f[fixed] + math.Sqrt(p.Variance(a, fixed)); u > best {
					at, best = a, u
				}
			}
			if at != int(v[1]) || math.Abs(best-v[2]) > 1e-8 {
				t.Errorf("set %d: advantage over %d is largest for %d, %g; want %g, %g", s.ID, fixed, at, best, v[1], v[2])
			}
		}
	}
}

func TestTranscripts(t *testing.T) {
	for i, c := range selections(t).Transcripts {
		a := c.arms(t)
		m := (&game{M: "all"}).arms(c.K)
		schedule, cut := Rounds(c.T)
		var e Estimate // of the last complete round
		for r, round := range c.Rounds {
			what := fmt.Sprintf("transcript %d, round %d", i, r)
			if !slices.Equal(m, round.M) || round.N != schedule[r] {
				t.Fatalf("%s: %d queries of %v, want %d of %v", what, schedule[r], m, round.N, round.M)
			}
			d := NewDuels(a)
			p := NewPosterior(d, c.Rho2)
			for q := range round.N {
				pairs := Widest(nil, m, p)
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
			e = estimate(t, c.Estimator, d, c.Lambda)
			for j, v := range e.F {
				check.Near(t, v, round.F[j], 1e-8, "%s: f[%d]", what, j)
			}
			m = Keep(nil, m, e.F, p, c.Beta)
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

func TestPFTSReference(t *testing.T) {
	const draws = 20000
	sets := references(t)
	r := rng.Stream(8, "arms", "PF-TS")
	var errors float64
	for _, c := range selections(t).PFTS {
		s := sets[c.Set]
		d := s.duels(t)
		p := NewPosterior(d, s.Rho2)
		p.Update()
		p.Factor()
		f := estimate(t, c.Estimator, d, s.Lambda).F
		what := fmt.Sprintf("set %d, %s", s.ID, c.Estimator)
		scale := 1.0
		if c.Scale == "program" {
			scale = SampleScale(d.Len(), 0.05)
		}
		check.Near(t, scale, c.Factor, 1e-12, "%s: scale", what)
		sample := make([]float64, s.K)
		for _, x := range c.Draws {
			for i, z := range [][]float64{x.Z1, x.Z2} {
				p.Draw(sample, f, scale, z)
				at := linalg.ArgMax(sample)
				check.Near(t, sample[at], x.Max[i], 1e-7, "%s: largest of a draw", what)
				check.That(t, at == x.Pair[i], "%s: arm %d is the largest of a draw, want %d", what, at, x.Pair[i])
			}
		}
		count, z := make([]float64, s.K), make([]float64, s.K)
		for range draws {
			for i := range z {
				z[i] = rng.Normal(r)
			}
			p.Draw(sample, f, scale, z)
			count[linalg.ArgMax(sample)]++
		}
		for i, n := range count {
			q := c.ArgMax[i]
			se := math.Sqrt(c.Se[i]*c.Se[i] + max(q*(1-q), 1/draws)/draws)
			errors = max(errors, math.Abs(n/draws-q)/se)
		}
	}
	// The largest of about 200 standard normal numbers is above 4.5 once in 700 times.
	check.That(t, errors <= 4.5, "a share of draws is %.2g standard errors from its probability", errors)
}

func TestTheoryBeta(t *testing.T) {
	for i, c := range selections(t).Beta {
		check.Near(t, Kappa(c.B), c.Kappa, 1e-10, "%d: κ", i)
		check.Near(t, MaxMinBeta(c.B, c.Lambda, c.Gamma, c.Delta), c.MaxMin, 1e-10, "%d: β of MaxMinLCB", i)
		check.Near(t, RoundBeta(c.B, Kappa(c.B), c.Lambda, c.R, c.Arms, c.Delta), c.First, 1e-10, "%d: first β of MR-LPF", i)
		check.Near(t, RoundBeta(c.B, 6, c.Lambda, c.R, c.Arms, c.Delta), c.Later, 1e-10, "%d: later β of MR-LPF", i)
	}
}

// TestSelectionPermutation renames the arms: the sets of choices follow, so that no tie is decided by an index.
func TestSelectionPermutation(t *testing.T) {
	r := rng.Stream(9, "arms", "selection permutation")
	for i := range 200 {
		s := randomSet(r, 9, 30)
		order := r.Perm(s.K)
		moved := func(arms []int) []int {
			var m []int
			for _, a := range arms {
				m = append(m, order[a])
			}
			slices.Sort(m)
			return m
		}
		q := *s
		q.Arms, q.A, q.B = make([][]float64, s.K), make([]int, s.T), make([]int, s.T)
		for a, x := range s.Arms {
			q.Arms[order[a]] = x
		}
		for j := range s.A {
			q.A[j], q.B[j] = order[s.A[j]], order[s.B[j]]
		}
		d, dq := s.duels(t), q.duels(t)
		p, pq := NewPosterior(d, 0.05), NewPosterior(dq, 0.05)
		p.Update()
		pq.Update()
		f, fq := NewRidge(d, 0.05).Fit().F, NewRidge(dq, 0.05).Fit().F
		what := fmt.Sprintf("set %d", i)
		for _, rule := range []MaxMinLCB{{Beta: 1, Ties: 1e-4}, {Beta: 0.3, Ties: 1e-4, Plausible: true}, {Beta: 1, Ties: 1e-4, Plausible: true, Distinct: true, Variance: true}} {
			other := rule
			m, leaders, _ := rule.Play(f, p)
			mq, leadersQ, _ := other.Play(fq, pq)
			if !slices.Equal(moved(m), mq) || !slices.Equal(moved(leaders), leadersQ) {
				t.Fatalf("%s: candidates %v, leaders %v; renamed %v, %v", what, moved(m), moved(leaders), mq, leadersQ)
			}
			for _, a := range leaders {
				if x, y := moved(rule.Followers(a)), other.Followers(order[a]); !slices.Equal(x, y) {
					t.Fatalf("%s: followers %v, renamed %v", what, x, y)
				}
			}
		}
		all := (&game{M: "all"}).arms(s.K)
		if x, y := moved(Keep(nil, all, f, p, 0.5)), Keep(nil, all, fq, pq, 0.5); !slices.Equal(x, y) {
			t.Fatalf("%s: keeps %v, renamed %v", what, x, y)
		}
		var pairs [][2]int
		for _, x := range Widest(nil, all, p) {
			a, b := order[x[0]], order[x[1]]
			pairs = append(pairs, [2]int{min(a, b), max(a, b)})
		}
		slices.SortFunc(pairs, func(x, y [2]int) int { return slices.Compare(x[:], y[:]) })
		if renamed := Widest(nil, all, pq); !slices.Equal(pairs, renamed) {
			t.Fatalf("%s: widest %v, renamed %v", what, pairs, renamed)
		}
	}
}

// TestSelectionRounding: utilities and variances that differ by rounding decide nothing.
func TestSelectionRounding(t *testing.T) {
	f := []float64{1, math.Nextafter(1, 0), -9}
	s := matrix{{1, 1, 0.99995}, {1, 1, 0.99995}, {0.99995, 0.99995, 1}}
	rule := &MaxMinLCB{Beta: 1, Plausible: true, Ties: 1e-4}
	if m, _, _ := rule.Play(f, s); !slices.Equal(m, []int{0, 1}) {
		t.Errorf("candidates %v, want both twins", m)
	}
	if m := Keep(nil, []int{0, 1, 2}, f, s, 1); !slices.Equal(m, []int{0, 1}) {
		t.Errorf("keeps %v, want both twins", m)
	}
	s = matrix{{1, 0, 0}, {0, 1 + 1e-12, 0}, {0, 0, 0.5}}
	if pairs := Widest(nil, []int{2, 1, 0}, s); !slices.Equal(pairs, [][2]int{{1, 0}}) {
		t.Errorf("widest %v", pairs)
	}
	s[2][2] = 1
	if pairs := Widest(nil, []int{0, 1, 2}, s); len(pairs) != 3 {
		t.Errorf("widest %v, want all three pairs", pairs)
	}
}

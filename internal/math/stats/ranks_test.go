package stats

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"testing"

	"popbench/internal/check"
)

// number is a float64 that may be infinite, which JSON has no numeral for.
type number float64

func (n *number) UnmarshalJSON(data []byte) error {
	if string(data) == `"inf"` {
		*n = number(math.Inf(1))
		return nil
	}
	return json.Unmarshal(data, (*float64)(n))
}

// ranks is testdata/ranks.json, made by scripts/reference/ranks.py.
type ranks struct {
	SignedRank []struct {
		D                      []float64
		P, Plus, Minus, Effect float64
		Exact                  bool
	} `json:"signed_rank"`
	RankSum []struct {
		A, B         []float64
		P, U, Effect float64
		Exact        bool
	} `json:"rank_sum"`
	Holm     []struct{ P, Adjusted []float64 }
	Friedman []struct {
		Scores    [][]float64
		Ranks     []float64
		ChiSquare float64 `json:"chi_square"`
		P, F, FP  float64
	}
	StudentizedRange struct {
		CDF, Quantile []struct {
			Q, P float64
			K    int
		}
		CriticalDifference []struct {
			K, N int
			CD   float64
		} `json:"critical_difference"`
	} `json:"studentized_range"`
	Difference []struct{ A, B []float64 }
	Targets    []targetCase
	Profiles   struct {
		Cost [][]number
		Tau  []float64
		Rho  [][]float64
	}
}

func loadRanks(t *testing.T) (r ranks) {
	t.Helper()
	check.Read(t, "testdata/ranks.json", &r)
	return r
}

func TestSignedRank(t *testing.T) {
	for i, c := range loadRanks(t).SignedRank {
		before := slices.Clone(c.D)
		got := SignedRank(c.D)
		what := fmt.Sprintf("case %d, n = %d: ", i, len(c.D))
		near(t, what+"P", got.P, c.P, 1e-10)
		near(t, what+"effect", got.Effect, c.Effect, 1e-14)
		check.That(t, got.Plus == c.Plus && got.Minus == c.Minus && got.Exact == c.Exact && got.N == len(c.D), "%s%+v, want %+v", what, got, c)
		check.That(t, slices.Equal(before, c.D), "%sthe differences were changed", what)
		for k := range before {
			before[k] = -before[k]
		}
		back := SignedRank(before)
		check.That(t, math.Abs(back.P-got.P) <= 1e-12 && back.Effect == -got.Effect && back.Zeros == got.Zeros,
			"%sthe differences the other way round: %+v, not %+v", what, back, got)
	}
}

func TestSignedRankOfLittle(t *testing.T) {
	got := SignedRank(nil)
	check.That(t, math.IsNaN(got.P) && math.IsNaN(got.Effect), "no differences: %+v", got)
	got = SignedRank([]float64{0, 0, 0})
	check.That(t, got.P == 1 && got.Effect == 0 && got.Zeros == 3, "no difference: %+v", got)
	got = SignedRank([]float64{0, 2, 0, 3}) // two heads of two coins, or two tails
	check.That(t, got.P == 0.5 && got.Effect == 1, "two differences of four: %+v", got)
}

func TestRankSum(t *testing.T) {
	for i, c := range loadRanks(t).RankSum {
		got := RankSum(c.A, c.B)
		what := fmt.Sprintf("case %d, %d and %d: ", i, len(c.A), len(c.B))
		near(t, what+"P", got.P, c.P, 1e-10)
		near(t, what+"U", got.U, c.U, 1e-14)
		check.That(t, math.Abs(got.Effect-c.Effect) <= 1e-14 && got.Exact == c.Exact, "%s%+v, want %+v", what, got, c)
		back := RankSum(c.B, c.A)
		check.That(t, math.Abs(back.P-got.P) <= 1e-12 && math.Abs(back.Effect+got.Effect) <= 1e-14,
			"%sthe samples the other way round: %+v, not %+v", what, back, got)
	}
	check.That(t, math.IsNaN(RankSum(nil, []float64{1}).P), "an empty sample has a P")
	got := RankSum([]float64{3, 3}, []float64{3, 3, 3})
	check.That(t, got.P == 1 && got.Effect == 0, "equal values: %+v", got)
	same := slices.Repeat([]float64{3}, 30)
	got = RankSum(same, same)
	check.That(t, got.P == 1 && !got.Exact, "many equal values: %+v", got)
}

func TestHolm(t *testing.T) {
	for _, c := range loadRanks(t).Holm {
		got := Holm(c.P)
		for i := range got {
			near(t, fmt.Sprintf("Holm of %v: the one of %g", c.P, c.P[i]), got[i], c.Adjusted[i], 1e-9)
		}
		// A NaN is not a hypothesis.
		with := Holm(append([]float64{math.NaN()}, c.P...))
		check.That(t, math.IsNaN(with[0]) && slices.Equal(with[1:], got), "Holm with NaN: %v, not NaN and %v", with, got)
	}
}

func TestFriedman(t *testing.T) {
	for i, c := range loadRanks(t).Friedman {
		got := Friedman(c.Scores)
		what := fmt.Sprintf("case %d: ", i)
		near(t, what+"chi-square", got.ChiSquare, c.ChiSquare, 1e-11)
		near(t, what+"P", got.P, c.P, 1e-9)
		near(t, what+"F", got.Statistic, c.F, 1e-10)
		near(t, what+"P of F", got.StatisticP, c.FP, 1e-9)
		for j := range c.Ranks {
			near(t, what+"rank", got.Ranks[j], c.Ranks[j], 1e-13)
		}
	}
	alike := Friedman([][]float64{{1, 2, 3}, {2, 3, 4}, {0, 1, 5}})
	check.That(t, math.IsInf(alike.Statistic, 1) && alike.StatisticP == 0 && math.Abs(alike.ChiSquare-6) <= 1e-12, "blocks that rank alike: %+v", alike)
	var turns [][]float64
	for range 3 {
		turns = append(turns, []float64{1, 2, 3}, []float64{2, 3, 1}, []float64{3, 1, 2})
	}
	check.Same(t, "averages of the same ranks in another order", Friedman(turns).Ranks, []float64{2, 2, 2})
	for _, scores := range [][][]float64{nil, {{1, 2}}, {{1}, {2}}, {{1, 1}, {2, 2}}} {
		got := Friedman(scores)
		check.That(t, math.IsNaN(got.P) && got.Blocks == len(scores), "Friedman(%v) = %+v, want NaN", scores, got)
	}
}

// SciPy's quadrature is good to about 1e-10.
func TestStudentizedRange(t *testing.T) {
	ref := loadRanks(t).StudentizedRange
	for _, c := range ref.CDF {
		near(t, fmt.Sprintf("CDF(%g, %d)", c.Q, c.K), studentizedRangeCDF(c.Q, c.K), c.P, 1e-9)
	}
	for _, c := range ref.Quantile {
		near(t, fmt.Sprintf("quantile(%g, %d)", c.P, c.K), studentizedRangeQuantile(c.P, c.K), c.Q, 1e-7)
	}
	for _, c := range ref.CriticalDifference {
		near(t, fmt.Sprintf("critical difference of %d over %d", c.K, c.N), CriticalDifference(c.K, c.N, 0.05), c.CD, 1e-7)
	}
	// The range of two is the size of a normal value with variance 2.
	for _, q := range []float64{0.01, 0.7, 3, 5} {
		near(t, fmt.Sprintf("range of two, %g", q), studentizedRangeCDF(q, 2), math.Erf(q/2), 1e-12)
	}
	check.That(t, math.IsNaN(CriticalDifference(1, 5, 0.05)) && studentizedRangeCDF(-1, 3) == 0 && studentizedRangeCDF(40, 3) == 1, "the ends of the range")
}

type targetCase struct {
	Steps   []int
	Reached []bool
	Budget  int
	ERT     number
	ECDF    []float64
}

func (c *targetCase) attempts() []Attempt {
	attempts := make([]Attempt, len(c.Steps))
	for k := range attempts {
		attempts[k] = Attempt{c.Steps[k], c.Reached[k]}
	}
	return attempts
}

// A run has reached a level when it stays there.
func TestReach(t *testing.T) {
	for level, want := range map[float64]Attempt{0: {4, false}, 1: {4, true}, 2: {3, true}, 5: {1, true}} {
		check.Equal(t, "attempt", Reach([]float64{1, 3, 2, 1}, level), want)
	}
}

func TestERT(t *testing.T) {
	for i, c := range loadRanks(t).Targets {
		attempts := c.attempts()
		near(t, fmt.Sprintf("case %d: ERT", i), ERT(attempts), float64(c.ERT), 1e-12)
		for k, got := range ReachedBy(attempts, c.Budget) {
			check.Near(t, got, c.ECDF[k], 1e-14, "case %d: have reached the target after step %d", i, k+1)
		}
	}
	check.That(t, math.IsNaN(ERT(nil)), "no attempts")
}

func TestPerformanceProfile(t *testing.T) {
	ref := loadRanks(t).Profiles
	cost := make([][]float64, len(ref.Cost))
	for i, row := range ref.Cost {
		for _, c := range row {
			cost[i] = append(cost[i], float64(c))
		}
	}
	ratios := PerformanceRatios(cost)
	for s, rho := range ref.Rho {
		for k, tau := range ref.Tau {
			near(t, fmt.Sprintf("rho_%d(%g)", s, tau), PerformanceProfile(ratios, s, tau), rho[k], 1e-14)
		}
	}
}

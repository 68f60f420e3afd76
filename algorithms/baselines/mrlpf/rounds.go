package mrlpf

import (
	"math"
	"slices"

	"popbench/algorithms/internal/arms"
	"popbench/algorithms/internal/duelling"
	"popbench/internal/math/fmath"
)

// roundsOf returns the number of queries in each round of MR-LPF (Kayal et al. 2025) for a horizon of T >= 1 queries:
// N_1 = ⌈√T⌉ and N_r = ⌈√(T N_{r-1})⌉. The last round ends at T; cut reports whether that makes it shorter.
func roundsOf(horizon int) (rounds []int, cut bool) {
	n := 1
	for left := horizon; left > 0; left -= n {
		full := int(math.Ceil(math.Sqrt(float64(horizon) * float64(n))))
		n = min(full, left)
		cut = n < full
		rounds = append(rounds, n)
	}
	return rounds, cut
}

// spreadTies is the relative difference of two variances that counts as none.
const spreadTies = 1e-9

// widest returns the pairs of different arms of m with the largest variance, ties included, in the order of m: the next
// query of a round. A single arm is paired with itself.
func widest(m []int, s duelling.Spread) (pairs [][2]int) {
	if len(m) == 1 {
		return [][2]int{{m[0], m[0]}}
	}
	top := 0.0
	for i, a := range m {
		for _, b := range m[i+1:] {
			top = max(top, s(a, b))
		}
	}
	for i, a := range m {
		for _, b := range m[i+1:] {
			if s(a, b) >= (1-spreadTies)*top {
				pairs = append(pairs, [2]int{a, b})
			}
		}
	}
	return pairs
}

// keep returns the arms of m that no other arm of m beats for certain: σ(f_a - f_b) + beta √s(a, b) >= ½.
func keep(m []int, f []float64, s duelling.Spread, beta float64) []int {
	return slices.DeleteFunc(slices.Clone(m), func(a int) bool {
		return slices.ContainsFunc(m, func(b int) bool { return arms.Beaten(f[a]-f[b], float64(beta*math.Sqrt(s(a, b)))) })
	})
}

// roundBeta returns β_r = L(B + √((κ/λ) log(2R|X|/δ))) of MR-LPF with L = ¼, for R rounds and |X| arms. κ is arms.Kappa in
// the first round and 6 later.
func roundBeta(norm, kappa, lambda float64, rounds, count int, delta float64) float64 {
	return arms.Lipschitz * (norm + math.Sqrt(kappa/lambda*fmath.Log(2*float64(rounds)*float64(count)/delta)))
}

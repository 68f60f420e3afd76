package verify

import (
	"math"
	"slices"
	"testing"

	"popbench/internal/check"
	"popbench/internal/claims/claimstest"
	"popbench/internal/paper"
)

// The paper's column is the same statistic of the paper's numbers. It agrees with hand
// calculations from the table and the curve, where a random point's suboptimality is 1.
func TestPapersNumbers(t *testing.T) {
	check.Sequential(t)
	got := verdicts(evidence(claimstest.AsClaimed))
	curve := paper.LookupGrowth("gp-1d").Regret
	for _, c := range []struct {
		id   string
		part int // also of those beside the claim
		want float64
	}{
		{"gp1d-2", 0, 0.6559658896440037},
		{"reg-2", 0, 0.6559658896440037},
		{"reg-1", 0, least(curve, 0.5)},
		{"reg-1", 1, curve[1] / 2},
		{"reg-2", 1, 0.526903073483516}, // from step 10 on
		{"gp1d-3", 0, 2.5},
		{"gp1d-3", 1, 2.5},
		{"time-1", 0, 0.09},
		{"tf-1", 0, 0.008 - 0.84}, // Beale, DTS
		{"tf-2", 0, 0.92 - 0.59},
		{"tf-2", 2 + 2, 0.92 - 1.27}, // Bukin; the second lowest of the others is SGP's
		{"tf-3", 3, (0.008 + 0.31 + 0.92 + 1.38 + 1.83 + 1.22 + 0.35) / 7},
		{"gp12-3", 0, 18},
		{"gp7-3", 0, 11},
		{"th2-1", 0, 2},
	} {
		o := got[c.id]
		v := slices.Concat(o.Parts, o.Beside)[c.part].Printed
		check.That(t, math.Abs(v-c.want) <= 1e-9, "%s, part %d: the paper's number is %v, not %v", c.id, c.part, v, c.want)
	}
}

// least R_t / (R_1 t^p) of a curve from step 2 on.
func least(curve []float64, p float64) float64 {
	v := math.Inf(1)
	for i := 1; i < len(curve); i++ {
		v = min(v, curve[i]/math.Pow(float64(i+1), p))
	}
	return v
}

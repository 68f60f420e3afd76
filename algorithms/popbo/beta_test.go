package popbo

import (
	"fmt"
	"math"
	"testing"

	"popbench/internal/check"
)

// Values in 50 digits, from the formulas of App. "Properties of σ", Thm.
// conf_set_f and the proof of Lemma obj_ell_po.
func TestTheoryConstants(t *testing.T) {
	for _, c := range []struct {
		theory Theory
		t      int
		want   []float64 // σ̲, σ̄, σ̲′, B_p, H_σ, C_L, β_1, β_2, β
	}{
		{Theory{0.5, 3, 0.01, 0.1}, 1, []float64{0.26894142136999512, 0.73105857863000488, 0.19661193324148185, 2.3504023872876029, 0.93554708278974867, 2.4621171572600098, 6.8365433058690813, 16.060047166967052, 869.73868391729038}},
		{Theory{1, 10, 0.02, 0.05}, 7, []float64{0.11920292202211756, 0.88079707797788244, 0.10499358540350652, 7.2537208156940375, 0.64449310268097978, 2.7615941559557649, 62.790923064184232, 227.1058331767205, 50617.312709181358}},
		{Theory{6, 42.5, 0.01, 0.1}, 100, []float64{6.1441746022147178e-6, 0.99999385582539779, 6.1441368513331753e-6, 162754.79141285971, 0.500006144231229, 2.9999877116507956, 2508.9178012899813, 33987516.923034674, 1.8123006412628358e+18}},
		{Theory{3, 0, 0.5, 0.9}, 1, []float64{0.0024726231566347743, 0.99752737684336523, 0.0024665092913600478, 403.42631474055846, 0.50248182428284302, 2.9950547536867305, 14.676355686713277, 889.1722212566156, 439593326.56012208}},
	} {
		t.Run(fmt.Sprintf("%+v, t=%d", c.theory, c.t), func(t *testing.T) {
			lo, hi := c.theory.Sigma()
			slope, top := c.theory.SigmaPrime()
			got := []float64{lo, hi, slope, c.theory.Bp(), c.theory.H(), c.theory.CL(), c.theory.Beta1(c.t), c.theory.Beta2(c.t), c.theory.Beta(c.t)}
			for i, name := range []string{"σ̲", "σ̄", "σ̲′", "B_p", "H_σ", "C_L", "β_1", "β_2", "β"} {
				check.Near(t, got[i], c.want[i], 1e-13*c.want[i], "%s", name)
			}
			check.Equal(t, "σ̄′", top, 0.25)
		})
	}
}

func TestBetaOverflowsFromB118(t *testing.T) {
	for b, infinite := range map[float64]bool{117: false, 118: true, 1000: true} {
		v := Theory{B: b, Epsilon: 0.01, Delta: 0.1}.Beta(1)
		check.That(t, !math.IsNaN(v) && math.IsInf(v, 1) == infinite, "B = %g: β = %g", b, v)
	}
}

func TestSchedules(t *testing.T) {
	theory := BetaConfig{Schedule: "theory", Delta: 0.05, Covering: 10}
	size := Theory{B: 1, LogCovering: 10, Epsilon: coverRadius, Delta: 0.05}
	for _, c := range []struct {
		beta           BetaConfig
		t              int
		at, elliptical float64
	}{
		{BetaConfig{Schedule: "sqrt(t)", Beta0: 2}, 0, 0, 0},
		{BetaConfig{Schedule: "sqrt(t)", Beta0: 2}, 9, 6, 6},
		{BetaConfig{Schedule: "sqrt(t+1)", Beta0: 2}, 0, 2, 2},
		{BetaConfig{Schedule: "sqrt(t+1)", Beta0: 2}, 8, 6, 6},
		{BetaConfig{Schedule: "constant", Beta0: 0.7}, 0, 0.7, 0.7},
		{BetaConfig{Schedule: "constant", Beta0: 0.7}, 50, 0.7, 0.7},
		{theory, 7, size.Beta1(7), size.Beta(7)},
	} {
		name := fmt.Sprintf("β of %s, t = %d", c.beta.Schedule, c.t)
		check.Near(t, c.beta.at(c.t, 1), c.at, 1e-12, "%s", name)
		check.Near(t, c.beta.elliptical(c.t, 1), c.elliptical, 1e-12, "%s, of the recommendation", name)
	}
	check.Equal(t, "the theory's β before the first comparison", theory.at(0, 1), theory.at(1, 1))
}

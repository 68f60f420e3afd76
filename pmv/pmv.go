// Package pmv implements Fanger's model of thermal comfort. It predicts the mean vote (PMV) of a
// large group of people on a scale from -3 (cold) through 0 (neutral) to +3 (hot), and the
// percentage of them who are dissatisfied (PPD).
//
// The formulas and constants are those of ISO 7730:2005, Eqs. 1 to 5 and Annex D, after Fanger
// (1970), Thermal Comfort, Danish Technical Press.
//
// There is one departure. The temperature of the clothing is the root of a heat balance. The
// program of Annex D stops when two iterates are within 0.015 K, so its PMV jumps by up to 0.005.
// This package finds the root to rounding error, so PMV is continuous in all conditions of the
// room.
//
// [Compute] enforces the limits of the standard. [Evaluate] accepts conditions beyond them and
// reports so in its result. Both refuse unphysical input.
package pmv

import (
	"fmt"
	"math"

	"popbench/internal/math/fmath"
)

// Result is the thermal comfort of an Input.
type Result struct {
	PMV        float64 // predicted mean vote
	PPDPercent float64 // predicted percentage dissatisfied, 5 to 100 %

	ClothingTempC    float64 // temperature of the clothing's surface, °C
	ResidualK        float64 // residual of its heat balance, K; bounds the error of ClothingTempC
	ConvectionWpm2K  float64 // heat transfer coefficient of convection, W/(m²K)
	VapourPressurePa float64 // Pa

	Beyond Limits // the limits of ISO 7730 that are exceeded; 0 if none
}

const wattsPerMet = 58.15 // W/m²

// Compute returns PMV and PPD within the limits of ISO 7730. It returns an error if
// [Input.Validate] does, or if PMV is beyond -2 to 2.
func Compute(in Input) (Result, error) {
	if err := in.Validate(); err != nil {
		return Result{}, err
	}
	r, err := Evaluate(in)
	if err == nil && r.Beyond != 0 {
		err = fmt.Errorf("pmv: PMV = %.3g; ISO 7730 limits it to %g to %g; Evaluate accepts it", r.PMV, vote.standard.lo, vote.standard.hi)
	}
	if err != nil {
		return Result{}, err
	}
	return r, nil
}

// Evaluate returns PMV and PPD also beyond the limits of ISO 7730; Result.Beyond lists the limits
// exceeded. It returns an error if the input is unphysical.
func Evaluate(in Input) (Result, error) {
	if err := in.checkPhysical(); err != nil {
		return Result{}, err
	}
	pa := in.vapourPressure()
	m := float64(wattsPerMet * in.MetabolicRateMet)
	heat := m - float64(wattsPerMet*in.ExternalWorkMet) // internal heat production, W/m²
	c := newClothing(in, heat)
	tcl := c.temperature()
	dry, _, hc := c.dryLoss(tcl)

	// Heat loss, ISO 7730 Eq. 1, W/m²: by diffusion through the skin, sweating, breathing (latent,
	// then sensible), and radiation and convection.
	loss := float64(3.05e-3*(5733-float64(6.99*heat)-pa)) + float64(0.42*max(heat-wattsPerMet, 0)) +
		float64(1.7e-5*m*(5867-pa)) + float64(0.0014*m*(34-in.AirTempC)) +
		dry
	pmv := float64((float64(0.303*fmath.Exp(-0.036*m)) + 0.028) * (heat - loss))
	beyond := in.beyond(pa)
	if !vote.standard.has(pmv) {
		beyond |= vote.limit
	}
	return Result{
		PMV:              pmv,
		PPDPercent:       PPDPercent(pmv),
		ClothingTempC:    tcl,
		ResidualK:        math.Abs(tcl - c.skin + float64(c.insulation*dry)),
		ConvectionWpm2K:  hc,
		VapourPressurePa: pa,
		Beyond:           beyond,
	}, nil
}

// PPDPercent returns the predicted percentage dissatisfied at a predicted mean vote, ISO 7730 Eq.
// 5. It is 5 % at a vote of 0 and rises on both sides.
func PPDPercent(pmv float64) float64 {
	v := pmv * pmv
	return 5 - float64(95*fmath.Expm1(-(float64(0.03353*v)+0.2179)*v)) // 100 - 95 exp(...) without cancellation
}

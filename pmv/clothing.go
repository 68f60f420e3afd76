package pmv

import "math"

// clothing is the heat balance of the clothing's surface, ISO 7730 Eq. 2. The heat that reaches it
// from the skin leaves by radiation and convection:
//
//	skin - t = insulation · dryLoss(t).
type clothing struct {
	skin             float64 // °C
	insulation       float64 // m²K/W
	area             float64 // of the clothed body, as a multiple of the nude body's
	air, radiant     float64 // °C
	forcedConvection float64 // W/(m²K)
}

func newClothing(in Input, heat float64) clothing {
	insulation := insulationPerClo * in.ClothingClo
	area := 1.05 + float64(0.645*insulation)
	if insulation <= 0.078 {
		area = 1 + float64(1.29*insulation)
	}
	return clothing{
		skin:             35.7 - float64(0.028*heat),
		insulation:       insulation,
		area:             area,
		air:              in.AirTempC,
		radiant:          in.RadiantTempC,
		forcedConvection: 12.1 * math.Sqrt(in.AirSpeedMps),
	}
}

// dryLoss returns the heat that a surface of t °C loses by radiation and convection, in W per m² of
// skin, its derivative in t, which is not negative, and the coefficient of convection: the larger
// of the natural and the forced coefficient.
func (c *clothing) dryLoss(t float64) (loss, slope, hc float64) {
	const (
		kelvin    = 273 // as in the standard
		radiation = 3.96e-8
	)
	d := t - c.air
	hc, slope = c.forcedConvection, c.forcedConvection
	if natural := 2.38 * math.Sqrt(math.Sqrt(math.Abs(d))); natural > hc {
		hc, slope = natural, 1.25*natural
	}
	// a⁴ - b⁴ as a product, because the difference of the two powers would lose three digits.
	a, b := t+kelvin, c.radiant+kelvin
	loss = c.area * (float64(radiation*(a+b)*(float64(a*a)+float64(b*b))*(t-c.radiant)) + float64(hc*d))
	slope = c.area * (float64(4*radiation*a*a*a) + slope)
	return loss, slope, hc
}

// temperature returns the root of t - skin + insulation·dryLoss(t), whose slope is at least 1. It
// is Newton's method in a bracket. It bisects where a step leaves the bracket or is more than half
// of the step before, which can happen at the kink where natural convection takes over.
func (c *clothing) temperature() float64 {
	const tolerance = 1e-12 // K, for the last step; the error after that step is of higher order
	lo, hi := min(c.skin, c.air, c.radiant), max(c.skin, c.air, c.radiant)

	// Start at the root for constant coefficients.
	hr, hc := float64(4.7*c.area), float64(max(c.forcedConvection, 3.5)*c.area)
	t := (c.skin + float64(c.insulation*(float64(hr*c.radiant)+float64(hc*c.air)))) / (1 + float64(c.insulation*(hr+hc)))
	for last := hi - lo; ; {
		loss, slope, _ := c.dryLoss(t)
		residual := t - c.skin + float64(c.insulation*loss)
		if residual > 0 {
			hi = t
		} else {
			lo = t
		}
		step := -residual / (1 + float64(c.insulation*slope))
		if math.Abs(step) <= tolerance {
			return t + step
		}
		next := t + step
		if next <= lo || next >= hi || math.Abs(step) > last/2 {
			next = lo + float64((hi-lo)/2)
			if next == lo || next == hi { // lo and hi are neighbouring numbers
				return t
			}
		}
		last, t = math.Abs(next-t), next
	}
}

package problems

import (
	"math"

	"popbench/pmv"
	"popbench/space"
)

// Thermal comfort in an office as a function of its climate control. The paper (App. "Occupant
// Thermal Comfort Optimization") states the model and which conditions are tuned. Box, occupant and
// objectives are ours. All input is within the limits of ISO 7730; only the vote in the coldest
// draughts, below -2, is beyond them.
//
// The objectives are smallest where the predicted mean vote is 0. The percentage dissatisfied is
// divided by ten, so that in scale raw ten percentage points are one logit. PMV² behaves like it
// near 0; |PMV| has a kink there.
var comfort = []*Spec{
	thermal("thermal2", "Thermal 2-D: PPD", "PPD in tens of percent", dissatisfied, 2),
	thermal("thermal2_abs_pmv", "Thermal 2-D: |PMV|", "|PMV|", math.Abs, 2),
	thermal("thermal2_pmv2", "Thermal 2-D: PMV²", "PMV²", sq, 2),
	thermal("thermal4", "Thermal 4-D: PPD", "PPD in tens of percent", dissatisfied, 4),
	thermal("thermal4_abs_pmv", "Thermal 4-D: |PMV|", "|PMV|", math.Abs, 4),
	thermal("thermal4_pmv2", "Thermal 4-D: PMV²", "PMV²", sq, 4),
}

func dissatisfied(vote float64) float64 { return pmv.PPDPercent(vote) / 10 }

// thermalBox returns the box of the first d of these conditions: air temperature, °C; air speed,
// m/s; mean radiant temperature, °C; relative humidity, %. More than 60 % would exceed the limit of
// ISO 7730 at 30 °C.
func thermalBox(d int) space.Box {
	return space.Box{Lo: []float64{20, 0, 20, 30}[:d], Hi: []float64{30, 1, 30, 60}[:d]}
}

// thermal is a problem whose objective is a function of the vote that is smallest at 0.
func thermal(name, title, measure string, objective func(vote float64) float64, d int) *Spec {
	box := thermalBox(d)
	over, zeros := "air temperature (°C) and air speed (m/s), at 25 °C radiant temperature, 50 % humidity,", "a curve"
	if d == 4 {
		over, zeros = "air temperature (°C), air speed (m/s), radiant temperature (°C) and humidity (%), at", "a hypersurface"
	}
	return least(name, title,
		measure+" over "+over+" 1.2 met and 0.5 clo: a valley with "+zeros+" as its floor",
		"Fanger (1970), Thermal Comfort, Danish Technical Press; form of ISO 7730:2005",
		box, func(x []float64) float64 { return objective(vote(x)) }, Optimum{
			Value: objective(0),
			X:     [][]float64{neutral(box)},
			How:   "exact: least where PMV = 0; attained on " + zeros + ", of which one point is listed, found by bisection",
		})
}

// office is the room of x with a person who does seated work (1.2 met) in summer clothing (0.5
// clo). If x has two coordinates, the mean radiant temperature is 25 °C and the relative humidity
// 50 %.
func office(x []float64) pmv.Input {
	in := pmv.Input{
		AirTempC: x[0], AirSpeedMps: x[1], RadiantTempC: 25, HumidityPercent: 50,
		MetabolicRateMet: 1.2, ClothingClo: 0.5,
	}
	if len(x) == 4 {
		in.RadiantTempC, in.HumidityPercent = x[2], x[3]
	}
	return in
}

// vote is the predicted mean vote in the room of x.
func vote(x []float64) float64 {
	r, err := pmv.Evaluate(office(x))
	if err != nil {
		panic("problems: " + err.Error()) // x is outside the box
	}
	return r.PMV
}

// neutral returns the point of vote 0 that lies at the centre of the box in all coordinates but air
// temperature. The vote rises with the air temperature.
func neutral(box space.Box) []float64 {
	x := space.Centre(box)
	for lo, hi := box.Lo[0], box.Hi[0]; x[0] != lo && x[0] != hi; x[0] = lo + float64((hi-lo)/2) {
		if vote(x) < 0 {
			lo = x[0]
		} else {
			hi = x[0]
		}
	}
	return x
}

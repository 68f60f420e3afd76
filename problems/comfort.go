package problems

import (
	"math"

	"popbench/pmv"
	"popbench/space"
)

// What somebody in an office feels about what its climate control sets. The
// paper (App. "Occupant Thermal Comfort Optimization") states the model and
// which conditions are tuned. Box, occupant and objectives are ours: all input
// is within the limits of ISO 7730, the vote is beyond them, below -2, in the
// coldest draughts.
//
// The objectives are least where the predicted mean vote is 0. The dissatisfied
// are counted in tens of percent, so that in scale raw ten percentage points
// are one logit; PMV² is like them near 0 and |PMV| has a kink there.
var comfort = []*Spec{
	thermal("thermal2", "Thermal 2-D: PPD", "PPD in tens of percent", dissatisfied, thermalBox(2)),
	thermal("thermal2_abs_pmv", "Thermal 2-D: |PMV|", "|PMV|", math.Abs, thermalBox(2)),
	thermal("thermal2_pmv2", "Thermal 2-D: PMV²", "PMV²", sq, thermalBox(2)),
	thermal("thermal4", "Thermal 4-D: PPD", "PPD in tens of percent", dissatisfied, thermalBox(4)),
	thermal("thermal4_abs_pmv", "Thermal 4-D: |PMV|", "|PMV|", math.Abs, thermalBox(4)),
	thermal("thermal4_pmv2", "Thermal 4-D: PMV²", "PMV²", sq, thermalBox(4)),
}

func dissatisfied(vote float64) float64 { return pmv.PPDPercent(vote) / 10 }

// thermalBox is that of the first d of air temperature, °C; air speed, m/s; mean
// radiant temperature, °C; relative humidity, %. More humidity would be beyond
// the limit of ISO 7730 at 30 °C.
func thermalBox(d int) space.Box {
	return space.Box{
		Lo: []float64{20, 0, 20, 30}[:d],
		Hi: []float64{30, 1, 30, 60}[:d],
	}
}

// thermal is an objective of the vote that is least at 0.
func thermal(name, title, measure string, objective func(vote float64) float64, box space.Box) *Spec {
	over, zeros := "air temperature (°C) and air speed (m/s)", "a curve"
	if box.Dim() == 4 {
		over, zeros = "air temperature (°C), air speed (m/s), radiant temperature (°C) and humidity (%)", "a hypersurface"
	}
	return deterministic(Spec{
		Name:    name,
		Title:   title,
		Summary: measure + " over " + over + ": a valley with " + zeros + " as its floor",
		Source:  "Fanger (1970), Thermal Comfort, Danish Technical Press; form of ISO 7730:2005",
	}, Function{
		Minimise: true,
		Box:      box,
		Eval:     func(x []float64) float64 { return objective(vote(x)) },
		Optimum: Optimum{
			Value: objective(0),
			X:     [][]float64{neutral(box)},
			How:   "exact: least where PMV = 0; attained on " + zeros + ", of which one point is listed, found by bisection",
		},
	})
}

// office is the room of x with somebody in it who does seated work (1.2 met) in
// summer clothing (0.5 clo). What x does not set is 25 °C of mean radiant
// temperature and 50 % of relative humidity.
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
		panic("problems: " + err.Error()) // x is outside of the box
	}
	return r.PMV
}

// neutral is the point of vote 0 that has the centre's coordinates but for the
// air temperature, with which the vote rises.
func neutral(box space.Box) []float64 {
	x := make([]float64, box.Dim())
	for i := range x {
		x[i] = (box.Lo[i] + box.Hi[i]) / 2
	}
	for lo, hi := box.Lo[0], box.Hi[0]; x[0] != lo && x[0] != hi; x[0] = lo + float64((hi-lo)/2) {
		if vote(x) < 0 {
			lo = x[0]
		} else {
			hi = x[0]
		}
	}
	return x
}

package problems

import "math"

// worst has the worst value of functions over their box, in the sense of the source. The package's tests prove by interval
// branch and bound that no value is worse by more than 1e-9·max(1, |value|).
var worst = map[string]float64{
	"beale":         181853.61328125,
	"branin":        308.12909601160663,
	"bukin6":        229.178784747792,
	"cross_in_tray": -0.0001,
	"eggholder":     1049.131623504493,
	"holder_table":  0,
	"levy13":        454.1286489117372,
}

// limit has bounds that the quantity itself has, whatever the box: the share of dissatisfied people in units of 10 %.
var limit = map[string]float64{"thermal2": 10, "thermal4": 10}

// worstMargin is the error of worst, relative to max(1, |value|).
const worstMargin = 1e-9

// Range returns bounds of all values of the function over its domain, as its source states it. It returns false if there
// is no proof of them: for a drawn function, an unknown optimum, and where nobody has looked for the worst value.
func (s *Spec) Range() (lo, hi float64, ok bool) {
	w, ok := worst[s.Name]
	if !ok {
		w, ok = limit[s.Name]
	}
	if !ok || s.function == nil || s.Optimum == nil || s.Optimum.Unknown {
		return 0, 0, false
	}
	best := s.Optimum.Value
	slack := func(v float64) float64 { return float64(worstMargin * max(1, math.Abs(v))) }
	if s.function.Minimise {
		return best - slack(best), w + slack(w), true
	}
	return w - slack(w), best + slack(best), true
}

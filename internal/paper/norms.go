package paper

import "slices"

// Norm bounds the norm of a test function f in the RKHS of the authors' program. AtLeast is a
// lower bound of ‖f + c‖ for every constant c, which preferences cannot determine; f is
// divided by its standard deviation over the 20 × 20 grid. The bound follows from the values
// on that grid. In all of their set-ups it exceeds Bound, the program's B. So no f + c is in
// the confidence set, whatever β is.
type Norm struct {
	Problem     string  `json:"problem"`
	Kernel      string  `json:"kernel"` // family, as settings name it
	Variance    float64 `json:"variance"`
	Lengthscale float64 `json:"lengthscale"`
	Bound       float64 `json:"bound"`
	AtLeast     float64 `json:"at_least"`
}

var norms = read[[]Norm]("norms.json")

// NormOf returns the norm of a problem, and whether there is one.
func NormOf(problem string) (Norm, bool) {
	i := slices.IndexFunc(norms, func(n Norm) bool { return n.Problem == problem })
	if i < 0 {
		return Norm{}, false
	}
	return norms[i], true
}

package paper

import (
	_ "embed"
	"encoding/json"
	"slices"
)

// Norm is how large a test function is in the RKHS that the authors' program
// works in: AtLeast is a lower bound of ‖f + c‖ for every constant c, which
// preferences cannot see, f being divided by its standard deviation over the
// 20 × 20 grid. It follows from the values on that grid. In every set-up of
// theirs it exceeds Bound, the B that the program is given, so that no f + c is
// in the confidence set, whatever β is.
type Norm struct {
	Problem     string  `json:"problem"`
	Kernel      string  `json:"kernel"` // family, as settings name it
	Variance    float64 `json:"variance"`
	Lengthscale float64 `json:"lengthscale"`
	Bound       float64 `json:"bound"`
	AtLeast     float64 `json:"at_least"`
}

//go:embed norms.json
var normNumbers []byte

var norms = func() (n []Norm) {
	if err := json.Unmarshal(normNumbers, &n); err != nil {
		panic("paper: norms.json: " + err.Error())
	}
	return n
}()

// Norms are those of all test functions that the authors' program has.
func Norms() []Norm { return slices.Clone(norms) }

// NormOf returns that of a problem.
func NormOf(problem string) (Norm, bool) {
	i := slices.IndexFunc(norms, func(n Norm) bool { return n.Problem == problem })
	if i < 0 {
		return Norm{}, false
	}
	return norms[i], true
}

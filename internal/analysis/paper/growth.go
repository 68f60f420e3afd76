package paper

import (
	_ "embed"
	"encoding/json"
)

// Growth is a printed curve of the cumulative regret, from which the paper reads
// off an order: "between √T and T (indeed, close to T^{3/4} by checking the slope
// in log scale)".
type Growth struct {
	Source string    `json:"source"`
	Method string    `json:"method"`
	Regret []float64 `json:"regret"` // R_t / R_1 after step t = 1, 2, …: the mean over the runs divided by its first value
	// Fits and Ends are ranges of t, both ends included, over which to read the
	// order: by least squares in log-log, and from the values at the ends.
	Fits [][2]int `json:"fits"`
	Ends [][2]int `json:"ends"`
}

// Order is the order of T that the paper reads off its curves.
const Order = 0.75

//go:embed growth.json
var growthNumbers []byte

var growths = func() (m map[string]*Growth) {
	if err := json.Unmarshal(growthNumbers, &m); err != nil {
		panic("paper: growth.json: " + err.Error())
	}
	return m
}()

// LookupGrowth returns the curve of an experiment of the paper, as a suite's
// `paper` setting names it, or nil if it prints none.
func LookupGrowth(experiment string) *Growth { return growths[experiment] }

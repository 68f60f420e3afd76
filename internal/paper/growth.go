package paper

// Growth is a printed curve of the cumulative regret. The paper reads off its order: "between
// √T and T (indeed, close to T^{3/4} by checking the slope in log scale)".
type Growth struct {
	Source string    `json:"source"`
	Method string    `json:"method"`
	Regret []float64 `json:"regret"` // R_t / R_1 after step t = 1, 2, …: the mean over the runs divided by its first value
	// Fits and Ends are ranges of t, both ends included, for reading off the order: Fits by
	// least squares in log-log scale, Ends from the values at both ends.
	Fits [][2]int `json:"fits"`
	Ends [][2]int `json:"ends"`
}

// Order is the exponent of T that the paper reads off its curves.
const Order = 0.75

var growths = read[map[string]*Growth]("growth.json")

// LookupGrowth returns the curve of the experiment with the given name, or nil if the paper
// prints none.
func LookupGrowth(experiment string) *Growth { return growths[experiment] }

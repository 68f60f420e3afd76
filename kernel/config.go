package kernel

// Config names a kernel and its parameters, as a settings file does.
type Config struct {
	Family      string    `json:"family" doc:"se-paper: v exp(-r²), the paper's text; se-half: v exp(-r²/2), the authors' code; matern12, matern32, matern52; matern with any nu; linear: v x·x'. r is the distance after each coordinate is divided by its lengthscale." enum:"se-paper,se-half,matern12,matern32,matern52,matern,linear"`
	Nu          float64   `json:"nu,omitempty" doc:"Smoothness of the matern family; unused by the others."`
	Variance    float64   `json:"variance" doc:"Variance v, the value of a stationary kernel at distance 0."`
	Lengthscale []float64 `json:"lengthscale" doc:"One lengthscale for all coordinates, or one for each, in the units of x; unused by linear."`
}

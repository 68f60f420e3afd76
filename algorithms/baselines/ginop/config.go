package ginop

import (
	"errors"
	"math"

	"popbench/internal/limits"
	"popbench/internal/math/fmath"
	"popbench/kernel"
)

// Config has the settings of GINOP. Default returns complete ones.
type Config struct {
	Kernel    kernel.Config `json:"kernel" doc:"The RKHS that f is assumed to lie in. A known one replaces it."`
	NormBound float64       `json:"norm_bound" min:"1e-6" max:"1e6" doc:"S, the bound on the RKHS norm of f. A known one replaces it."`
	Beta      BetaConfig    `json:"beta" doc:"Size of the confidence set: functions whose loss is at most beta_t above the least."`
	Epsilon   float64       `json:"epsilon" min:"0" max:"1e6" doc:"Added to the diagonal of the kernel matrix of all points, as in POP-BO; 0 for the kernel itself."`
	Width     string        `json:"width" doc:"omega: certified, both ends of the difference over the confidence set by convex programs with bounds; laplace, the width of the quadratic approximation at the ridge estimate." enum:"certified,laplace"`
	Lambda    float64       `json:"lambda" min:"1e-6" max:"1e6" doc:"Weight of the ridge of width: laplace."`
	SelfDuels string        `json:"self_duels" doc:"Whether a point may be compared with itself, which tells nothing: allow (the paper), forbid." enum:"allow,forbid"`
}

// BetaConfig is the schedule of β_t, where t is the number of comparisons.
type BetaConfig struct {
	Schedule    string  `json:"schedule" doc:"sqrt(t): beta0 √t (POP-BO's); constant: beta0; theory: 5/2 + 60 (2S + 1) log(N (e + log(1 + t)) / delta), N being the covering number (the paper)." enum:"sqrt(t),constant,theory"`
	Beta0       float64 `json:"beta0" min:"0" max:"1e6" doc:"Factor of the schedule; the theory schedule ignores it."`
	Delta       float64 `json:"delta" min:"1e-12" max:"0.999999" doc:"Failure probability of the theory schedule."`
	LogCovering float64 `json:"log_covering" min:"0" max:"1e6" doc:"Natural logarithm of the covering number of the ball, for the theory schedule; above 0."`
}

// Default returns the paper's rule with POP-BO's confidence set.
func Default() Config {
	return Config{
		Kernel:    kernel.Config{Family: "matern52", Variance: 1, Lengthscale: []float64{1}},
		NormBound: 6,
		Beta:      BetaConfig{Schedule: "sqrt(t)", Beta0: 1, Delta: 0.1},
		Epsilon:   1e-6,
		Width:     "certified",
		Lambda:    1,
		SelfDuels: "allow",
	}
}

// Validate returns an error that names the first wrong setting.
func (c Config) Validate() error {
	if err := c.Kernel.Validate(); err != nil {
		return err
	}
	if err := limits.Check("", c); err != nil {
		return err
	}
	if c.Beta.Schedule == "theory" && c.Beta.LogCovering == 0 {
		return errors.New("beta.log_covering = 0 must be positive; the theory schedule has no default for it")
	}
	return nil
}

// at returns β_t under the bound s on the norm.
func (c BetaConfig) at(t int, s float64) float64 {
	n := float64(t)
	switch c.Schedule {
	case "constant":
		return c.Beta0
	case "theory":
		return 2.5 + float64(60*(float64(2*s)+1)*(c.LogCovering+fmath.Log((math.E+fmath.Log1p(n))/c.Delta)))
	}
	return c.Beta0 * math.Sqrt(n)
}

package ginop

import (
	"cmp"
	"math"

	"popbench/internal/limits"
	"popbench/kernel"
)

// Config has the settings of GINOP. Default returns complete ones.
type Config struct {
	Kernel    kernel.Config `json:"kernel" doc:"The RKHS that f is assumed to lie in. A known one replaces it."`
	Fit       string        `json:"fit,omitempty" doc:"Hyper-parameters: map, a squared exponential kernel with a lengthscale for each coordinate and a variance, fitted to the answers after each of them as qEUBO's is, in place of kernel, unless that is known; none by default." enum:"none,map"`
	NormBound float64       `json:"norm_bound" min:"1e-6" max:"1e6" doc:"S, the bound on the RKHS norm of f. A known one replaces it."`
	Beta      BetaConfig    `json:"beta" doc:"Size of the confidence set: functions whose loss is at most beta_t above the least."`
	Epsilon   float64       `json:"epsilon" min:"0" max:"1e6" doc:"Added to the diagonal of the kernel matrix of all points, as in POP-BO: raise it if estimates fail; 0 for the kernel itself."`
	Width     string        `json:"width" doc:"omega: certified, both ends of the difference over the confidence set by convex programs with bounds; laplace, the width of the quadratic approximation at the ridge estimate." enum:"certified,laplace"`
	Lambda    float64       `json:"lambda" min:"1e-6" max:"1e6" doc:"Weight of the ridge of width: laplace: raise it to trust the answers less."`
	SelfDuels string        `json:"self_duels" doc:"Whether a point may be compared with itself, which tells nothing: allow (the paper); forbid, where a person answers." enum:"allow,forbid"`
}

// BetaConfig is the size β_t after t comparisons. The paper's β_t is left out, since it excludes nothing at budgets of
// some thousand.
type BetaConfig struct {
	Beta0 float64 `json:"beta0" min:"0" max:"1e6" doc:"beta_t is beta0 √t, as in POP-BO."`
}

// Default returns the paper's rule with POP-BO's confidence set.
func Default() Config {
	return Config{
		Kernel:    kernel.Config{Family: "matern52", Variance: 1, Lengthscale: []float64{1}},
		NormBound: 6,
		Beta:      BetaConfig{Beta0: 1},
		Epsilon:   1e-6,
		Width:     "certified",
		Lambda:    1,
		SelfDuels: "allow",
	}
}

// Validate returns an error that names the first wrong setting.
func (c Config) Validate() error { return cmp.Or(c.Kernel.Validate(), limits.Check("", c)) }

func (c BetaConfig) at(t int) float64 { return c.Beta0 * math.Sqrt(float64(t)) }

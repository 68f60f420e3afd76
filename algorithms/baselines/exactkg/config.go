package exactkg

import (
	"errors"

	"popbench/algorithms/baselines/settings"
	"popbench/internal/limits"
)

// Config has the settings of the exact knowledge gradient: those of qEUBO, and how answers are imagined.
type Config struct {
	settings.Utility
	Fantasy string `json:"fantasy" doc:"Posterior after an imagined answer: exact, the conditional mean of the Gaussian posterior, in closed form; laplace, computed anew for the best pairs of exact, as many as restarts, for inference: laplace only (slow)." enum:"exact,laplace"`
}

// Default returns the settings of qEUBO with exact conditional means.
func Default() Config { return Config{settings.DefaultUtility(), "exact"} }

// Validate returns an error that names the first wrong setting.
func (c Config) Validate() error {
	if err := c.Utility.Validate(); err != nil {
		return err
	}
	if err := limits.Check("", c); err != nil {
		return err
	}
	if c.Fantasy == "laplace" && c.Inference != "laplace" {
		return errors.New("fantasy = laplace computes Laplace approximations; give inference: laplace with it, or fantasy: exact")
	}
	return nil
}

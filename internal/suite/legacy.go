package suite

import (
	"popbench/algorithms"
	"popbench/algorithms/baselines/gpucb"
)

// legacy returns the settings with what the setup knows in place, for algorithms
// that do not read Setup.Known and Setup.Pilot themselves yet.
func legacy(setup algorithms.Setup, settings any) (any, error) {
	known := setup.Known
	switch c := settings.(type) {
	case gpucb.Config:
		if known.Kernel != nil {
			c.Grant = "kernel"
			return c.Granted(*known.Kernel, known.NormBound), nil
		}
	}
	return settings, nil
}

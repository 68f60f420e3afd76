package exactkg

import "popbench/algorithms/baselines/settings"

// Config has the settings of the exact knowledge gradient, the same as qEUBO's.
type Config struct{ settings.Utility }

// Default returns the settings of qEUBO.
func Default() Config { return Config{settings.DefaultUtility()} }

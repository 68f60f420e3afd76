package qeubo

import "popbench/algorithms/baselines/settings"

// Config has the settings of qEUBO. Default returns those of its authors' program.
type Config struct{ settings.Utility }

// Default returns the settings of the authors' program.
func Default() Config { return Config{settings.DefaultUtility()} }

// PairwiseGP returns the settings of the other public model, BoTorch's PairwiseGP with its defaults.
func PairwiseGP() Config { return Config{settings.PairwiseGP()} }

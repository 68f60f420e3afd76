package qeubo_test

import (
	"testing"

	"popbench/algorithms"
	"popbench/algorithms/algotest"
	"popbench/algorithms/baselines/qeubo"
)

func TestConformance(t *testing.T) {
	for name, cfg := range map[string]qeubo.Config{"default": qeubo.Default(), "pairwise-gp": qeubo.PairwiseGP()} {
		cfg.Initial = 3
		algotest.Run(t, name, func(s algorithms.Setup) (algorithms.Algorithm, error) { return qeubo.New(s, cfg) })
	}
}

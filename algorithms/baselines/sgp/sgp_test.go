package sgp

import (
	"testing"

	"popbench/algorithms"
	"popbench/algorithms/algotest"
)

func TestConformance(t *testing.T) {
	algotest.Run(t, "sgp", func(s algorithms.Setup) (algorithms.Algorithm, error) {
		return New(s, Default())
	})
}

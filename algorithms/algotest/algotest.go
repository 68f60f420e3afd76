// Package algotest tests that an algorithm keeps the contract of package algorithms.
//
//	func TestConformance(t *testing.T) {
//		algotest.Run(t, "random", func(s algorithms.Setup) (algorithms.Algorithm, error) {
//			return random.New(s, random.Default())
//		})
//	}
//
// An algorithm that learns from value observations (algorithms.ValueLearner) gets values instead of winners,
// and has to refuse a winner. The quality of an algorithm is left to its own tests.
package algotest

import (
	"testing"

	"popbench/algorithms"
	"popbench/internal/contract"
)

// Factory returns an algorithm for a setup; it chooses the settings.
type Factory = func(algorithms.Setup) (algorithms.Algorithm, error)

// RunRestored takes the given number of steps with an algorithm that is saved as JSON and restored after every
// step. Its proposals, recommendations and metrics must equal those of an algorithm that was never saved, to
// the last bit.
func RunRestored(t *testing.T, name string, factory Factory, steps int) {
	t.Run(name+"/restored after every step", func(t *testing.T) {
		if err := contract.RestoredAfterEveryStep(factory, steps); err != nil {
			t.Error(err)
		}
	})
}

// Run runs the whole suite as subtests of t under the given name: in all scenarios, or in those named only, which suits an
// algorithm that differs little from one that is tested in all.
func Run(t *testing.T, name string, factory Factory, scenarios ...string) {
	t.Run(name, func(t *testing.T) {
		for _, c := range contract.Checks(factory, scenarios...) {
			t.Run(c.Name, func(t *testing.T) {
				if err := c.Run(); err != nil {
					t.Error(err)
				}
			})
		}
	})
}

// RunSettings checks that build, a package's New, accepts the valid settings, and refuses them after each change with
// an error of one line that contains the change's key.
func RunSettings[C, A any](t *testing.T, valid C, changes map[string]func(*C), build func(algorithms.Setup, C) (A, error)) {
	if _, err := build(contract.Scenarios[1].Setup(), valid); err != nil {
		t.Errorf("valid settings are refused: %v", err)
	}
	for want, change := range changes {
		t.Run(want, func(t *testing.T) {
			cfg := valid
			change(&cfg)
			if _, err := build(contract.Scenarios[1].Setup(), cfg); err == nil {
				t.Error("bad settings are accepted")
			} else if err := contract.Named(err, want); err != nil {
				t.Error(err)
			}
		})
	}
}

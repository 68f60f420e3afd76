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
)

// Factory returns an algorithm for a setup; it chooses the settings.
type Factory = func(algorithms.Setup) (algorithms.Algorithm, error)

// RunRestored takes the given number of steps with an algorithm that is saved as JSON and restored after every
// step. Its proposals, recommendations and metrics must equal those of an algorithm that was never saved, to
// the last bit.
func RunRestored(t *testing.T, name string, factory Factory, steps int) {
	t.Run(name+"/restored after every step", func(t *testing.T) {
		r, err := begin(factory, scenarios[1])
		if err != nil {
			t.Fatal(err)
		}
		plain, err := begin(factory, scenarios[1])
		if err != nil {
			t.Fatal(err)
		}
		if err := restoredAfterEveryStep(r, plain, steps); err != nil {
			t.Error(err)
		}
	})
}

// Run runs the whole suite as subtests of t under the given name.
func Run(t *testing.T, name string, factory Factory) {
	t.Run(name, func(t *testing.T) {
		for _, c := range checks {
			t.Run(c.name, func(t *testing.T) {
				if err := c.run(factory); err != nil {
					t.Error(err)
				}
			})
		}
	})
}

// RunSettings checks that build, a package's New, accepts the valid settings, and refuses them after each change with
// an error of one line that contains the change's key.
func RunSettings[C, A any](t *testing.T, valid C, changes map[string]func(*C), build func(algorithms.Setup, C) (A, error)) {
	if _, err := build(scenarios[1].setup(), valid); err != nil {
		t.Errorf("valid settings are refused: %v", err)
	}
	for want, change := range changes {
		t.Run(want, func(t *testing.T) {
			cfg := valid
			change(&cfg)
			if _, err := build(scenarios[1].setup(), cfg); err == nil {
				t.Error("bad settings are accepted")
			} else if err := named(err, want); err != nil {
				t.Error(err)
			}
		})
	}
}

// A check returns what the algorithm did wrong. So the checks can be tested themselves, with faulty algorithms.
type check struct {
	name string
	run  func(Factory) error
}

var checks = []check{
	{"refuses a bad setup", refusesBadSetup},
	{"stays in the box", staysInTheBox},
	{"is pure and repeatable", isPureAndRepeatable},
	{"copies", copies},
	{"refuses a bad comparison", refusesBadComparison},
	{"accepts any comparison", acceptsAnyComparison},
	{"is saved and restored", isSavedAndRestored},
}
